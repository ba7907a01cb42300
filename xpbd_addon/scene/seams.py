# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a mesh is sewn or stitched: loose edges, and split edges that lie on each other."""

from __future__ import annotations

import math
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from . import mesh_io

Pairs = NDArray[np.int64]


def read_threads(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> mesh_io.Threads:
    """All that holds vertices of a cloth together.

    Raises:
        SceneError: there is nothing of the kind that is asked for, or it can't be sewn.
    """
    settings, mesh = obj.xpbd, mesh_io.mesh_of(obj)
    pairs = []
    if settings.kind == "CLOTH":
        pairs += [_sewn(obj, mesh)] if settings.use_sewing else []
        pairs += [_stitched(obj, mesh)] if settings.use_stitches else []
    return list(zip(pairs, read_options(obj, depsgraph), strict=True))


def read_options(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> list[dict[str, Any]]:
    """How strongly threads pull and hold on the current frame, of each kind that there is."""
    settings = obj.evaluated_get(depsgraph).xpbd
    found: list[dict[str, Any]] = []
    if settings.kind != "CLOTH":
        return found
    if settings.use_sewing:
        force = settings.sewing_force_max or math.inf
        found.append({"sewing_time": settings.sewing_time, "sewing_force": force})
    if settings.use_stitches:
        found.append({"strength": settings.stitch_strength or math.inf})
    return found


def _sewn(obj: bpy.types.Object, mesh: bpy.types.Mesh) -> Pairs:
    edges = mesh_io.read_edges(mesh).astype(np.int64)
    in_faces = np.zeros(len(edges), np.bool_)
    in_faces[mesh_io.corner_edges(mesh)] = True
    loose = edges[~in_faces]
    if len(loose) == 0:
        raise SceneError(
            f"'{obj.name}' has no loose edges to sew: join its panels to one object, connect them "
            "by edges without faces (Bridge Edge Loops, then delete Only Faces), or switch Sewing "
            "off"
        )
    has_face = np.zeros(len(mesh.vertices), np.bool_)
    has_face[mesh_io.corner_vertices(mesh)] = True
    astray = loose[~has_face[loose].all(axis=1)]
    if len(astray):
        raise SceneError(
            f"{len(astray)} loose edges of '{obj.name}' end where there are no faces: let each "
            "run from one panel to the other, or delete them"
        )
    together = _classes(loose, len(mesh.vertices))
    ends = edges[in_faces]
    closed = int((together[ends[:, 0]] == together[ends[:, 1]]).sum())
    if closed:
        raise SceneError(
            f"Loose edges of '{obj.name}' span the mesh: sewing would draw both ends of {closed} "
            "of its edges into one point; connect each vertex of a seam with one of the other"
        )
    return loose


def _stitched(obj: bpy.types.Object, mesh: bpy.types.Mesh) -> Pairs:
    """Ends of border edges that lie on each other exactly."""
    points = mesh_io.vectors(mesh, "position")
    _, place = np.unique(points, axis=0, return_inverse=True)
    place = place.reshape(-1)
    edges = mesh_io.read_edges(mesh).astype(np.int64)
    uses = np.bincount(mesh_io.corner_edges(mesh), minlength=len(edges))
    border = edges[uses == 1]
    turned = place[border[:, 0]] > place[border[:, 1]]
    border = np.where(turned[:, None], border[:, ::-1], border)
    where = place[border]
    order = np.lexsort((np.arange(len(border)), where[:, 1], where[:, 0]))
    border, where = border[order], where[order]
    same = (where[1:] == where[:-1]).all(axis=1)
    pairs = np.concatenate(
        [np.stack([border[:-1][same, end], border[1:][same, end]], axis=1) for end in range(2)]
    )
    pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
    if len(pairs) == 0:
        raise SceneError(
            f"'{obj.name}' has no split edges to stitch: select edges in Edit Mode and choose "
            "Edge > Split Seams, or switch Stitches off"
        )
    return np.unique(pairs, axis=0)


def _classes(pairs: Pairs, count: int) -> Pairs:
    """Of each vertex the smallest one of those that are joined with it."""
    smallest = np.arange(count)
    while True:
        before = smallest.copy()
        low = smallest[pairs].min(axis=1)
        np.minimum.at(smallest, pairs[:, 0], low)
        np.minimum.at(smallest, pairs[:, 1], low)
        if np.array_equal(before, smallest):
            return smallest
