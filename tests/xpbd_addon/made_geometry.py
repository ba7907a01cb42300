# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of which modifiers before XPBD make the geometry."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import evaluated_positions
from playing import addon

Positions = np.ndarray


def half(cuts: int = 4) -> bpy.types.Object:
    """One half of a sheet, from x = 0 on; the row of largest y is painted."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=cuts, y_subdivisions=cuts, size=2.0)
    obj = bpy.context.object
    obj.name = "Shirt"
    for vertex in obj.data.vertices:
        vertex.co.x += 1.0
    group = obj.vertex_groups.new(name="Pins")
    group.add([v.index for v in obj.data.vertices if v.co.y > 0.99], 1.0, "ADD")
    return obj


def add(obj: bpy.types.Object) -> None:
    assert bpy.ops.xpbd.add(kind="CLOTH") == {"FINISHED"}
    obj.xpbd.pin_group = "Pins"


def mirrored(*after: Any) -> bpy.types.Object:
    obj = half()
    obj.modifiers.new("Mirror", "MIRROR").merge_threshold = 0.001
    add(obj)
    for name in after:
        obj.modifiers.new(name.title(), name)
    return obj


def subdivided() -> bpy.types.Object:
    obj = half()
    obj.modifiers.new("Fine", "SUBSURF").levels = 1
    obj.modifiers["Fine"].render_levels = 1
    add(obj)
    move_to_the_end(obj)
    return obj


def sculpted() -> bpy.types.Object:
    """With Multires, which has to stand before XPBD, and a modifier after both."""
    obj = half()
    obj.modifiers.new("Sculpt", "MULTIRES")
    bpy.ops.object.multires_subdivide(modifier="Sculpt")
    obj.modifiers.new("Fine", "SUBSURF").levels = 1
    add(obj)
    assert [modifier.name for modifier in obj.modifiers] == ["Sculpt", "XPBD", "Fine"]
    obj.modifiers.remove(obj.modifiers["Fine"])
    return obj


def decimated() -> bpy.types.Object:
    obj = half(8)
    obj.modifiers.new("Coarse", "DECIMATE").ratio = 0.5
    add(obj)
    return obj


def array() -> bpy.types.Object:
    obj = half()
    copies = obj.modifiers.new("Array", "ARRAY")
    copies.use_merge_vertices = True
    add(obj)
    return obj


def solid() -> bpy.types.Object:
    obj = half()
    obj.modifiers.new("Solid", "SOLIDIFY").thickness = 0.1
    add(obj)
    move_to_the_end(obj)
    return obj


def noded() -> bpy.types.Object:
    """A mesh of one vertex, of which nodes make a grid."""
    tree: Any = bpy.data.node_groups.new("Grid", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    grid = tree.nodes.new("GeometryNodeMeshGrid")
    tree.links.new(grid.outputs["Mesh"], tree.nodes.new("NodeGroupOutput").inputs["Geometry"])
    mesh = bpy.data.meshes.new("Point")
    mesh.from_pydata([(0, 0, 0)], [], [])
    obj = bpy.data.objects.new("Shirt", mesh)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    obj.modifiers.new("Nodes", "NODES").node_group = tree
    obj.xpbd.use = True
    move_to_the_end(obj)
    return obj


def move_to_the_end(obj: bpy.types.Object) -> None:
    obj.modifiers.move(obj.modifiers.find("XPBD"), len(obj.modifiers) - 1)


MAKERS = (mirrored, subdivided, sculpted, decimated, array, solid, noded)
each_maker = pytest.mark.parametrize("make", MAKERS)


def shown_and_cached(
    scene: bpy.types.Scene, obj: bpy.types.Object, frame: int
) -> tuple[Positions, Positions]:
    scene.frame_set(frame)
    return evaluated_positions(obj), addon.simulation.session.cached_positions(scene, obj, frame)


def without_xpbd(obj: bpy.types.Object) -> Any:
    """The mesh as the modifiers before ours leave it."""
    shown = [modifier.show_viewport for modifier in obj.modifiers]
    ours = obj.modifiers.find("XPBD")
    for modifier in obj.modifiers[ours:]:
        modifier.show_viewport = False
    depsgraph = bpy.context.evaluated_depsgraph_get()
    mesh = bpy.data.meshes.new_from_object(obj.evaluated_get(depsgraph))
    for modifier, value in zip(obj.modifiers, shown, strict=True):
        modifier.show_viewport = value
    return mesh
