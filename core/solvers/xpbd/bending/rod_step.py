# SPDX-License-Identifier: GPL-3.0-or-later
"""All bends of a rod at once: its matrix has five diagonals, L D Lᵀ in one pass along and one back.

A bend has the moment α⁻¹ (C x - b₀), a vector. b₀ is C x at rest, carried along: it turns as the
strand turns there, without spin about it (parallel transport in time), but for the spin of the rod
as a whole. So b₀ does not follow C x, which would feed energy in; there is no torsion that would
bring a curl back that has turned about the strand. What turns as a whole isn't damped either.

In double precision: the condition of the matrix is h² / (α m ℓ²), 10⁷ for a wire in steps of 1 mm.
"""

from __future__ import annotations

import math

from ....native.compiled import native_part
from ....native.rows import numbers_of
from ....native.team import meet, share_of
from .carried_turns import begin_turns, carry_turns
from .displacement import displace
from .rods import LANES, SHARPEST
from .rotations import put, rotation_of, turned, vector
from .turns import WIDTH, turns_of


@native_part
def bend_rods(arrays, rods, settings, substep, multipliers, team):  # type: ignore[no-untyped-def]
    """Let particles feel their rods, as one of several threads."""
    for color in range(len(rods.colors) - 1):
        begin = rods.colors[color]
        first, end = share_of(rods.colors[color + 1] - begin, team.thread, team.threads)
        for run in range(begin + first, begin + end):
            _bend_run(arrays, rods, run, settings, substep, multipliers, rods.scratch[team.thread])
        meet(team)


@native_part
def _bend_run(arrays, rods, run, settings, substep, multipliers, scratch):  # type: ignore[no-untyped-def]
    """LANES rods side by side."""
    moments, y = scratch[2], scratch[3]
    first, end, h = rods.runs[run, 0], rods.runs[run, 1], float(settings.h)
    if rods.factored[run] != h:
        _factorise(rods, first, end, h)
        rods.factored[run] = h
    find_moments(arrays, rods, first, end, h, substep, scratch)
    find_forces(rods, first, end, moments, y)
    _substitute(rods, first, end, y)
    _move(arrays, rods, first, end, h, y)
    if rods.damped:
        note_turns(arrays.rows, rods, first, end, scratch[0])
    if substep == settings.substeps - 1:
        share = settings.span * settings.span / (h * h)
        note_multipliers(arrays.rows, rods, first, end, share, scratch[0], multipliers)


@native_part
def find_moments(arrays, rods, first, end, h, substep, scratch):  # type: ignore[no-untyped-def]
    """h² times the moment of each bend of a run, into ``scratch[2]``."""
    x, before, moments = scratch[0], scratch[1], scratch[2]
    begins = substep == 0 and not rods.carried[0]
    if rods.damped and begins:
        note_turns(arrays.previous, rods, first, end, x)
    _gather(arrays.rows, rods, first, end, x)
    _straighten(rods, first, end, x, moments)
    if rods.damped:
        _add_damping(rods, first, end, h, x, moments)
    if rods.curved:
        _gather(arrays.previous, rods, first, end, before)
        if begins:
            begin_turns(rods, first, end, before)
        carry_turns(rods, first, end, x, before)
        _subtract_rest(rods, first, end, moments)


@native_part
def _factorise(rods, first, end, h):  # type: ignore[no-untyped-def]
    """L D Lᵀ = M + h (h + β) Cᵀ α⁻¹ C of a run."""
    limit_forces(rods, first, end, h)
    for row in range(first, end):
        for lane in range(LANES):
            _eliminate(rods, first, row, end, lane, h)


@native_part
def limit_forces(rods, first, end, h):  # type: ignore[no-untyped-def]
    """h² / α of the bends of a run, as far as they can be solved."""
    for row in range(first, end):
        for lane in range(LANES):
            rods.forces[row, lane] = _force(rods, row, lane, h)


@native_part
def _force(rods, row, lane, h):  # type: ignore[no-untyped-def]
    """h² / α of a bend, or as much as its lightest particle lets the solve hold."""
    stiffness = rods.stiffness[row, lane]
    if stiffness == 0.0:
        return 0.0
    near, far = rods.near[row, lane], rods.far[row, lane]
    lightest = max(
        rods.inverse_masses[row - 1, lane],
        rods.inverse_masses[row, lane],
        rods.inverse_masses[row + 1, lane],
    )
    size = lightest * (near * near + (near + far) * (near + far) + far * far)
    return min(h * h * stiffness, rods.limits[row, lane] / size) if size > 0.0 else 0.0


