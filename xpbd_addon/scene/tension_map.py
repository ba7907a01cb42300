# SPDX-License-Identifier: GPL-3.0-or-later
"""The tension map of an object: a modifier that measures, and what it measures against.

What is at rest is noted on the edges of the mesh and stays there, so that a bake keeps its map.
"""

from __future__ import annotations

from typing import Any, cast

import bpy
import numpy as np
from numpy.typing import NDArray

from . import stack, tension_nodes
from .tension_nodes import REST_ANGLE, REST_LENGTH, REST_WIDTH

MODIFIER = "XPBD Tension Map"

Values = NDArray[np.float32]


def follow(obj: bpy.types.Object) -> None:
    """Add or remove the modifier as `Object.xpbd.use_tension_map` says."""
    if obj.type != "MESH" or not stack.is_writable(obj):
        return
    found = _modifier(obj)
    if obj.xpbd.use and obj.xpbd.use_tension_map:
        if found is None:
            _add(obj)
    elif found is not None:
        obj.modifiers.remove(found)
        _forget(obj)


def write_rest(obj: bpy.types.Object, rest: NDArray[np.floating]) -> None:
    """Note the rest shape on the edges, unless it is.

    Args:
        rest: world positions in Blender units, shape (n, 3).
    """
    mesh: Any = obj.data
    if stack.is_made(obj) or len(rest) != len(mesh.vertices) or mesh.library is not None:
        return
    measured = measure(mesh, rest)
    for name, values in measured.items():
        attribute = mesh.attributes.get(name)
        if attribute is None:
            attribute = mesh.attributes.new(name, "FLOAT", "EDGE")
        before = np.empty(len(values), np.float32)
        attribute.data.foreach_get("value", before)
        if not np.array_equal(before, values):
            attribute.data.foreach_set("value", values)


def measure(mesh: bpy.types.Mesh, rest: NDArray[np.floating]) -> dict[str, Values]:
    """Of all edges at rest by name of the attribute: length, angle, and distance of both faces.

    Args:
        rest: of its vertices, shape (n, 3).
    """
    ends = np.empty(2 * len(mesh.edges), np.int32)
    mesh.edges.foreach_get("vertices", ends)
    start, end = rest[ends[0::2]], rest[ends[1::2]]
    along = end - start
    middles, normals = _faces(mesh, rest)
    first, second = _beside(mesh)
    both = second >= 0
    one, other = normals[first[both]], normals[second[both]]
    way = middles[second[both]] - middles[first[both]]
    convex = np.einsum("ij,ij->i", one, way) < 0.0
    sine = np.linalg.norm(np.cross(one, other), axis=1)
    turned = np.arctan2(sine, np.einsum("ij,ij->i", one, other))
    angles, widths = np.zeros(len(along), np.float32), np.full(len(along), np.inf, np.float32)
    angles[both] = np.where(convex, turned, -turned)
    widths[both] = np.maximum(np.linalg.norm(way, axis=1), 1e-12)
    lengths = np.linalg.norm(along, axis=1).astype(np.float32)
    return {REST_LENGTH: lengths, REST_ANGLE: angles, REST_WIDTH: widths}


def _faces(
    mesh: bpy.types.Mesh, points: NDArray[np.floating]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Middles and unit normals of all faces, by Newell's method."""
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    starts, totals = (np.empty(len(mesh.polygons), np.int32) for _ in range(2))
    mesh.polygons.foreach_get("loop_start", starts)
    mesh.polygons.foreach_get("loop_total", totals)
    if not len(starts):
        return np.empty((0, 3)), np.empty((0, 3))
    following = np.arange(1, len(corners) + 1)
    following[starts + totals - 1] = starts
    here = points[corners]
    there = here[following]
    middles = np.add.reduceat(here, starts) / totals[:, None]
    normals = np.add.reduceat(np.cross(here, there), starts)
    size = np.linalg.norm(normals, axis=1, keepdims=True)
    return middles, normals / np.where(size > 0.0, size, 1.0)


def _beside(mesh: bpy.types.Mesh) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The two faces at each edge, -1 where there are not exactly two."""
    edges = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("edge_index", edges)
    totals = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", totals)
    face = np.repeat(np.arange(len(totals)), totals)
    order = np.argsort(edges, kind="stable")
    counts = np.bincount(edges, minlength=len(mesh.edges))
    place = np.concatenate([[0], np.cumsum(counts)])[:-1]
    first, second = (np.full(len(counts), -1) for _ in range(2))
    proper = counts == 2
    first[proper], second[proper] = face[order[place[proper]]], face[order[place[proper] + 1]]
    return first, second


def _modifier(obj: bpy.types.Object) -> bpy.types.Modifier | None:
    return next((each for each in obj.modifiers if tension_nodes.is_tension(each)), None)


def _add(obj: bpy.types.Object) -> None:
    """Right behind the display modifier, as those that follow may change the edges."""
    made = cast(bpy.types.NodesModifier, obj.modifiers.new(MODIFIER, "NODES"))
    made.node_group = tension_nodes.group()
    made.show_in_editmode = False
    made.show_expanded = False
    display = stack.modifier(obj)
    if display is not None:
        obj.modifiers.move(obj.modifiers.find(made.name), obj.modifiers.find(display.name) + 1)


def _forget(obj: bpy.types.Object) -> None:
    for name in (REST_LENGTH, REST_ANGLE, REST_WIDTH):
        attribute = obj.data.attributes.get(name)
        if attribute is not None and (attribute.data_type, attribute.domain) == ("FLOAT", "EDGE"):
            obj.data.attributes.remove(attribute)
