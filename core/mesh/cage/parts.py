# SPDX-License-Identifier: GPL-3.0-or-later
"""A cage around loose parts, each of which is solid by itself, and where they lie on each other.

Parts are moved away from each other by whole cells while the cage is made: so none shares a cell
with another, and where they lie on each other their nodes are in the same places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...checks import finite
from ..connected import connected
from ..surface import triangle_areas
from .bonds import Bonds, bonds_of
from .cage import Cage, Progress, cage_of, check_cells, triangles_of
from .face_points import FacePoints
from .lattice import MARGIN
from .refined import LONGEST, Refined, refined
from .surface_points import crossed_edges, units
from .touching import Touching
from .welding import leaders

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]

BELOW = 0.005
"""Of a cell: how far below its surface a part touches others. What lies on each other has a gap of
twice that, or rounding would lead it through each other."""

BLUNT = 1e-3
"""By how much less what is next to sharp edges moves, or it would move far."""

DENSE = 1
"""Lines of the grid from one on which faces are compared to the next: a sixth of a cell."""

MANY = 9
"""Points on a triangle that stand for it, and don't only happen to be there."""

LEAST_SUM = 1e-6
"""Of a triangle's area: points that hold less in all don't stand for it, however many they are."""


def cage_of_parts(
    positions: ArrayLike,
    faces: Sequence[Sequence[int]] | NDArray[np.integer],
    cell_size: float,
    *,
    name: str = "soft body",
    progress: Progress = lambda share: None,
) -> tuple[Cage, Bonds]:
    """Make a cage around a surface, in which no loose part hangs together with another.

    The surface lies in it as it is. Its weights are those of points half a hundredth of a cell
    below, which touch in its place.

    Args:
        positions, faces, cell_size, name, progress: as in :func:`.cage.cage_of`.

    Returns:
        The cage, and what holds its parts together.

    Raises:
        ModelError: as there.
    """
    points = finite(f"Positions of '{name}'", positions, columns=3)
    triangles = triangles_of(name, points, faces)
    check_cells(name, points, cell_size)
    # Of small faces from the start: each vertex that touches has a cell of its own part.
    fine, small = refined(points, triangles, LONGEST * cell_size)
    parts = parts_of(fine, small.triangles)
    sign = _signs(fine, small.triangles, parts)
    below = _below(fine, small.triangles, sign[parts], BELOW * cell_size)
    shifts = _apart(below, parts, cell_size)
    moved = below + cell_size * shifts[parts]
    cage = cage_of(moved, small.triangles, cell_size, name=name, every=DENSE, progress=progress)
    own = _parts_of_nodes(cage, moved, parts)
    whole = replace(
        cage,
        positions=cage.positions - cell_size * shifts[own],
        places=cage.places - 2 * shifts[own],
        surface=points,
        corners=cage.corners[: len(points)],
        weights=cage.weights[: len(points)],
        touching=Touching(small, cage.corners, cage.weights) if small.halved else None,
    )
    led = leaders(moved, small.triangles)[small.triangles]
    whole = replace(whole, face_points=_on_large_faces(whole, led, small, triangles))
    return whole, bonds_of(whole, below[: len(points)], sign, parts, own)


def _on_large_faces(cage: Cage, triangles: Indices, small: Refined, large: Indices) -> FacePoints:
    """Points on small faces as points of those that were halved.

    Those that stand for a large face get its area in all: at its rim lines count or they don't.

    Args:
        triangles: the small ones, as points name their vertices, shape (s, 3).
    """
    spread = cage.face_points
    width = int(triangles.max()) + 1
    keys = (triangles[:, 0] * width + triangles[:, 1]) * width + triangles[:, 2]
    order = np.argsort(keys, kind="stable")
    x, y, z = spread.vertices.T
    one = order[np.searchsorted(keys[order], (x * width + y) * width + z)]
    shares = np.einsum("pk,pkc->pc", spread.shares, small.shares[one])
    origins = small.origins[one]
    counts = np.bincount(origins, minlength=len(large))
    sums = np.bincount(origins, spread.areas, len(large))
    true = triangle_areas(cage.surface, large)
    known = (counts >= MANY) & (sums > LEAST_SUM * true)
    part = np.divide(true, sums, out=np.ones(len(large)), where=known)
    areas = spread.areas * part[origins]
    return FacePoints(large[origins], shares, spread.nodes, spread.weights, areas)