@native_part
def _eliminate(rods, first, row, end, lane, h):  # type: ignore[no-untyped-def]
    """A row of L and D. D is never below the particle's mass, but for rounding."""
    inverse_mass = rods.inverse_masses[row, lane]
    rods.inverse_pivots[row, lane] = 0.0
    rods.lower[row, lane] = 0.0
    rods.lowest[row, lane] = 0.0
    if inverse_mass == 0.0:
        return
    near, far = rods.near[row, lane], rods.far[row, lane]
    held = rods.forces[row, lane] * (1.0 + rods.damping[row, lane] / h)
    diagonal = 1.0 / inverse_mass + held * (near + far) * (near + far)
    lower, lowest = 0.0, 0.0
    if row > first:
        near_before, far_before = rods.near[row - 1, lane], rods.far[row - 1, lane]
        held_before = rods.forces[row - 1, lane] * (1.0 + rods.damping[row - 1, lane] / h)
        diagonal += held_before * far_before * far_before
        lower = -held * (near + far) * near - held_before * far_before * (near_before + far_before)
        lowest = held_before * far_before * near_before
    if row + 1 < end:
        held_after = rods.forces[row + 1, lane] * (1.0 + rods.damping[row + 1, lane] / h)
        diagonal += held_after * rods.near[row + 1, lane] * rods.near[row + 1, lane]
    pivot = diagonal
    if row > first + 1:
        rods.lowest[row, lane] = lowest * rods.inverse_pivots[row - 2, lane]
        lower -= lowest * rods.lower[row - 1, lane]
        pivot -= lowest * rods.lowest[row, lane]
    if row > first:
        rods.lower[row, lane] = lower * rods.inverse_pivots[row - 1, lane]
        pivot -= lower * rods.lower[row, lane]
    rods.inverse_pivots[row, lane] = 1.0 / max(pivot, 1.0 / inverse_mass)


@native_part
def _gather(source, rods, first, end, x):  # type: ignore[no-untyped-def]
    """Positions along a run."""
    particles = numbers_of(rods.particles, first, end)
    found = numbers_of(x, 0, end - first)
    numbers = numbers_of(source, 0, len(source))
    for i in range(end - first):
        for lane in range(LANES):
            place, start = WIDTH * i + lane, 4 * particles[LANES * i + lane]
            found[place] = numbers[start]
            found[place + LANES] = numbers[start + 1]
            found[place + 2 * LANES] = numbers[start + 2]


@native_part
def _straighten(rods, first, end, x, moments):  # type: ignore[no-untyped-def]
    """h² times the moment of each bend, were it straight at rest; zero at both ends."""
    near, far = numbers_of(rods.near, first, end), numbers_of(rods.far, first, end)
    forces = numbers_of(rods.forces, first, end)
    points, found = numbers_of(x, 0, end - first), numbers_of(moments, 0, end - first)
    for place in range(WIDTH):
        found[place] = 0.0
        found[len(found) - 1 - place] = 0.0
    for i in range(1, end - first - 1):
        for k in range(3):
            for lane in range(LANES):
                place, bend = LANES * (3 * i + k) + lane, LANES * i + lane
                here = points[place]
                after, before = points[place + WIDTH] - here, here - points[place - WIDTH]
                found[place] = forces[bend] * (far[bend] * after - near[bend] * before)


@native_part
def note_turns(rows, rods, first, end, x):  # type: ignore[no-untyped-def]
    """Leave C x of a run, of which the next substep damps the change.

    Args:
        x: room for positions.
    """
    near, far = numbers_of(rods.near, first, end), numbers_of(rods.far, first, end)
    _gather(rows, rods, first, end, x)
    points, bent = numbers_of(x, 0, end - first), numbers_of(rods.bent, first, end)
    for i in range(1, end - first - 1):
        for lane in range(LANES):
            place, bend = WIDTH * i + lane, LANES * i + lane
            put(bent, place, turns_of(points, place, near[bend], far[bend]))


@native_part
def _add_damping(rods, first, end, h, x, moments):  # type: ignore[no-untyped-def]
    """Add what damps the change of C x since the last solve, less what the rod has turned."""
    near, far = numbers_of(rods.near, first, end), numbers_of(rods.far, first, end)
    forces, times = numbers_of(rods.forces, first, end), numbers_of(rods.damping, first, end)
    points, bent = numbers_of(x, 0, end - first), numbers_of(rods.bent, first, end)
    found, last = numbers_of(moments, 0, end - first), end - first - 1
    for lane in range(LANES):
        rotation = rotation_of(near, far, forces, bent, points, last, lane)
        for i in range(1, last):
            place, bend = WIDTH * i + lane, LANES * i + lane
            x0, y0, z0 = turned(vector(bent, place), rotation)
            x1, y1, z1 = turns_of(points, place, near[bend], far[bend])
            share = forces[bend] * times[bend] / h
            found[place] += share * (x1 - x0)
            found[place + LANES] += share * (y1 - y0)
            found[place + 2 * LANES] += share * (z1 - z0)


