# SPDX-License-Identifier: GPL-3.0-or-later
"""From some of the points of a surface to all, exactly where a function is affine.

Moving least squares (Lancaster, Salkauskas 1981) in two coordinates of the surface around each
point. What is near goes by a matrix' graph, so that layers that lie on each other stay apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..native.compiled import native
from .compressed import Compressed, Indices, Numbers, from_entries, product

REACH = 1.5
"""How far points take part, in distances of neighbouring chosen points."""

EVERY = 1.5
"""How far from each other points are chosen, in distances of neighbouring points."""

NEXT = 4
"""Neighbours whose distance counts as that of neighbouring points."""

LEAST = 6
"""Chosen points that take part at least, where there are so many."""

SMALL = 1e-9
"""A weight beside 1 that counts for nothing."""


def spread_points(graph: Compressed, positions: Numbers, free: NDArray[np.bool_]) -> Indices:
    """Free points, each EVERY times or more as far from the next as points are around it.

    Args:
        graph: a symmetric pattern, shape (n, n).
        positions: shape (n, 3).
        free: which points count, shape (n,).
    """
    pattern = graph.chosen(free[graph.rows] & free[graph.columns] & (graph.rows != graph.columns))
    rows, columns = pattern.rows, pattern.columns
    distance = np.linalg.norm(positions[columns] - positions[rows], axis=1)
    order = _by_distance(rows, distance)
    distance, columns = distance[order], columns[order]
    spacing = _mean_of_first(pattern.starts, distance, NEXT)
    near = distance < EVERY * spacing[rows]
    pattern = pattern._replace(columns=columns, values=distance).chosen(near)
    chosen = np.zeros(len(free), np.bool_)
    _spread(pattern.starts, pattern.columns, ~free, chosen)
    return np.flatnonzero(chosen)


def _by_distance(rows: Indices, distance: Numbers) -> Indices:
    """An order of entries by row, and in each by distance."""
    return np.argsort(rows + 0.5 * distance / max(distance.max(initial=0.0), SMALL), kind="stable")


def _mean_of_first(starts: Indices, values: Numbers, count: int) -> Numbers:
    """The mean of the first values of each row, at most so many; 0 where there is none."""
    places = starts[:-1, None] + np.arange(count)
    there = places < starts[1:, None]
    taken = np.where(there, np.append(values, 0.0)[np.where(there, places, -1)], 0.0)
    return taken.sum(axis=1) / np.maximum(there.sum(axis=1), 1)


@native
def _spread(starts, columns, taken, chosen):  # type: ignore[no-untyped-def]
    for point in range(len(taken)):
        if taken[point]:
            continue
        chosen[point] = True
        for place in range(starts[point], starts[point + 1]):
            taken[columns[place]] = True


def interpolation(
    graph: Compressed, positions: Numbers, free: NDArray[np.bool_], chosen: Indices
) -> Compressed:
    """The weights of chosen points at all free ones, shape (n, chosen).

    Args:
        positions: shape (n, 3).
    """
    number = np.full(len(free), -1)
    number[chosen] = np.arange(len(chosen))
    near = _near(graph, free, number, len(chosen))
    rows, columns = near.rows, near.columns
    offsets = positions[chosen[columns]] - positions[rows]
    distance = np.linalg.norm(offsets, axis=1)
    order = _by_distance(rows, distance)
    columns, offsets, distance = columns[order], offsets[order], distance[order]
    rank = np.arange(len(rows)) - near.starts[rows]
    nearest = np.append(columns, 0)[near.starts[:-1]]
    radius = REACH * _spacing(near.starts, distance, chosen)[nearest]
    kept = (distance < radius[rows]) | (rank < LEAST)
    rows, columns, offsets, distance = rows[kept], columns[kept], offsets[kept], distance[kept]
    farthest = np.zeros(len(free))
    np.maximum.at(farthest, rows, distance)
    radius = np.maximum(radius, 1.05 * farthest)
    # Of a point that has no neighbours any will do.
    radius[radius == 0.0] = 1.0
    weight = (1.0 - (distance / radius[rows]) ** 2) ** 2 + SMALL
    values = _affine_weights(rows, offsets / radius[rows, None], weight, len(free))
    return from_entries(rows, columns, values, (len(free), len(chosen)))


def _near(graph: Compressed, free: NDArray[np.bool_], number: Indices, count: int) -> Compressed:
    """Chosen points within two steps of the graph of every free one."""
    pattern = graph._replace(values=np.ones(len(graph.columns)))
    pattern = pattern.chosen(free[graph.rows] & free[graph.columns])
    step = pattern.chosen(number[pattern.columns] >= 0)
    step = step._replace(columns=number[step.columns], width=count)
    return product(pattern, step)


def _spacing(starts: Indices, distance: Numbers, chosen: Indices) -> Numbers:
    """The mean distance from each chosen point to the six next ones, shape (chosen,)."""
    own = np.stack([starts[chosen] + 1, starts[chosen + 1]], axis=1)
    places = own[:, :1] + np.arange(6)
    there = places < own[:, 1:]
    taken = np.where(there, np.append(distance, 0.0)[np.where(there, places, -1)], 0.0)
    return taken.sum(axis=1) / np.maximum(there.sum(axis=1), 1)


def _affine_weights(rows: Indices, offsets: Numbers, weight: Numbers, count: int) -> Numbers:
    """Of the entries of each row: weights that give affine functions their value at the row.

    Args:
        offsets: to where each entry is, over the radius of the row, shape (m, 3).
        weight: how much each counts, shape (m,).
    """

    def sums(values: Numbers) -> Numbers:
        return np.bincount(rows, weight * values, minlength=count).astype(np.float64)

    spread = np.empty((count, 3, 3))
    for i in range(3):
        for j in range(i + 1):
            spread[:, i, j] = spread[:, j, i] = sums(offsets[:, i] * offsets[:, j])
    _, directions = np.linalg.eigh(spread)
    plane = np.einsum("mk,mkp->mp", offsets, directions[rows][:, :, 1:])
    basis = np.concatenate([np.ones((len(rows), 1)), plane], axis=1)
    gram = np.empty((count, 3, 3))
    for i in range(3):
        for j in range(i + 1):
            gram[:, i, j] = gram[:, j, i] = sums(basis[:, i] * basis[:, j])
    scale = np.maximum(np.einsum("nii->n", gram), SMALL)
    gram += SMALL * scale[:, None, None] * np.eye(3)
    first = np.broadcast_to(np.array([[1.0], [0.0], [0.0]]), (count, 3, 1))
    solution = np.linalg.solve(gram, first)[:, :, 0]
    return weight * np.einsum("mi,mi->m", basis, solution[rows])
