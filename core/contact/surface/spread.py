# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs with carried vertices: the particles that carry them are what is pushed.

A pair is n · Σ wᵢ xᵢ over its four vertices; a carried one of these is Σ bₖ xₖ itself. So it is a
sum over particles, each of which is named once: at most sixteen, mostly less, as vertices of a fine
skin share corners. Many pairs push the same few of these: their steps are shortened as in
:mod:`..hand_on`.
"""

from __future__ import annotations

from ...native.compiled import native_part
from ..carried import NONE, carry, end_shifts
from .distances import LEVER
from .pairs import INERTIA


@native_part
def spread_out(pairs, pair):  # type: ignore[no-untyped-def]
    """Note the particles that move with a pair that has carried vertices."""
    carried = pairs.carried
    if len(carried.particles) == 0:
        return
    found, any_carried = 0, False
    for k in range(4):
        any_carried |= carried.numbers[pairs.vertices[pair, k]] != NONE
    if any_carried:
        named = 0
        for k in range(4):
            vertex, weight = pairs.vertices[pair, k], pairs.weights[pair, k]
            number = carried.numbers[vertex]
            if number == NONE:
                found, named = _add(pairs, pair, found, named, vertex, weight)
                continue
            for corner in range(4):
                part = carried.weights[number, corner]
                if part != 0.0:
                    to = carried.corners[number, corner]
                    found, named = _add(pairs, pair, found, named, to, weight * part)
    pairs.spreads[pair] = found


@native_part
def _add(pairs, pair, found, named, particle, weight):  # type: ignore[no-untyped-def]
    """Add to a particle's weight, or name it; returns how many are named, and the bits of these.

    Most are named for the first time, as their bits mostly tell without a search.
    """
    bit = 1 << (particle & 63)
    if named & bit != 0:
        for k in range(found):
            if pairs.spread_to[pair, k] == particle:
                pairs.spread_weights[pair, k] += weight
                return found, named
    pairs.spread_to[pair, found], pairs.spread_weights[pair, found] = particle, weight
    return found + 1, named | bit


@native_part
def members_of(pairs, pair):  # type: ignore[no-untyped-def]
    """How many particles move with a pair."""
    spread = pairs.spreads[pair]
    return int(spread) if spread > 0 else 4


@native_part
def member(pairs, pair, k):  # type: ignore[no-untyped-def]
    """One of the particles that move with a pair, and its weight."""
    if pairs.spreads[pair] > 0:
        return pairs.spread_to[pair, k], pairs.spread_weights[pair, k]
    return pairs.vertices[pair, k], pairs.weights[pair, k]


@native_part
def inertia_of(pairs, rows, pair):  # type: ignore[no-untyped-def]
    """1 / Σ wᵢ² / mᵢ [kg], less where LEVER says so; 0 where nothing can be moved."""
    mobility, most = 0.0, 0.0
    for k in range(members_of(pairs, pair)):
        particle, weight = member(pairs, pair, k)
        moved = abs(weight) * rows[particle, 3]
        mobility += abs(weight) * moved
        most = max(most, moved)
    return mobility / max(mobility, most / LEVER) ** 2 if most > 0.0 else 0.0


@native_part
def share_inertia(pairs, rows, count):  # type: ignore[no-untyped-def]
    """Let those of the active pairs that share particles push no farther together than each alone.

    Where they have carried vertices, that is; few others share many.
    """
    if len(pairs.carried.particles) == 0:
        return
    sums = pairs.carried.weight_sums
    for number in range(count):
        pair = pairs.active[number]
        for k in range(pairs.spreads[pair]):
            sums[pairs.spread_to[pair, k]] += abs(pairs.spread_weights[pair, k])
    for number in range(count):
        pair, row, mobility = pairs.active[number], 0.0, 0.0
        for k in range(pairs.spreads[pair]):
            particle, weight = (
                pairs.spread_to[pair, k],
                abs(pairs.spread_weights[pair, k]),
            )
            moved = weight * rows[particle, 3]
            row += moved * sums[particle]
            mobility += weight * moved
        if row > 0.0:
            pairs.goals[pair, INERTIA] = inertia_of(pairs, rows, pair) * mobility / row
    for number in range(count):
        pair = pairs.active[number]
        for k in range(pairs.spreads[pair]):
            sums[pairs.spread_to[pair, k]] = 0.0


@native_part
def carry_pushed(carried, pushed, rows):  # type: ignore[no-untyped-def]
    """Put the vertices that pushed particles carry where these are; they are pushed, too."""
    for number in range(len(carried.particles)):
        moved = 0
        for corner in range(4):
            if carried.weights[number, corner] != 0.0:
                moved |= pushed[carried.corners[number, corner]]
        if moved != 0:
            pushed[carried.particles[number]] = 1
            carry(carried, rows, number)


@native_part
def end_shifts_of(carried, rows):  # type: ignore[no-untyped-def]
    """Move what carries vertices as far as pairs have shifted it."""
    if len(carried.particles) > 0:
        end_shifts(carried, rows)
