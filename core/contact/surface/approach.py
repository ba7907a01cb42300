# SPDX-License-Identifier: GPL-3.0-or-later
"""How much nearer two leaves may have come since their candidates were measured.

What both do together counts for nothing: cloth goes with the body that it lies on, and a button
that falls stays as it is.
"""

from __future__ import annotations

from math import sqrt

from ...native.compiled import native_part
from ...native.team import meet, own_share
from .data import EMPTY, LOOKING, NEVER, RANGES, STREAMS


@native_part
def note_ways(surface, rows, leaves, team):  # type: ignore[no-untyped-def]
    """Note how the vertices of leaves with candidates go from the substep's start to ``rows``.

    Args:
        leaves: how many are looked at; those of colliders, which go where they are led, come last.
    """
    moving = surface.moving
    first, last = own_share(leaves, team)
    for leaf in range(first, last):
        if moving.concerned[leaf] != 0:
            _note_way(surface.shape, moving, rows, leaf)
    meet(team)


@native_part
def _note_way(shape, moving, rows, leaf):  # type: ignore[no-untyped-def]
    members, start, ways = shape.members, moving.start, moving.ways
    first, last = shape.member_starts[leaf], shape.member_starts[leaf + 1]
    for k in range(3):
        low, high = EMPTY, -EMPTY
        for number in range(first, last):
            way = rows[members[number], k] - start[members[number], k]
            low, high = min(low, way), max(high, way)
        ways[leaf, k] = 0.5 * (low + high)
    x, y, z, most = ways[leaf, 0], ways[leaf, 1], ways[leaf, 2], 0.0
    for number in range(first, last):
        vertex = members[number]
        a = rows[vertex, 0] - start[vertex, 0] - x
        b = rows[vertex, 1] - start[vertex, 1] - y
        c = rows[vertex, 2] - start[vertex, 2] - z
        most = max(most, a * a + b * b + c * c)
    ways[leaf, 3] = sqrt(most)


@native_part
def approach(ways, i, j):  # type: ignore[no-untyped-def]
    """How much nearer anything of two leaves comes to each other at most [m]."""
    x, y, z = ways[i, 0] - ways[j, 0], ways[i, 1] - ways[j, 1], ways[i, 2] - ways[j, 2]
    return sqrt(x * x + y * y + z * z) + ways[i, 3] + ways[j, 3]


@native_part
def note_approach(surface, rows, team):  # type: ignore[no-untyped-def]
    """Add what is done in this substep to how much nearer leaves have come."""
    note_ways(surface, rows, surface.shape.numbers[LOOKING], team)
    moving, thread = surface.moving, team.thread
    for stream in range(STREAMS):
        ranges, approached = moving.ranges[thread, stream], moving.approached[thread, stream]
        soonest = moving.soonest[thread, stream]
        for number in range(moving.listed[thread, stream, RANGES]):
            if soonest[number] != NEVER:
                near = approach(moving.ways, ranges[number, 0], ranges[number, 1])
                approached[number] += near
