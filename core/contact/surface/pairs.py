# SPDX-License-Identifier: GPL-3.0-or-later
"""Which candidates come too near to each other in a substep: those become pairs."""

from __future__ import annotations

from ...native.compiled import native_part
from ...vector.call import call_kernel
from ..closest_point import face_side
from ..vectors import row_of
from .candidates import SPARE, fill_up
from .data import (
    CHUNK,
    COUNTS,
    EDGE_EDGE,
    ENDS,
    FOUND,
    GOAL,
    INERTIA,
    LANES,
    LEAST,
    LISTED,
    ORDERED,
    PUSH,
    RANGES,
    ROW_SHIFT,
    STREAMS,
    TURNED,
)
from .distances import DISTANCE, END_GAP, NORMAL, VALUES, WEIGHTS
from .sliding import follow_slide, set_weights
from .solve import inertia_of

RECOVERED = 1.0
"""Of what is missing from the distance wanted that is recovered in a substep, if it is not much."""

EXACT, EXACT_DOUBLE = 2e-7, 4e-16
"""Of coordinates, in single and in double precision."""

LEAST_PART, LEAST_START = 0.1, 0.5
"""What is left at the least: parts of the distance wanted, and of that at the start."""


@native_part
def find_pairs(shape, moving, rows, recovery, thread, most):  # type: ignore[no-untyped-def]
    """Measure a thread's candidates and put down those that are pairs.

    Args:
        rows: vertices at the substep's end, shape (m or more, 4).
        recovery: how far [m] what starts too near is led apart.
        most: pairs there is room for; the rest is counted only.
    """
    for k in range(COUNTS):
        if k == FOUND or k >= ENDS:
            moving.counts[thread, k] = 0
    lanes, measured = shape.numbers[LANES], moving.measured[thread]
    for stream in range(STREAMS):
        count = moving.listed[thread, stream, LISTED]
        offsets = moving.offsets[thread, stream]
        fill_up(offsets, count, lanes)
        for first in range(0, count, CHUNK):
            last = min(first + CHUNK, count)
            call_kernel(
                shape.kernels[stream & EDGE_EDGE], moving.start, rows, offsets, measured, measured,
                measured, (4 * first, 0, 0, 0), rows.dtype.type(1.0),
                (last - first + lanes - 1) // lanes,
            )  # fmt: skip
            for k in range(last - first):
                goal = moving.wanted[thread, stream, first + k]
                value = VALUES * lanes * (k // lanes) + k % lanes
                if measured[value + END_GAP * lanes] < SPARE * goal:
                    _put_down(shape, moving, rows, recovery, thread, stream, first + k, value, most)
        for end in range(stream, 2 * STREAMS):
            moving.counts[thread, ENDS + end] = moving.counts[thread, FOUND]


@native_part
def look_again(shape, moving, rows, thread, most):  # type: ignore[no-untyped-def]
    """Add the pairs of vertices that were pushed far, and so may meet what they would not have."""
    shift, lanes, pushed = shape.numbers[ROW_SHIFT], shape.numbers[LANES], moving.pushed
    picked, again = moving.picked[thread], moving.again[thread]
    for stream in range(STREAMS):
        offsets, ranges = moving.offsets[thread, stream], moving.ranges[thread, stream]
        listed, total = moving.listed[thread, stream, LISTED], moving.listed[thread, stream, RANGES]
        count = 0
        for number in range(total):
            if not (moving.stirred[ranges[number, 0]] | moving.stirred[ranges[number, 1]]):
                continue
            end = ranges[number + 1, 2] if number + 1 < total else listed
            for candidate in range(ranges[number, 2], end):
                place = 4 * lanes * (candidate // lanes) + candidate % lanes
                a, b = offsets[place] >> shift, offsets[place + lanes] >> shift
                c, d = offsets[place + 2 * lanes] >> shift, offsets[place + 3 * lanes] >> shift
                if pushed[a] | pushed[b] | pushed[c] | pushed[d]:
                    picked[count] = candidate
                    to = 4 * lanes * (count // lanes) + count % lanes
                    for vertex in range(4):
                        again[to + vertex * lanes] = offsets[place + vertex * lanes]
                    count += 1
                    if count == CHUNK:
                        _measure_again(shape, moving, rows, thread, stream, count, most)
                        count = 0
        _measure_again(shape, moving, rows, thread, stream, count, most)
        for end in range(STREAMS + stream, 2 * STREAMS):
            moving.counts[thread, ENDS + end] = moving.counts[thread, FOUND]


@native_part
def order_pairs(moving, most, threads):  # type: ignore[no-untyped-def]
    """List all pairs stream by stream: threads have leaves that follow each other."""
    count = 0
    for stream in range(2 * STREAMS):
        for thread in range(threads):
            first = moving.counts[thread, ENDS + stream - 1] if stream > 0 else 0
            last = min(most, moving.counts[thread, ENDS + stream])
            for pair in range(thread * most + first, thread * most + last):
                moving.order[count] = pair
                count += 1
    moving.counts[0, ORDERED] = count


@native_part
def _measure_again(shape, moving, rows, thread, stream, count, most):  # type: ignore[no-untyped-def]
    """Put down those of the picked candidates that may cross."""
    lanes, measured, picked = shape.numbers[LANES], moving.measured[thread], moving.picked[thread]
    if count == 0:
        return
    again = moving.again[thread]
    fill_up(again, count, lanes)
    call_kernel(
        shape.kernels[stream & EDGE_EDGE], moving.start, rows, again, measured, measured, measured,
        (0, 0, 0, 0), rows.dtype.type(1.0), (count + lanes - 1) // lanes,
    )  # fmt: skip
    for k in range(count):
        goal = moving.wanted[thread, stream, picked[k]]
        value = VALUES * lanes * (k // lanes) + k % lanes
        if measured[value + END_GAP * lanes] < LEAST_PART * goal:
            _put_down(shape, moving, rows, 0.0, thread, stream, picked[k], value, most)


@native_part
def _put_down(shape, moving, rows, recovery, thread, stream, number, value, most):  # type: ignore[no-untyped-def]
    """Make a candidate a pair, as it was measured from place ``value`` on."""
    lanes, shift = shape.numbers[LANES], shape.numbers[ROW_SHIFT]
    measured, offsets = moving.measured[thread], moving.offsets[thread, stream]
    place = 4 * lanes * (number // lanes) + number % lanes
    distance = measured[value + DISTANCE * lanes]
    if _has_no_side(shape, moving, thread, stream, place, value):
        return
    found = moving.counts[thread, FOUND]
    moving.counts[thread, FOUND] = found + 1
    if found >= most:
        return
    pair, goal = thread * most + found, moving.wanted[thread, stream, number]
    for vertex in range(4):
        moving.vertices[pair, vertex] = offsets[place + vertex * lanes] >> shift
    split = 1 + (stream & EDGE_EDGE)
    u, v = measured[value + WEIGHTS * lanes], measured[value + (WEIGHTS + 1) * lanes]
    set_weights(moving, pair, split, u, v)
    moving.splits[pair] = split
    for d in range(3):
        moving.normals[pair, d] = measured[value + (NORMAL + d) * lanes]
    moving.normals[pair, 3] = distance
    follow_slide(moving, rows, pair, goal)
    distance = moving.normals[pair, 3]
    missing = max(0.0, goal - distance)
    moving.goals[pair, GOAL] = goal - missing + min(recovery, RECOVERED * missing)
    moving.goals[pair, PUSH] = moving.goals[pair, TURNED] = 0.0
    moving.goals[pair, LEAST] = min(LEAST_PART * goal, LEAST_START * distance)
    moving.goals[pair, INERTIA] = inertia_of(moving, rows, pair)


@native_part
def _has_no_side(shape, moving, thread, stream, place, value):  # type: ignore[no-untyped-def]
    """Whether a candidate is no contact: nearer than positions are exact, or on the wrong side.

    What is tangled knows its right side from where it goes through; what is behind the face of a
    collider that has an outside is led out of there in another way, see :mod:`..response`.
    """
    lanes, shift = shape.numbers[LANES], shape.numbers[ROW_SHIFT]
    offsets, tangled, start = moving.offsets[thread, stream], moving.tangled, moving.start
    a, b = offsets[place] >> shift, offsets[place + lanes] >> shift
    c, d = offsets[place + 2 * lanes] >> shift, offsets[place + 3 * lanes] >> shift
    size = abs(start[a, 0]) + abs(start[a, 1]) + abs(start[a, 2])
    distance = moving.measured[thread][value + DISTANCE * lanes]
    if distance <= (EXACT_DOUBLE if shift == 5 else EXACT) * size:
        return True
    edges, right = stream & EDGE_EDGE != 0, moving.right[a]
    one = tangled[a] | tangled[b] if edges else tangled[a]
    other = tangled[c] | tangled[d] if edges else tangled[b] | tangled[c] | tangled[d]
    through = (one & shape.bits[d] != 0) & (other & shape.bits[a] != 0)
    if edges:
        return through
    if shape.sided[b] == 0:
        return through and (right == 0 or _side(shape, moving, thread, value, b, c, d) != right)
    return _side(shape, moving, thread, value, b, c, d) < 0.0


@native_part
def _side(shape, moving, thread, value, a, b, c):  # type: ignore[no-untyped-def]
    """1 if a vertex is in front of the face abc, -1 if it is behind it."""
    lanes, measured, start = shape.numbers[LANES], moving.measured[thread], moving.start
    normal = (
        measured[value + NORMAL * lanes],
        measured[value + (NORMAL + 1) * lanes],
        measured[value + (NORMAL + 2) * lanes],
    )
    return face_side(normal, (row_of(start, a), row_of(start, b), row_of(start, c)))
