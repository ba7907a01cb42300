# SPDX-License-Identifier: GPL-3.0-or-later
"""All bends of a rod at once: its matrix has five diagonals, L D Lᵀ in one pass along and one back.

A bend has the moment α⁻¹ (C x - b₀), a vector, where b₀ has the length of C x at rest and the
direction of C x around the bend: a strand has no torsion, so that its curl may turn about it at no
cost. What turns as a whole feels nothing, so damping goes by the change along the bend, too.

In double precision: the condition of the matrix is h² / (α m ℓ²), 10⁷ for a wire in steps of 1 mm.
"""

from __future__ import annotations

import math

from ....native.compiled import native_part
from ....native.team import meet, share_of
from .rods import LANES, SHARPEST

STIFFEST = 1e10
"""The largest h² / α times |c|² over the least mass: what double precision can solve."""

STRAIGHT = 0.2
"""Of |C x| at rest: below it the direction of the bend counts by and by less, as it may jump."""

TINY = 1e-30


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
    x, directions, moments, y = scratch[0], scratch[1], scratch[2], scratch[3]
    first, end, h = rods.runs[run, 0], rods.runs[run, 1], float(settings.h)
    if rods.factored[run] != h:
        _factorise(rods, first, end, h)
        rods.factored[run] = h
    _gather(arrays.rows, rods, first, end, x)
    _find_moments(rods, first, end, x, moments)
    if rods.damped:
        _gather(arrays.previous, rods, first, end, y)
        _add_damping(rods, first, end, h, x, y, moments)
    if rods.curved:
        _find_directions(rods, first, end, x, directions, y)
        _subtract_rest(rods, first, end, x, directions, moments)
    _substitute(rods, first, end, moments, y)
    _move(arrays.rows, rods, first, end, y)
    if substep == settings.substeps - 1:
        _note_multipliers(rods, first, end, x, y, multipliers)


@native_part
def _factorise(rods, first, end, h):  # type: ignore[no-untyped-def]
    """L D Lᵀ = M + h (h + β) Cᵀ α⁻¹ C of a run."""
    for row in range(first, end):
        for lane in range(LANES):
            rods.forces[row, lane] = _force(rods, row, end, lane, h)
    for row in range(first, end):
        for lane in range(LANES):
            _eliminate(rods, first, row, end, lane, h)


@native_part
def _force(rods, row, end, lane, h):  # type: ignore[no-untyped-def]
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
    if size == 0.0:
        return 0.0
    return min(h * h * stiffness, STIFFEST / size)


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
    for row in range(first, end):
        for lane in range(LANES):
            particle = rods.particles[row, lane]
            for k in range(3):
                x[row - first, k, lane] = source[particle, k]


@native_part
def _find_moments(rods, first, end, x, moments):  # type: ignore[no-untyped-def]
    """h² times the moment of each bend, were it straight at rest; zero at both ends."""
    for k in range(3):
        for lane in range(LANES):
            moments[0, k, lane] = 0.0
            moments[end - 1 - first, k, lane] = 0.0
    for row in range(first + 1, end - 1):
        i = row - first
        for k in range(3):
            for lane in range(LANES):
                near, far = rods.near[row, lane], rods.far[row, lane]
                moments[i, k, lane] = rods.forces[row, lane] * _turn(x, i, k, lane, near, far)


@native_part
def _find_moments(rods, first, end, x, moments):  # type: ignore[no-untyped-def]
    """h² times the moment of each bend, were it straight at rest; zero at both ends."""
    for k in range(3):
        for lane in range(LANES):
            moments[0, k, lane] = 0.0
            moments[end - 1 - first, k, lane] = 0.0
    for row in range(first + 1, end - 1):
        i = row - first
        for k in range(3):
            for lane in range(LANES):
                near, far = rods.near[row, lane], rods.far[row, lane]
                moments[i, k, lane] = rods.forces[row, lane] * _turn(x, i, k, lane, near, far)


@native_part
def _remember(rods, first, end, x):  # type: ignore[no-untyped-def]
    """Keep C x of each bend."""
    for row in range(first + 1, end - 1):
        for k in range(3):
            for lane in range(LANES):
                near, far = rods.near[row, lane], rods.far[row, lane]
                rods.turns[row, k, lane] = _turn(x, row - first, k, lane, near, far)


@native_part
def _coast(arrays, rods, first, end, h, x, before, way):  # type: ignore[no-untyped-def]
    """The way from x before to x, less that by gravity."""
    _gather(arrays.gained, rods, first, end, way)
    for i in range(end - first):
        for k in range(3):
            for lane in range(LANES):
                way[i, k, lane] = x[i, k, lane] - before[i, k, lane] - h * way[i, k, lane]


@native_part
def _add_damping(rods, first, end, h, x, before, moments):  # type: ignore[no-untyped-def]
    """Add what the change since ``before`` is damped by, along the bend halfway."""
    for row in range(first + 1, end - 1):
        i = row - first
        for lane in range(LANES):
            near, far = rods.near[row, lane], rods.far[row, lane]
            x0, y0, z0 = _turns(before, i, lane, near, far)
            x1, y1, z1 = _turns(x, i, lane, near, far)
            along_x, along_y, along_z = x0 + x1, y0 + y1, z0 + z1
            change = along_x * (x1 - x0) + along_y * (y1 - y0) + along_z * (z1 - z0)
            square = along_x * along_x + along_y * along_y + along_z * along_z
            rate = rods.damping[row, lane] / h * change / max(square, TINY)
            share = rods.forces[row, lane] * rate
            moments[i, 0, lane] += share * along_x
            moments[i, 1, lane] += share * along_y
            moments[i, 2, lane] += share * along_z


