# SPDX-License-Identifier: GPL-3.0-or-later
"""Which candidates come too near to each other in a substep: those become pairs."""

from __future__ import annotations

from ...native.compiled import native_part
from ...vector.call import call_kernel
from .approach import approach
from .candidates import SPARE, fill_up, place_of
from .data import (
    AGE,
    BEGUN,
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
    NEVER,
    NEVER_PROVED,
    ORDERED,
    PUSH,
    RANGES,
    ROW_SHIFT,
    STREAMS,
    TURNED,
    UNTURNED,
)
from .distances import DISTANCE, END_GAP, INERTIA_FOUND, NORMAL, SLIDE, VALUES, WEIGHTS
from .sliding import SLIDING, follow_slide, set_weights
from .spread import spread_out
from .standing import HOOKED, WRONG, standing_of

EXACT, EXACT_DOUBLE = 2e-7, 4e-16
"""Of coordinates, in single and in double precision."""

LEAST_PART, LEAST_START = 0.1, 0.5
"""What is left at the least: parts of the distance wanted, and of that at the start."""

TOGETHER = 64
"""Candidates after which it is asked whether more can be picked."""

WARY = 1.001
"""Of what may become a pair how much sooner it is measured, so that rounding leaves none out."""

KEPT = 32.0
"""Times what is exact: a distance that gets no shorter. Halved on and on, as where no room is left,
it would soon be none, and what is not apart has no side to be kept on."""


@native_part
def find_pairs(shape, moving, rows, recovery, thread, capacity):  # type: ignore[no-untyped-def]
    """Measure a thread's candidates and put down those that are pairs.

    Args:
        rows: vertices at the substep's end, shape (m or more, 4).
        recovery: how far [m] what starts too near is led apart.
        capacity: pairs a thread has memory for; the rest is counted only.
    """
    for k in range(COUNTS):
        if k in (FOUND, ORDERED) or k >= BEGUN:
            moving.counts[thread, k] = 0
    for stream in range(STREAMS):
        if moving.reuse[AGE] == 0.0:
            _measure_all(shape, moving, rows, recovery, thread, stream, capacity)
        else:
            _measure_near(shape, moving, rows, recovery, thread, stream, capacity)
        _end_stream(moving, thread, stream)


@native_part
def _end_stream(moving, thread, stream):  # type: ignore[no-untyped-def]
    """Note how many pairs there are after a stream; no more after those to come, for now."""
    for end in range(stream, STREAMS + 1):
        moving.counts[thread, ENDS + end] = moving.counts[thread, FOUND]


@native_part
def _measure_all(shape, moving, rows, recovery, thread, stream, capacity):  # type: ignore[no-untyped-def]
    """Measure all candidates of a stream, which are new."""
    lanes, measured = shape.numbers[LANES], moving.measured[thread]
    count = moving.listed[thread, stream, LISTED]
    offsets, wanted = moving.offsets[thread, stream], moving.wanted[thread, stream]
    until = moving.until[thread, stream]
    fill_up(offsets, count, lanes)
    for first in range(0, count, CHUNK):
        last = min(first + CHUNK, count)
        call_kernel(
            shape.kernels[stream & EDGE_EDGE], moving.start, rows, offsets, measured, measured,
            measured, (4 * first, 0, 0, 0), rows.dtype.type(1.0),
            (last - first + lanes - 1) // lanes,
        )  # fmt: skip
        for k in range(last - first):
            spare = SPARE * wanted[first + k]
            value = place_of(k, VALUES, lanes)
            until[first + k] = measured[value + DISTANCE * lanes] - WARY * spare
            if measured[value + END_GAP * lanes] < spare:
                _put_down(shape, moving, rows, recovery, thread, stream, first + k, value, capacity)
    for number in range(moving.listed[thread, stream, RANGES]):
        moving.soonest[thread, stream, number] = 0.0


@native_part
def _measure_near(shape, moving, rows, recovery, thread, stream, capacity):  # type: ignore[no-untyped-def]
    """Measure the candidates of a stream whose leaves may have come near enough for it."""
    ranges, approached = moving.ranges[thread, stream], moving.approached[thread, stream]
    until, soonest = moving.until[thread, stream], moving.soonest[thread, stream]
    listed, total = moving.listed[thread, stream, LISTED], moving.listed[thread, stream, RANGES]
    picked, belongs = moving.picked[thread], moving.belongs[thread]
    count = 0
    for number in range(total):
        if soonest[number] == NEVER:
            continue
        near = approach(moving.ways, ranges[number, 0], ranges[number, 1])
        later = approached[number] + near
        if soonest[number] >= later:
            continue
        end = ranges[number + 1, 2] if number + 1 < total else listed
        soon, soonest[number] = NEVER, NEVER
        for first in range(ranges[number, 2], end, TOGETHER):
            if count > CHUNK - TOGETHER:
                _judge(shape, moving, rows, recovery, thread, stream, count, capacity)
                count = 0
            # Without branches, which nobody could foresee.
            for candidate in range(first, min(first + TOGETHER, end)):
                picked[count], belongs[count] = candidate, number
                near = until[candidate] < later
                soon = min(soon, NEVER if near else until[candidate])
                count += near
        soonest[number] = min(soonest[number], soon)
    _judge(shape, moving, rows, recovery, thread, stream, count, capacity)


