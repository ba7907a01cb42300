# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of boxes around the contact surface; its shape never changes.

A box holds its pieces on their way through some substeps, as far as can be foreseen, and extended
by what their part wants to be kept from others: what is in two that don't overlap stays apart until
a vertex leaves its hull. What everything does together is taken out of the way first, so that what
falls as a whole stands still.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...native.by_address import by_address
from ...native.compiled import native_part
from ...native.rows import numbers_of
from ...vector.extent import extent
from .boxes import fit_blocks
from .cones import fit_cone, fit_cone_above, has_turned, may_have_turned
from .data import EMPTY, LOOKING, NONE, WIDTH, Shape

LEEWAY_PART = 0.25
"""Of the size of all bodies how much farther they may go before what they reach is asked again."""

ROUNDED = 1.01
"""Times what a part reaches: so far that single precision can't reach farther."""

EDGE_PART = 0.7
"""Of the distance wanted that two edges keep: where they cross, vertices and faces do most."""


@by_address
class Tree(NamedTuple):
    """What is known of l leaves, and of the rows of boxes above them.

    Attributes:
        boxes: rows of the tree above the leaves, as in ``Blocks``.
        cones: of each leaf, and behind them each row of ``boxes``, a direction and how far normals
            are from it, see :mod:`.cones`, shape (l + rows, 5), float32.
        bent: how far vertices of each leaf have gone beside each other since then [m], shape (l,).
        stirred: 1 for leaves that have vertices that were pushed, or strayed, shape (l,), uint8.
        concerned: 1 for leaves that have candidates, shape (l,), uint8.
        ways: of each of these the middle of how its vertices go in this substep, and how far any of
            them is from that [m], shape (l, 4).
    """

    boxes: NDArray[Any]
    cones: NDArray[Any]
    bent: NDArray[Any]
    stirred: NDArray[Any]
    concerned: NDArray[Any]
    ways: NDArray[Any]


def new_tree(shape: Shape) -> Tree:
    """Memory for a tree of this shape."""
    leaves, rows = len(shape.parts), int(shape.levels[-1])
    return Tree(
        boxes=np.zeros((rows, 6 * WIDTH), np.float32),
        cones=np.zeros((leaves + rows, 5), np.float32),
        bent=np.zeros(leaves),
        stirred=np.zeros(leaves, np.uint8),
        concerned=np.zeros(leaves, np.uint8),
        ways=np.zeros((leaves, 4), shape.rest.dtype),
    )


@native_part
def fit_strayed(surface, rows, thread, first, last):  # type: ignore[no-untyped-def]
    """Mark the leaves of [first, last) that have vertices that strayed, have turned, or are
    not whole any more, and fit their boxes; returns how many there are.
    """
    shape, tree, strayed, count = surface.shape, surface.tree, surface.hulls.strayed, 0
    normals, sides = surface.candidates.measured[thread], surface.sides
    for leaf in range(first, last):
        stirred = 0
        for number in range(shape.member_starts[leaf], shape.member_starts[leaf + 1]):
            stirred |= strayed[shape.members[number]]
        if sides.relied[leaf] != 0 and sides.whole[leaf] == 0:
            sides.relied[leaf], stirred = 0, 1
        if stirred == 0 and may_have_turned(shape, tree, leaf):
            stirred = has_turned(shape, tree, surface.motion.start, leaf, normals)
        tree.stirred[leaf] = stirred
        if stirred != 0:
            fit_leaf(surface, rows, leaf, thread)
            count += 1
    return count


@native_part
def fit_leaf(surface, rows, leaf, thread):  # type: ignore[no-untyped-def]
    """Boxes of what is in a leaf; of one that looks for others its cone, too."""
    shape, hulls = surface.shape, surface.hulls
    reach, edges, vertices = shape.reach[shape.parts[leaf]], shape.edges, shape.vertices
    fit_blocks(shape, hulls, shape.faces, leaf, leaf + 1, reach)
    first, last = edges.starts[leaf], edges.starts[leaf + 1]
    fit_blocks(shape, hulls, edges, first, last, EDGE_PART * reach)
    fit_blocks(shape, hulls, vertices, vertices.starts[leaf], vertices.starts[leaf + 1], reach)
    if leaf < shape.numbers[LOOKING]:
        normals = surface.candidates.measured[thread]
        fit_cone(shape, surface.tree, surface.motion.start, rows, leaf, normals)


