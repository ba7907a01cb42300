# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of each object, at the top of the panel and in the viewport."""

from __future__ import annotations

import json
import shutil
from types import SimpleNamespace

import bpy
import pytest
from blender_scenes import addon_module, empty_scene, sheet
from drawing import draw
from playing import play


def test_cache_states_are_readable() -> None:
    text = addon_module("interface.messages").cache_text
    status = addon_module("simulation.status").CacheStatus
    assert text(status(None, None, False, "")) == "No frames cached"
    earlier = status(None, None, False, "", earlier=True)
    assert text(earlier) == "Made by an earlier version: simulate again"
    assert text(status(1, 60, False, "")) == "Frames 1–60 cached"
    assert text(status(1, 1, False, "")) == "Frame 1 cached"
    assert text(status(1, 60, True, "Sheet's density changed")) == (
        "Outdated: Sheet's density changed"
    )


def lines() -> list[str]:
    """What is said of the active object, and then of the others."""
    messages, scene, obj = addon_module("interface.messages"), bpy.context.scene, bpy.context.object
    told = [*messages.in_panel(scene, obj), *messages.to_be_simulated(scene, obj)]
    return [each.text for each in told]


CURE = "Play from frame 1, or press Simulate"


def in_viewport() -> str:
    """The line in the viewport."""
    message = addon_module("interface.messages").of_scene(bpy.context.scene)
    return message.text if message else ""


def test_the_panel_tells_which_object_is_outdated() -> None:
    empty_scene()
    curtain, ball = sheet("Curtain"), sheet("Ball")
    ball.location.x = 6.0
    assert lines() == ["No frames cached"]
    bpy.ops.xpbd.simulate()
    assert lines() == ["Frames 1–6 cached"]
    third = sheet("Third")
    third.location.x = 12.0
    assert lines() == ["Not simulated yet"]
    bpy.context.view_layer.objects.active = curtain
    renew = "To be simulated: 'Third' (not simulated yet)"
    assert in_viewport() == ""
    assert lines() == ["Frames 1–6 cached", renew]
    ball.xpbd.density = 3.0
    changed = "To be simulated: 'Ball' (material changed), 'Third' (not simulated yet)"
    assert lines() == ["Frames 1–6 cached", changed]
    assert in_viewport() == changed
    bpy.context.view_layer.objects.active = ball
    assert lines() == ["Outdated: material changed", renew]
    assert in_viewport() == f"'Ball' is outdated: material changed. {CURE}"


def test_an_edit_moves_no_setting_away_under_the_mouse() -> None:
    scene = empty_scene()
    sheet("Ball").location.x = 6.0
    curtain = sheet("Curtain")
    bpy.ops.xpbd.simulate()
    scene.frame_set(4)
    bpy.context.view_layer.objects.active = curtain
    assert draw().drawn == ["Frames 1–6 cached", "kind"]
    curtain.xpbd.density = 3.0
    assert draw().drawn == ["Outdated: material changed", "kind"]
    assert in_viewport() == f"'Curtain' is outdated: material changed. {CURE}"


def test_what_is_outdated_is_said_to_come_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """While it plays nothing moves until the first frame, or what moves is old."""
    scene = empty_scene()
    scene.xpbd.frame_start = 3
    obj = sheet("Curtain")
    bpy.ops.xpbd.simulate()
    obj.xpbd.density = 3.0
    told = "'Curtain' is outdated: material changed. "
    assert in_viewport() == told + "Play from frame 3, or press Simulate"
    monkeypatch.setattr(addon_module("simulation.waiting"), "plays", lambda scene: True)
    assert in_viewport() == told + "It is simulated anew when playing comes to frame 3"
    scene.xpbd.lock_cache = True
    assert in_viewport() == told + "Unlock the cache and play, or press Simulate"


