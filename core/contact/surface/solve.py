# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs as unilateral constraints: n · Σ wᵢ xᵢ ≥ goal, by projected Gauss–Seidel, and friction.

Müller et al. 2007, section 3.4, with the multipliers kept (Macklin et al. 2016) so that a push can
be taken back, never below zero; normals and closest points are those of the substep's start, when
it is known which is on which side. That projects the predicted positions onto a convex set in which
the start lies, in the metric of the masses: kinetic energy can't rise, and momentum is kept.
"""

from __future__ import annotations

from math import sqrt

from ...native.compiled import native_part
from ...native.lanes import (
    add_scaled,
    along,
    flat,
    fourth,
    load,
    minus,
    no_lanes,
    plus,
    store,
    widened,
)
from ...native.vectors import REAL, add_to, dot
from ..data import BY_BODY, BY_COLLIDER
from ..reaction import drawn
from .continuous import normal_of
from .pairs import GOAL, INERTIA, LEAST, NEVER_PROVED, ORDERED, PUSH
from .spread import end_shifts_of, inertia_of, member, members_of, share_inertia

SWEEPS = 4

HARD_SWEEPS, HARD_ROUNDS, HARD_PART = 10, 1, 0.5
"""Pairs that are left with less than a part of their goal are swept more often, by themselves."""

NEAR_GOAL = 1.25
"""Pairs nearer than this times their goal are solved: others may push them into each other."""


@native_part
def gap_of(pairs, rows, pair):  # type: ignore[no-untyped-def]
    """Distance of both closest points along the normal [m]."""
    if pairs.spreads[pair] > 0:
        return _gap_of_spread(pairs, rows, pair)
    vertices = pairs.vertices
    a, b = load(rows, vertices[pair, 0]), load(rows, vertices[pair, 1])
    c, d = load(rows, vertices[pair, 2]), load(rows, vertices[pair, 3])
    return along(normal_of(pairs, rows, pair), _way_between(pairs.weights, pair, a, b, c, d))


@native_part
def _way_between(weights, pair, a, b, c, d):  # type: ignore[no-untyped-def]
    """Σ wᵢ xᵢ of four rows: as Σ wᵢ = 0 from where the first one is, where less is rounded."""
    way = add_scaled(minus(a, a), weights[pair, 1], minus(b, a))
    way = add_scaled(way, weights[pair, 2], minus(c, a))
    return add_scaled(way, weights[pair, 3], minus(d, a))


@native_part
def _gap_of_spread(pairs, rows, pair):  # type: ignore[no-untyped-def]
    """The same of a pair with carried vertices."""
    shifts, spread_to, weights = pairs.carried.shifts, pairs.spread_to, pairs.spread_weights
    first, way = widened(load(rows, spread_to[pair, 0])), no_lanes(shifts)
    for k in range(pairs.spreads[pair]):
        particle = spread_to[pair, k]
        place = plus(minus(widened(load(rows, particle)), first), load(shifts, particle))
        way = add_scaled(way, weights[pair, k], place)
    return along(normal_of(pairs, shifts, pair), way)


@native_part
def push(pairs, rows, pair, amount, x, y, z):  # type: ignore[no-untyped-def]
    """Move the vertices of a pair by a multiplier [m kg] in a direction: apart in the normal's."""
    if pairs.spreads[pair] > 0:
        _push_spread(pairs, rows, pair, amount, REAL(x), REAL(y), REAL(z))
        return
    real = rows.dtype.type
    direction = flat(real(x), real(y), real(z))
    for k in range(4):
        vertex = pairs.vertices[pair, k]
        row = load(rows, vertex)
        step = amount * pairs.weights[pair, k] * fourth(row)
        store(rows, vertex, add_scaled(row, step, direction))


@native_part
def _push_spread(pairs, rows, pair, amount, x, y, z):  # type: ignore[no-untyped-def]
    """The same of a pair with carried vertices; what carries them gets its shift only."""
    shifts, carries, direction = pairs.carried.shifts, pairs.carried.carries, flat(x, y, z)
    for k in range(pairs.spreads[pair]):
        particle = pairs.spread_to[pair, k]
        step = amount * pairs.spread_weights[pair, k] * rows[particle, 3]
        if carries[particle] != 0:
            store(shifts, particle, add_scaled(load(shifts, particle), step, direction))
        else:
            rows[particle, 0] += step * x
            rows[particle, 1] += step * y
            rows[particle, 2] += step * z


@native_part
def activate(pairs, rows, part):  # type: ignore[no-untyped-def]
    """List the pairs that end nearer than a part of their goal; returns how many."""
    count = 0
    for number in range(pairs.counts[0, ORDERED]):
        pair = pairs.order[number]
        goal = pairs.goals[pair, GOAL]
        if gap_of(pairs, rows, pair) - goal < (part - 1.0) * abs(goal):
            pairs.active[count] = pair
            count += 1
    return count


