# SPDX-License-Identifier: GPL-3.0-or-later
"""Bends in rows: which go on in each other.

A bend (a, b, c) turns at b from the edge ab to the edge bc. It goes on in the bend at c that turns
from the edge bc; where several do, as at a knot or a twig, in the straightest that is left. The row
of a twig begins with the edge of the branch that it keeps its angle to. A row ends before it comes
back to one of its particles: a loop is cut into two that overlap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....native.compiled import native

Indices = NDArray[np.int64]


class Rows(NamedTuple):
    """All bends, each in one row.

    Attributes:
        bends: number of each bend, row after row.
        starts: where each row begins in ``bends``, shape (rows + 1,).
        particles: along each row, two more than it has bends; row r begins at starts[r] + 2 r.
    """

    bends: Indices
    starts: Indices
    particles: Indices

    @property
    def firsts(self) -> Indices:
        """Where each row begins in ``particles``, and the end, shape (rows + 1,)."""
        return self.starts + 2 * np.arange(len(self.starts))


def find_rows(corners: Indices, angles: NDArray[np.float64], count: int) -> Rows:
    """The rows of bends.

    Args:
        corners: previous, middle and next particle of each, shape (bends, 3).
        angles: how much each turns at rest, shape (bends,).
        count: of particles.
    """
    partners = _partners(corners, angles, count)
    bends, particles = np.empty(len(corners), np.int64), np.empty(3 * len(corners), np.int64)
    starts, seen = np.empty(len(corners) + 1, np.int64), np.zeros(len(corners), np.bool_)
    visited = np.full(count, -1, np.int64)
    rows = _follow(corners, partners, visited, seen, bends, starts, particles)
    return Rows(bends, starts[: rows + 1].copy(), particles[: len(corners) + 2 * rows].copy())


def _partners(corners: Indices, angles: NDArray[np.float64], count: int) -> Indices:
    """For each side of a bend, 2 · bend + side, the side that it goes on in; -1 without."""
    middles, others = np.repeat(corners[:, 1], 2), corners[:, [0, 2]].ravel()
    outward = middles * count + others
    order = np.lexsort((np.repeat(angles, 2), outward))
    ordered = outward[order]
    begins = np.concatenate([[True], ordered[1:] != ordered[:-1]]) if len(order) else order
    ranks = np.empty(len(order), np.int64)
    places = np.arange(len(order))
    ranks[order] = places - np.maximum.accumulate(np.where(begins, places, 0))
    most = int(ranks.max(initial=0)) + 1
    own, wanted = outward * most + ranks, (others * count + middles) * most + ranks
    sorted_own = own[order]
    found = np.minimum(np.searchsorted(sorted_own, wanted), len(order) - 1)
    return np.where(sorted_own[found] == wanted, order[found], -1)


@native
def _follow(corners, partners, visited, seen, bends, starts, particles):  # type: ignore[no-untyped-def]
    """Walk along bends: first from where rows end, then along rings. Returns how many rows are."""
    count = len(corners)
    placed, rows = 0, 0
    for attempt in range(2):
        for side in range(2 * count):
            if seen[side // 2] or (attempt == 0 and partners[side] >= 0):
                continue
            starts[rows] = placed
            here = side
            particles[placed + 2 * rows] = corners[here // 2, 2 * (here % 2)]
            particles[placed + 2 * rows + 1] = corners[here // 2, 1]
            visited[particles[placed + 2 * rows]] = rows
            visited[particles[placed + 2 * rows + 1]] = rows
            while here >= 0 and not seen[here // 2]:
                bend, far = here // 2, 1 - here % 2
                there = corners[bend, 2 * far]
                if visited[there] == rows:
                    break
                seen[bend] = True
                visited[there] = rows
                bends[placed] = bend
                placed += 1
                particles[placed + 2 * rows + 1] = there
                here = partners[2 * bend + far]
            rows += 1
    starts[rows] = placed
    return rows
