# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders simulate frames that follow one another, and say of others that they were not."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import Any, Literal

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, evaluated_positions, sheet
from playing import addon, cached, play


@pytest.fixture
def scene(tmp_path: Path) -> bpy.types.Scene:
    """Frames 1 to 6 of nothing, in the smallest pictures."""
    scene = empty_scene()
    bpy.ops.object.camera_add(location=(0, -5, 1), rotation=(1.5, 0, 0))
    scene.camera = bpy.context.object
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 1
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.render.filepath = f"{tmp_path}/render-"
    scene.frame_start, scene.frame_end = 1, 6
    return scene


def positions(scene: bpy.types.Scene, obj: bpy.types.Object, frame: int) -> np.ndarray:
    found: np.ndarray = addon.simulation.session.cached_positions(scene, obj, frame)
    return found


def test_a_render_from_the_first_frame_simulates_as_simulate_does(scene: bpy.types.Scene) -> None:
    obj = sheet()
    bpy.ops.xpbd.simulate()
    expected = [positions(scene, obj, frame) for frame in range(1, 7)]
    bpy.ops.xpbd.clear_cache()
    scene.frame_set(3)
    bpy.ops.render.render(animation=True)
    assert cached(scene) == (1, 6)
    assert not addon.simulation.session.status(scene).outdated
    for frame, points in enumerate(expected, 1):
        np.testing.assert_array_equal(positions(scene, obj, frame), points)
    assert scene.frame_current == 3
    assert addon.simulation.rendering.summary() == ""


def test_what_is_rendered_is_what_was_simulated_on_that_frame(
    scene: bpy.types.Scene, tmp_path: Path
) -> None:
    """The pictures of a render that simulates are those of one that shows the cache."""
    sheet().xpbd.pin_group = ""
    bpy.ops.object.light_add(type="SUN")
    scene.cycles.samples, scene.cycles.seed = 16, 3
    scene.render.resolution_x = scene.render.resolution_y = 32
    pictures = []
    for _ in range(2):
        bpy.ops.render.render(animation=True)
        pictures.append([_pixels(tmp_path / f"render-{frame:04d}.png") for frame in (2, 6)])
    np.testing.assert_array_equal(pictures[0], pictures[1])
    assert np.abs(pictures[0][0] - pictures[0][1]).max() > 0.1


