# SPDX-License-Identifier: GPL-3.0-or-later
"""All bends of a rod at once: its matrix has five diagonals, L D Lᵀ in one pass along and one back.

A bend has the moment α⁻¹ (C x - b₀), a vector, where b₀ lies along C x and has the length that this
has at rest: a strand has no torsion, so that its curl may turn about it at no cost. Rotated as a
whole it feels nothing. Damping takes from how fast |C x| changes, for the same reason.

In double precision: the condition of the matrix is h² / (α m ℓ²), 10⁷ for a wire in steps of 1 mm.
"""

from __future__ import annotations

import math

from ....native.compiled import native_part
from ....native.team import meet, share_of
from .rods import LANES

STIFFEST = 1e10
"""The largest h² / α times |c|² over the least mass: what double precision can solve."""

STRAIGHT = 0.2
"""Of |C x| at rest: below it the direction of the bend counts by and by less, as it may jump."""

TINY = 1e-30


@native_part
def bend_rods(arrays, rods, h, last, multipliers, team):  # type: ignore[no-untyped-def]
    """Let particles feel their rods, as one of several threads.

    Args:
        h: length of the substep [s].
        last: whether λ is to be noted.
    """
    for color in range(len(rods.colors) - 1):
        begin = rods.colors[color]
        count = rods.colors[color + 1] - begin
        first, end = share_of(count, team.thread, team.threads)
        for run in range(begin + first, begin + end):
            _bend_run(arrays, rods, run, float(h), last, multipliers, rods.scratch[team.thread])
        meet(team)


@native_part
def _bend_run(arrays, rods, run, h, last, multipliers, scratch):  # type: ignore[no-untyped-def]
    """LANES rods side by side."""
    x, before, moments, y = scratch[0], scratch[1], scratch[2], scratch[3]
    first, end = rods.runs[run, 0], rods.runs[run, 1]
    if rods.factored[run] != h:
        _factorise(rods, first, end, h)
        rods.factored[run] = h
    if rods.damped:
        _gather(arrays.previous, rods, first, end, before)
    _gather(arrays.rows, rods, first, end, x)
    _find_moments(rods, first, end, h, x, before, moments)
    _substitute(rods, first, end, moments, y)
    _move(arrays.rows, rods, first, end, y)
    if last:
        _gather(arrays.rows, rods, first, end, x)
        _note_multipliers(rods, first, end, x, multipliers)


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
def _find_moments(rods, first, end, h, x, before, moments):  # type: ignore[no-untyped-def]
    """h² times the moment of each bend.

    Args:
        before: positions at the substep's start; only read where anything is damped.
    """
    for row in range(first, end):
        i = row - first
        if i == 0 or row == end - 1:
            for k in range(3):
                for lane in range(LANES):
                    moments[i, k, lane] = 0.0
            continue
        for lane in range(LANES):
            near, far = rods.near[row, lane], rods.far[row, lane]
            bx, by, bz = _turn(x, i, lane, near, far)
            length = math.sqrt(bx * bx + by * by + bz * bz)
            rest = rods.rest[row, lane]
            straight = max(STRAIGHT * rest, TINY)
            part = length / straight
            ratio = rest / max(length, straight) if part > 1.0 else rest * (2.0 - part) / straight
            share = 1.0 - ratio
            if rods.damped:
                px, py, pz = _turn(before, i, lane, near, far)
                was = math.sqrt(px * px + py * py + pz * pz)
                share += rods.damping[row, lane] / h * (1.0 - was / max(length, TINY))
            share *= rods.forces[row, lane]
            moments[i, 0, lane] = share * bx
            moments[i, 1, lane] = share * by
            moments[i, 2, lane] = share * bz


@native_part
def _turn(x, i, lane, near, far):  # type: ignore[no-untyped-def]
    """C x of a bend: the difference of both tangents."""
    return (
        far * (x[i + 1, 0, lane] - x[i, 0, lane]) - near * (x[i, 0, lane] - x[i - 1, 0, lane]),
        far * (x[i + 1, 1, lane] - x[i, 1, lane]) - near * (x[i, 1, lane] - x[i - 1, 1, lane]),
        far * (x[i + 1, 2, lane] - x[i, 2, lane]) - near * (x[i, 2, lane] - x[i - 1, 2, lane]),
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
def _note_multipliers(rods, first, end, x, multipliers):  # type: ignore[no-untyped-def]
    """λ = -(θ - θ₀) / α̃ of the bends of a run, whose particles are at x."""
    for row in range(first + 1, end - 1):
        for lane in range(LANES):
            slot = rods.slots[row, lane]
            if slot >= 0:
                bx, by, bz = _turn(x, row - first, lane, rods.near[row, lane], rods.far[row, lane])
                length = math.sqrt(bx * bx + by * by + bz * bz)
                rest = rods.rest[row, lane]
                angle = 2.0 * (math.asin(min(0.5 * length, 1.0)) - math.asin(0.5 * rest))
                slope = 1.0 - 0.25 * rest * rest
                multipliers[slot] = -angle * slope * rods.forces[row, lane]
