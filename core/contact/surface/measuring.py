# SPDX-License-Identifier: GPL-3.0-or-later
"""Measuring candidates: which come too near to each other in a substep, and so become pairs."""

from __future__ import annotations

from ...native.compiled import native_part
from ...vector.call import call_kernel
from .approach import approach
from .candidates import CHUNK, LISTED, NEVER, RANGES, SPARE, fill_up, place_of
from .data import EDGE_EDGE, LANES, ROW_SHIFT, STREAMS, TURNING
from .distances import DISTANCE, END_GAP, INERTIA_FOUND, NORMAL, SLIDE, VALUES, WEIGHTS
from .hulls import AGE
from .pairs import (
    BEGUN,
    FOUND,
    GOAL,
    INERTIA,
    LEAST,
    NEVER_PROVED,
    PUSH,
    TURNED,
    UNTURNED,
    end_stream,
    forget_pairs,
)
from .sliding import SLIDING, follow_slide, set_weights
from .spread import inertia_of, spread_out
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
def find_pairs(surface, rows, recovery, thread, capacity):  # type: ignore[no-untyped-def]
    """Measure a thread's candidates and put down those that are pairs.

    Args:
        rows: vertices at the substep's end, shape (m or more, 4).
        recovery: how far [m] what starts too near is led apart.
        capacity: pairs a thread has memory for; the rest is counted only.
    """
    forget_pairs(surface.pairs, thread)
    surface.told[thread, TURNING] = 0
    for stream in range(STREAMS):
        if surface.hulls.outlook[AGE] == 0.0:
            _measure_all(surface, rows, recovery, thread, stream, capacity)
        else:
            _measure_near(surface, rows, recovery, thread, stream, capacity)
        end_stream(surface.pairs, thread, stream)


@native_part
def _measure_all(surface, rows, recovery, thread, stream, capacity):  # type: ignore[no-untyped-def]
    """Measure all candidates of a stream, which are new."""
    shape, candidates = surface.shape, surface.candidates
    lanes, measured = shape.numbers[LANES], candidates.measured[thread]
    count = candidates.listed[thread, stream, LISTED]
    offsets, wanted = candidates.offsets[thread, stream], candidates.wanted[thread, stream]
    until = candidates.until[thread, stream]
    fill_up(offsets, count, lanes)
    for first in range(0, count, CHUNK):
        last = min(first + CHUNK, count)
        call_kernel(
            shape.kernels[stream & EDGE_EDGE], surface.motion.start, rows, offsets, measured,
            measured, measured, (4 * first, 0, 0, 0), rows.dtype.type(1.0),
            (last - first + lanes - 1) // lanes,
        )  # fmt: skip
        for k in range(last - first):
            spare = SPARE * wanted[first + k]
            value = place_of(k, VALUES, lanes)
            until[first + k] = measured[value + DISTANCE * lanes] - WARY * spare
            if measured[value + END_GAP * lanes] < spare:
                _put_down(surface, rows, recovery, thread, stream, first + k, value, capacity)
    for number in range(candidates.listed[thread, stream, RANGES]):
        candidates.soonest[thread, stream, number] = 0.0


@native_part
def _measure_near(surface, rows, recovery, thread, stream, capacity):  # type: ignore[no-untyped-def]
    """Measure the candidates of a stream whose leaves may have come near enough for it."""
    candidates, ways = surface.candidates, surface.tree.ways
    ranges, approached = candidates.ranges[thread, stream], candidates.approached[thread, stream]
    until, soonest = candidates.until[thread, stream], candidates.soonest[thread, stream]
    listed = candidates.listed[thread, stream, LISTED]
    total = candidates.listed[thread, stream, RANGES]
    picked, belongs = candidates.picked[thread], candidates.belongs[thread]
    count = 0
    for number in range(total):
        if soonest[number] == NEVER:
            continue
        near = approach(ways, ranges[number, 0], ranges[number, 1])
        later = approached[number] + near
        if soonest[number] >= later:
            continue
        end = ranges[number + 1, 2] if number + 1 < total else listed
        soon, soonest[number] = NEVER, NEVER
        for first in range(ranges[number, 2], end, TOGETHER):
            if count > CHUNK - TOGETHER:
                _judge(surface, rows, recovery, thread, stream, count, capacity)
                count = 0
            # Without branches, which nobody could foresee.
            for candidate in range(first, min(first + TOGETHER, end)):
                picked[count], belongs[count] = candidate, number
                near = until[candidate] < later
                soon = min(soon, NEVER if near else until[candidate])
                count += near
        soonest[number] = min(soonest[number], soon)
    _judge(surface, rows, recovery, thread, stream, count, capacity)