def parts_of(points: Numbers, triangles: Indices) -> Indices:
    """The number of the loose part that each vertex of a surface belongs to, shape (n,).

    What lies on each other hangs together at borders only, as in :func:`.welding.leaders`.
    """
    pairs = np.stack([np.arange(len(points)), leaders(points, triangles)], axis=1)
    first = connected([triangles, pairs], np.ones(len(points), np.bool_))
    return np.asarray(np.unique(first, return_inverse=True)[1].reshape(-1), np.int64)


def _signs(points: Numbers, triangles: Indices, parts: Indices) -> Numbers:
    """Of each part: 1, or -1 where it is inside out, shape (p,)."""
    own = parts[triangles[:, 0]]
    middle = points[np.unique(parts, return_index=True)[1]][own]
    volumes = np.einsum(
        "td,td->t", crossed_edges(points, triangles), points[triangles[:, 0]] - middle
    )
    return np.where(np.bincount(own, volumes, int(parts.max()) + 1) < 0.0, -1.0, 1.0)


def _below(points: Numbers, triangles: Indices, signs: Numbers, depth: float) -> Numbers:
    """Points that lie so deep below all faces around each vertex, or nearly so, shape (n, 3).

    Args:
        signs: of each vertex: -1 where its part is inside out.
    """
    normals = units(crossed_edges(points, triangles)) * signs[triangles[:, :1]]
    sums, squares = np.zeros((len(points), 3)), np.zeros((len(points), 3, 3))
    for corner in range(3):
        np.add.at(sums, triangles[:, corner], normals)
        np.add.at(squares, triangles[:, corner], normals[:, :, None] * normals[:, None])
    counts = np.maximum(np.trace(squares, axis1=1, axis2=2), 1.0)
    blunt = squares + (BLUNT * counts)[:, None, None] * np.eye(3)
    return np.asarray(points - depth * np.linalg.solve(blunt, sums[:, :, None])[:, :, 0])


def _boxes(points: Numbers, parts: Indices) -> tuple[Numbers, Numbers]:
    """The lowest and highest corner of each part, shape (p, 3)."""
    count = int(parts.max()) + 1
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(low, parts, points)
    np.maximum.at(high, parts, points)
    return low, high


def _apart(points: Numbers, parts: Indices, size: float) -> Indices:
    """By how many cells each part is to be moved to lie by itself, shape (p, 3).

    Boxes of the highest come first, in rows and layers, into what is about a cube.
    """
    low, high = _boxes(points, parts)
    first = np.floor(low / size).astype(np.int64) - MARGIN
    boxes = np.ceil(high / size).astype(np.int64) + MARGIN - first
    side = max(int(np.cbrt(boxes.prod(axis=1).sum())), int(boxes.max()))
    places, corner = np.empty_like(boxes), np.zeros(3, np.int64)
    row = layer = 0
    for part in np.lexsort((boxes[:, 1], boxes[:, 2]))[::-1]:
        if corner[0] and corner[0] + boxes[part, 0] > side:
            corner[:2], row = (0, corner[1] + row), 0
        if corner[1] and corner[1] + boxes[part, 1] > side:
            corner[:], row, layer = (0, 0, corner[2] + layer), 0, 0
        places[part] = corner
        corner[0] += boxes[part, 0]
        row, layer = max(row, int(boxes[part, 1])), max(layer, int(boxes[part, 2]))
    return np.asarray(places - first)


def _parts_of_nodes(cage: Cage, surface: Numbers, parts: Indices) -> Indices:
    """The part that each node belongs to, shape (m,)."""
    first = connected([cage.tetrahedra], np.ones(len(cage.positions), np.bool_))
    own = np.full(len(cage.positions), -1)
    own[first[cage.corners]] = parts[:, None]
    low, high = _boxes(surface, parts)
    for root in np.unique(first[own[first] < 0]):  # what no vertex lies in, by where it is
        beside = np.maximum(low - cage.positions[root], cage.positions[root] - high)
        own[root] = np.maximum(beside, 0.0).sum(axis=1).argmin()
    return np.asarray(own[first])
