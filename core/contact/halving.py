# SPDX-License-Identifier: GPL-3.0-or-later
"""Halving points by the longest side of their box, as all trees of contact are made."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.floating]
Indices = NDArray[np.int64]


def along_longest_sides(points: Points, order: Indices, bounds: Indices) -> Indices:
    """The order of points with each group sorted along the longest side of its box, shape (p,).

    Args:
        points: [m], shape (p, 3).
        order: their numbers, group after group, shape (p,).
        bounds: where each group begins in it, and the end; none is empty.
    """
    owner = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    low = np.minimum.reduceat(points[order], bounds[:-1])
    high = np.maximum.reduceat(points[order], bounds[:-1])
    axis = np.argmax(high - low, axis=1)
    return order[np.lexsort((points[order, axis[owner]], owner))]
