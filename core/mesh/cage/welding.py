# SPDX-License-Identifier: GPL-3.0-or-later
"""Which vertices of a surface go with another one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .order import nearby_order

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


def leaders(points: Numbers, triangles: Indices) -> Indices:
    """The vertex that each vertex of a surface goes with, shape (n,): mostly itself.

    Vertices on borders that are in one place go with the first: triangles of a file without shared
    vertices hang together. Parts without borders stay as many as they are, even where they touch.
    Vertices without faces go with one that has a face and is mostly near.
    """
    leading = np.arange(len(points))
    border = _on_borders(triangles)
    order = border[np.lexsort(points[border].T)]
    if len(order):
        first = np.ones(len(order), np.bool_)
        first[1:] = (points[order[1:]] != points[order[:-1]]).any(axis=1)
        lowest = np.minimum.reduceat(order, np.flatnonzero(first))
        leading[order] = lowest[np.cumsum(first) - 1]
    order = nearby_order(points)
    used = np.zeros(len(points), np.bool_)
    used[triangles] = True
    latest = np.maximum.accumulate(np.where(used[order], np.arange(len(order)), 0))
    latest = np.where(used[order[latest]], latest, np.flatnonzero(used[order])[0])
    leading[order] = np.where(used[order], leading[order], leading[order[latest]])
    return leading


def _on_borders(triangles: Indices) -> Indices:
    """Vertices of edges that belong to one triangle only, ascending."""
    ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], -1).reshape(-1, 2), axis=1)
    width = int(ends.max()) + 1
    keys, count = np.unique(ends[:, 0] * width + ends[:, 1], return_counts=True)
    return np.unique(np.stack(np.divmod(keys[count == 1], width)))
