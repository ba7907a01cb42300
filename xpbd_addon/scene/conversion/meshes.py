# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes measured for Blender's laws."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ...errors import SceneError
from .. import mesh_io
from .springs import Net

_NO_AREA = 1e-12
_FLAT = 1e-6
"""Volume over that of a sphere of the same surface, below which nothing is enclosed."""


def measure(obj: bpy.types.Object, unit: float) -> Net:
    """The mesh of an object in the world as a net of springs; it has edges.

    Args:
        unit: metres in a Blender unit.

    Raises:
        SceneError: its edges have no length, or none that is a number.
    """
    mesh = mesh_io.mesh_of(obj)
    world = mesh_io.transformed(mesh_io.vectors(mesh, "position"), obj.matrix_world, np.float64)
    lengths = edge_lengths(mesh, world)
    edge = float(lengths.mean())
    if not 0.0 < edge < np.inf:
        raise SceneError(
            f"The mesh of '{obj.name}' has no size, or coordinates that are not numbers: give it a "
            "size, or delete such vertices"
        )
    if not len(mesh.polygons):
        return Net(edge, 0.0, 0.0, 0.0, unit, 0.0, 0.0, 0.0)
    triangles = mesh_io.loop_triangles(mesh)
    a, b, c = (world[triangles[:, corner]] for corner in range(3))
    areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    faces = np.empty(len(triangles), np.int32)
    mesh.loop_triangles.foreach_get("polygon_index", faces)
    surface = float(areas.sum()) or _NO_AREA
    thirds = np.repeat(areas / 3.0, 3)
    own = np.bincount(triangles.ravel(), thirds, len(world)).astype(np.float64)
    in_quads = areas[mesh_io.face_sizes(mesh)[faces] > 3].sum() / surface
    volume = float(np.einsum("ij,ij->", a - world[0], np.cross(b - world[0], c - world[0]))) / 6.0
    sphere = surface**1.5 / (6.0 * np.sqrt(np.pi))
    closed = is_closed(mesh) and abs(volume) > _FLAT * sphere
    return Net(
        edge=edge,
        area=surface * unit**2 / len(world),
        edges=float((lengths**2).sum()) / surface,
        quads=float(in_quads),
        unit=unit,
        surface=surface * unit**2,
        volume=abs(volume) * unit**3 if closed else 0.0,
        unevenness=_unevenness(mesh, own),
    )


def edge_lengths(mesh: bpy.types.Mesh, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of all edges, shape (e,)."""
    ends = positions[mesh_io.read_edges(mesh)]
    return np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)


def is_closed(mesh: bpy.types.Mesh) -> bool:
    """Whether each edge has two faces."""
    return bool((_faces_of_edges(mesh) == 2).all())


def loose_edges(mesh: bpy.types.Mesh) -> int:
    """How many edges have no face."""
    return int((_faces_of_edges(mesh) == 0).sum())


def _faces_of_edges(mesh: bpy.types.Mesh) -> NDArray[np.int64]:
    return np.bincount(mesh_io.corner_edges(mesh), minlength=len(mesh.edges))


def _unevenness(mesh: bpy.types.Mesh, own: NDArray[np.float64]) -> float:
    """How much what vertices stand for differs, apart from those at a border."""
    inner = own > 0.0
    inner[mesh_io.read_edges(mesh)[_faces_of_edges(mesh) < 2]] = False
    return float(own[inner].std() / own[inner].mean()) if inner.any() else 0.0