def _pixels(path: Path) -> np.ndarray:
    image = bpy.data.images.load(str(path))
    pixels = np.empty(4 * 32 * 32, np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return pixels


def test_a_still_is_not_simulated_and_says_so(
    scene: bpy.types.Scene, capfd: pytest.CaptureFixture[str]
) -> None:
    sheet("Flag")
    scene.frame_set(4)
    bpy.ops.render.render()
    assert cached(scene) == (None, None)
    printed = capfd.readouterr().out
    assert "xpbd: Warning: frame 4 is rendered or exported with 'Flag' (not simulated)" in printed
    assert "'Flag' not simulated on frame 4" in addon.simulation.rendering.summary()


def test_a_render_that_starts_late_names_frames_and_objects(scene: bpy.types.Scene) -> None:
    sheet("Flag")
    sheet("Skirt").location.x = 9.0
    scene.frame_start, scene.frame_end, scene.xpbd.frame_end = 3, 8, 6
    bpy.ops.render.render(animation=True)
    told = addon.simulation.rendering.summary()
    assert "'Flag' not simulated on frames 3–8" in told
    assert "'Skirt' not simulated on frames 3–8" in told
    scene.frame_start = 1
    bpy.ops.render.render(animation=True)
    told = addon.simulation.rendering.summary()
    assert "not simulated" not in told
    assert "'Flag' after the end of the simulation on frames 7–8" in told


def test_what_is_outdated_is_named(scene: bpy.types.Scene) -> None:
    obj = sheet("Flag")
    bpy.ops.xpbd.simulate()
    before = obj.xpbd.density
    obj.xpbd.density = 0.7
    scene.frame_start = 2
    bpy.ops.render.render(animation=True)
    told = addon.simulation.rendering.summary()
    assert "'Flag' outdated: material changed on frames 2–6" in told
    obj.xpbd.density = before
    bpy.ops.render.render(animation=True)
    assert addon.simulation.rendering.summary() == ""


def test_motion_blur_and_view_layers_step_each_frame_once(scene: bpy.types.Scene) -> None:
    obj = sheet("Flag")
    bpy.ops.xpbd.simulate()
    expected = positions(scene, obj, 6)
    bpy.ops.xpbd.clear_cache()
    scene.view_layers.new("Second")
    scene.render.use_motion_blur = True
    bpy.ops.render.render(animation=True)
    np.testing.assert_array_equal(positions(scene, obj, 6), expected)
    assert "without the second half of its motion blur" in addon.simulation.rendering.summary()
    bpy.ops.render.render(animation=True)
    assert addon.simulation.rendering.summary() == ""


def test_a_collider_that_is_hidden_in_renders_is_not_left_out_silently(
    scene: bpy.types.Scene, capfd: pytest.CaptureFixture[str]
) -> None:
    sheet("Flag")
    bpy.ops.mesh.primitive_cube_add(location=(0, 0, -4))
    bpy.ops.object.modifier_add(type="COLLISION")
    bpy.context.object.name = "Proxy"
    bpy.context.object.hide_render = True
    bpy.ops.render.render(animation=True)
    assert cached(scene) == (None, None)
    assert "The collider 'Proxy' is hidden in renders" in capfd.readouterr().out
    bpy.ops.xpbd.simulate()
    bpy.ops.render.render(animation=True)
    assert addon.simulation.rendering.summary() == ""


def test_what_is_hidden_in_renders_and_acts_on_others_is_not_left_out_silently(
    scene: bpy.types.Scene,
) -> None:
    """Cloth that another one falls onto, and wind: no frames that differ from the preview's."""
    shelf = sheet("Shelf")
    shelf.location.z -= 0.1
    sheet("Flag").xpbd.pin_group = ""
    bpy.ops.object.effector_add(type="WIND")
    wind = bpy.context.object
    wind.name = "Wind"
    bpy.ops.xpbd.simulate()
    expected = positions(scene, bpy.data.objects["Flag"], 6)
    for obj, told in (
        (shelf, "'Shelf', which 'Flag' may touch, is hidden in renders"),
        (wind, "The force field 'Wind' is hidden in renders"),
    ):
        bpy.ops.xpbd.clear_cache()
        scene.frame_set(1)
        obj.hide_render = True
        bpy.ops.render.render(animation=True)
        assert cached(scene) == (None, None)
        assert told in addon.simulation.session.of(scene).error
        assert "'Flag' not simulated on frames 2–6" in addon.simulation.rendering.summary()
        bpy.ops.xpbd.simulate()
        bpy.ops.render.render(animation=True)
        assert addon.simulation.rendering.summary() == ""
        found = positions(scene, bpy.data.objects["Flag"], 6)
        np.testing.assert_array_equal(found, expected)
        obj.hide_render = False


def test_what_is_hidden_in_renders_and_touches_nothing_keeps_nothing_from_them(
    scene: bpy.types.Scene,
) -> None:
    hidden = sheet("Hidden")
    sheet("Flag")
    hidden.hide_render, hidden.xpbd.use_body_collision = True, False
    bpy.ops.render.render(animation=True)
    assert "Flag" not in addon.simulation.rendering.summary()
    assert positions(scene, bpy.data.objects["Flag"], 6) is not None


@pytest.mark.parametrize("current", [1, 4])
def test_an_export_simulates_what_is_outdated_and_loses_no_frame(
    scene: bpy.types.Scene, tmp_path: Path, current: int
) -> None:
    obj = sheet()
    bpy.ops.xpbd.simulate()
    before = positions(scene, obj, 6)
    obj.xpbd.stretch_stiffness = 100.0
    scene.frame_set(current)
    bpy.ops.wm.alembic_export(filepath=f"{tmp_path}/sheet.abc", start=1, end=6)
    assert cached(scene) == (1, 6)
    found = [positions(scene, obj, frame) for frame in range(1, 7)]
    assert np.abs(found[-1] - before).max() > 1e-5
    assert not addon.simulation.session.status(scene, exact=True).outdated
    assert addon.simulation.rendering.summary() == ""
    bpy.ops.xpbd.clear_cache()
    bpy.ops.xpbd.simulate()
    for frame, points in enumerate(found, 1):
        np.testing.assert_array_equal(positions(scene, obj, frame), points)


def test_an_export_keeps_outdated_frames_that_are_locked_and_says_so(
    scene: bpy.types.Scene, tmp_path: Path
) -> None:
    obj = sheet("Flag")
    bpy.ops.xpbd.simulate()
    obj.xpbd.stretch_stiffness, scene.xpbd.lock_cache = 100.0, True
    bpy.ops.wm.alembic_export(filepath=f"{tmp_path}/flag.abc", start=1, end=6)
    assert cached(scene) == (1, 6)
    told = addon.simulation.rendering.summary()
    assert told.startswith("The last render or export shows 'Flag' outdated: material changed")


@pytest.mark.parametrize("mode", ["RENDER", "VIEWPORT"])
def test_an_export_names_frames_that_it_lacks(
    scene: bpy.types.Scene, tmp_path: Path, mode: Literal["RENDER", "VIEWPORT"]
) -> None:
    sheet("Flag")
    bpy.ops.wm.alembic_export(filepath=f"{tmp_path}/flag.abc", start=3, end=8, evaluation_mode=mode)
    assert "'Flag' not simulated on frames 3–8" in addon.simulation.rendering.summary(scene)
    play(scene)
    addon.simulation.rendering.begin()
    bpy.ops.wm.alembic_export(filepath=f"{tmp_path}/flag.abc", start=3, end=8, evaluation_mode=mode)
    told = addon.simulation.rendering.summary(scene)
    assert "'Flag' after the end of the simulation on frames 7–8" in told
    assert "not simulated" not in told


def test_what_is_hidden_in_renders_is_simulated_where_something_rendered_follows_it(
    scene: bpy.types.Scene,
) -> None:
    proxy = sheet("Proxy")
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=9, y_subdivisions=9, location=(0, 0, 1.02))
    follower = bpy.context.object
    deform = follower.modifiers.new("Deform", "SURFACE_DEFORM")
    deform.target = proxy
    bpy.ops.object.surfacedeform_bind(modifier=deform.name)
    assert deform.is_bound
    proxy.hide_render = True
    bpy.ops.render.render(animation=True)
    assert cached(scene) == (1, 6)
    assert not addon.simulation.session.status(scene, exact=True).outdated
    found = positions(scene, proxy, 6)
    bpy.ops.xpbd.clear_cache()
    bpy.ops.xpbd.simulate()
    np.testing.assert_array_equal(positions(scene, proxy, 6), found)
    bpy.data.objects.remove(follower)
    bpy.ops.xpbd.clear_cache()
    bpy.ops.render.render(animation=True)
    assert cached(scene) == (None, None)


