# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs that would touch on their way are pushed apart along the normal that they touch with.

Normals of the substep's start are those of pairs that hardly turn. What moves far, or is pulled
through something narrow, turns on its way: pushed along the normal at the time of touch it slides
on, where it would stick if it were held back (Harmon et al. 2008, "Robust treatment of simultaneous
collisions").
"""

from __future__ import annotations

from math import sqrt

from ...native.compiled import native_part
from ...native.vectors import dot, scale
from .closest import closest, way_between
from .continuous import places_at
from .pairs import GOAL, IMPACT, IMPACTS, INERTIA, LEAST, PUSH, TURNED
from .sliding import set_weights
from .solve import sweep
from .spread import (
    carry_pushed,
    end_shifts_of,
    inertia_of,
    member,
    members_of,
    share_inertia,
    spread_out,
)

IMPACT_SWEEPS = 6

CLEARANCE = 2.0
"""Times the least distance that pairs are pushed apart to, so that they pass."""


@native_part
def turn_to_touch(pairs, start, rows, pair, time):  # type: ignore[no-untyped-def]
    """Give a pair the normal and the weights of the time when it touches."""
    split = int(pairs.splits[pair])
    places = places_at(pairs, start, rows, pair, time)
    u, v, _ = closest(split, places)
    way = way_between(split, places, u, v)
    length = sqrt(dot(way, way))
    if length == 0.0:
        return
    normal = scale(1.0 / length, way)
    for d in range(3):
        pairs.normals[pair, d] = normal[d]
    set_weights(pairs.weights, pair, split == 2, u, v)
    spread_out(pairs, pair)
    pairs.goals[pair, GOAL] = CLEARANCE * pairs.goals[pair, LEAST]
    pairs.goals[pair, INERTIA] = inertia_of(pairs, rows, pair)
    pairs.goals[pair, PUSH] = 0.0


@native_part
def push_impacts(pairs, motion, rows, failed):  # type: ignore[no-untyped-def]
    """Push pairs apart that touch, and once more all that did so before in this substep.

    Args:
        failed: how many there are in ``active``; when they touch is in ``times``.
    """
    known = pairs.counts[0, IMPACTS]
    for number in range(failed):
        pair = pairs.active[number]
        turn_to_touch(pairs, motion.start, rows, pair, pairs.times[pair])
        if pairs.goals[pair, TURNED] != IMPACT:
            pairs.goals[pair, TURNED] = IMPACT
            pairs.impacts[known] = pair
            known += 1
    pairs.counts[0, IMPACTS] = known
    for number in range(known):
        pairs.active[number] = pairs.impacts[number]
        for k in range(members_of(pairs, pairs.impacts[number])):
            particle, _ = member(pairs, pairs.impacts[number], k)
            motion.pushed[particle] = 1
    share_inertia(pairs, rows, known)
    for number in range(IMPACT_SWEEPS):
        sweep(pairs, rows, known, number % 2 == 1)
    end_shifts_of(pairs.carried, rows)
    carry_pushed(pairs.carried, motion.pushed, rows)
