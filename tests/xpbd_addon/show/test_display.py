# SPDX-License-Identifier: GPL-3.0-or-later
"""What is cached, as the stack of modifiers shows it."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, evaluated_positions, sheet
from playing import addon, play


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def test_an_object_that_moves_shows_world_positions(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.xpbd.pin_group = ""
    obj.keyframe_insert("location", frame=1)
    obj.location = (4, 4, 4)
    obj.keyframe_insert("location", frame=6)
    scene.frame_set(1)
    play(scene)
    expected = addon.simulation.session.cached_positions(scene, obj, 6)
    np.testing.assert_allclose(evaluated_positions(obj), expected, atol=2e-6)
    assert abs(expected[:, 0].mean()) < 0.01


def test_subdivision_after_ours_refines_what_is_shown(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.modifiers.new("Subdivision", "SUBSURF").subdivision_type = "SIMPLE"
    play(scene, 4)
    shown = evaluated_positions(obj)
    expected = addon.simulation.session.cached_positions(scene, obj, 4)
    assert len(shown) > len(expected)
    np.testing.assert_allclose(shown[: len(expected)], expected, atol=1e-5)
