# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding the quads that somebody has cut into triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .surface import Indices, Positions


def pair_into_quads(positions: Positions, triangles: Indices) -> tuple[Indices, NDArray[np.intp]]:
    """Pairs of triangles that have their longest edge in common, as quads.

    A rectangle cut along a diagonal always makes such a pair, whatever lies around it.

    Args:
        positions: shape (n, 3).
        triangles: shape (count, 3).

    Returns:
        Quads, shape (q, 4), whose corners follow each other, and the two triangles of each, shape
        (q, 2).
    """
    rows = np.arange(len(triangles))
    ends = triangles[:, [1, 2, 0]]
    squares = np.sum((positions[ends] - positions[triangles]) ** 2, axis=2)
    longest = squares.argmax(axis=1)
    start, end = triangles[rows, longest], ends[rows, longest]
    apex = triangles[rows, (longest + 2) % 3]
    keys = np.minimum(start, end) * len(positions) + np.maximum(start, end)
    order = np.argsort(keys, kind="stable")
    _, first, count = np.unique(keys[order], return_index=True, return_counts=True)
    one, other = order[first[count == 2]], order[first[count == 2] + 1]
    quads = np.stack([start[one], apex[other], end[one], apex[one]], axis=1)
    distinct = apex[one] != apex[other]
    return quads[distinct], np.stack([one, other], axis=1)[distinct]
