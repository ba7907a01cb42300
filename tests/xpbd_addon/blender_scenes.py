# SPDX-License-Identifier: GPL-3.0-or-later
"""Small scenes and measurements that the tests of the user-facing part share."""

from __future__ import annotations

import importlib
from types import ModuleType

import bpy
import numpy as np
from numpy.typing import NDArray

FRAMES = range(1, 7)


def addon_module(name: str) -> ModuleType:
    """A module of the add-on as Blender loaded it, wherever it was installed."""
    package = type(bpy.context.scene.xpbd).__module__.rsplit(".", 2)[0]
    return importlib.import_module(f"{package}.{name}")


def empty_scene() -> bpy.types.Scene:
    """A scene without objects, six frames to simulate."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.xpbd.frame_start, scene.xpbd.frame_end = FRAMES.start, FRAMES.stop - 1
    scene.xpbd.substeps = 2
    return scene


def sheet(name: str = "Sheet", cuts: int = 5) -> bpy.types.Object:
    """An active grid of 2 m with XPBD physics and its corner row pinned."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=cuts, y_subdivisions=cuts, location=(0, 0, 1))
    obj = bpy.context.object
    obj.name = name
    group = obj.vertex_groups.new(name="Pins")
    group.add(list(range(cuts + 1)), 1.0, "ADD")
    assert bpy.ops.xpbd.add(kind="CLOTH") == {"FINISHED"}
    obj.xpbd.pin_group = "Pins"
    return obj


def evaluated_positions(obj: bpy.types.Object) -> NDArray[np.float32]:
    """World positions (n, 3) of the object as all its modifiers leave it."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    local = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", local.ravel())
    evaluated.to_mesh_clear()
    matrix = np.array(evaluated.matrix_world, np.float64)
    return (local @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32)


def animation(obj: bpy.types.Object, frames: range = FRAMES) -> NDArray[np.float32]:
    """World positions (frames, n, 3) as the timeline shows them."""
    shown = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        shown.append(evaluated_positions(obj))
    return np.array(shown)
