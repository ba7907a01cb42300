# SPDX-License-Identifier: GPL-3.0-or-later
"""Selecting vertices of a mesh, in Edit Mode and outside of it."""

from __future__ import annotations

import bmesh
import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from . import stack


def select_vertices(obj: bpy.types.Object, vertices: NDArray[np.int64]) -> None:
    """Select these vertices of an object's mesh and what lies between them, and nothing else.

    Args:
        vertices: shape (k,). Hidden ones are left out.

    Raises:
        SceneError: the mesh has fewer vertices, or modifiers make them.
    """
    if stack.is_made(obj):
        raise SceneError(
            f"The vertices of '{obj.name}' are made by modifiers before XPBD, and can't be selected"
        )
    mesh = obj.data
    assert isinstance(mesh, bpy.types.Mesh)
    editing = bmesh.from_edit_mesh(mesh) if obj.mode == "EDIT" else None
    chosen = np.zeros(len(editing.verts if editing else mesh.vertices), np.bool_)
    if len(vertices) and vertices.max() >= len(chosen):
        raise SceneError(f"'{obj.name}' has fewer vertices than when it was simulated")
    chosen[vertices] = True
    if editing is None:
        _select(mesh, chosen)
        return
    editing.select_mode = {"VERT"}
    for vertex, wanted in zip(editing.verts, chosen.tolist(), strict=True):
        vertex.select_set(wanted and not vertex.hide)
    editing.select_flush_mode()
    bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)


def _select(mesh: bpy.types.Mesh, chosen: NDArray[np.bool_]) -> None:
    hidden = np.empty(len(chosen), np.bool_)
    mesh.vertices.foreach_get("hide", hidden)
    chosen &= ~hidden
    mesh.vertices.foreach_set("select", chosen)
    ends = np.empty(2 * len(mesh.edges), np.int32)
    mesh.edges.foreach_get("vertices", ends)
    first, last = ends.reshape(-1, 2).T
    mesh.edges.foreach_set("select", chosen[first] & chosen[last])
    corners, starts = np.empty(len(mesh.loops), np.int32), np.empty(len(mesh.polygons), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    mesh.polygons.foreach_get("loop_start", starts)
    if len(starts):
        mesh.polygons.foreach_set("select", np.logical_and.reduceat(chosen[corners], starts))
