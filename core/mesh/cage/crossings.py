# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a surface crosses the lines of a grid.

The lines run along x, y and z through the centres of voxels, SUB to the edge of a cube. Which
triangle of several around a line is crossed is decided by the same sum for all of them, so that a
line goes through a closed surface exactly as often inwards as outwards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...native.compiled import native, native_part
from .lattice import Lattice

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]

SUB = 6
"""Voxels along the edge of a cube."""

ASIDE = np.array([1.37e-4, 2.71e-4, 3.91e-4])
"""How far the grid is moved, in voxels: off the corners and edges that lie on planes."""


DIGITS = 7
"""Crossings that differ by less than such a digit of a voxel are in one place."""


class Crossings(NamedTuple):
    """All crossings, line by line, and on each line in order.

    Attributes:
        axis: along which its line runs, shape (c,).
        upper: number of the voxel behind it on the line; it lies behind the one before that.
        along: how far behind the centre of that one, in voxels.
        sign: 1 where the line goes through the triangle's face, out of what it encloses; -1 where
            it comes from behind.
        triangle: which one.
        points: where it is, in cubes from the lattice's origin, shape (c, 3).
    """

    axis: Indices
    upper: Indices
    along: Numbers
    sign: Indices
    triangle: Indices
    points: Numbers


class Found(NamedTuple):
    """Crossings in tetrahedra that are kept.

    Attributes:
        crossings: their numbers, ascending, shape (c,).
        tetrahedra: of each its number in the lattice, shape (c,); nodes: of these, shape (c, 4).
    """

    crossings: Indices
    tetrahedra: Indices
    nodes: Indices


def find_crossings(points: Numbers, triangles: Indices, lattice: Lattice) -> Crossings:
    """Find all crossings.

    Args:
        points: vertices in cubes from the lattice's origin, shape (n, 3).
        triangles: shape (t, 3).
        lattice: in whose cubes the voxels are.
    """
    each = [crossings_along(axis, points, triangles, lattice) for axis in range(3)]
    return Crossings(*(np.concatenate(parts) for parts in zip(*each, strict=True)))


def crossings_along(axis: int, points: Numbers, triangles: Indices, lattice: Lattice) -> Crossings:
    """Those of the lines along one axis."""
    shape = SUB * lattice.shape
    voxels = points * SUB - 0.5 - ASIDE
    numbers, reals = np.empty((0, 3), np.int64), np.empty((0, 4))
    count = _find(voxels, triangles, shape, axis, numbers, reals)
    numbers, reals = np.empty((count, 3), np.int64), np.empty((count, 4))
    _find(voxels, triangles, shape, axis, numbers, reals)
    # What only touches is left before the next is entered, however numbers are rounded: the two
    # are not joined.
    order = np.lexsort((-numbers[:, 1], reals[:, 0].round(DIGITS), numbers[:, 0]))
    upper, sign, triangle = np.ascontiguousarray(numbers[order].T)
    along, *place = np.ascontiguousarray(reals[order].T)
    places = (np.stack(place, axis=1) + ASIDE + 0.5) / SUB
    return Crossings(np.full(count, axis), upper, along, sign, triangle, places)


@native_part
def _is_left(points, start, end, b, c, y, z):  # type: ignore[no-untyped-def]
    """Whether a line is to the left of an edge; of the same edge the other way round it is not."""
    low, high = min(start, end), max(start, end)
    turn = (points[high, b] - points[low, b]) * (z - points[low, c])
    turn -= (points[high, c] - points[low, c]) * (y - points[low, b])
    return (turn >= 0.0) == (start < end)


@native
def _find(points, triangles, shape, axis, numbers, reals):  # type: ignore[no-untyped-def]
    """Write crossings along an axis as far as there is room; returns how many there are.

    Args:
        points: in voxels, whole numbers at centres, shape (n, 3).
        triangles: shape (t, 3).
        shape: of the grid, shape (3,).
        axis: of the lines.
        numbers: upper voxel, sign, triangle; reals: how far along, and the point, shape (c, 4).
    """
    b, c = (axis + 1) % 3, (axis + 2) % 3
    place, count = np.zeros(3, np.int64), 0
    for t in range(len(triangles)):
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        y0, y1, y2 = points[i, b], points[j, b], points[k, b]
        z0, z1, z2 = points[i, c], points[j, c], points[k, c]
        area = (y1 - y0) * (z2 - z0) - (y2 - y0) * (z1 - z0)
        if area == 0.0:
            continue
        left = area > 0.0
        x0, x1, x2 = points[i, axis], points[j, axis], points[k, axis]
        low, high = min(x0, x1, x2), max(x0, x1, x2)
        for y in range(int(np.ceil(min(y0, y1, y2))), int(np.floor(max(y0, y1, y2))) + 1):
            for z in range(int(np.ceil(min(z0, z1, z2))), int(np.floor(max(z0, z1, z2))) + 1):
                if _is_left(points, i, j, b, c, y, z) != left:
                    continue
                if _is_left(points, j, k, b, c, y, z) != left:
                    continue
                if _is_left(points, k, i, b, c, y, z) != left:
                    continue
                if count < len(numbers):
                    second = ((y - y0) * (z2 - z0) - (y2 - y0) * (z - z0)) / area
                    third = ((y1 - y0) * (z - z0) - (y - y0) * (z1 - z0)) / area
                    x = min(max(x0 + second * (x1 - x0) + third * (x2 - x0), low), high)
                    upper = int(np.floor(x)) + 1
                    place[axis], place[b], place[c] = upper, y, z
                    numbers[count, 0] = (place[0] * shape[1] + place[1]) * shape[2] + place[2]
                    numbers[count, 1], numbers[count, 2] = (1 if left else -1), t
                    reals[count, 0], reals[count, 1 + axis] = x - (upper - 1), x
                    reals[count, 1 + b], reals[count, 1 + c] = y, z
                count += 1
    return count
