# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs: what is near each other in a substep, in an order that does not depend on threads."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...native.by_address import by_address
from ...native.compiled import native_part
from ..carried import Carried
from .data import STREAMS

GOAL, PUSH, LEAST, INERTIA, TURNED = range(5)
"""Of a pair the distance wanted [m], the multiplier by which it was pushed apart [m kg], the
distance that is left at the least [m], 1 / Σ wᵢ² / mᵢ, which turns a way into a multiplier [kg],
and whose normal it has."""

UNTURNED, SLID, IMPACT = 0.0, 1.0, 2.0
"""Normals of pairs: with a plane between both at the start; of where both slide to, without one; of
the time when they would have touched."""

SPREAD = 16
"""Particles that move with a pair at most: four corners of each vertex."""

NEVER_PROVED = -(2.0**100)
"""LEAST of what goes through each other already and is led out, and of what is next to that; exact
in single precision."""

FOUND, SQUEEZED, HELD_BACK, ORDERED, IMPACTS, BEGUN, ENDS, COUNTS = 0, 1, 2, 3, 4, 5, 6, 16
"""Places in ``Pairs.counts`` of a thread: pairs found; of the first thread also those that
prescribed motion forced through each other, and vertices held back, in this substep, how many pairs
are in ``order``, and in ``impacts``; of those that are in no order yet, how many were found before
them, and from ENDS on after each stream, and after what is led out. There are COUNTS numbers, so
that no two threads write into one cache line."""

_OF_PAIRS = (
    "vertices", "splits", "weights", "normals", "goals", "times",
    "spreads", "spread_to", "spread_weights",
)  # fmt: skip
_NUMBERS_OF_PAIRS = "order", "active", "impacts"
"""Arrays that have a row for each pair, and numbers of pairs."""


@by_address
class Pairs(NamedTuple):
    """What is near each other in a substep; there is memory for c pairs.

    Attributes:
        counts: see FOUND and following, shape (threads, COUNTS), int64.
        vertices: of each pair, shape (c, 4), int32: vertex and corners of the face, or both edges.
        splits: how many of its vertices belong to the first: 1 or 2, shape (c,), uint8.
        weights: of the closest points, those of the second with a minus, shape (c, 4), float32.
        normals: unit vector from the second to the first at the start, and distance [m], (c, 4).
        goals: GOAL, PUSH, LEAST, INERTIA and TURNED of each pair, shape (c, 5), float32.
        carried: particles that others carry.
        spreads: of each pair with carried vertices how many particles move with it, else 0, shape
            (c,), uint8; and with such pairs these particles, int32: ``spread_to``, and their
            weights, float32: ``spread_weights``, shape (c, SPREAD).
        order: all pairs, in an order that does not depend on the number of threads, (c,), int32.
        active: pairs that are solved, or that fail to be proved, shape (c,), int32.
        impacts: those that would have touched, shape (c,), int32.
        times: when they touch, as part of the substep, shape (c,), float32.
    """

    counts: NDArray[Any]
    vertices: NDArray[Any]
    splits: NDArray[Any]
    weights: NDArray[Any]
    normals: NDArray[Any]
    goals: NDArray[Any]
    carried: Carried
    spreads: NDArray[Any]
    spread_to: NDArray[Any]
    spread_weights: NDArray[Any]
    order: NDArray[Any]
    active: NDArray[Any]
    impacts: NDArray[Any]
    times: NDArray[Any]


def new_pairs(capacity: int, threads: int, carried: Carried) -> Pairs:
    """Memory for so many pairs of all threads."""
    spread = capacity if len(carried.particles) else 0
    return Pairs(
        counts=np.zeros((threads, COUNTS), np.int64),
        vertices=np.zeros((capacity, 4), np.int32),
        splits=np.zeros(capacity, np.uint8),
        weights=np.zeros((capacity, 4), np.float32),
        normals=np.zeros((capacity, 4), np.float32),
        goals=np.zeros((capacity, 5), np.float32),
        carried=carried,
        spreads=np.zeros(capacity, np.uint8),
        spread_to=np.zeros((spread, SPREAD), np.int32),
        spread_weights=np.zeros((spread, SPREAD), np.float32),
        order=np.zeros(capacity, np.int32),
        active=np.zeros(capacity, np.int32),
        impacts=np.zeros(capacity, np.int32),
        times=np.zeros(capacity, np.float32),
    )


def more_pairs(old: Pairs, capacity: int, threads: int) -> Pairs:
    """The same pairs in memory for more.

    Args:
        threads: those that found them. Each has a part of the memory, so that pairs get other
            numbers.
    """
    new = new_pairs(capacity, len(old.counts), old.carried)
    new.counts[:] = old.counts
    most, more = (len(each.vertices) // threads for each in (old, new))
    for name in _OF_PAIRS:
        rows, to = getattr(old, name), getattr(new, name)
        if len(rows):
            rows = rows[: threads * most].reshape(threads, most, -1)
            to[: threads * more].reshape(threads, more, -1)[:, :most] = rows
    for name in _NUMBERS_OF_PAIRS:
        numbers = getattr(old, name)
        getattr(new, name)[: len(numbers)] = numbers // most * more + numbers % most
    return new


@native_part
def capacity_of(pairs, team):  # type: ignore[no-untyped-def]
    """How many pairs each thread of a team has memory for."""
    return len(pairs.vertices) // team.threads


@native_part
def forget_pairs(pairs, thread):  # type: ignore[no-untyped-def]
    """Let a thread have found no pairs."""
    counts = pairs.counts
    counts[thread, FOUND] = counts[thread, ORDERED] = 0
    for k in range(BEGUN, ENDS + STREAMS + 1):
        counts[thread, k] = 0


@native_part
def end_stream(pairs, thread, stream):  # type: ignore[no-untyped-def]
    """Note how many pairs there are after a stream; no more after those to come, for now."""
    for end in range(stream, STREAMS + 1):
        pairs.counts[thread, ENDS + end] = pairs.counts[thread, FOUND]


@native_part
def forget_new(pairs, thread):  # type: ignore[no-untyped-def]
    """Let a thread not have found what is in no order yet."""
    pairs.counts[thread, FOUND] = pairs.counts[thread, BEGUN]


@native_part
def order_pairs(pairs, team):  # type: ignore[no-untyped-def]
    """List the pairs that were found last, stream by stream: threads have leaves that follow each
    other.
    """
    counts, count, capacity = pairs.counts, pairs.counts[0, ORDERED], capacity_of(pairs, team)
    for stream in range(STREAMS + 1):
        for thread in range(team.threads):
            first = counts[thread, ENDS + stream - 1 if stream > 0 else BEGUN]
            for k in range(first, counts[thread, ENDS + stream]):
                pairs.order[count] = thread * capacity + k
                count += 1
    counts[0, ORDERED] = count
    for thread in range(team.threads):
        for k in range(BEGUN, ENDS + STREAMS + 1):
            counts[thread, k] = counts[thread, FOUND]
