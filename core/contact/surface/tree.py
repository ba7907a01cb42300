# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of boxes around the contact surface; its shape never changes.

A box holds its pieces on their way through some substeps, as far as can be foreseen, and extended
by what their part wants to be kept from others: two that don't overlap stay apart until a vertex
leaves its hull. What everything does together is taken out of the way first, so that what falls as
a whole stands still.
"""

from __future__ import annotations

from ...native.compiled import native_part
from ...native.rows import numbers_of
from .cones import fit_cone, fit_cone_above
from .data import DRIFT, HORIZON, LOOKING, NONE, SHIFT, WIDTH

EMPTY = 1e30

WIDENED, WIDEST = 2.0, 16.0
"""Times its margin: by how much the room of a vertex grows that has strayed, and how much it may be
at most."""

BEYOND = 1 << 32
"""More vertices than there are."""

SLACK = 0.9
"""Of its thickness that a vertex may be pushed out of its hull."""

AHEAD, FARTHEST = 1.5, 1000.0
"""Times as much room as it takes get vertices that are pushed farther, up to so many margins."""

ROOM_PART = 0.25
"""Of the size of all bodies how much farther they may go before what they reach is asked again."""

ROUNDED = 1.01
"""Times what a part reaches: so far that single precision can't reach farther."""

EDGE_PART = 0.7
"""Of the distance wanted that two edges keep: where they cross, vertices and faces do most."""


@native_part
def _gone(reuse, k):  # type: ignore[no-untyped-def]
    """How far everything has drifted at the substep's end since candidates were found [m]."""
    return reuse[SHIFT + k] + reuse[DRIFT + k]


@native_part
def find_strayed(shape, moving, rows, first, last):  # type: ignore[no-untyped-def]
    """Mark those of the vertices [first, last) that end the substep outside their hulls, or have
    been pushed out of them, and give them new ones; returns 0 if there are none, BEYOND if one may
    go where things were out of reach.

    They get more room, so that a few wild ones are not looked for anew in every substep; pushes
    need it, too.
    """
    reuse, room, strayed, found = moving.reuse, moving.room, moving.strayed, 0
    before = reuse[SHIFT], reuse[SHIFT + 1], reuse[SHIFT + 2]
    after = _gone(reuse, 0), _gone(reuse, 1), _gone(reuse, 2)
    for vertex in range(first, last):
        pushed = _is_outside(moving.hulls, moving.start, vertex, before)
        strayed[vertex] = pushed | _is_outside(moving.hulls, rows, vertex, after)
        if strayed[vertex]:
            room[vertex] = max(room[vertex], min(WIDENED * room[vertex], WIDEST))
            fit_hull(shape, moving, rows, vertex)
            found = max(found, BEYOND if _is_beyond(moving, vertex) else 1)
    return found


@native_part
def _is_outside(hulls, rows, vertex, drift):  # type: ignore[no-untyped-def]
    """Whether a vertex is outside its hull, which has drifted with everything."""
    a, b, c = rows[vertex, 0] - drift[0], rows[vertex, 1] - drift[1], rows[vertex, 2] - drift[2]
    outside = (a < hulls[vertex, 0]) | (b < hulls[vertex, 1]) | (c < hulls[vertex, 2])
    return outside | (a > hulls[vertex, 3]) | (b > hulls[vertex, 4]) | (c > hulls[vertex, 5])


@native_part
def _is_beyond(moving, vertex):  # type: ignore[no-untyped-def]
    """Whether a particle may go where what was out of reach of bodies has been left out."""
    hulls, box, beyond = moving.hulls, moving.around, False
    for k in range(3):
        beyond |= hulls[vertex, k] - box[6] < box[k]
        beyond |= hulls[vertex, 3 + k] + box[6] > box[3 + k]
    return beyond & (vertex < len(moving.inside))


@native_part
def fit_strayed(shape, moving, rows, first, last):  # type: ignore[no-untyped-def]
    """Mark the leaves of [first, last) that have vertices that strayed, and fit their boxes;
    returns how many there are.
    """
    count = 0
    for leaf in range(first, last):
        stirred = 0
        for number in range(shape.member_starts[leaf], shape.member_starts[leaf + 1]):
            stirred |= moving.strayed[shape.members[number]]
        moving.stirred[leaf] = stirred
        if stirred != 0:
            fit_leaf(shape, moving, rows, leaf)
            count += 1
    return count


@native_part
def make_room(shape, moving, rows, first, last):  # type: ignore[no-untyped-def]
    """Give more room to those of the vertices [first, last) that were pushed out of their hulls by
    more than boxes reach beyond, where they might meet what is no candidate; returns whether one
    has got more.
    """
    hulls, reuse, room, given = moving.hulls, moving.reuse, moving.room, False
    for vertex in range(first, last):
        out = 0.0
        for k in range(3):
            place = rows[vertex, k] - _gone(reuse, k)
            out = max(out, hulls[vertex, k] - place, place - hulls[vertex, 3 + k])
        if out > SLACK * shape.thickness[vertex] and room[vertex] < FARTHEST:
            room[vertex] = min(room[vertex] + AHEAD * out / shape.margin[vertex], FARTHEST)
            given = True
    return given


