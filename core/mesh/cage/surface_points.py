# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of a surface that tell which tetrahedra it passes through, and what it joins there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..incidence import grouped
from ..surface import Polygons, edges
from .crossings import SUB, Crossings
from .lattice import Lattice, locate

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]

INWARDS = 1e-6
"""How far inwards a point is looked at, in cubes: what lies on a plane of the lattice belongs to
the tetrahedron in which it has something behind it."""


class SurfacePoints(NamedTuple):
    """Vertices, points of edges that are longer than a voxel, and crossings, in this order.

    Attributes:
        tetrahedra: in which each is, shape (s,).
        first_crossing: number of the first crossing among them.
        starts, members: those of each triangle, one triangle after the other.
    """

    tetrahedra: Indices
    first_crossing: int
    starts: Indices
    members: Indices


def surface_points_of(
    points: Numbers, triangles: Indices, crossings: Crossings, lattice: Lattice
) -> SurfacePoints:
    """Points of a surface.

    Args:
        points: vertices in cubes from the lattice's origin, shape (n, 3).
        triangles: shape (t, 3).
        crossings: of the same surface.
        lattice: in which the tetrahedra are.
    """
    normals = crossed_edges(points, triangles)
    at_vertices = _sums_at_vertices(triangles, normals, len(points))
    on_edges, edge_of, pairs = _points_of_edges(points, triangles)
    places = np.concatenate(
        [
            points - INWARDS * units(at_vertices),
            on_edges - INWARDS * units(at_vertices[pairs[edge_of]].sum(axis=1)),
            crossings.points - INWARDS * units(normals)[crossings.triangle],
        ]
    )
    tetrahedra = np.empty(len(places), np.int64)
    locate(places, lattice.shape, tetrahedra)
    first_crossing = len(points) + len(on_edges)
    owners, members = _of_edges(triangles, pairs, edge_of, len(points))
    every = [np.repeat(np.arange(len(triangles)), 3), owners, crossings.triangle]
    numbers = np.arange(first_crossing, len(places))
    starts, members = grouped(
        np.concatenate(every),
        np.concatenate([triangles.ravel(), members, numbers]),
        len(triangles),
    )
    return SurfacePoints(tetrahedra, first_crossing, starts, members)


def crossed_edges(points: Numbers, triangles: Indices) -> Numbers:
    """Normals of triangles, twice as long as their areas, shape (t, 3)."""
    a, b, c = points[triangles].transpose(1, 0, 2)
    return np.cross(b - a, c - a)


def units(vectors: Numbers) -> Numbers:
    """The same of length one, or zero, shape (n, 3)."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0.0)


def _sums_at_vertices(triangles: Indices, values: Numbers, count: int) -> Numbers:
    columns = [
        np.bincount(triangles.ravel(), np.repeat(values[:, k], 3), minlength=count)
        for k in range(3)
    ]
    return np.stack(columns, axis=1)


def _points_of_edges(points: Numbers, triangles: Indices) -> tuple[Numbers, Indices, Indices]:
    """Points at most a voxel apart within edges, the edge of each, and all edges, shape (e, 2)."""
    pairs = edges(Polygons({3: triangles}))
    lengths = np.linalg.norm(points[pairs[:, 1]] - points[pairs[:, 0]], axis=1)
    count = np.maximum(np.ceil(SUB * lengths).astype(np.int64) - 1, 0)
    edge_of = np.repeat(np.arange(len(pairs)), count)
    step = np.arange(len(edge_of)) - np.repeat(np.cumsum(count) - count, count) + 1
    share = (step / (count[edge_of] + 1))[:, None]
    start, end = points[pairs[edge_of]].transpose(1, 0, 2)
    return start + share * (end - start), edge_of, pairs


def _of_edges(
    triangles: Indices, pairs: Indices, edge_of: Indices, first: int
) -> tuple[Indices, Indices]:
    """Triangles and the points of their edges, both of shape (k,); points are numbered from
    ``first``.
    """
    count = np.bincount(edge_of, minlength=len(pairs))
    start = first + np.cumsum(count) - count
    width = int(pairs.max()) + 1
    sides = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], -1).reshape(-1, 2))
    edge = np.searchsorted(pairs[:, 0] * width + pairs[:, 1], sides[:, 0] * width + sides[:, 1])
    owner = np.repeat(np.repeat(np.arange(len(triangles)), 3), count[edge])
    step = np.arange(len(owner)) - np.repeat(np.cumsum(count[edge]) - count[edge], count[edge])
    return owner, np.repeat(start[edge], count[edge]) + step
