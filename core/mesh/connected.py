# SPDX-License-Identifier: GPL-3.0-or-later
"""What hangs together: the connected parts of anything that joins vertices.

Sets are united in a forest whose trees get flat as they are climbed (Tarjan 1975, "Efficiency of a
good but not linear set union algorithm").
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..native.compiled import native, native_part

Indices = NDArray[np.int64]


def connected(tables: Sequence[Indices], free: NDArray[np.bool_]) -> Indices:
    """Find what hangs together.

    Args:
        tables: vertices that are joined, a row each; of every table shape (m, k).
        free: which vertices can be joined, shape (n,). The others end a part.

    Returns:
        For each vertex the smallest one of its part, shape (n,); -1 for those not free.
    """
    parents = np.where(free, np.arange(len(free)), -1)
    for table in tables:
        _unite_rows(parents, table)
    _find_all(parents)
    return parents


@native_part
def root_of(parents, vertex):  # type: ignore[no-untyped-def]
    """The one that stands for all that have been united with a vertex, or whatever else it is."""
    while parents[vertex] != vertex:
        parents[vertex] = parents[parents[vertex]]
        vertex = parents[vertex]
    return vertex


@native_part
def unite(parents, one, other):  # type: ignore[no-untyped-def]
    """Make one set of two, under the smaller root."""
    one, other = root_of(parents, one), root_of(parents, other)
    parents[max(one, other)] = min(one, other)


@native
def _unite_rows(parents, table):  # type: ignore[no-untyped-def]
    """Connect the free vertices of each row."""
    for row in range(len(table)):
        first = -1
        for column in range(table.shape[1]):
            vertex = table[row, column]
            if parents[vertex] < 0:
                continue
            if first < 0:
                first = vertex
            else:
                unite(parents, first, vertex)


@native
def _find_all(parents):  # type: ignore[no-untyped-def]
    for vertex in range(len(parents)):
        if parents[vertex] >= 0:
            parents[vertex] = root_of(parents, vertex)
