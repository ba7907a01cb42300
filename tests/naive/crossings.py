# SPDX-License-Identifier: GPL-3.0-or-later
"""Which triangles of meshes intersect: exact, and independent of the core's contact.

A triangle is taken with its boundary, so whatever touches intersects: a vertex on a face, two
edges that meet in a point, faces of one plane that overlap or have a point in common. Only two
rules are not geometry: triangles of one mesh with a common vertex never count, and neither do two
triangles that both have no area (one without area is the segment or the point that it looks like).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .boxes import Boxes, overlapping_boxes
from .functions import Array
from .orientation import Signs, orientation

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

AT_ONCE = 100_000
"""Pairs that are looked at together, which bounds the memory."""

_EDGES = ((0, 1), (1, 2), (2, 0))


def crossing_pairs(
    points: ArrayLike, triangles: ArrayLike, others: tuple[ArrayLike, ArrayLike] | None = None
) -> Indices:
    """Pairs of triangles that intersect.

    Args:
        points: vertices [m], shape (n, 3).
        triangles: corners, shape (t, 3).
        others: vertices and triangles of a second mesh: pairs of one of the first and one of the
            second; without, pairs within the one mesh that have no vertex in common.

    Returns:
        Numbers of triangles, shape (k, 2), in ascending order; within one mesh the smaller first.
    """
    first = _corners(points, triangles)
    second = first if others is None else _corners(*others)
    boxes = Boxes.around(first)
    pairs = overlapping_boxes(boxes, None if others is None else Boxes.around(second))
    if others is None:
        pairs = pairs[~_share_a_vertex(np.asarray(triangles), pairs)]
    parts = np.array_split(pairs, len(pairs) // AT_ONCE + 1)
    return np.concatenate(
        [part[triangles_meet(first[part[:, 0]], second[part[:, 1]])] for part in parts]
    )


def triangles_meet(first: Array, second: Array) -> Flags:
    """Whether triangles with the corners of shape (m, 3, 3) have a point in common, shape (m,)."""
    meet = np.zeros(len(first), np.bool_)
    sides = _sides(first, second)
    left = np.flatnonzero(~_strictly_on_one_side(sides))
    first, second, sides = first[left], second[left], sides[left]
    other_sides = _sides(second, first)
    kept = ~_strictly_on_one_side(other_sides)
    left, first, second = left[kept], first[kept], second[kept]
    sides, other_sides = sides[kept], other_sides[kept]

    turns = _turns(first, second)
    meet[left] = _pierce(sides, turns) | _pierce(other_sides, turns.transpose(0, 2, 1))
    flat = ~(sides.any(axis=1) | other_sides.any(axis=1))
    meet[left[flat]] = _meet_in_their_plane(first[flat], second[flat])
    return meet


def _corners(points: ArrayLike, triangles: ArrayLike) -> Array:
    """Corners of triangles [m], shape (t, 3, 3), or a ValueError: a coordinate is not finite."""
    corners = np.asarray(points, np.float64)[np.asarray(triangles, np.int64)]
    if not np.isfinite(corners).all():
        raise ValueError("A vertex is not a finite number.")
    return corners


def _share_a_vertex(triangles: Indices, pairs: Indices) -> Flags:
    a, b = triangles[pairs[:, 0]], triangles[pairs[:, 1]]
    return np.asarray((a[:, :, None] == b[:, None, :]).any(axis=(1, 2)))


def _strictly_on_one_side(signs: Signs) -> Flags:
    """Whether all signs of a row, shape (m, k), are 1 or all are -1."""
    return np.asarray((signs > 0).all(axis=1) | (signs < 0).all(axis=1))


def _sides(points: Array, triangles: Array) -> Signs:
    """On which side of a triangle's plane each of three points lies, shape (m, 3)."""
    rows = [np.concatenate([triangles, points[:, [k]]], axis=1) for k in range(3)]
    return np.stack([orientation(row) for row in rows], axis=1)


def _turns(first: Array, second: Array) -> Signs:
    """How each edge of the first winds around each edge of the second, shape (m, 3, 3)."""
    turns = np.empty((len(first), 3, 3), np.int8)
    for i, edge in enumerate(_EDGES):
        for j, other in enumerate(_EDGES):
            ends = np.concatenate([first[:, edge], second[:, other]], axis=1)
            turns[:, i, j] = orientation(ends)
    return turns


def _pierce(sides: Signs, turns: Signs) -> Flags:
    """Whether an edge meets the other triangle, but for edges that lie in its plane.

    Where an edge in the plane does, another one of its triangle touches, or one of the other
    triangle pierces, unless all of it lies in the plane.

    Args:
        sides: of the edges' triangle to the other's plane, shape (m, 3).
        turns: of its edges around the other's, shape (m, 3, 3).
    """
    starts, ends = sides[:, [0, 1, 2]], sides[:, [1, 2, 0]]
    reaches = (starts * ends <= 0) & ((starts != 0) | (ends != 0))
    through = (turns >= 0).all(axis=2) | (turns <= 0).all(axis=2)
    return np.asarray((reaches & through).any(axis=1))


def _meet_in_their_plane(first: Array, second: Array) -> Flags:
    """Whether triangles of a plane meet, seen along an axis along which not both are lines."""
    meet, seen = np.zeros(len(first), np.bool_), np.zeros(len(first), np.bool_)
    for axes in ((0, 1), (1, 2), (2, 0)):
        a, b = first[:, :, axes], second[:, :, axes]
        areas, other_areas = orientation(a), orientation(b)
        chosen = ~seen & ((areas != 0) | (other_areas != 0))
        seen |= chosen
        a, b = a[chosen], b[chosen]
        apart = _edge_between(a, b, areas[chosen]) | _edge_between(b, a, other_areas[chosen])
        meet[chosen] = ~apart
    return meet


def _edge_between(triangles: Array, others: Array, areas: Signs) -> Flags:
    """Whether all of the other lies strictly beyond one of a triangle's edges, in the plane.

    Args:
        triangles, others: shape (m, 3, 2).
        areas: the triangles' orientations, shape (m,); one of 0 has no inner side.
    """
    apart = np.zeros(len(triangles), np.bool_)
    for edge in _EDGES:
        ends = triangles[:, edge]
        rows = [np.concatenate([ends, others[:, [k]]], axis=1) for k in range(3)]
        signs = np.stack([orientation(row) for row in rows], axis=1)
        apart |= _strictly_on_one_side(signs) & (signs[:, 0] != areas)
    return apart
