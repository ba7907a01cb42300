# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins follow whatever modifiers before ours make of the mesh."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, empty_scene, evaluated_positions, sheet
from playing import addon, play


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def hook(obj: bpy.types.Object) -> bpy.types.Modifier:
    """An animated empty that carries all vertices."""
    bpy.ops.object.empty_add(location=(0.0, 0.0, 0.0))
    empty = bpy.context.object
    modifier = obj.modifiers.new("Hook", "HOOK")
    modifier.object = empty
    modifier.vertex_indices_set(range(len(obj.data.vertices)))
    for frame, height in ((1, 0.0), (6, 0.7)):
        empty.location = (0.0, 0.0, height)
        empty.keyframe_insert("location", frame=frame)
    return modifier


def lattice(obj: bpy.types.Object) -> bpy.types.Modifier:
    """An animated lattice around the sheet."""
    bpy.ops.object.add(type="LATTICE", location=obj.location)
    cage = bpy.context.object
    cage.scale = (4.0, 4.0, 4.0)
    modifier = obj.modifiers.new("Lattice", "LATTICE")
    modifier.object = cage
    for point in cage.data.points:
        point.co_deform = (*point.co_deform[:2], point.co_deform[2] + 0.2)
    for frame, strength in ((1, 0.0), (6, 1.0)):
        modifier.strength = strength
        modifier.keyframe_insert("strength", frame=frame)
    return modifier


def twist(obj: bpy.types.Object) -> bpy.types.Modifier:
    """A deformation without another object."""
    modifier = obj.modifiers.new("Twist", "SIMPLE_DEFORM")
    modifier.deform_method, modifier.deform_axis = "TWIST", "X"
    for frame, angle in ((1, 0.0), (6, 1.0)):
        modifier.angle = angle
        modifier.keyframe_insert("angle", frame=frame)
    return modifier


@pytest.mark.parametrize("deform", [hook, lattice, twist])
def test_pins_follow_modifiers_before_ours(
    scene: bpy.types.Scene, deform: Callable[[bpy.types.Object], bpy.types.Modifier]
) -> None:
    obj = sheet()
    modifier = deform(obj)
    obj.modifiers.move(obj.modifiers.find(modifier.name), 0)
    pinned = [v.index for v in obj.data.vertices if v.groups]
    scene.frame_set(1)
    play(scene)
    held = {
        frame: addon.simulation.session.cached_positions(scene, obj, frame)[pinned]
        for frame in FRAMES
    }
    obj.modifiers["XPBD"].show_viewport = False
    for frame in FRAMES:
        scene.frame_set(frame)
        followed = evaluated_positions(obj)[pinned]
        np.testing.assert_allclose(held[frame], followed, atol=2e-6)
    assert np.abs(held[6] - held[1]).max() > 0.1


def test_a_pin_is_read_as_it_is_among_all_vertices(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.location, obj.rotation_euler, obj.scale = (1.1, 2.2, 3.3), (0.1, 0.2, 0.3), (-1.3, 2.0, 0.7)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    every = addon.scene.mesh_io.read_positions(obj, depsgraph, 0.3)
    chosen = np.array([7, 0, 30])
    some = addon.scene.mesh_io.read_positions(obj, depsgraph, 0.3, chosen)
    np.testing.assert_array_equal(some, every[chosen])