@native_part
def sweep(pairs, rows, count, backward):  # type: ignore[no-untyped-def]
    """One sweep of Gauss–Seidel over the active pairs."""
    for number in range(count):
        pair = pairs.active[count - 1 - number if backward else number]
        if pairs.spreads[pair] > 0:
            _project_spread(pairs, rows, pair)
        else:
            _project(pairs, rows, pair)


@native_part
def _project(pairs, rows, pair):  # type: ignore[no-untyped-def]
    """Let a pair push as much as it has to, given what the others do."""
    vertices, weights, goals = pairs.vertices, pairs.weights, pairs.goals
    one, two = vertices[pair, 0], vertices[pair, 1]
    three, four = vertices[pair, 2], vertices[pair, 3]
    a, b, c, d = load(rows, one), load(rows, two), load(rows, three), load(rows, four)
    normal = normal_of(pairs, rows, pair)
    gap = along(normal, _way_between(weights, pair, a, b, c, d))
    before = goals[pair, PUSH]
    after = max(0.0, before + (goals[pair, GOAL] - gap) * goals[pair, INERTIA])
    if after != before:
        goals[pair, PUSH] = after
        amount = after - before
        store(rows, one, add_scaled(a, amount * weights[pair, 0] * fourth(a), normal))
        store(rows, two, add_scaled(b, amount * weights[pair, 1] * fourth(b), normal))
        store(rows, three, add_scaled(c, amount * weights[pair, 2] * fourth(c), normal))
        store(rows, four, add_scaled(d, amount * weights[pair, 3] * fourth(d), normal))


@native_part
def _project_spread(pairs, rows, pair):  # type: ignore[no-untyped-def]
    """The same of a pair with carried vertices."""
    before, goal = pairs.goals[pair, PUSH], pairs.goals[pair, GOAL]
    wanted = before + (goal - _gap_of_spread(pairs, rows, pair)) * pairs.goals[pair, INERTIA]
    after = max(0.0, wanted)
    if after != before:
        pairs.goals[pair, PUSH] = after
        normals = pairs.normals
        x, y, z = REAL(normals[pair, 0]), REAL(normals[pair, 1]), REAL(normals[pair, 2])
        _push_spread(pairs, rows, pair, after - before, x, y, z)


@native_part
def solve(pairs, rows):  # type: ignore[no-untyped-def]
    """Push all pairs apart that are too near."""
    count = activate(pairs, rows, NEAR_GOAL)
    share_inertia(pairs, rows, count)
    for number in range(SWEEPS):
        sweep(pairs, rows, count, number % 2 == 1)
    for _ in range(HARD_ROUNDS):
        count = activate(pairs, rows, HARD_PART)
        if count == 0:
            break
        share_inertia(pairs, rows, count)
        for number in range(HARD_SWEEPS):
            sweep(pairs, rows, count, number % 2 == 1)
    end_shifts_of(pairs.carried, rows)


@native_part
def rub(shape, pairs, motion, arrays, settings):  # type: ignore[no-untyped-def]
    """Coulomb friction of all pairs that push, bounded by the push.

    Args:
        arrays: of the state.
        settings: ``StepSettings``.

    What leads out of what it went through does not rub: around a corner such pairs pull across each
    other, and would hold each other fast.
    """
    for number in range(pairs.counts[0, ORDERED]):
        pair = pairs.order[number]
        pressed = pairs.goals[pair, PUSH]
        if pressed > 0.0 and pairs.goals[pair, LEAST] != NEVER_PROVED:
            _rub_pair(shape, pairs, motion, arrays, settings, pair, pressed)
    end_shifts_of(pairs.carried, arrays.rows)


@native_part
def _way_of(pairs, motion, rows, pair):  # type: ignore[no-untyped-def]
    """How far the first closest point has gone relative to the second, but for where it was led."""
    x, y, z, start, led = 0.0, 0.0, 0.0, motion.start, motion.led
    for k in range(members_of(pairs, pair)):
        vertex, weight = member(pairs, pair, k)
        x += weight * (rows[vertex, 0] - start[vertex, 0] - led[vertex, 0])
        y += weight * (rows[vertex, 1] - start[vertex, 1] - led[vertex, 1])
        z += weight * (rows[vertex, 2] - start[vertex, 2] - led[vertex, 2])
    shifts = pairs.carried.shifts
    for k in range(pairs.spreads[pair]):
        vertex, weight = pairs.spread_to[pair, k], pairs.spread_weights[pair, k]
        x += weight * shifts[vertex, 0]
        y += weight * shifts[vertex, 1]
        z += weight * shifts[vertex, 2]
    return x, y, z