@native_part
def stay_near(shape, moving, rows, first, last):  # type: ignore[no-untyped-def]
    """Let none of the vertices [first, last) leave its hull by more than boxes reach beyond.

    Farther away it might meet what is no candidate.
    """
    hulls, reuse = moving.hulls, moving.reuse
    for vertex in range(first, last):
        far = SLACK * shape.thickness[vertex]
        for k in range(3):
            drift = _gone(reuse, k)
            low, high = hulls[vertex, k] - far + drift, hulls[vertex, 3 + k] + far + drift
            rows[vertex, k] = min(max(rows[vertex, k], low), high)


@native_part
def fit_hull(shape, moving, rows, vertex):  # type: ignore[no-untyped-def]
    """Where a vertex will be on its way, as it goes on now, within a margin.

    Less what everything has drifted since candidates were found.
    """
    hulls, start, reuse = moving.hulls, moving.start, moving.reuse
    horizon = reuse[HORIZON]
    margin = moving.room[vertex] * shape.margin[vertex]
    for k in range(3):
        way = rows[vertex, k] - start[vertex, k] - reuse[DRIFT + k]
        place = start[vertex, k] - reuse[SHIFT + k]
        hulls[vertex, k] = place + min(0.0, way, horizon * way) - margin
        hulls[vertex, k + 3] = place + max(0.0, way, horizon * way) + margin


@native_part
def fit_blocks(blocks, hulls, block, reach):  # type: ignore[no-untyped-def]
    """Boxes of the faces, edges or vertices of a block."""
    corners = blocks.corners
    box = numbers_of(blocks.boxes, block, block + 1)
    size = corners.shape[1]
    for lane in range(WIDTH):
        number = WIDTH * block + lane
        if corners[number, 0] == NONE:
            for k in range(3):
                box[k * WIDTH + lane] = EMPTY
                box[(3 + k) * WIDTH + lane] = -EMPTY
            continue
        for k in range(3):
            low, high = EMPTY, -EMPTY
            for corner in range(size):
                vertex = corners[number, corner]
                low = min(low, hulls[vertex, k])
                high = max(high, hulls[vertex, 3 + k])
            box[k * WIDTH + lane] = low - reach
            box[(3 + k) * WIDTH + lane] = high + reach


@native_part
def fit_leaf(shape, moving, rows, leaf):  # type: ignore[no-untyped-def]
    """Boxes of what is in a leaf; of one that looks for others its cone, too."""
    reach = shape.reach[shape.parts[leaf]]
    fit_blocks(shape.faces, moving.hulls, leaf, reach)
    for block in range(shape.edges.starts[leaf], shape.edges.starts[leaf + 1]):
        fit_blocks(shape.edges, moving.hulls, block, EDGE_PART * reach)
    for block in range(shape.vertices.starts[leaf], shape.vertices.starts[leaf + 1]):
        fit_blocks(shape.vertices, moving.hulls, block, reach)
    if leaf < shape.numbers[LOOKING]:
        fit_cone(shape, moving, rows, leaf)


@native_part
def box_of_bodies(shape, moving, count):  # type: ignore[no-untyped-def]
    """Corners of a box in which all lies that bodies of ``count`` particles can reach, with room
    where they may stray to; and how far they reach.
    """
    hulls, reach = moving.hulls, 0.0
    for leaf in range(shape.numbers[LOOKING]):
        reach = max(reach, shape.reach[shape.parts[leaf]])
    x0, y0, z0, x1, y1, z1 = EMPTY, EMPTY, EMPTY, -EMPTY, -EMPTY, -EMPTY
    for i in range(count):
        x0, y0, z0 = min(x0, hulls[i, 0]), min(y0, hulls[i, 1]), min(z0, hulls[i, 2])
        x1, y1, z1 = max(x1, hulls[i, 3]), max(y1, hulls[i, 4]), max(z1, hulls[i, 5])
    far = ROUNDED * reach
    room = 2.0 * far + ROOM_PART * max(x1 - x0, y1 - y0, z1 - z0)
    return x0 - room, y0 - room, z0 - room, x1 + room, y1 + room, z1 + room, far


@native_part
def out_of_reach(shape, moving, leaf, box):  # type: ignore[no-untyped-def]
    """Whether nothing of a leaf can reach the box; its boxes then are as if it had no pieces."""
    hulls, members = moving.hulls, shape.members
    x0, y0, z0, x1, y1, z1 = EMPTY, EMPTY, EMPTY, -EMPTY, -EMPTY, -EMPTY
    for place in range(shape.member_starts[leaf], shape.member_starts[leaf + 1]):
        i = members[place]
        x0, y0, z0 = min(x0, hulls[i, 0]), min(y0, hulls[i, 1]), min(z0, hulls[i, 2])
        x1, y1, z1 = max(x1, hulls[i, 3]), max(y1, hulls[i, 4]), max(z1, hulls[i, 5])
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
