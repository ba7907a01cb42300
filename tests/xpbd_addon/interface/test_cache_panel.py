# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Cache panel says of each object."""

from __future__ import annotations

import json

import bpy
from blender_scenes import addon_module, empty_scene, sheet
from drawing import BAKE, RANGE, draw


def test_cache_states_are_readable() -> None:
    text = addon_module("interface.cache_panel").cache_text
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
    """What the Cache panel says of the active object, and below everything else."""
    drawn = draw("cache").drawn
    below = " ".join(drawn[drawn.index(BAKE[-1]) + 1 :])
    return [drawn[len(RANGE)], *([below] if below else [])]


def test_the_cache_panel_tells_which_object_is_outdated() -> None:
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
    assert lines() == ["Frames 1–6 cached", renew]
    ball.xpbd.density = 3.0
    changed = "'Ball' (material changed), 'Third' (not simulated yet)"
    assert lines() == ["Frames 1–6 cached", f"To be simulated: {changed}"]
    bpy.context.view_layer.objects.active = ball
    assert lines() == ["Outdated: material changed", renew]


def test_the_cache_panel_names_some_of_many() -> None:
    scene = empty_scene()
    objects = [sheet(f"Sheet {number}", cuts=2) for number in range(7)]
    bpy.ops.xpbd.simulate()
    scene.gravity[2] = -3.0
    told = addon_module("interface.cache_panel").others_text
    text = told(addon_module("simulation.session").status(scene, exact=True), objects)
    assert text.startswith("To be simulated: 'Sheet 0' (gravity changed), 'Sheet 1' (")
    assert text.endswith("'Sheet 3' (gravity changed), 3 more")


def test_frames_of_an_earlier_version_can_be_cleared() -> None:
    scene = empty_scene()
    sheet()
    bpy.ops.xpbd.simulate()
    session = addon_module("simulation.session")
    path = session.of(scene).cache.folder / "cache.json"
    description = json.loads(path.read_text())
    counts = {key: each["points"] for key, each in description.pop("objects").items()}
    path.write_text(json.dumps(description | {"format": 2, "point_counts": counts}))
    session.forget()
    assert lines() == ["Made by an earlier version: simulate again"]
    assert draw("cache").disabled == []
    bpy.ops.xpbd.clear_cache()
    assert lines() == ["No frames cached"]
    assert draw("cache").disabled == ["xpbd.clear_cache"]
    assert not path.exists()