@native_part
def _rub_pair(shape, pairs, motion, arrays, settings, pair, pressed):  # type: ignore[no-untyped-def]
    rows = arrays.rows
    x, y, z = _way_of(pairs, motion, rows, pair)
    normals = pairs.normals
    along = x * normals[pair, 0] + y * normals[pair, 1] + z * normals[pair, 2]
    x -= along * normals[pair, 0]
    y -= along * normals[pair, 1]
    z -= along * normals[pair, 2]
    slide = sqrt(x * x + y * y + z * z)
    inertia = pairs.goals[pair, INERTIA]
    # What leads apart what started too near presses nothing.
    pressed -= max(0.0, pairs.goals[pair, GOAL] - normals[pair, 3]) * inertia
    if pressed <= 0.0:
        return
    if settings.second_order:
        pressed += _react(pairs, arrays, settings.h, pair, pressed)
    if slide == 0.0:
        return
    one, other = pairs.vertices[pair, 0], pairs.vertices[pair, 3]
    friction = sqrt(shape.friction[one] * shape.friction[other])
    # Friction holds, or does not, one pair after the other: none of them shares with others.
    if pairs.spreads[pair] > 0:
        inertia = inertia_of(pairs, rows, pair)
    amount = min(slide * inertia, friction * pressed) / slide
    push(pairs, rows, pair, -amount, x, y, z)


@native_part
def _react(pairs, arrays, h, pair, pressed):  # type: ignore[no-untyped-def]
    """Let accelerations into each other end, as far as a push [m kg] is a reaction to them; returns
    that part.
    """
    normals, count = pairs.normals, arrays.particle_count
    normal = normals[pair, 0], normals[pair, 1], normals[pair, 2]
    into = 0.0
    for k in range(members_of(pairs, pair)):
        particle, weight = member(pairs, pair, k)
        if particle < count and arrays.rows[particle, 3] > 0.0:
            into -= weight * dot(normal, drawn(arrays, h, particle))
    part = min(pressed, max(0.0, into) * pairs.goals[pair, INERTIA])
    for k in range(members_of(pairs, pair)):
        particle, weight = member(pairs, pair, k)
        if particle < count:
            step = part * weight * arrays.rows[particle, 3]
            add_to(arrays.free_ways[particle], step, normal)
    return part


@native_part
def note_touched(pairs, count, touched):  # type: ignore[no-untyped-def]
    """Mark those of the first ``count`` vertices, particles, that pairs push, and what with."""
    for number in range(pairs.counts[0, ORDERED]):
        pair = pairs.order[number]
        if pairs.goals[pair, PUSH] <= 0.0:
            continue
        ends = pairs.vertices[pair, 0], pairs.vertices[pair, 3]
        pusher = BY_COLLIDER if max(ends[0], ends[1]) >= count else BY_BODY
        for k in range(members_of(pairs, pair)):
            particle, _ = member(pairs, pair, k)
            if particle < count:
                touched[particle] |= pusher


@native_part
def note_recovery(pairs, motion, rows, free):  # type: ignore[no-untyped-def]
    """Note how far vertices were led away from where they started too near.

    Args:
        free: whether nothing moves as prescribed. What that pushes back was not led anywhere, or it
            would seem to come from farther out; what pairs push back they lead themselves.
    """
    for number in range(pairs.counts[0, ORDERED]):
        pair = pairs.order[number]
        pressed = pairs.goals[pair, PUSH]
        way = pairs.goals[pair, GOAL] - pairs.normals[pair, 3]
        if pressed <= 0.0 or way <= 0.0:
            continue
        if not free:
            way = min(way, max(0.0, gap_of(pairs, rows, pair) - pairs.normals[pair, 3]))
        amount = min(way * pairs.goals[pair, INERTIA], pressed)
        out = pairs.goals[pair, LEAST] == NEVER_PROVED
        for k in range(members_of(pairs, pair)):
            vertex, weight = member(pairs, pair, k)
            step = amount * weight * rows[vertex, 3]
            for d in range(3):
                motion.led[vertex, d] += step * pairs.normals[pair, d]
                motion.led_out[vertex, d] += out * step * pairs.normals[pair, d]


@native_part
def forget_recovery(motion, previous, first, last):  # type: ignore[no-untyped-def]
    """Let that be no velocity of vertices [first, last): where they started moves along."""
    for vertex in range(first, last):
        for d in range(3):
            previous[vertex, d] += motion.led[vertex, d]
            motion.led[vertex, d] = motion.led_out[vertex, d] = 0.0