def test_a_collider_with_other_vertices_in_renders_is_told_as_that(scene: bpy.types.Scene) -> None:
    sheet()
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8, radius=0.5)
    body = bpy.context.object
    body.name = "Body"
    body.modifiers.new("Collision", "COLLISION")
    levels = body.modifiers.new("Fine", "SUBSURF")
    levels.levels, levels.render_levels = 1, 2
    bpy.ops.render.render(animation=True)
    assert cached(scene) == (1, 6)
    for frame in (1, 6):
        scene.frame_set(frame)
        reason = addon.simulation.session.status(scene, exact=True).reason
        assert reason.startswith("the collider 'Body' has other faces (if a render simulated, give")


def test_playing_goes_on_from_the_start_after_a_render(scene: bpy.types.Scene) -> None:
    """A render's solver is not mixed with the viewport's."""
    obj = sheet()
    scene.frame_end = 3
    bpy.ops.render.render(animation=True)
    assert cached(scene) == (1, 3)
    scene.frame_set(3)
    scene.frame_set(4)
    assert cached(scene) == (1, 3)
    play(scene)
    assert cached(scene) == (1, 6)
    scene.frame_set(6)
    np.testing.assert_allclose(evaluated_positions(obj), positions(scene, obj, 6), atol=1e-6)


