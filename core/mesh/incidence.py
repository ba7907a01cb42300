# SPDX-License-Identifier: GPL-3.0-or-later
"""What belongs to what: rows of varying length, one after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


def grouped(keys: Indices, values: Indices, count: int) -> tuple[Indices, Indices]:
    """Values by key: where those of each key start, shape (count + 1,), and all of them.

    Those of a key keep their order. With ``keys`` the corners of elements, flat, and ``values``
    their numbers, it finds the elements around each vertex.
    """
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(keys, minlength=count), out=starts[1:])
    return starts, values[np.argsort(keys, kind="stable")]


def across_edges(corners: Indices) -> tuple[Indices, Indices]:
    """The triangle across each edge ab, bc, ca of triangles, and how often each edge is used.

    Args:
        corners: shape (t, 3).

    Returns:
        Both of shape (t, 3). There is none, -1, across an edge that is not used exactly twice.
    """
    edges = np.sort(np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1), axis=-1)
    low, high = edges.reshape(-1, 2).astype(np.int64).T
    _, edge, uses = np.unique((low << 32) + high, return_inverse=True, return_counts=True)
    neighbours = np.full(len(edge), -1)
    by_edge = np.argsort(edge, kind="stable")
    pairs = by_edge[uses[edge[by_edge]] == 2].reshape(-1, 2)
    neighbours[pairs[:, 0]], neighbours[pairs[:, 1]] = pairs[:, 1] // 3, pairs[:, 0] // 3
    return neighbours.reshape(-1, 3), uses[edge].reshape(-1, 3)
