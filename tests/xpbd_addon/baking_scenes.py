# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that bakes are tried on, and how they are compared."""

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, addon_module, empty_scene, sheet

Make = Callable[[], bpy.types.Object]
each_mode = pytest.mark.parametrize("mode", ["RELATIVE", "ABSOLUTE"])


def plain() -> bpy.types.Object:
    return sheet()


def moving() -> bpy.types.Object:
    """An object with keyframes, a non-uniform negative scale and a turning parent."""
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale = (1.5, 0.5, 2.0)
    obj = sheet()
    obj.parent = parent
    obj.scale = (0.7, -1.3, 1.0)
    for frame in (FRAMES.start, FRAMES.stop - 1):
        parent.rotation_euler = (0.1 * frame, 0.2, 0.3 * frame)
        parent.keyframe_insert("rotation_euler", frame=frame)
        obj.location = (0.1 * frame, 0.0, 1.0)
        obj.keyframe_insert("location", frame=frame)
    return obj


def deformed() -> bpy.types.Object:
    """A hook that moves before our modifier and a Subdivision after it."""
    obj = sheet()
    hook_target = bpy.data.objects.new("Hook", None)
    bpy.context.scene.collection.objects.link(hook_target)
    hook = obj.modifiers.new("Lift", "HOOK")
    hook.object = hook_target
    hook.vertex_group = "Pins"
    obj.modifiers.move(obj.modifiers.find("Lift"), 0)
    for frame in (FRAMES.start, FRAMES.stop - 1):
        hook_target.location.z = 0.1 * frame
        hook_target.keyframe_insert("location", frame=frame)
    obj.modifiers.new("Smooth", "SUBSURF").levels = 1
    return obj


def rigged() -> bpy.types.Object:
    """A sheet that an animated bone carries, its bone's armature placed and scaled."""
    bpy.ops.object.armature_add(location=(0.5, 0.0, 0.0))
    rig = bpy.context.object
    rig.scale = (1.0, 1.0, 1.5)
    bone = rig.pose.bones["Bone"]
    bone.rotation_mode = "XYZ"
    for frame in (FRAMES.start, FRAMES.stop - 1):
        bone.rotation_euler = (0.0, 0.05 * frame, 0.1 * frame)
        bone.keyframe_insert("rotation_euler", frame=frame)
    obj = sheet()
    obj.parent = rig
    weights = obj.vertex_groups.new(name="Bone")
    weights.add(range(len(obj.data.vertices)), 1.0, "ADD")
    obj.modifiers.new("Rig", "ARMATURE").object = rig
    obj.modifiers.move(obj.modifiers.find("Rig"), 0)
    return obj


each_scene = pytest.mark.parametrize("make", [plain, moving, deformed, rigged])


def simulate(make: Make) -> bpy.types.Object:
    empty_scene()
    obj = make()
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    return obj


def assert_same(first: np.ndarray, second: np.ndarray) -> None:
    """Equal to float32 precision: eight units in the last place of the largest coordinate."""
    tolerance = 8 * float(np.abs(first).max()) * float(np.finfo(np.float32).eps)
    np.testing.assert_allclose(first, second, rtol=0.0, atol=tolerance)


def state(obj: bpy.types.Object) -> tuple[Any, ...]:
    """What a bake may not change for good."""
    return (
        [(m.name, m.type, m.show_viewport, m.show_render) for m in obj.modifiers],
        obj.data.shape_keys,
        sorted(obj.data.attributes.keys()),
        obj.show_only_shape_key,
        sorted(action.name for action in bpy.data.actions),
        obj.get("xpbd_bake") is None,
        obj.xpbd.baked,
        [vertex.co[:] for vertex in obj.data.vertices],
    )


def description(obj: bpy.types.Object) -> list[Any]:
    keys = obj.data.shape_keys
    collections = addon_module("scene.animation").curve_collections(keys.animation_data.action)
    return [
        [(key.name, [point.co[:] for point in key.points]) for key in keys.key_blocks],
        [
            (curve.data_path, [(*p.co, p.interpolation) for p in curve.keyframe_points])
            for curves in collections
            for curve in curves
        ],
    ]
