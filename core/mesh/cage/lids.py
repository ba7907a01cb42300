# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangles that close a surface."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...native.compiled import native
from ..incidence import grouped

Indices = NDArray[np.int64]


def lids_of(triangles: Indices, count: int) -> Indices:
    """Triangles between the borders of a surface, shape (l, 3); of a closed one there are none.

    A border is where as many triangles go one way along an edge as the other way round don't: so
    what is not oriented the same all over, or not a manifold, is closed as well. Each loop of it
    is cut off vertex by vertex, every second one in a round: what comes first is small, and next to
    each other what follows each other.

    Args:
        triangles: of the surface, shape (t, 3).
        count: of its vertices.
    """
    start, end = _borders(triangles, count)
    starts, leaving = grouped(start, np.arange(len(start)), count)
    vertices, loops = np.empty(len(start), np.int64), np.zeros(len(start) + 1, np.int64)
    found = _walk(starts, leaving, end, vertices, loops)
    sizes = np.diff(loops[: found + 1])
    lids = np.empty((int(np.maximum(sizes - 2, 0).sum()), 3), np.int64)
    _cut_off(vertices, loops[: found + 1], lids)
    return lids


def _borders(triangles: Indices, count: int) -> tuple[Indices, Indices]:
    """Starts and ends of edges, against the way of the triangles that lack one beside them."""
    sides = np.stack([triangles, np.roll(triangles, -1, axis=1)], -1).reshape(-1, 2)
    order = np.argsort(sides.min(axis=1) * count + sides.max(axis=1), kind="stable")
    low, high = sides.min(axis=1)[order], sides.max(axis=1)[order]
    first = np.ones(len(order), np.bool_)
    first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    ways = np.add.reduceat(np.sign(sides[:, 1] - sides[:, 0])[order], np.flatnonzero(first))
    low, high = (np.repeat(each[first], np.abs(ways)) for each in (low, high))
    upwards = np.repeat(ways, np.abs(ways)) > 0
    return np.where(upwards, high, low), np.where(upwards, low, high)


@native
def _walk(starts, leaving, ends, vertices, loops):  # type: ignore[no-untyped-def]
    """Follow all edges in closed loops: as many enter a vertex as leave it.

    Args:
        starts, leaving: edges that leave each vertex.
        ends: where edges end, shape (e,).
        vertices: those of loops are written here, shape (e,); loops: where each begins.

    Returns:
        How many loops there are.
    """
    used, found, place = np.zeros(len(starts) - 1, np.int64), 0, 0
    for root in range(len(starts) - 1):
        while starts[root] + used[root] < starts[root + 1]:
            vertex = root
            while True:
                vertices[place] = vertex
                place += 1
                edge = leaving[starts[vertex] + used[vertex]]
                used[vertex] += 1
                vertex = ends[edge]
                if vertex == root:
                    break
            found += 1
            loops[found] = place
    return found


@native
def _cut_off(vertices, loops, lids):  # type: ignore[no-untyped-def]
    """Fill each loop with triangles, and spoil it."""
    count = 0
    for loop in range(len(loops) - 1):
        first, left = loops[loop], loops[loop + 1] - loops[loop]
        while left > 2:
            kept = 0
            for i in range(0, left - 1, 2):
                # The last of an even number is cut off between the one before and the first.
                after = i + 2 if i + 2 < left else 0
                lids[count, 0], lids[count, 1] = vertices[first + i], vertices[first + i + 1]
                lids[count, 2] = vertices[first + after]
                vertices[first + kept] = vertices[first + i]
                kept, count = kept + 1, count + 1
            if left % 2 == 1:
                vertices[first + kept] = vertices[first + left - 1]
                kept += 1
            left = kept
