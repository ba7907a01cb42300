# SPDX-License-Identifier: GPL-3.0-or-later
"""An order of elimination that makes little fill: next comes what has the fewest neighbours left.

Minimum degree (Tinney, Walker 1967; George, Liu 1981, *Computer Solution of Large Sparse Positive
Definite Systems*, chapter 5). Of a tree it takes the leaves first, and nothing is filled.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence


def minimum_degree(
    neighbours: Sequence[set[int]], most: int
) -> tuple[list[int], list[list[int]]] | None:
    """Order the unknowns of a symmetric matrix, and find the pattern of its factor.

    Args:
        neighbours: of each unknown those that it is coupled to; changed on the way.
        most: entries of the factor below its diagonal.

    Returns:
        The unknowns in the order of elimination, and of each, in that order, those after it in its
        column of L, in ascending order of elimination. None if they are more than ``most``.
    """
    heap = [(len(around), unknown) for unknown, around in enumerate(neighbours)]
    heapq.heapify(heap)
    done = [False] * len(neighbours)
    order: list[int] = []
    columns: list[set[int]] = []
    entries = 0
    while heap:
        degree, unknown = heapq.heappop(heap)
        if done[unknown] or degree != len(neighbours[unknown]):
            continue
        done[unknown] = True
        around = neighbours[unknown]
        order.append(unknown)
        columns.append(around)
        entries += len(around)
        if entries > most:
            return None
        for other in around:
            neighbours[other].update(around)
            neighbours[other] -= {other, unknown}
            heapq.heappush(heap, (len(neighbours[other]), other))
    places = {unknown: place for place, unknown in enumerate(order)}
    return order, [sorted(column, key=places.__getitem__) for column in columns]
