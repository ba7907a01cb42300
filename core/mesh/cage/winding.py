# SPDX-License-Identifier: GPL-3.0-or-later
"""Winding numbers of any surface, by a tree.

The generalised winding number (Jacobson, Kavan and Sorkine-Hornung 2013, "Robust inside-outside
segmentation using generalized winding numbers") is the solid angle of all triangles over 4π. What
is far away counts as a dipole and the next term (Barill et al. 2018, "Fast winding numbers for
soups and clouds").
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...native.by_address import by_address
from ...native.compiled import native, native_part

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]

LEAF = 8
"""Triangles of a leaf, at most."""

FAR = 2.0
"""In radii of a box of the tree: what is as far away is summed up. Errors are below 0.04."""

DEEPEST = 64
"""Boxes that wait to be looked at, at most: one a level of the tree, and one more."""


@by_address
class Tree(NamedTuple):
    """A balanced tree; children of node k are 2k and 2k + 1, and the root is 1.

    Attributes:
        corners: of triangles, shape (t, 3, 3).
        first: where the triangles of each node begin, shape (2 leaves,); last: where they end.
        centres: shape (2 leaves, 3); radii: around them lies all of the node, shape (2 leaves,).
        areas: vectors, the sum of half the cross products, shape (2 leaves, 3).
        moments: Σ (centre of the triangle - centre) ⊗ area, shape (2 leaves, 3, 3).
    """

    corners: Numbers
    first: Indices
    last: Indices
    centres: Numbers
    radii: Numbers
    areas: Numbers
    moments: Numbers


def tree_of(points: Numbers, triangles: Indices) -> Tree:
    """Build the tree of triangles, of which those that follow each other should be near."""
    corners = points[triangles]
    leaves = 1
    while leaves * LEAF < len(corners):
        leaves *= 2
    bounds = len(corners) * np.arange(leaves + 1) // leaves
    first, last = np.zeros(2 * leaves, np.int64), np.zeros(2 * leaves, np.int64)
    first[leaves:], last[leaves:] = bounds[:-1], bounds[1:]
    for node in range(leaves - 1, 0, -1):
        first[node], last[node] = first[2 * node], last[2 * node + 1]
    shape = 2 * leaves
    tree = Tree(
        corners, first, last, np.zeros((shape, 3)), np.zeros(shape), np.zeros((shape, 3)),
        np.zeros((shape, 3, 3)),
    )  # fmt: skip
    _sum_up(tree)
    return tree


@native
def _sum_up(tree):  # type: ignore[no-untyped-def]
    area, centre = np.empty(3), np.empty(3)
    for node in range(1, len(tree.first)):
        total = 0.0
        for k in range(3):
            centre[k] = 0.0
        for t in range(tree.first[node], tree.last[node]):
            size = _area_of(tree.corners, t, area)
            total += size
            for k in range(3):
                tree.areas[node, k] += area[k]
                centre[k] += size * _middle(tree.corners, t, k)
        for k in range(3):
            if total > 0.0:
                tree.centres[node, k] = centre[k] / total
            elif tree.first[node] < tree.last[node]:
                tree.centres[node, k] = tree.corners[tree.first[node], 0, k]
        _spread(tree, node, area)


@native_part
def _spread(tree, node, area):  # type: ignore[no-untyped-def]
    """How far a node reaches, and its moment."""
    farthest = 0.0
    for t in range(tree.first[node], tree.last[node]):
        _area_of(tree.corners, t, area)
        for i in range(3):
            offset, square = _middle(tree.corners, t, i) - tree.centres[node, i], 0.0
            for j in range(3):
                tree.moments[node, i, j] += offset * area[j]
                square += (tree.corners[t, i, j] - tree.centres[node, j]) ** 2
            farthest = max(farthest, square)
    tree.radii[node] = np.sqrt(farthest)


@native_part
def _middle(corners, t, k):  # type: ignore[no-untyped-def]
    return (corners[t, 0, k] + corners[t, 1, k] + corners[t, 2, k]) / 3.0


@native_part
def _area_of(corners, t, area):  # type: ignore[no-untyped-def]
    """Write the vector of a triangle's area; returns its length."""
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        area[k] = 0.5 * (
            (corners[t, 1, i] - corners[t, 0, i]) * (corners[t, 2, j] - corners[t, 0, j])
            - (corners[t, 1, j] - corners[t, 0, j]) * (corners[t, 2, i] - corners[t, 0, i])
        )
    return np.sqrt(area[0] ** 2 + area[1] ** 2 + area[2] ** 2)


@native_part
def _solid_angle(corners, t, x, y, z):  # type: ignore[no-untyped-def]
    """Of a triangle seen from a point (van Oosterom and Strackee 1983)."""
    ax, ay, az = corners[t, 0, 0] - x, corners[t, 0, 1] - y, corners[t, 0, 2] - z
    bx, by, bz = corners[t, 1, 0] - x, corners[t, 1, 1] - y, corners[t, 1, 2] - z
    cx, cy, cz = corners[t, 2, 0] - x, corners[t, 2, 1] - y, corners[t, 2, 2] - z
    a = np.sqrt(ax * ax + ay * ay + az * az)
    b = np.sqrt(bx * bx + by * by + bz * bz)
    c = np.sqrt(cx * cx + cy * cy + cz * cz)
    spanned = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    below = a * b * c + (ax * bx + ay * by + az * bz) * c
    below += (bx * cx + by * cy + bz * cz) * a + (cx * ax + cy * ay + cz * az) * b
    return 2.0 * np.arctan2(spanned, below)


@native_part
def _from_afar(tree, node, rx, ry, rz, square):  # type: ignore[no-untyped-def]
    """The solid angle of a node whose centre is so far away: dipole, and the next term."""
    areas, moments = tree.areas, tree.moments
    third = 1.0 / (square * np.sqrt(square))
    fifth = 3.0 * third / square
    result = (rx * areas[node, 0] + ry * areas[node, 1] + rz * areas[node, 2]) * third
    result += (moments[node, 0, 0] + moments[node, 1, 1] + moments[node, 2, 2]) * third
    x = rx * moments[node, 0, 0] + ry * moments[node, 1, 0] + rz * moments[node, 2, 0]
    y = rx * moments[node, 0, 1] + ry * moments[node, 1, 1] + rz * moments[node, 2, 1]
    z = rx * moments[node, 0, 2] + ry * moments[node, 1, 2] + rz * moments[node, 2, 2]
    return result - fifth * (x * rx + y * ry + z * rz)


@native
def winding_numbers(tree, points, result):  # type: ignore[no-untyped-def]
    """Write the winding number of the surface around each point.

    Args:
        tree: of the surface.
        points: shape (n, 3).
        result: shape (n,).
    """
    waiting, leaves = np.empty(DEEPEST, np.int64), len(tree.first) // 2
    for i in range(len(points)):
        x, y, z, total, top = points[i, 0], points[i, 1], points[i, 2], 0.0, 1
        waiting[0] = 1
        while top > 0:
            top -= 1
            node = waiting[top]
            rx, ry = tree.centres[node, 0] - x, tree.centres[node, 1] - y
            rz = tree.centres[node, 2] - z
            square = rx * rx + ry * ry + rz * rz
            if square > FAR * FAR * tree.radii[node] ** 2:
                total += _from_afar(tree, node, rx, ry, rz, square)
            elif node >= leaves:
                for t in range(tree.first[node], tree.last[node]):
                    total += _solid_angle(tree.corners, t, x, y, z)
            else:
                waiting[top], waiting[top + 1] = 2 * node, 2 * node + 1
                top += 2
        result[i] = total / (4.0 * np.pi)