@native_part
def _judge(surface, rows, recovery, thread, stream, count, capacity):  # type: ignore[no-untyped-def]
    """Make those of the picked candidates pairs that are, and note when to look at them again."""
    lanes, candidates = surface.shape.numbers[LANES], surface.candidates
    measured, picked = candidates.measured[thread], candidates.picked[thread]
    wanted, until = candidates.wanted[thread, stream], candidates.until[thread, stream]
    soonest, belongs = candidates.soonest[thread, stream], candidates.belongs[thread]
    approached = candidates.approached[thread, stream]
    _measure_picked(surface, rows, thread, stream, count)
    for k in range(count):
        candidate = picked[k]
        spare = SPARE * wanted[candidate]
        value = place_of(k, VALUES, lanes)
        number = belongs[k]
        until[candidate] = measured[value + DISTANCE * lanes] - WARY * spare + approached[number]
        soonest[number] = min(soonest[number], until[candidate])
        if measured[value + END_GAP * lanes] < spare:
            _put_down(surface, rows, recovery, thread, stream, candidate, value, capacity)


@native_part
def look_again(surface, rows, thread, capacity):  # type: ignore[no-untyped-def]
    """Add the pairs of vertices that were pushed far, and so may meet what they would not have.

    Leaves' ways are those that they go now.
    """
    shape, tree, candidates = surface.shape, surface.tree, surface.candidates
    shift, lanes, pushed = shape.numbers[ROW_SHIFT], shape.numbers[LANES], surface.motion.pushed
    picked = candidates.picked[thread]
    surface.pairs.counts[thread, BEGUN] = surface.pairs.counts[thread, FOUND]
    for stream in range(STREAMS):
        offsets, ranges = candidates.offsets[thread, stream], candidates.ranges[thread, stream]
        until, soonest = candidates.until[thread, stream], candidates.soonest[thread, stream]
        approached = candidates.approached[thread, stream]
        listed = candidates.listed[thread, stream, LISTED]
        total = candidates.listed[thread, stream, RANGES]
        count = 0
        for number in range(total):
            i, j = ranges[number, 0], ranges[number, 1]
            if soonest[number] == NEVER or not (tree.stirred[i] | tree.stirred[j]):
                continue
            later = approached[number] + approach(tree.ways, i, j)
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
                        _add_crossing(surface, rows, thread, stream, count, capacity)
                        count = 0
        _add_crossing(surface, rows, thread, stream, count, capacity)
        end_stream(surface.pairs, thread, stream)


@native_part
def _measure_picked(surface, rows, thread, stream, count):  # type: ignore[no-untyped-def]
    """Measure so many candidates of a stream that were picked."""
    shape, candidates, start = surface.shape, surface.candidates, surface.motion.start
    lanes, measured = shape.numbers[LANES], candidates.measured[thread]
    again, picked = candidates.again[thread], candidates.picked[thread]
    offsets = candidates.offsets[thread, stream]
    if count == 0:
        return
    for k in range(count):
        place, to = place_of(picked[k], 4, lanes), place_of(k, 4, lanes)
        for vertex in range(4):
            again[to + vertex * lanes] = offsets[place + vertex * lanes]
    fill_up(again, count, lanes)
    call_kernel(
        shape.kernels[stream & EDGE_EDGE], start, rows, again, measured, measured, measured,
        (0, 0, 0, 0), rows.dtype.type(1.0), (count + lanes - 1) // lanes,
    )  # fmt: skip