@native_part
def _find_directions(rods, first, end, x, directions, behind):  # type: ignore[no-untyped-def]
    """C x around each bend: the sum over those near it, less and less the farther they are.

    That of a single bend would be turned over by a kink, as gravity leaves one beside a pin.
    """
    for k in range(3):
        for lane in range(LANES):
            behind[0, k, lane] = 0.0
    for row in range(first + 1, end - 1):
        i = row - first
        for k in range(3):
            for lane in range(LANES):
                turn = _turn(x, i, k, lane, rods.near[row, lane], rods.far[row, lane])
                directions[i, k, lane] = turn
                behind[i, k, lane] = turn + rods.alike[row, lane] * behind[i - 1, k, lane]
    for row in range(end - 3, first, -1):
        i = row - first
        for k in range(3):
            for lane in range(LANES):
                share = rods.alike[row + 1, lane]
                directions[i, k, lane] += share * directions[i + 1, k, lane]
    for row in range(first + 1, end - 1):
        i = row - first
        for k in range(3):
            for lane in range(LANES):
                share = rods.alike[row, lane]
                directions[i, k, lane] += share * behind[i - 1, k, lane]


@native_part
def _subtract_rest(rods, first, end, x, directions, moments):  # type: ignore[no-untyped-def]
    """Take b₀ from the turns, across the strand."""
    for row in range(first + 1, end - 1):
        i = row - first
        for lane in range(LANES):
            dx, dy, dz = directions[i, 0, lane], directions[i, 1, lane], directions[i, 2, lane]
            tx = x[i + 1, 0, lane] - x[i - 1, 0, lane]
            ty = x[i + 1, 1, lane] - x[i - 1, 1, lane]
            tz = x[i + 1, 2, lane] - x[i - 1, 2, lane]
            along = (dx * tx + dy * ty + dz * tz) / max(tx * tx + ty * ty + tz * tz, TINY)
            dx, dy, dz = dx - along * tx, dy - along * ty, dz - along * tz
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            rest = rods.rest[row, lane]
            part = min(length / max(STRAIGHT * rest, TINY), 1.0)
            share = rods.forces[row, lane] * rest * part * (2.0 - part) / max(length, TINY)
            moments[i, 0, lane] -= share * dx
            moments[i, 1, lane] -= share * dy
            moments[i, 2, lane] -= share * dz


@native_part
def _turn(x, i, k, lane, near, far):  # type: ignore[no-untyped-def]
    """A number of C x of a bend, the difference of both tangents."""
    here = x[i, k, lane]
    return far * (x[i + 1, k, lane] - here) - near * (here - x[i - 1, k, lane])


@native_part
def _turns(x, i, lane, near, far):  # type: ignore[no-untyped-def]
    """All three of them."""
    return (
        _turn(x, i, 0, lane, near, far),
        _turn(x, i, 1, lane, near, far),
        _turn(x, i, 2, lane, near, far),
    )


@native_part
def _substitute(rods, first, end, moments, y):  # type: ignore[no-untyped-def]
    """Solve L D Lᵀ y = -Cᵀ moments."""
    for row in range(first, end):
        i = row - first
        for k in range(3):
            for lane in range(LANES):
                sum_of_two = rods.near[row, lane] + rods.far[row, lane]
                force = sum_of_two * moments[i, k, lane]
                if i > 0:
                    force -= rods.far[row - 1, lane] * moments[i - 1, k, lane]
                    force -= rods.lower[row, lane] * y[i - 1, k, lane]
                if i > 1:
                    force -= rods.lowest[row, lane] * y[i - 2, k, lane]
                if row + 1 < end:
                    force -= rods.near[row + 1, lane] * moments[i + 1, k, lane]
                y[i, k, lane] = force
    for row in range(end - 1, first - 1, -1):
        i = row - first
        for k in range(3):
            for lane in range(LANES):
                step = rods.inverse_pivots[row, lane] * y[i, k, lane]
                if row + 1 < end:
                    step -= rods.lower[row + 1, lane] * y[i + 1, k, lane]
                if row + 2 < end:
                    step -= rods.lowest[row + 2, lane] * y[i + 2, k, lane]
                y[i, k, lane] = step


@native_part
def _move(rows, rods, first, end, y):  # type: ignore[no-untyped-def]
    """Move the particles of a run."""
    for row in range(first, end):
        for lane in range(LANES):
            if rods.inverse_masses[row, lane] > 0.0:
                particle = rods.particles[row, lane]
                for k in range(3):
                    rows[particle, k] += rows.dtype.type(y[row - first, k, lane])


@native_part
def _note_multipliers(rods, first, end, x, y, multipliers):  # type: ignore[no-untyped-def]
    """λ = -(θ - θ₀) / α̃ of the bends of a run, whose particles are at x + y."""
    for row in range(first + 1, end - 1):
        for lane in range(LANES):
            slot = rods.slots[row, lane]
            if slot >= 0:
                near, far, square = rods.near[row, lane], rods.far[row, lane], 0.0
                for k in range(3):
                    turn = _turn(x, row - first, k, lane, near, far)
                    square += (turn + _turn(y, row - first, k, lane, near, far)) ** 2
                rest = 0.5 * rods.rest[row, lane]
                angle = 2.0 * (math.asin(min(0.5 * math.sqrt(square), 1.0)) - math.asin(rest))
                # Forces have the slope of |C x| in them; see ``rods``.
                force = rods.forces[row, lane] * max(1.0 - rest * rest, SHARPEST)
                multipliers[slot] = -angle * force