@native_part
def box_of_bodies(shape, hulls, count):  # type: ignore[no-untyped-def]
    """Corners of a box in which all lies that bodies of ``count`` particles can reach, with leeway
    where they may stray to; and how far they reach.
    """
    reach = 0.0
    for leaf in range(shape.numbers[LOOKING]):
        reach = max(reach, shape.reach[shape.parts[leaf]])
    x0, y0, z0, _, _, _ = extent(hulls.lows, 0, count)
    _, _, _, x1, y1, z1 = extent(hulls.highs, 0, count)
    far = ROUNDED * reach
    more = 2.0 * far + LEEWAY_PART * max(x1 - x0, y1 - y0, z1 - z0)
    return x0 - more, y0 - more, z0 - more, x1 + more, y1 + more, z1 + more, far


@native_part
def out_of_reach(shape, hulls, leaf, box):  # type: ignore[no-untyped-def]
    """Whether nothing of a leaf can reach the box; its boxes then are as if it had no pieces."""
    lows, highs, members = hulls.lows, hulls.highs, shape.members
    x0, y0, z0, x1, y1, z1 = EMPTY, EMPTY, EMPTY, -EMPTY, -EMPTY, -EMPTY
    for place in range(shape.member_starts[leaf], shape.member_starts[leaf + 1]):
        i = members[place]
        x0, y0, z0 = min(x0, lows[i, 0]), min(y0, lows[i, 1]), min(z0, lows[i, 2])
        x1, y1, z1 = max(x1, highs[i, 0]), max(y1, highs[i, 1]), max(z1, highs[i, 2])
    far = ROUNDED * shape.reach[shape.parts[leaf]]
    apart = (x0 - far > box[3]) | (y0 - far > box[4]) | (z0 - far > box[5])
    apart |= (x1 + far < box[0]) | (y1 + far < box[1]) | (z1 + far < box[2])
    if apart:
        boxes = numbers_of(shape.faces.boxes, leaf, leaf + 1)
        for place in range(3 * WIDTH):
            boxes[place], boxes[3 * WIDTH + place] = EMPTY, -EMPTY
    return apart


@native_part
def fit_row(boxes, below, row, first, last):  # type: ignore[no-untyped-def]
    """A row of boxes, each around one of the rows [first, last) below."""
    box = numbers_of(boxes, row, row + 1)
    for lane in range(WIDTH):
        for k in range(3):
            low, high = EMPTY, -EMPTY
            if first + lane < last:
                for other in range(WIDTH):
                    low = min(low, below[first + lane, k * WIDTH + other])
                    high = max(high, below[first + lane, (3 + k) * WIDTH + other])
            box[k * WIDTH + lane] = low
            box[(3 + k) * WIDTH + lane] = high


@native_part
def box_of(boxes, row, lane):  # type: ignore[no-untyped-def]
    """One of a row's boxes."""
    box = numbers_of(boxes, row, row + 1)
    return (
        box[lane],
        box[lane + WIDTH],
        box[lane + 2 * WIDTH],
        box[lane + 3 * WIDTH],
        box[lane + 4 * WIDTH],
        box[lane + 5 * WIDTH],
    )


@native_part
def _fit_level(shape, tree, level, number):  # type: ignore[no-untyped-def]
    """A row of a level of the tree, and its cone if it holds only what looks for others."""
    levels, boxes, leaves = shape.levels, tree.boxes, len(shape.parts)
    row = levels[level] + number
    if level == 0:
        first, last, base = WIDTH * number, leaves, 0
        fit_row(boxes, shape.faces.boxes, row, first, last)
    else:
        first, last, base = levels[level - 1] + WIDTH * number, levels[level], leaves
        fit_row(boxes, boxes, row, first, last)
    if shape.joined_starts[leaves + row] < shape.joined_starts[leaves + row + 1]:
        fit_cone_above(tree, leaves + row, base + first, base + min(first + WIDTH, last))


@native_part
def fit_levels(shape, tree):  # type: ignore[no-untyped-def]
    """All rows of the tree, from the leaves up."""
    levels = shape.levels
    for level in range(len(levels) - 1):
        for number in range(levels[level + 1] - levels[level]):
            _fit_level(shape, tree, level, number)


@native_part
def fit_above_stirred(shape, tree):  # type: ignore[no-untyped-def]
    """The rows of the tree above leaves that are stirred."""
    fitted = NONE
    for leaf in range(len(tree.stirred)):
        number = leaf // WIDTH
        if tree.stirred[leaf] == 0 or number == fitted:
            continue
        fitted = number
        for level in range(len(shape.levels) - 1):
            _fit_level(shape, tree, level, number)
            number //= WIDTH
