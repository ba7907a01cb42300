# SPDX-License-Identifier: GPL-3.0-or-later
"""How far constraints are from pinned particles, in steps from particle to particle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...native.compiled import native

Indices = NDArray[np.int64]


def rings_around(
    pinned: NDArray[np.bool_], constraints: Sequence[Indices], least: int, most: int
) -> Indices:
    """The ring of each constraint: 1 at a pinned particle, 2 at what shares one with it, and so on.

    Args:
        pinned: of each particle.
        constraints: particles of the constraints, groups of shape (count, vertices).
        least: rings to look for in any case.
        most: stop after a further ring with which there are more constraints than that.

    Returns:
        One group after the other; 0 where none of the rings has come, and where all is pinned.
    """
    width = max((group.shape[1] for group in constraints), default=1)
    padded = [
        np.pad(group, ((0, 0), (0, width - group.shape[1])), mode="edge") for group in constraints
    ]
    indices = np.concatenate([np.empty((0, width), np.int64), *padded])
    indices = np.where(pinned[indices].all(axis=1)[:, None], -1, indices)
    order = np.argsort(indices.ravel(), kind="stable")
    starts = np.searchsorted(indices.ravel()[order], np.arange(len(pinned) + 1))
    rings = np.zeros(len(indices), np.int64)
    queue = np.empty(len(pinned), np.int64)
    held = np.flatnonzero(pinned)
    queue[: len(held)] = held
    _spread(indices, order // width, starts, pinned.copy(), queue, len(held), rings, least, most)
    return rings


@native
def _spread(indices, members, starts, reached, queue, tail, rings, least, most):  # type: ignore[no-untyped-def]
    """Breadth-first from the particles in the queue; ``members`` of each begin at ``starts``."""
    head, ring, placed = 0, 0, 0
    while head < tail and (ring < least or placed <= most):
        ring += 1
        end = tail
        for place in range(head, end):
            particle = queue[place]
            for k in range(starts[particle], starts[particle + 1]):
                constraint = members[k]
                if rings[constraint] > 0:
                    continue
                rings[constraint] = ring
                placed += 1
                for vertex in indices[constraint]:
                    if not reached[vertex]:
                        reached[vertex] = True
                        queue[tail] = vertex
                        tail += 1
        head = end