@native_part
def _subtract_rest(rods, first, end, moments):  # type: ignore[no-untyped-def]
    """Take b₀ from the turns."""
    turns, forces = numbers_of(rods.turns, first, end), numbers_of(rods.forces, first, end)
    found = numbers_of(moments, 0, end - first)
    for i in range(1, end - first - 1):
        for k in range(3):
            for lane in range(LANES):
                place = LANES * (3 * i + k) + lane
                found[place] -= forces[LANES * i + lane] * turns[place]


@native_part
def find_forces(rods, first, end, moments, forces):  # type: ignore[no-untyped-def]
    """-Cᵀ moments, h² times the force on each particle of a run."""
    near, far = numbers_of(rods.near, first, end), numbers_of(rods.far, first, end)
    given, found = numbers_of(moments, 0, end - first), numbers_of(forces, 0, end - first)
    last = end - first - 1
    for i in range(last + 1):
        # There is no moment at the ends: beyond them any will do.
        before, after = LANES * (max(i, 1) - 1), LANES * min(i + 1, last)
        for k in range(3):
            for lane in range(LANES):
                here, bend = LANES * k + lane, LANES * i + lane
                found[WIDTH * i + here] = (
                    (near[bend] + far[bend]) * given[WIDTH * i + here]
                    - far[before + lane] * given[3 * before + here]
                    - near[after + lane] * given[3 * after + here]
                )


@native_part
def _substitute(rods, first, end, right):  # type: ignore[no-untyped-def]
    """Turn the right side y of L D Lᵀ d = y into d."""
    lower, lowest = numbers_of(rods.lower, first, end), numbers_of(rods.lowest, first, end)
    inverse, y = numbers_of(rods.inverse_pivots, first, end), numbers_of(right, 0, end - first)
    rows = end - first
    for i in range(1, rows):
        # The first rows have nothing two rows before: the factor is zero.
        two = 2 if i > 1 else 1
        for k in range(3):
            for lane in range(LANES):
                place, entry = LANES * (3 * i + k) + lane, LANES * i + lane
                y[place] -= lower[entry] * y[place - WIDTH] + lowest[entry] * y[place - two * WIDTH]
    for i in range(rows - 1, -1, -1):
        one, two = min(i + 1, rows - 1), min(i + 2, rows - 1)
        ends, before_end = i == rows - 1, i >= rows - 2
        for k in range(3):
            for lane in range(LANES):
                place, here = LANES * (3 * i + k) + lane, LANES * k + lane
                after = 0.0 if ends else lower[LANES * one + lane] * y[WIDTH * one + here]
                beyond = 0.0 if before_end else lowest[LANES * two + lane] * y[WIDTH * two + here]
                y[place] = inverse[LANES * i + lane] * y[place] - after - beyond


@native_part
def _move(arrays, rods, first, end, h, y):  # type: ignore[no-untyped-def]
    """Move the particles of a run."""
    particles = numbers_of(rods.particles, first, end)
    inverse_masses = numbers_of(rods.inverse_masses, first, end)
    steps = numbers_of(y, 0, end - first)
    for i in range(end - first):
        for lane in range(LANES):
            if inverse_masses[LANES * i + lane] > 0.0:
                for k in range(3):
                    step = steps[WIDTH * i + lane + k * LANES]
                    displace(arrays, particles[LANES * i + lane], k, step, h)


@native_part
def note_multipliers(rows, rods, first, end, share, x, multipliers):  # type: ignore[no-untyped-def]
    """λ = -(θ - θ₀) / α̃ of the bends of a run, where particles are now.

    Args:
        share: of h², by which λ is a force.
    """
    _gather(rows, rods, first, end, x)
    points = numbers_of(x, 0, end - first)
    for row in range(first + 1, end - 1):
        for lane in range(LANES):
            slot, place = rods.slots[row, lane], WIDTH * (row - first) + lane
            if slot >= 0:
                tx, ty, tz = turns_of(points, place, rods.near[row, lane], rods.far[row, lane])
                length = math.sqrt(tx * tx + ty * ty + tz * tz)
                rest = 0.5 * rods.rest[row, lane]
                angle = 2.0 * (math.asin(min(0.5 * length, 1.0)) - math.asin(rest))
                # Forces have the slope of |C x| in them; see ``rods``.
                slope = max(1.0 - rest * rest, SHARPEST)
                multipliers[slot] = -angle * slope * share * rods.forces[row, lane]
