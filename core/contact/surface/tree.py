# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of boxes around the contact surface; its shape never changes.

A box holds its pieces on their way through some substeps, as far as can be foreseen, and extended
by what their part wants to be kept from others: what is in two that don't overlap stays apart until
a vertex leaves its hull. What everything does together is taken out of the way first, so that what
falls as a whole stands still.
"""

from __future__ import annotations

from ...native.compiled import native_part
from ...native.rows import numbers_of
from ...vector.extent import extent
from .boxes import fit_blocks
from .cones import fit_cone, fit_cone_above, has_turned, may_have_turned
from .data import EMPTY, LOOKING, NONE, WIDTH

LEEWAY_PART = 0.25
"""Of the size of all bodies how much farther they may go before what they reach is asked again."""

ROUNDED = 1.01
"""Times what a part reaches: so far that single precision can't reach farther."""

EDGE_PART = 0.7
"""Of the distance wanted that two edges keep: where they cross, vertices and faces do most."""


@native_part
def fit_strayed(shape, moving, rows, thread, first, last):  # type: ignore[no-untyped-def]
    """Mark the leaves of [first, last) that have vertices that strayed, or have turned, and fit
    their boxes; returns how many there are.
    """
    count = 0
    for leaf in range(first, last):
        stirred = 0
        for number in range(shape.member_starts[leaf], shape.member_starts[leaf + 1]):
            stirred |= moving.strayed[shape.members[number]]
        if stirred == 0 and may_have_turned(shape, moving, leaf):
            stirred = has_turned(shape, moving, leaf, thread)
        moving.stirred[leaf] = stirred
        if stirred != 0:
            fit_leaf(shape, moving, rows, leaf, thread)
            count += 1
    return count


@native_part
def fit_leaf(shape, moving, rows, leaf, thread):  # type: ignore[no-untyped-def]
    """Boxes of what is in a leaf; of one that looks for others its cone, too."""
    reach, edges, vertices = shape.reach[shape.parts[leaf]], shape.edges, shape.vertices
    fit_blocks(shape, moving, shape.faces, leaf, leaf + 1, reach)
    first, last = edges.starts[leaf], edges.starts[leaf + 1]
    fit_blocks(shape, moving, edges, first, last, EDGE_PART * reach)
    fit_blocks(shape, moving, vertices, vertices.starts[leaf], vertices.starts[leaf + 1], reach)
    if leaf < shape.numbers[LOOKING]:
        fit_cone(shape, moving, rows, leaf, thread)


@native_part
def box_of_bodies(shape, moving, count):  # type: ignore[no-untyped-def]
    """Corners of a box in which all lies that bodies of ``count`` particles can reach, with leeway
    where they may stray to; and how far they reach.
    """
    reach = 0.0
    for leaf in range(shape.numbers[LOOKING]):
        reach = max(reach, shape.reach[shape.parts[leaf]])
    x0, y0, z0, _, _, _ = extent(moving.lows, 0, count)
    _, _, _, x1, y1, z1 = extent(moving.highs, 0, count)
    far = ROUNDED * reach
    more = 2.0 * far + LEEWAY_PART * max(x1 - x0, y1 - y0, z1 - z0)
    return x0 - more, y0 - more, z0 - more, x1 + more, y1 + more, z1 + more, far


@native_part
def out_of_reach(shape, moving, leaf, box):  # type: ignore[no-untyped-def]
    """Whether nothing of a leaf can reach the box; its boxes then are as if it had no pieces."""
    lows, highs, members = moving.lows, moving.highs, shape.members
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
def _fit_level(shape, moving, level, number):  # type: ignore[no-untyped-def]
    """A row of a level of the tree, and its cone if it holds only what looks for others."""
    levels, boxes, leaves = shape.levels, moving.boxes, len(shape.parts)
    row = levels[level] + number
    if level == 0:
        first, last, base = WIDTH * number, leaves, 0
        fit_row(boxes, shape.faces.boxes, row, first, last)
    else:
        first, last, base = levels[level - 1] + WIDTH * number, levels[level], leaves
        fit_row(boxes, boxes, row, first, last)
    if shape.joined_starts[leaves + row] < shape.joined_starts[leaves + row + 1]:
        fit_cone_above(moving, leaves + row, base + first, base + min(first + WIDTH, last))


@native_part
def fit_levels(shape, moving):  # type: ignore[no-untyped-def]
    """All rows of the tree, from the leaves up."""
    levels = shape.levels
    for level in range(len(levels) - 1):
        for number in range(levels[level + 1] - levels[level]):
            _fit_level(shape, moving, level, number)


@native_part
def fit_above_stirred(shape, moving):  # type: ignore[no-untyped-def]
    """The rows of the tree above leaves that are stirred."""
    fitted = NONE
    for leaf in range(len(moving.stirred)):
        number = leaf // WIDTH
        if moving.stirred[leaf] == 0 or number == fitted:
            continue
        fitted = number
        for level in range(len(shape.levels) - 1):
            _fit_level(shape, moving, level, number)
            number //= WIDTH
