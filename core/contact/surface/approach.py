# SPDX-License-Identifier: GPL-3.0-or-later
"""How much nearer two leaves may have come since their candidates were measured.

What both do together counts for nothing: cloth goes with the body that it lies on, and a button
that falls stays as it is.
"""

from __future__ import annotations

from math import sqrt

from ...native.compiled import native_part
from ...native.lanes import add_scaled, along, load, lower, minus, store, upper
from ...native.team import meet, own_share
from .candidates import NEVER, RANGES
from .cones import may_have_turned
from .data import LOOKING, STREAMS, TURNING


@native_part
def note_ways(surface, rows, leaves, team):  # type: ignore[no-untyped-def]
    """Note how the vertices of leaves with candidates go from the substep's start to ``rows``.

    Args:
        leaves: how many are looked at; those of colliders, which go where they are led, come last.
    """
    first, last = own_share(leaves, team)
    for leaf in range(first, last):
        if surface.tree.concerned[leaf] != 0:
            _note_way(surface.shape, surface.tree, surface.motion.start, rows, leaf)
    meet(team)


@native_part
def _note_way(shape, tree, start, rows, leaf):  # type: ignore[no-untyped-def]
    """Note how the vertices of a leaf go."""
    members, ways = shape.members, tree.ways
    first, last = shape.member_starts[leaf], shape.member_starts[leaf + 1]
    low = high = _way_of(start, rows, members[first])
    for number in range(first + 1, last):
        way = _way_of(start, rows, members[number])
        low, high = lower(low, way), upper(high, way)
    middle = add_scaled(low, rows.dtype.type(0.5), minus(high, low))
    most = rows.dtype.type(0.0)
    for number in range(first, last):
        away = minus(_way_of(start, rows, members[number]), middle)
        most = max(most, along(away, away))
    store(ways, leaf, middle)
    ways[leaf, 3] = sqrt(most)


@native_part
def _way_of(start, rows, vertex):  # type: ignore[no-untyped-def]
    """How far a vertex goes in the substep."""
    return minus(load(rows, vertex), load(start, vertex))


@native_part
def approach(ways, i, j):  # type: ignore[no-untyped-def]
    """How much nearer anything of two leaves comes to each other at most [m]."""
    x, y, z = ways[i, 0] - ways[j, 0], ways[i, 1] - ways[j, 1], ways[i, 2] - ways[j, 2]
    return sqrt(x * x + y * y + z * z) + ways[i, 3] + ways[j, 3]


@native_part
def note_approach(surface, rows, pushed, team):  # type: ignore[no-untyped-def]
    """Add what is done in this substep to how much nearer leaves have come.

    Args:
        pushed: whether vertices may be elsewhere than where their ways were noted last.
    """
    shape, tree, candidates = surface.shape, surface.tree, surface.candidates
    if pushed:
        note_ways(surface, rows, shape.numbers[LOOKING], team)
    _note_bent(shape, tree, surface.told, team)
    for stream in range(STREAMS):
        ranges = candidates.ranges[team.thread, stream]
        soonest = candidates.soonest[team.thread, stream]
        approached = candidates.approached[team.thread, stream]
        for number in range(candidates.listed[team.thread, stream, RANGES]):
            if soonest[number] != NEVER:
                approached[number] += approach(tree.ways, ranges[number, 0], ranges[number, 1])


@native_part
def _note_bent(shape, tree, told, team):  # type: ignore[no-untyped-def]
    """Add how far vertices of leaves that may touch something have gone beside each other."""
    first, last = own_share(shape.numbers[LOOKING], team)
    for leaf in range(first, last):
        if tree.concerned[leaf] != 0:
            tree.bent[leaf] += tree.ways[leaf, 3]
            told[team.thread, TURNING] |= may_have_turned(shape, tree, leaf)
