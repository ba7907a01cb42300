# SPDX-License-Identifier: GPL-3.0-or-later
"""From Blender's hair curves to a mesh of edges with XPBD strands.

The curves themselves stay as they are, hidden; roots follow them where modifiers deform them, and
their parent or surface otherwise.
"""

from __future__ import annotations

from typing import Any, cast

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ..errors import SceneError
from . import hair_nodes, mesh_io, physics

ROOTS = "Roots"
_HELD = 2  # points of each curve, so that its direction is held too


def strands_from_curves(
    obj: bpy.types.Object | None, depsgraph: bpy.types.Depsgraph
) -> bpy.types.Object:
    """Make strands of hair curves as their modifiers leave them, and hide the curves.

    Returns:
        The new object: a mesh with an edge between neighbours of each curve, in the place of the
        curves, XPBD strands pinned at the first two points of each curve.

    Raises:
        SceneError: there are no curves to be had from the object.
    """
    curves = _checked(obj)
    evaluated = curves.evaluated_get(depsgraph)
    if not evaluated.is_evaluated:
        raise SceneError(f"'{curves.name}' is hidden or its collection is switched off: show it")
    data = cast(bpy.types.Curves, evaluated.data)
    offsets = read_offsets(data)
    if not (np.diff(offsets) >= 2).any():
        raise SceneError(
            f"'{curves.name}' has no curves of two points or more as its modifiers leave it: "
            "add hair first"
        )
    strands = bpy.data.objects.new(f"{curves.name} Strands", _mesh(curves, data, offsets))
    for collection in curves.users_collection:
        collection.objects.link(strands)
    _attach(strands, curves)
    roots = strands.vertex_groups.new(name=ROOTS)
    roots.add(root_points(offsets).tolist(), 1.0, "REPLACE")
    if len(curves.modifiers):
        hair_nodes.add_follow(strands, curves)
    physics.add(strands, "STRANDS")
    strands.xpbd.pin_group = ROOTS
    hair_nodes.add_thickness(strands)
    curves.hide_viewport = curves.hide_render = True
    return strands


def read_offsets(data: bpy.types.Curves) -> NDArray[np.int32]:
    """The first point of each curve and the number of all points, shape (curves + 1,)."""
    offsets = np.zeros(len(data.curves) + 1, np.int32)
    if len(data.curves):
        data.curve_offset_data.foreach_get("value", offsets)
    return offsets


def curve_edges(offsets: NDArray[np.int32], cyclic: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Pairs of neighbouring points, shape (e, 2); closed where a curve of three or more is."""
    points = np.arange(offsets[-1], dtype=np.int32)
    is_last = np.zeros(len(points), bool)
    filled = np.diff(offsets) > 0
    is_last[offsets[1:][filled] - 1] = True
    pairs = np.stack([points[~is_last], points[~is_last] + 1], axis=1)
    closed = cyclic & (np.diff(offsets) > 2)
    closing = np.stack([offsets[1:][closed] - 1, offsets[:-1][closed]], axis=1)
    return np.concatenate([pairs, closing]).astype(np.int32)


def root_points(offsets: NDArray[np.int32]) -> NDArray[np.int32]:
    """The first two points of each curve; of a curve of two, only the first."""
    sizes = np.diff(offsets)
    first = offsets[:-1][sizes > 0]
    second = offsets[:-1][sizes > _HELD] + 1
    return np.sort(np.concatenate([first, second])).astype(np.int32)


def _checked(obj: bpy.types.Object | None) -> bpy.types.Object:
    if obj is None:
        raise SceneError("There is no active object: click a hair curves object first")
    if obj.type != "CURVES":
        raise SceneError(
            f"'{obj.name}' is a {obj.type.replace('_', ' ').lower()}, not hair curves: for a mesh "
            "of edges use XPBD itself, for old particle hair Convert to Curves in the menu of its "
            "Particles tab"
        )
    if obj.library or obj.override_library:
        raise SceneError(
            f"'{obj.name}' is linked from another file: make it local "
            "(Object > Relations > Make Local > Selected Objects and Data) first"
        )
    if obj.mode != "OBJECT":
        raise SceneError(f"'{obj.name}' is not in Object Mode: leave the mode it is in first")
    return obj


def _mesh(
    obj: bpy.types.Object, data: bpy.types.Curves, offsets: NDArray[np.int32]
) -> bpy.types.Mesh:
    """The points and neighbours of curves as vertices and edges, with the points' radius."""
    count = int(offsets[-1])
    positions = mesh_io.vectors(data, "position")
    if not np.isfinite(positions).all():
        raise SceneError(f"The curves of '{obj.name}' are damaged: a point is not a number")
    edges = curve_edges(offsets, _cyclic(data, len(offsets) - 1))
    mesh = bpy.data.meshes.new(f"{obj.name} Strands")
    mesh.vertices.add(count)
    mesh.attributes["position"].data.foreach_set("vector", positions.ravel())
    mesh.edges.add(len(edges))
    mesh.edges.foreach_set("vertices", edges.ravel())
    radius: Any = data.attributes.get(hair_nodes.RADIUS)
    if radius is not None and radius.domain == "POINT":
        values = np.empty(count, np.float32)
        radius.data.foreach_get("value", values)
        mesh.attributes.new(hair_nodes.RADIUS, "FLOAT", "POINT").data.foreach_set("value", values)
    for material in data.materials:
        mesh.materials.append(None if material is None else material.original)
    mesh.update()
    return mesh


def _cyclic(data: bpy.types.Curves, count: int) -> NDArray[np.bool_]:
    closed = np.zeros(count, bool)
    attribute: Any = data.attributes.get("cyclic")
    if attribute is not None and attribute.domain == "CURVE":
        attribute.data.foreach_get("value", closed)
    return closed


def _attach(strands: bpy.types.Object, curves: bpy.types.Object) -> None:
    """Put the strands where the curves are, moved by whatever moves the curves."""
    surface = cast(bpy.types.Curves, curves.data).surface
    if curves.animation_data or curves.constraints:
        strands.parent = curves
    elif curves.parent is not None:
        strands.parent, strands.parent_type = curves.parent, curves.parent_type
        strands.parent_bone = curves.parent_bone
        strands.matrix_parent_inverse = curves.matrix_parent_inverse
        _copy_transform(strands, curves)
    else:
        _copy_transform(strands, curves)
        if surface is not None and not len(curves.modifiers):
            strands.parent = surface
            strands.matrix_parent_inverse = surface.matrix_world.inverted_safe()


def _copy_transform(target: bpy.types.Object, source: bpy.types.Object) -> None:
    basis: Matrix = source.matrix_basis
    target.matrix_basis = basis
    target.delta_location, target.delta_scale = source.delta_location, source.delta_scale
    target.delta_rotation_euler = source.delta_rotation_euler
    target.delta_rotation_quaternion = source.delta_rotation_quaternion
