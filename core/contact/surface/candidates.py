# SPDX-License-Identifier: GPL-3.0-or-later
"""Which vertices and faces, and which edges, may come near each other in the next substeps.

Leaves that overlap are found in the tree; within them the vertices and faces, and the edges, that
overlap. They are listed for the kernels that measure them in each substep, until a vertex leaves
its hull.

Pieces of one part that are near each other at rest want no more than a part of their distance
there, so that any fold is allowed and every mesh lies as it was made.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...native.by_address import by_address
from ...native.compiled import native_part
from ...vector.call import call_kernel
from ...vector.overlap import lowest, matching, near, overlap
from .cones import flat_together
from .data import (
    EDGE_EDGE,
    LANES,
    LATE,
    LEAST_FACTOR,
    NEAR,
    NONE,
    ROW_SHIFT,
    STREAMS,
    VERTEX_FACE,
    WIDTH,
    Shape,
)
from .distances import VALUES
from .side_by_side import lie_side_by_side
from .tangles import SEEKING, seek_tangles
from .tree import EDGE_PART, box_of, fit_above_stirred

LISTED, RANGES, AT_ONCE, LAST, LAST_RANGE, LISTS = range(6)
"""Places in ``Candidates.listed``: candidates, ranges of them, candidates that were listed all at
once; the first candidate and range of those that were listed last; and how many numbers there
are."""

NEVER = 1e30
"""How much nearer both leaves of a range have to come whose candidates count no more."""

CHUNK = 512
"""Candidates that are measured together."""

STACK = 512

SPARE = 1.3
"""Pairs are those that end nearer than this times the distance wanted."""

ROUNDED = 0.2
"""Of the size of a leaf's box how far things are looked for, so that it pays not to look in the
corners of boxes that were extended by that.
"""

REST_PART = 0.6
"""Of their distance at rest that pieces of a part keep: 2/π is what a half circle leaves."""

SKIN_PART = 0.3
"""The same of skins: what they are around resists being compressed by itself."""


@by_address
class Candidates(NamedTuple):
    """What each thread has listed, in streams of d at most, and what it measures them with.

    Attributes:
        listed: see LISTED and following, shape (threads, STREAMS, LISTS).
        offsets: of candidates byte offsets of rows, in blocks as kernels want them, shape (threads,
            STREAMS, 4 d), uint32.
        wanted: the distance wanted of each [m], shape (threads, STREAMS, d), float32.
        until: how much nearer [m] both leaves of each have to come in all before it can become a
            pair, shape (threads, STREAMS, d), float32.
        ranges: both leaves of candidates that follow each other, and the first of these, shape
            (threads, STREAMS, d, 3), int32.
        soonest: the least ``until`` in each range, shape (threads, STREAMS, d), float32.
        approached: how much nearer [m] these may have come since they were listed, shape (threads,
            STREAMS, d), float32.
        picked: candidates that are measured again, shape (threads, CHUNK), int64.
        again: their offsets, as ``offsets``, shape (threads, 4 CHUNK), uint32.
        belongs: the range of each, shape (threads, CHUNK), int64.
        measured: what a kernel puts out, shape (threads, VALUES CHUNK).
        stack: boxes to visit, shape (threads, STACK), int64.
    """

    listed: NDArray[Any]
    offsets: NDArray[Any]
    wanted: NDArray[Any]
    until: NDArray[Any]
    ranges: NDArray[Any]
    soonest: NDArray[Any]
    approached: NDArray[Any]
    picked: NDArray[Any]
    again: NDArray[Any]
    belongs: NDArray[Any]
    measured: NDArray[Any]
    stack: NDArray[Any]


def new_candidates(shape: Shape, threads: int, at_once: int, dtype: DTypeLike) -> Candidates:
    """Memory for so many candidates in each stream of each thread that are listed at once."""
    lanes = int(shape.numbers[LANES])
    most = -(-(at_once + shape.numbers[LATE]) // lanes) * lanes
    streams = threads, STREAMS
    return Candidates(
        listed=np.zeros((*streams, LISTS), np.int64),
        offsets=np.zeros((*streams, 4 * most), np.uint32),
        wanted=np.zeros((*streams, most), np.float32),
        until=np.zeros((*streams, most), np.float32),
        ranges=np.zeros((*streams, most, 3), np.int32),
        soonest=np.zeros((*streams, most), np.float32),
        approached=np.zeros((*streams, most), np.float32),
        picked=np.zeros((threads, CHUNK), np.int64),
        again=np.zeros((threads, 4 * CHUNK), np.uint32),
        belongs=np.zeros((threads, CHUNK), np.int64),
        measured=np.zeros((threads, VALUES * CHUNK), dtype),
        stack=np.zeros((threads, STACK), np.int64),
    )


@native_part
def list_candidates(surface, thread, first, last):  # type: ignore[no-untyped-def]
    """List the candidates of leaves [first, last) with all leaves from each on."""
    candidates = surface.candidates
    listed = candidates.listed
    for stream in range(STREAMS):
        listed[thread, stream, LISTED] = listed[thread, stream, RANGES] = 0
    for leaf in range(first, last):
        _look(surface, thread, leaf, False)
    for stream in range(STREAMS):
        if stream & NEAR:
            _wish_less(surface, thread, stream, 0)
        listed[thread, stream, AT_ONCE] = listed[thread, stream, LISTED]


@native_part
def list_again(surface, thread):  # type: ignore[no-untyped-def]
    """Add the candidates of all leaves that are stirred; returns whether there was memory.

    They come after those of all threads that were listed at once if that is done by the last one:
    then their order does not depend on how many there are.
    """
    shape, tree, candidates = surface.shape, surface.tree, surface.candidates
    fit_above_stirred(shape, tree)
    listed = candidates.listed[thread]
    for stream in range(STREAMS):
        listed[stream, LAST] = listed[stream, LISTED]
        listed[stream, LAST_RANGE] = listed[stream, RANGES]
    for leaf in range(len(tree.stirred)):
        if tree.stirred[leaf] != 0:
            _look(surface, thread, leaf, True)
    for stream in range(STREAMS):
        if listed[stream, LISTED] - listed[stream, AT_ONCE] > shape.numbers[LATE]:
            return False
        if stream & NEAR:
            _wish_less(surface, thread, stream, listed[stream, LAST])
        for candidate in range(listed[stream, LAST], listed[stream, LISTED]):
            candidates.until[thread, stream, candidate] = -NEVER
        for number in range(listed[stream, LAST_RANGE], listed[stream, RANGES]):
            candidates.soonest[thread, stream, number] = -NEVER
    return True


@native_part
def forget_stirred(tree, candidates, thread):  # type: ignore[no-untyped-def]
    """Let the candidates of stirred leaves count no more."""
    for stream in range(STREAMS):
        ranges, soonest = candidates.ranges[thread, stream], candidates.soonest[thread, stream]
        for number in range(candidates.listed[thread, stream, RANGES]):
            if tree.stirred[ranges[number, 0]] | tree.stirred[ranges[number, 1]]:
                soonest[number] = NEVER


@native_part
def _look(surface, thread, i, again):  # type: ignore[no-untyped-def]
    """List the candidates of a leaf with all from there on.

    Args:
        again: whether it is stirred, and looks for all others, of stirred ones for those from
            there on.
    """
    shape, tree = surface.shape, surface.tree
    levels, boxes = shape.levels, tree.boxes
    stack = surface.candidates.stack[thread]
    x0, y0, z0, x1, y1, z1 = box_of(boxes, levels[0] + i // WIDTH, i % WIDTH)
    depth = 1
    stack[0] = len(boxes) - 1
    while depth > 0:
        depth -= 1
        row = stack[depth]
        hits = overlap(boxes, row, x0, y0, z0, x1, y1, z1)
        level, own = 0, i
        while row >= levels[level + 1]:
            own //= WIDTH
            level += 1
        base = WIDTH * (row - levels[level])
        nodes = len(shape.parts) + levels[level - 1] if level > 0 else 0
        while hits != 0:
            child = base + lowest(hits)
            hits &= hits - 1
            if flat_together(shape, tree, nodes + own, nodes + child):
                continue
            if level > 0:
                stack[depth] = levels[level - 1] + child
                depth += 1
            elif child >= i:
                _meet(surface, thread, i, child)
            elif again and tree.stirred[child] == 0:
                _meet(surface, thread, child, i)


@native_part
def _meet(surface, thread, i, j):  # type: ignore[no-untyped-def]
    """Candidates of two leaves that overlap."""
    shape, tree, candidates = surface.shape, surface.tree, surface.candidates
    part, other = shape.parts[i], shape.parts[j]
    if shape.meets[part, other] == 0:
        return
    near = 0
    if part == other:
        gap = 0.0
        for k in range(3):
            gap = max(gap, shape.rest_boxes[i, k] - shape.rest_boxes[j, 3 + k])
            gap = max(gap, shape.rest_boxes[j, k] - shape.rest_boxes[i, 3 + k])
        gap *= min(shape.rest_boxes[i, LEAST_FACTOR], shape.rest_boxes[j, LEAST_FACTOR])
        near = NEAR if REST_PART * gap < 2.0 * shape.reach[part] else 0
    tangles, start = surface.tangles, surface.motion.start
    if tangles.state[SEEKING] != 0.0:
        seek_tangles(shape, tree, tangles, start, thread, i, j)
        if i != j:
            seek_tangles(shape, tree, tangles, start, thread, j, i)
    kept_apart = near != 0 and _keeps_apart(surface.sides, i, j)
    faces, edges, vertices = shape.faces, shape.edges, shape.vertices
    _compare(shape, tree, candidates, thread, vertices, i, faces, j, VERTEX_FACE + near, kept_apart)
    if i != j:
        _compare(
            shape, tree, candidates, thread, vertices, j, faces, i, VERTEX_FACE + near, kept_apart
        )
    _compare(shape, tree, candidates, thread, edges, i, edges, j, EDGE_EDGE + near, kept_apart)


@native_part
def _keeps_apart(sides, i, j):  # type: ignore[no-untyped-def]
    """Whether the cage keeps what is near at rest in two leaves from touching."""
    if (sides.whole[i] & sides.whole[j]) == 0 or not lie_side_by_side(sides, i, j):
        return False
    sides.relied[i] = sides.relied[j] = 1
    return True


@native_part
def _compare(shape, tree, candidates, thread, ones, i, others, j, stream, kept_apart):  # type: ignore[no-untyped-def]
    """List the candidates of what is in leaf i with what is in leaf j.

    Args:
        kept_apart: whether the cage keeps apart what is near at rest.
    """
    # Arrays are looked up once: each store might have changed where they are, for all LLVM knows.
    corners, boxes, other_corners, other_boxes = (
        ones.corners,
        ones.boxes,
        others.corners,
        others.boxes,
    )
    wanted, offsets = candidates.wanted[thread, stream], candidates.offsets[thread, stream]
    same, other_same, proper = ones.same, others.same, others.proper
    at_rest, other_at_rest = ones.at_rest, others.at_rest
    thickness = shape.thickness
    count = candidates.listed[thread, stream, LISTED]
    lanes, shift = shape.numbers[LANES], shape.numbers[ROW_SHIFT]
    edges, last, size = stream & EDGE_EDGE != 0, other_corners.shape[1] - 1, corners.shape[1]
    first_row, last_row = others.starts[j], others.starts[j + 1]
    a0, b0, c0, a1, b1, c1 = box_of(tree.boxes, shape.levels[0] + j // WIDTH, j % WIDTH)
    far = shape.reach[shape.parts[i]] + shape.reach[shape.parts[j]]
    rounded = far > ROUNDED * max(a1 - a0, b1 - b0, c1 - c0)
    wide, far = boxes.dtype.type(far), boxes.dtype.type(EDGE_PART * far if edges else far)
    for block in range(ones.starts[i], ones.starts[i + 1]):
        meeting = overlap(boxes, block, a0, b0, c0, a1, b1, c1)
        while meeting != 0:
            lane = lowest(meeting)
            meeting &= meeting - 1
            number = WIDTH * block + lane
            one = two = same[size * WIDTH * block + lane]
            if edges:
                two = same[(size * block + 1) * WIDTH + lane]
                if one == two:
                    continue
            x0, y0, z0, x1, y1, z1 = box_of(boxes, block, lane)
            u0, v0, w0, u1, v1, w1 = box_of(at_rest, block, lane)
            u0, v0, w0 = u0 - wide, v0 - wide, w0 - wide
            u1, v1, w1 = u1 + wide, v1 + wide, w1 + wide
            a = corners[number, 0]
            # Edges of one leaf meet each other once.
            twice = edges & (i == j)
            for row in range(block if twice else first_row, last_row):
                hits = overlap(other_boxes, row, x0, y0, z0, x1, y1, z1)
                if twice and row == block:
                    hits &= -2 << lane
                if hits != 0:
                    hits &= proper[row] & ~_sharing(other_same, row, one, two, edges)
                if hits != 0 and rounded:
                    hits &= near(other_boxes, row, x0, y0, z0, x1, y1, z1, far)
                if hits != 0 and kept_apart:
                    hits &= ~overlap(other_at_rest, row, u0, v0, w0, u1, v1, w1)
                while hits != 0:
                    other = WIDTH * row + lowest(hits)
                    hits &= hits - 1
                    d, c = other_corners[other, last], other_corners[other, last - 1]
                    b = corners[number, 1] if edges else other_corners[other, 0]
                    if count < len(wanted):
                        goal = thickness[a] + thickness[d]
                        wanted[count] = EDGE_PART * goal if edges else goal
                        place = place_of(count, 4, lanes)
                        offsets[place] = a << shift
                        offsets[place + lanes] = b << shift
                        offsets[place + 2 * lanes] = c << shift
                        offsets[place + 3 * lanes] = d << shift
                    count += 1
    _note_range(tree, candidates, thread, stream, i, j, count)


@native_part
def _sharing(same, row, one, two, edges):  # type: ignore[no-untyped-def]
    """Which faces or edges of a block have a corner that is one vertex, or for edges the other."""
    if not edges:
        first = 3 * WIDTH * row
        found = matching(same, first, one) | matching(same, first + WIDTH, one)
        return found | matching(same, first + 2 * WIDTH, one)
    first = 2 * WIDTH * row
    found = matching(same, first, one) | matching(same, first + WIDTH, one)
    return found | matching(same, first, two) | matching(same, first + WIDTH, two)


@native_part
def _note_range(tree, candidates, thread, stream, i, j, count):  # type: ignore[no-untyped-def]
    """Note that candidates up to ``count`` are of these leaves."""
    listed = candidates.listed
    first, number = listed[thread, stream, LISTED], listed[thread, stream, RANGES]
    listed[thread, stream, LISTED] = count
    if first < count <= candidates.wanted.shape[2]:
        ranges = candidates.ranges[thread, stream]
        ranges[number, 0], ranges[number, 1], ranges[number, 2] = i, j, first
        candidates.approached[thread, stream, number] = 0.0
        tree.concerned[i] = tree.concerned[j] = 1
        listed[thread, stream, RANGES] = number + 1


@native_part
def _wish_less(surface, thread, stream, begin):  # type: ignore[no-untyped-def]
    """Let candidates from ``begin`` on, that are near at rest, want less than they have there."""
    shape, candidates, carried = surface.shape, surface.candidates, surface.pairs.carried
    lanes, measured = shape.numbers[LANES], candidates.measured[thread]
    shift = shape.numbers[ROW_SHIFT]
    real = measured.dtype.type(1.0)
    count = min(candidates.listed[thread, stream, LISTED], candidates.wanted.shape[2])
    offsets, wanted = candidates.offsets[thread, stream], candidates.wanted
    fill_up(offsets, count, lanes)
    for first in range(begin // lanes * lanes, count, CHUNK):
        last = min(first + CHUNK, count)
        call_kernel(
            shape.kernels[2 + (stream & EDGE_EDGE)], shape.rest, shape.rest, offsets, measured,
            measured, measured, (4 * first, 0, 0, 0), real, (last - first + lanes - 1) // lanes,
        )  # fmt: skip
        for k in range(first, last):
            vertex = offsets[place_of(k, 4, lanes)] >> shift
            part = REST_PART if carried.numbers[vertex] == NONE else SKIN_PART
            most = part * measured[k - first]
            wanted[thread, stream, k] = min(wanted[thread, stream, k], most)


@native_part
def place_of(number, size, lanes):  # type: ignore[no-untyped-def]
    """Where the first number of a thing lies, in blocks of so many lanes, a power of two, and with
    ``size`` numbers of each thing.
    """
    return size * (number & -lanes) + (number & (lanes - 1))


@native_part
def fill_up(offsets, count, lanes):  # type: ignore[no-untyped-def]
    """Let unused lanes of the last block of a list measure its first candidate once more."""
    for k in range(count, (count + lanes - 1) // lanes * lanes):
        place = place_of(k, 4, lanes)
        for vertex in range(4):
            offsets[place + vertex * lanes] = offsets[vertex * lanes]