@native_part
def _judge(shape, moving, rows, recovery, thread, stream, count, capacity):  # type: ignore[no-untyped-def]
    """Make those of the picked candidates pairs that are, and note when to look at them again."""
    lanes, measured, picked = shape.numbers[LANES], moving.measured[thread], moving.picked[thread]
    wanted, until = moving.wanted[thread, stream], moving.until[thread, stream]
    soonest, belongs = moving.soonest[thread, stream], moving.belongs[thread]
    approached = moving.approached[thread, stream]
    _measure_picked(shape, moving, rows, thread, stream, count)
    for k in range(count):
        candidate = picked[k]
        spare = SPARE * wanted[candidate]
        value = place_of(k, VALUES, lanes)
        number = belongs[k]
        until[candidate] = measured[value + DISTANCE * lanes] - WARY * spare + approached[number]
        soonest[number] = min(soonest[number], until[candidate])
        if measured[value + END_GAP * lanes] < spare:
            _put_down(shape, moving, rows, recovery, thread, stream, candidate, value, capacity)


@native_part
def look_again(shape, moving, rows, thread, capacity):  # type: ignore[no-untyped-def]
    """Add the pairs of vertices that were pushed far, and so may meet what they would not have.

    Leaves' ways are those that they go now.
    """
    shift, lanes, pushed = shape.numbers[ROW_SHIFT], shape.numbers[LANES], moving.pushed
    picked = moving.picked[thread]
    moving.counts[thread, BEGUN] = moving.counts[thread, FOUND]
    for stream in range(STREAMS):
        offsets, ranges = moving.offsets[thread, stream], moving.ranges[thread, stream]
        until, soonest = moving.until[thread, stream], moving.soonest[thread, stream]
        listed, total = moving.listed[thread, stream, LISTED], moving.listed[thread, stream, RANGES]
        count = 0
        for number in range(total):
            i, j = ranges[number, 0], ranges[number, 1]
            if soonest[number] == NEVER or not (moving.stirred[i] | moving.stirred[j]):
                continue
            later = moving.approached[thread, stream, number] + approach(moving.ways, i, j)
            if soonest[number] >= later:
                continue
            end = ranges[number + 1, 2] if number + 1 < total else listed
            for candidate in range(ranges[number, 2], end):
                if until[candidate] >= later:
                    continue
                place = place_of(candidate, 4, lanes)
                a, b = offsets[place] >> shift, offsets[place + lanes] >> shift
                c, d = offsets[place + 2 * lanes] >> shift, offsets[place + 3 * lanes] >> shift
                if pushed[a] | pushed[b] | pushed[c] | pushed[d]:
                    picked[count] = candidate
                    count += 1
                    if count == CHUNK:
                        _add_crossing(shape, moving, rows, thread, stream, count, capacity)
                        count = 0
        _add_crossing(shape, moving, rows, thread, stream, count, capacity)
        _end_stream(moving, thread, stream)


@native_part
def forget_new(moving, thread):  # type: ignore[no-untyped-def]
    """Let a thread not have found what is in no order yet."""
    moving.counts[thread, FOUND] = moving.counts[thread, BEGUN]


@native_part
def order_pairs(moving, capacity, threads):  # type: ignore[no-untyped-def]
    """List the pairs that were found last, stream by stream: threads have leaves that follow each
    other.
    """
    counts, count = moving.counts, moving.counts[0, ORDERED]
    for stream in range(STREAMS + 1):
        for thread in range(threads):
            first = counts[thread, ENDS + stream - 1 if stream > 0 else BEGUN]
            for k in range(first, counts[thread, ENDS + stream]):
                moving.order[count] = thread * capacity + k
                count += 1
    counts[0, ORDERED] = count
    for thread in range(threads):
        for k in range(BEGUN, ENDS + STREAMS + 1):
            counts[thread, k] = counts[thread, FOUND]