def test_a_render_simulates_and_shows_what_modifiers_make(
    scene: bpy.types.Scene, tmp_path: Path
) -> None:
    """With modifiers before and after XPBD, as in the viewport; the pictures show it."""
    obj = sheet()
    obj.xpbd.pin_group = ""
    # Beside itself: of what lies in itself the one half is in the shadow of the other.
    mirror, beside = obj.modifiers.new("Mirror", "MIRROR"), bpy.data.objects.new("Beside", None)
    beside.location.x = 1.2
    scene.collection.objects.link(beside)
    mirror.mirror_object = beside
    obj.modifiers.move(obj.modifiers.find("Mirror"), 0)
    obj.modifiers.new("Solid", "SOLIDIFY")
    bpy.ops.object.light_add(type="SUN")
    scene.render.resolution_x = scene.render.resolution_y = 32
    bpy.ops.xpbd.simulate()
    expected = [positions(scene, obj, frame) for frame in range(1, 7)]
    bpy.ops.xpbd.clear_cache()
    scene.frame_set(1)
    pictures = []
    for _ in range(2):
        bpy.ops.render.render(animation=True)
        pictures.append([_pixels(tmp_path / f"render-{frame:04d}.png") for frame in (2, 6)])
    for frame, points in enumerate(expected, 1):
        np.testing.assert_array_equal(positions(scene, obj, frame), points)
    np.testing.assert_array_equal(pictures[0], pictures[1])
    assert np.abs(pictures[0][0] - pictures[0][1]).max() > 0.1


def test_other_vertices_in_renders_than_in_the_viewport_are_named(scene: bpy.types.Scene) -> None:
    obj = sheet()
    fine = obj.modifiers.new("Fine", "SUBSURF")
    fine.levels, fine.render_levels = 1, 2
    obj.modifiers.move(obj.modifiers.find("Fine"), 0)
    bpy.ops.xpbd.simulate()
    bpy.ops.render.render(animation=True)
    told = addon.simulation.rendering.summary()
    assert "'Sheet' with other vertices than in viewports" in told
    fine.render_levels = 1
    bpy.ops.render.render(animation=True)
    assert addon.simulation.rendering.summary() == ""


def test_a_render_that_begins_while_a_panel_looks_at_files_is_known_of(
    scene: bpy.types.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    obj = sheet()
    scene.frame_set(1)
    addon.simulation.playing.prepare_render(scene, bpy.context.evaluated_depsgraph_get())
    known = addon.simulation.session.of(scene)
    simulation = addon.simulation.live.build(known.start)
    render = Thread(target=known.begin, args=(simulation, "play"))
    of_cache = addon.simulation.inputs.of_cache

    def interrupted(cache: Any) -> dict[str, Any]:
        found: dict[str, Any] = of_cache(cache)
        if render.ident is None:
            render.start()
            render.join(1.0)
        return found

    monkeypatch.setattr(type(known.cache), "edition", property(lambda cache: object()))
    monkeypatch.setattr(addon.simulation.inputs, "of_cache", interrupted)
    addon.simulation.scene_cache.look_at_files(known)
    monkeypatch.undo()
    render.join()
    assert obj.xpbd.cache_id in known.inputs
    assert known.frames() == (1, 1)