def test_the_panel_names_some_of_many() -> None:
    scene = empty_scene()
    objects = [sheet(f"Sheet {number}", cuts=2) for number in range(7)]
    bpy.ops.xpbd.simulate()
    scene.gravity[2] = -3.0
    told = addon_module("interface.messages").others_text
    text = told(addon_module("simulation.session").status(scene, exact=True), objects)
    assert text.startswith("To be simulated: 'Sheet 0' (gravity changed), 'Sheet 1' (")
    assert text.endswith("'Sheet 3' (gravity changed), 3 more")


def test_frames_that_are_gone_are_told_of_until_they_are_back() -> None:
    scene = empty_scene()
    sheet()
    bpy.ops.xpbd.simulate()
    folder = addon_module("simulation.session").of(scene).cache.folder
    shutil.rmtree(folder)
    assert lines() == ["No frames cached", f"Frames are gone from '{folder}': simulate again"]
    bpy.ops.xpbd.simulate()
    assert lines() == ["Frames 1–6 cached"]


def test_who_removed_the_modifier_or_switched_it_off_is_told() -> None:
    empty_scene()
    obj = sheet()
    bpy.ops.xpbd.simulate()
    ours = obj.modifiers["XPBD"]
    ours.show_viewport = False
    off = "'XPBD' is switched off in {}, where 'Sheet' isn't seen as simulated: switch it on among "
    off += "its modifiers"
    assert lines() == ["Frames 1–6 cached", off.format("viewports")]
    assert in_viewport() == off.format("viewports")
    ours.show_render = False
    assert lines() == ["Frames 1–6 cached", off.format("viewports and renders")]
    ours.show_viewport = True
    assert lines() == ["Frames 1–6 cached", off.format("renders")]
    obj.modifiers.remove(ours)
    lost = "'Sheet' has lost its modifier XPBD: play from frame 1, or press Simulate, and it is "
    assert lines() == ["Frames 1–6 cached", f"{lost}there again"]
    bpy.ops.xpbd.simulate()
    assert lines() == ["Frames 1–6 cached"]


def test_frames_of_an_earlier_version_can_be_cleared() -> None:
    scene = empty_scene()
    sheet()
    bpy.ops.xpbd.simulate()
    session = addon_module("simulation.session")
    path = session.of(scene).cache.folder / "cache.json"
    description = json.loads(path.read_text())
    counts = {key: each["points"] for key, each in description.pop("objects").items()}
    del description["document"]
    path.write_text(json.dumps(description | {"format": 2, "point_counts": counts}))
    session.forget()
    assert lines() == ["Made by an earlier version: simulate again"]
    assert draw("cache").disabled == []
    bpy.ops.xpbd.clear_cache()
    assert lines() == ["No frames cached"]
    assert draw("cache").disabled == ["xpbd.clear_cache"]
    assert not path.exists()


def test_messages_are_the_first_that_is_drawn() -> None:
    empty_scene()
    sheet("Flag")
    other = sheet("Other")
    other.xpbd.pin_group = "Nowhere"
    drawn = draw().drawn
    assert drawn[0].startswith("'Other' has no vertex group 'Nowhere'")
    assert drawn[-1] == "kind"
    bpy.context.view_layer.objects.active = bpy.data.objects["Flag"]
    drawn = draw().drawn
    assert drawn[0] == "No frames cached"
    assert drawn[1].startswith("Left out: 'Other' has no vertex group")


def test_a_message_goes_with_its_cause() -> None:
    scene = empty_scene()
    sheet("Flag").location.x = 9.0
    sheet("Other")
    bpy.ops.object.mode_set(mode="EDIT")
    play(scene, 3)
    assert lines()[0] == "'Other' is in Edit Mode: leave it with Tab first"
    assert in_viewport() == lines()[0]
    bpy.ops.object.mode_set(mode="OBJECT")
    again = "'Other' is not simulated yet on frame 3: play from frame 1, or press Simulate"
    assert lines() == ["Not simulated yet", again]
    assert in_viewport() == again
    play(scene)
    assert lines() == ["Frames 1–6 cached"]


