# SPDX-License-Identifier: GPL-3.0-or-later
"""Conflict-free batches: items of one colour share no particle, so their order is free.

An item is a constraint or a whole chain of them: any number of particles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..native.compiled import native
from ..remembered import remembered

Indices = NDArray[np.int64]

WINDOW = 64
"""Colours that are looked at together: one bit each of a word for every particle."""


@remembered
def color_rows(starts: Indices, particles: Indices, particle_count: int) -> Indices:
    """The first colour that none of an item's particles has yet, item after item.

    Args:
        starts: where in ``particles`` those of each item start, and the end, shape (count + 1,).
        particles: of all items.
        particle_count: one more than the largest index.

    Returns:
        Colours from 0 on, shape (count,). The time grows linearly with the number of particles,
        and with the number of colours only for those items that need more than 64.
    """
    colors = np.empty(len(starts) - 1, np.int64)
    uncolored = np.arange(len(colors))
    taken = np.zeros(particle_count, np.uint64)
    window = 0
    while len(uncolored):
        left = _color_window(starts, particles, window, taken, uncolored, colors)
        uncolored = uncolored[:left]
        window += WINDOW
    return colors


def color(indices: NDArray[np.integer], particle_count: int) -> list[Indices]:
    """Split constraints into colours.

    Args:
        indices: particles of each constraint, shape (count, vertices).
        particle_count: one more than the largest index.

    Returns:
        For each colour the constraints of that colour, in their given order.
    """
    count, vertices = indices.shape
    particles = np.ascontiguousarray(indices, np.int64).ravel()
    return split_by_color(color_rows(np.arange(count + 1) * vertices, particles, particle_count))


def split_by_color(colors: Indices) -> list[Indices]:
    """For each colour the items of that colour, in their given order."""
    if len(colors) == 0:
        return []
    counts = np.bincount(colors)
    # Of short integers numpy's stable sort is a radix sort: it takes linear time.
    short = colors.astype(np.min_scalar_type(len(counts)))
    return np.split(np.argsort(short, kind="stable"), np.cumsum(counts)[:-1])


@native
def _color_window(starts, particles, window, taken, uncolored, colors):  # type: ignore[no-untyped-def]
    """Give items without a colour the first of the 64 colours from ``window`` on that is free.

    Those that find none move to the front of ``uncolored``. Returns how many these are, and leaves
    ``taken``, one bit a colour for each particle, without bits at their particles.
    """
    one = np.uint64(1)
    left = 0
    for place in range(len(uncolored)):
        item = uncolored[place]
        busy = np.uint64(0)
        for i in range(starts[item], starts[item + 1]):
            busy |= taken[particles[i]]
        bit = 0
        while bit < WINDOW and (busy >> np.uint64(bit)) & one:
            bit += 1
        if bit == WINDOW:
            uncolored[left] = item
            left += 1
            continue
        colors[item] = window + bit
        for i in range(starts[item], starts[item + 1]):
            taken[particles[i]] |= one << np.uint64(bit)
    for place in range(left):
        for i in range(starts[uncolored[place]], starts[uncolored[place] + 1]):
            taken[particles[i]] = np.uint64(0)
    return left
