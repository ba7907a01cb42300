# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that does not move is never silent about it."""

from __future__ import annotations

import bpy
import pytest
from blender_scenes import empty_scene, sheet
from playing import addon, play


@pytest.fixture
def scene() -> bpy.types.Scene:
    scene = empty_scene()
    sheet(cuts=3)
    return scene


def notice(scene: bpy.types.Scene) -> str:
    return str(addon.simulation.session.notice(scene))


def test_what_is_simulated_needs_no_word(scene: bpy.types.Scene) -> None:
    scene.frame_set(0)
    assert notice(scene) == ""
    for frame in range(1, 7):
        scene.frame_set(frame)
        assert notice(scene) == ""
    scene.frame_set(3)
    assert notice(scene) == ""


def test_playing_from_a_frame_that_is_not_cached(scene: bpy.types.Scene) -> None:
    for frame in (3, 4, 5):
        scene.frame_set(frame)
    again = "is not simulated yet: play from frame 1, or press Simulate"
    assert notice(scene) == f"Frame 5 {again}"
    play(scene, 3)
    scene.frame_set(5)
    assert notice(scene) == f"Frame 5 {again}".replace("frame 1", "frame 3")
    addon.simulation.session.forget()
    assert notice(scene) == f"Frame 5 {again}"


def test_of_several_objects_those_are_named_that_are_meant(scene: bpy.types.Scene) -> None:
    play(scene, 6)
    first = bpy.context.object
    second = sheet("Second", cuts=3)
    second.location.x = 9.0
    bpy.context.view_layer.update()
    cure = "play from frame 1, or press Simulate"
    assert notice(scene) == f"'Second' is not simulated yet on frame 6: {cure}"
    play(scene, 6)
    assert notice(scene) == ""
    first.xpbd.density *= 2.0
    assert notice(scene) == f"'{first.name}' is outdated on frame 6: {cure}"
    second.xpbd.density *= 2.0
    assert notice(scene) == f"Frame 6 is outdated: {cure}"


def test_playing_past_the_end(scene: bpy.types.Scene) -> None:
    play(scene, 9)
    assert notice(scene) == "The simulation ends on frame 6: set End to a later frame to go on"
    scene.xpbd.frame_end = 20
    assert "from frame 6" in notice(scene)


@pytest.mark.parametrize("change", ["density", "gravity"])
def test_changing_a_setting_while_playing(scene: bpy.types.Scene, change: str) -> None:
    play(scene, 3)
    if change == "density":
        bpy.context.object.xpbd.density *= 2.0
    else:
        scene.gravity[2] = -3.0
    bpy.context.view_layer.update()
    scene.frame_set(4)
    assert notice(scene) == "Frame 4 is outdated: play from frame 1, or press Simulate"
    scene.xpbd.lock_cache = True
    play(scene, 3)
    assert "unlock it" in notice(scene)
    scene.xpbd.lock_cache = False
    play(scene, 3)
    assert notice(scene) == ""


def test_what_is_left_out_is_told_of_elsewhere(scene: bpy.types.Scene) -> None:
    bpy.context.object.xpbd.pin_group = "Nowhere"
    scene.frame_set(5)
    assert notice(scene) == ""


def test_the_first_outdated_frame_is_named_where_it_is_not_the_first() -> None:
    status = addon.simulation.status.ObjectStatus(6, "gravity changed", 4)
    assert status.outdated_text(1) == "Outdated from frame 4: gravity changed"
    assert status.outdated_text(4) == "Outdated: gravity changed"