@pytest.mark.parametrize("cure", ["move", "delete", "simulate", "clear"])
def test_an_error_goes_with_its_cause(cure: str) -> None:
    scene = empty_scene()
    flag = sheet("Flag")
    bpy.ops.mesh.primitive_cube_add(location=(0, 0, -9))
    bpy.ops.object.modifier_add(type="COLLISION")
    cube = bpy.context.object
    good = cube.data.vertices[0].co.x
    cube.data.vertices[0].co.x = float("nan")
    bpy.context.view_layer.objects.active = flag
    play(scene, 3)
    assert any(
        "Collider 'Cube' has a vertex that is not a finite number" in each for each in lines()
    )
    assert "Cube" in in_viewport()
    assert "Cube" in in_viewport()
    if cure == "delete":
        bpy.data.objects.remove(cube)
    elif cure == "clear":
        bpy.ops.xpbd.clear_cache()
    else:
        cube.data.vertices[0].co.x = good
        cube.data.update()
        bpy.context.view_layer.update()
    if cure == "simulate":
        bpy.ops.xpbd.simulate()
    assert not any("Cube" in each for each in lines())
    assert "Cube" not in in_viewport()


def test_what_was_rendered_without_simulation_is_told_until_it_is_simulated() -> None:
    scene = empty_scene()
    sheet("Flag")
    rendering = addon_module("simulation.rendering")
    scene.frame_set(4)
    rendering.note(scene, bpy.context.evaluated_depsgraph_get())
    assert "The last render or export shows 'Flag' not simulated on frame 4" in lines()[1]
    assert in_viewport() == lines()[1]
    bpy.ops.xpbd.simulate()
    assert lines() == ["Frames 1–6 cached"]
    rendering.begin()


def test_the_viewports_text_overlay_switches_the_line_off() -> None:
    is_wanted = addon_module("interface.viewport_line").is_wanted
    for shown in (True, False):
        for text in (True, False):
            overlay = SimpleNamespace(show_overlays=shown, show_text=text)
            assert is_wanted(overlay) == (shown and text)


def test_the_timeline_shows_what_is_cached_and_outdated() -> None:
    scene = empty_scene()
    flag = sheet("Flag")
    sheet("Far").location.x = 9.0
    bar = addon_module("interface.timeline_bar")
    assert bar.runs(scene, flag) == []
    bpy.ops.xpbd.simulate()
    assert bar.runs(scene, flag) == [(1, 6, True)]
    assert bar.runs(scene, None) == [(1, 6, True)]
    flag.xpbd.density = 4.0
    assert bar.runs(scene, flag) == [(1, 6, False)]
    assert bar.runs(scene, bpy.data.objects["Far"]) == [(1, 6, True)]
    assert bar.runs(scene, None) == [(1, 6, False)]
    assert bar.split(3, 9, 5) == [(3, 4, True), (5, 9, False)]
    assert bar.split(3, 9, 20) == [(3, 9, True)]


def test_why_simulating_stopped_is_told_until_its_cause_is_gone() -> None:
    scene = empty_scene()
    obj = sheet()
    obj.xpbd.friction = 0.5
    for frame in (1, 6):
        obj.keyframe_insert("xpbd.friction", frame=frame)
    curve = next(addon_module("scene.animation").curves_of(obj))
    curve.keyframe_points[1].co.y = float("nan")
    with pytest.raises(RuntimeError):
        bpy.ops.xpbd.simulate()
    told = "The keyframes of friction of 'Sheet' are not numbers on frame 2"
    assert lines()[1].startswith(told)
    assert in_viewport().startswith(told)
    curve.keyframe_points[1].co.y = 0.5
    obj.animation_data.action.update_tag()
    bpy.context.view_layer.update()
    assert not any(told in line for line in lines())
    assert scene.frame_current == 1


def test_a_mesh_that_was_emptied_is_told_and_drawn() -> None:
    scene = empty_scene()
    obj = sheet()
    obj.data.clear_geometry()
    with pytest.raises(RuntimeError, match="'Sheet' has no faces"):
        bpy.ops.xpbd.simulate()
    assert lines()[0].startswith("'Sheet' has no faces")
    scene.frame_set(2)