@native_part
def _add_crossing(surface, rows, thread, stream, count, capacity):  # type: ignore[no-untyped-def]
    """Put down those of the picked candidates that may cross."""
    lanes, candidates = surface.shape.numbers[LANES], surface.candidates
    measured, picked = candidates.measured[thread], candidates.picked[thread]
    _measure_picked(surface, rows, thread, stream, count)
    for k in range(count):
        goal = candidates.wanted[thread, stream, picked[k]]
        value = place_of(k, VALUES, lanes)
        if measured[value + END_GAP * lanes] < LEAST_PART * goal:
            _put_down(surface, rows, 0.0, thread, stream, picked[k], value, capacity)


@native_part
def _put_down(surface, rows, recovery, thread, stream, number, value, capacity):  # type: ignore[no-untyped-def]
    """Make a candidate a pair, as it was measured from place ``value`` on."""
    # Arrays are looked up once: each store might have changed where they are, for all LLVM knows.
    shape, candidates, pairs = surface.shape, surface.candidates, surface.pairs
    lanes, shift, edges = shape.numbers[LANES], shape.numbers[ROW_SHIFT], stream & EDGE_EDGE != 0
    measured, offsets = candidates.measured[thread], candidates.offsets[thread, stream]
    place = place_of(number, 4, lanes)
    a, b = offsets[place] >> shift, offsets[place + lanes] >> shift
    c, d = offsets[place + 2 * lanes] >> shift, offsets[place + 3 * lanes] >> shift
    counts, vertices, weights = pairs.counts, pairs.vertices, pairs.weights
    normals, goals = pairs.normals, pairs.goals
    distance, start = measured[value + DISTANCE * lanes], surface.motion.start
    size = abs(start[a, 0]) + abs(start[a, 1]) + abs(start[a, 2])
    exact = (EXACT_DOUBLE if shift == 5 else EXACT) * size
    if distance <= exact:
        return
    normal = (
        measured[value + NORMAL * lanes],
        measured[value + (NORMAL + 1) * lanes],
        measured[value + (NORMAL + 2) * lanes],
    )
    standing = standing_of(surface, edges, normal, (a, b, c, d))
    if standing == WRONG:
        return
    found = counts[thread, FOUND]
    counts[thread, FOUND] = found + 1
    if found >= capacity:
        return
    pair, goal = thread * capacity + found, candidates.wanted[thread, stream, number]
    u, v = measured[value + WEIGHTS * lanes], measured[value + (WEIGHTS + 1) * lanes]
    slide, inertia = measured[value + SLIDE * lanes], measured[value + INERTIA_FOUND * lanes]
    vertices[pair, 0], vertices[pair, 1], vertices[pair, 2], vertices[pair, 3] = a, b, c, d
    set_weights(weights, pair, edges, u, v)
    pairs.splits[pair] = 2 if edges else 1
    normals[pair, 0], normals[pair, 1], normals[pair, 2] = normal
    normals[pair, 3] = distance
    goals[pair, INERTIA] = inertia
    goals[pair, PUSH], goals[pair, TURNED] = 0.0, UNTURNED
    goals[pair, GOAL] = goal
    kept = max(LEAST_START * distance, min(distance - exact, KEPT * exact))
    goals[pair, LEAST] = NEVER_PROVED if standing == HOOKED else min(LEAST_PART * goal, kept)
    followed = slide > (SLIDING * distance) ** 2 and follow_slide(pairs, start, rows, pair)
    distance, goal = normals[pair, 3], goals[pair, GOAL]
    spread_out(pairs, pair)
    if followed:
        goals[pair, INERTIA] = inertia_of(pairs, rows, pair)
    wedged = surface.enclosed.wedged
    missing, recovery = max(0.0, goal - distance), recovery if standing <= HOOKED else 0.0
    goals[pair, GOAL] = goal - missing + min(recovery, missing)
    if _any_wedged(wedged, vertices, pair):
        # Thickness gives way: all of it to what moves as prescribed, and no more is made.
        prescribed = max(a, b, c, d) >= len(wedged)
        goals[pair, GOAL] = min(goal, LEAST_PART * goal if prescribed else distance)


@native_part
def _any_wedged(wedged, vertices, pair):  # type: ignore[no-untyped-def]
    """Whether colliders leave a vertex of a pair less than its thickness."""
    found = False
    for k in range(4):
        vertex = vertices[pair, k]
        found |= vertex < len(wedged) and wedged[vertex] != 0
    return found
