# SPDX-License-Identifier: GPL-3.0-or-later
"""All bends of a rod at once: its matrix has five diagonals, L D Lᵀ in one pass along and one back.

A bend has the moment α⁻¹ (C x - b₀), a vector. b₀ is C x at rest, carried along: it turns as the
strand turns there, without spin about it (parallel transport in time), but for the spin of the rod
as a whole. So b₀ does not follow C x, which would feed energy in; there is no torsion that would
bring a curl back that has turned about the strand. Damping goes by the change along the bend: what
turns as a whole feels nothing.

In double precision: the condition of the matrix is h² / (α m ℓ²), 10⁷ for a wire in steps of 1 mm.
"""

from __future__ import annotations

import math

from ....native.compiled import native_part
from ....native.team import meet, share_of
from .carried_turns import begin_turns, carry_turns
from .rods import LANES, SHARPEST
from .turns import TINY, turn_of, turns_of


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
    _move(arrays.rows, rods, first, end, y)
    if substep == settings.substeps - 1:
        note_multipliers(arrays.rows, rods, first, end, scratch[0], multipliers)


@native_part
def find_moments(arrays, rods, first, end, h, substep, scratch):  # type: ignore[no-untyped-def]
    """h² times the moment of each bend of a run, into ``scratch[2]``."""
    x, before, moments = scratch[0], scratch[1], scratch[2]
    _gather(arrays.rows, rods, first, end, x)
    _straighten(rods, first, end, x, moments)
    if rods.damped or rods.curved:
        _gather(arrays.previous, rods, first, end, before)
    if rods.damped:
        _add_damping(rods, first, end, h, x, before, moments)
    if rods.curved:
        if substep == 0 and not rods.carried[0]:
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
    for row in range(first, end):
        for lane in range(LANES):
            particle = rods.particles[row, lane]
            for k in range(3):
                x[row - first, k, lane] = source[particle, k]


@native_part
def _straighten(rods, first, end, x, moments):  # type: ignore[no-untyped-def]
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
                moments[i, k, lane] = rods.forces[row, lane] * turn_of(x, i, k, lane, near, far)


@native_part
def _add_damping(rods, first, end, h, x, before, moments):  # type: ignore[no-untyped-def]
    """Add what the change since ``before`` is damped by, along the bend halfway."""
    for row in range(first + 1, end - 1):
        i = row - first
        for lane in range(LANES):
            near, far = rods.near[row, lane], rods.far[row, lane]
            x0, y0, z0 = turns_of(before, i, lane, near, far)
            x1, y1, z1 = turns_of(x, i, lane, near, far)
            along_x, along_y, along_z = x0 + x1, y0 + y1, z0 + z1
            change = along_x * (x1 - x0) + along_y * (y1 - y0) + along_z * (z1 - z0)
            square = along_x * along_x + along_y * along_y + along_z * along_z
            rate = rods.damping[row, lane] / h * change / max(square, TINY)
            share = rods.forces[row, lane] * rate
            moments[i, 0, lane] += share * along_x
            moments[i, 1, lane] += share * along_y
            moments[i, 2, lane] += share * along_z


@native_part
def _subtract_rest(rods, first, end, moments):  # type: ignore[no-untyped-def]
    """Take b₀ from the turns."""
    for row in range(first + 1, end - 1):
        for k in range(3):
            for lane in range(LANES):
                moments[row - first, k, lane] -= rods.forces[row, lane] * rods.turns[row, k, lane]


@native_part
def find_forces(rods, first, end, moments, forces):  # type: ignore[no-untyped-def]
    """-Cᵀ moments, h² times the force on each particle of a run."""
    for row in range(first, end):
        i = row - first
        for k in range(3):
            for lane in range(LANES):
                force = (rods.near[row, lane] + rods.far[row, lane]) * moments[i, k, lane]
                if i > 0:
                    force -= rods.far[row - 1, lane] * moments[i - 1, k, lane]
                if row + 1 < end:
                    force -= rods.near[row + 1, lane] * moments[i + 1, k, lane]
                forces[i, k, lane] = force


@native_part
def _substitute(rods, first, end, y):  # type: ignore[no-untyped-def]
    """Turn the right side y of L D Lᵀ d = y into d."""
    for row in range(first + 1, end):
        i = row - first
        for k in range(3):
            for lane in range(LANES):
                y[i, k, lane] -= rods.lower[row, lane] * y[i - 1, k, lane]
                if i > 1:
                    y[i, k, lane] -= rods.lowest[row, lane] * y[i - 2, k, lane]
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
def note_multipliers(rows, rods, first, end, x, multipliers):  # type: ignore[no-untyped-def]
    """λ = -(θ - θ₀) / α̃ of the bends of a run, where particles are now."""
    _gather(rows, rods, first, end, x)
    for row in range(first + 1, end - 1):
        for lane in range(LANES):
            slot = rods.slots[row, lane]
            if slot >= 0:
                tx, ty, tz = turns_of(
                    x, row - first, lane, rods.near[row, lane], rods.far[row, lane]
                )
                length = math.sqrt(tx * tx + ty * ty + tz * tz)
                rest = 0.5 * rods.rest[row, lane]
                angle = 2.0 * (math.asin(min(0.5 * length, 1.0)) - math.asin(rest))
                # Forces have the slope of |C x| in them; see ``rods``.
                slope = max(1.0 - rest * rest, SHARPEST)
                multipliers[slot] = -angle * slope * rods.forces[row, lane]
