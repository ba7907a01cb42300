# SPDX-License-Identifier: GPL-3.0-or-later
"""Conflict-free batches: constraints of one colour share no particle, so their order is free."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..native.compiled import native


@native
def _color_window(indices, window, taken, colors):  # type: ignore[no-untyped-def]
    """Give constraints without a colour the first of the 64 from ``window`` on that is free.

    ``taken`` holds one bit a colour of the window for each particle. Returns how many constraints
    found none.
    """
    one = np.uint64(1)
    left = 0
    for constraint in range(indices.shape[0]):
        if colors[constraint] >= 0:
            continue
        busy = np.uint64(0)
        for vertex in range(indices.shape[1]):
            busy |= taken[indices[constraint, vertex]]
        bit = 0
        while bit < 64 and (busy >> np.uint64(bit)) & one:
            bit += 1
        if bit == 64:
            left += 1
            continue
        colors[constraint] = window + bit
        for vertex in range(indices.shape[1]):
            taken[indices[constraint, vertex]] |= one << np.uint64(bit)
    return left


def _greedy(indices: NDArray[np.int64], particle_count: int) -> NDArray[np.int32]:
    """Each constraint takes the first colour that none of its particles has yet."""
    colors = np.full(len(indices), -1, np.int32)
    window, left = 0, len(indices)
    while left:
        taken = np.zeros(particle_count, np.uint64)
        left = _color_window(indices, window, taken, colors)
        window += 64
    return colors


def color(indices: NDArray[np.integer], particle_count: int) -> list[NDArray[np.intp]]:
    """Split constraints into colours.

    Args:
        indices: particles of each constraint, shape (count, vertices).
        particle_count: one more than the largest index.

    Returns:
        For each colour the constraints of that colour, in their given order. The time grows
        linearly with the number of constraints.
    """
    if len(indices) == 0:
        return []
    colors = _greedy(np.ascontiguousarray(indices, np.int64), particle_count)
    order = np.argsort(colors, kind="stable")
    ends = np.cumsum(np.bincount(colors))[:-1]
    return np.split(order, ends)
