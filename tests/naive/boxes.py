# SPDX-License-Identifier: GPL-3.0-or-later
"""Which boxes overlap: two binary trees of boxes, descended level by level on whole arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .functions import Array

Indices = NDArray[np.int64]

CELLS = 1 << 20
"""Cells along each axis in which centres are sorted, at most 2²⁰: three axes fill 60 bits."""


class Boxes(NamedTuple):
    """Least and largest coordinates [m], shape (b, 3) each; bounds belong to a box."""

    low: Array
    high: Array

    @staticmethod
    def around(corners: Array) -> Boxes:
        """Boxes around polygons with corners of shape (b, k, 3)."""
        return Boxes(corners.min(axis=1), corners.max(axis=1))


class Tree(NamedTuple):
    """Boxes in which boxes lie, each around two of the next level.

    Attributes:
        levels: the root first; level k has 2ᵏ boxes, empty ones where there is nothing more.
        order: which box stands at each place of the last level.
    """

    levels: list[Boxes]
    order: Indices

    @staticmethod
    def over(boxes: Boxes, depth: int) -> Tree:
        """A tree of so many levels below the root."""
        order = _along_a_curve(0.5 * (boxes.low + boxes.high))
        low, high = np.full((1 << depth, 3), np.inf), np.full((1 << depth, 3), -np.inf)
        low[: len(order)], high[: len(order)] = boxes.low[order], boxes.high[order]
        levels = [Boxes(low, high)]
        for _ in range(depth):
            low = low.reshape(-1, 2, 3).min(axis=1)
            high = high.reshape(-1, 2, 3).max(axis=1)
            levels.append(Boxes(low, high))
        return Tree(levels[::-1], order)


def overlapping_boxes(boxes: Boxes, others: Boxes | None = None) -> Indices:
    """Pairs of boxes that have a point in common.

    Args:
        boxes, others: of either set; without others pairs within the one set, the smaller number
            first, no box with itself.

    Returns:
        Shape (p, 2), in ascending order.
    """
    second = boxes if others is None else others
    if min(len(boxes.low), len(second.low)) == 0:
        return np.empty((0, 2), np.int64)
    depth = int(np.ceil(np.log2(max(len(boxes.low), len(second.low)))))
    tree = Tree.over(boxes, depth)
    other_tree = tree if others is None else Tree.over(others, depth)
    left, right = np.zeros(1, np.int64), np.zeros(1, np.int64)
    for a, b in zip(tree.levels, other_tree.levels):
        kept = np.all((a.low[left] <= b.high[right]) & (b.low[right] <= a.high[left]), axis=1)
        if others is None:
            kept &= left <= right
        left, right = left[kept], right[kept]
        if len(a.low) < 1 << depth:
            left, right = _children(left, right)
    pairs = np.stack([tree.order[left], other_tree.order[right]], axis=1)
    if others is None:
        pairs = np.sort(pairs[left < right], axis=1)
    return pairs[np.lexsort(pairs.T[::-1])]


def _children(left: Indices, right: Indices) -> tuple[Indices, Indices]:
    """Each of the two below the one with each of the two below the other."""
    return (
        np.concatenate([2 * left, 2 * left, 2 * left + 1, 2 * left + 1]),
        np.concatenate([2 * right, 2 * right + 1, 2 * right, 2 * right + 1]),
    )


def _along_a_curve(centres: Array) -> Indices:
    """An order in which neighbours in space mostly are neighbours: bits of x, y, z in turn."""
    low = centres.min(axis=0)
    extent = max(float(np.max(centres.max(axis=0) - low)), np.finfo(float).tiny)
    cells = ((centres - low) / extent * (CELLS - 1)).astype(np.uint64)
    key = np.zeros(len(centres), np.uint64)
    for bit in range(CELLS.bit_length() - 1):
        for axis in range(3):
            place = np.uint64(3 * bit + axis)
            key |= (cells[:, axis] >> np.uint64(bit) & np.uint64(1)) << place
    return np.argsort(key, kind="stable")