@native_part
def _measure_picked(shape, moving, rows, thread, stream, count):  # type: ignore[no-untyped-def]
    lanes, measured, again = shape.numbers[LANES], moving.measured[thread], moving.again[thread]
    picked, offsets = moving.picked[thread], moving.offsets[thread, stream]
    if count == 0:
        return
    for k in range(count):
        place, to = place_of(picked[k], 4, lanes), place_of(k, 4, lanes)
        for vertex in range(4):
            again[to + vertex * lanes] = offsets[place + vertex * lanes]
    fill_up(again, count, lanes)
    call_kernel(
        shape.kernels[stream & EDGE_EDGE], moving.start, rows, again, measured, measured, measured,
        (0, 0, 0, 0), rows.dtype.type(1.0), (count + lanes - 1) // lanes,
    )  # fmt: skip


@native_part
def _add_crossing(shape, moving, rows, thread, stream, count, capacity):  # type: ignore[no-untyped-def]
    """Put down those of the picked candidates that may cross."""
    lanes, measured, picked = shape.numbers[LANES], moving.measured[thread], moving.picked[thread]
    _measure_picked(shape, moving, rows, thread, stream, count)
    for k in range(count):
        goal = moving.wanted[thread, stream, picked[k]]
        value = place_of(k, VALUES, lanes)
        if measured[value + END_GAP * lanes] < LEAST_PART * goal:
            _put_down(shape, moving, rows, 0.0, thread, stream, picked[k], value, capacity)


@native_part
def _put_down(shape, moving, rows, recovery, thread, stream, number, value, capacity):  # type: ignore[no-untyped-def]
    """Make a candidate a pair, as it was measured from place ``value`` on."""
    # Arrays are looked up once: each store might have changed where they are, for all LLVM knows.
    lanes, shift, edges = shape.numbers[LANES], shape.numbers[ROW_SHIFT], stream & EDGE_EDGE != 0
    counts, measured, offsets = (
        moving.counts,
        moving.measured[thread],
        moving.offsets[thread, stream],
    )
    place = place_of(number, 4, lanes)
    a, b = offsets[place] >> shift, offsets[place + lanes] >> shift
    c, d = offsets[place + 2 * lanes] >> shift, offsets[place + 3 * lanes] >> shift
    vertices, weights, normals, goals = (
        moving.vertices,
        moving.weights,
        moving.normals,
        moving.goals,
    )
    distance, start = measured[value + DISTANCE * lanes], moving.start
    size = abs(start[a, 0]) + abs(start[a, 1]) + abs(start[a, 2])
    exact = (EXACT_DOUBLE if shift == 5 else EXACT) * size
    if distance <= exact:
        return
    normal = (
        measured[value + NORMAL * lanes],
        measured[value + (NORMAL + 1) * lanes],
        measured[value + (NORMAL + 2) * lanes],
    )
    standing = standing_of(shape, moving, edges, normal, (a, b, c, d))
    if standing == WRONG:
        return
    found = counts[thread, FOUND]
    counts[thread, FOUND] = found + 1
    if found >= capacity:
        return
    pair, goal = thread * capacity + found, moving.wanted[thread, stream, number]
    u, v = measured[value + WEIGHTS * lanes], measured[value + (WEIGHTS + 1) * lanes]
    slide, inertia = measured[value + SLIDE * lanes], measured[value + INERTIA_FOUND * lanes]
    vertices[pair, 0], vertices[pair, 1], vertices[pair, 2], vertices[pair, 3] = a, b, c, d
    set_weights(weights, pair, edges, u, v)
    spread_out(moving, pair)
    moving.splits[pair] = 2 if edges else 1
    normals[pair, 0], normals[pair, 1], normals[pair, 2] = normal
    normals[pair, 3] = distance
    goals[pair, INERTIA] = inertia
    goals[pair, PUSH], goals[pair, TURNED] = 0.0, UNTURNED
    goals[pair, GOAL] = goal
    kept = max(LEAST_START * distance, min(distance - exact, KEPT * exact))
    goals[pair, LEAST] = NEVER_PROVED if standing == HOOKED else min(LEAST_PART * goal, kept)
    if slide > (SLIDING * distance) ** 2:
        follow_slide(moving, rows, pair)
        distance, goal = normals[pair, 3], goals[pair, GOAL]
    missing, recovery = max(0.0, goal - distance), recovery if standing <= HOOKED else 0.0
    goals[pair, GOAL] = goal - missing + min(recovery, missing)
    if _any_wedged(moving, vertices, pair):
        # Thickness gives way: all of it to what moves as prescribed, and no more is made.
        prescribed = max(a, b, c, d) >= len(moving.wedged)
        goals[pair, GOAL] = min(goal, LEAST_PART * goal if prescribed else distance)


@native_part
def _any_wedged(moving, vertices, pair):  # type: ignore[no-untyped-def]
    """Whether colliders leave a vertex of a pair less than its thickness."""
    wedged = False
    for k in range(4):
        vertex = vertices[pair, k]
        wedged |= vertex < len(moving.wedged) and moving.wedged[vertex] != 0
    return wedged
