# SPDX-License-Identifier: GPL-3.0-or-later
"""All bends of a web at once: L D Lᵀ of a sparse matrix, column by column."""

from __future__ import annotations

from ....native.compiled import native_part
from ....native.team import meet, share_of
from .displacement import displace
from .rod_step import find_forces, find_moments, limit_forces, note_multipliers, note_turns
from .rods import LANES


@native_part
def bend_webs(arrays, webs, settings, substep, multipliers, team):  # type: ignore[no-untyped-def]
    """Let particles feel their webs, as one of several threads; one has the whole of a web."""
    scratch = webs.rods.scratch[team.thread]
    for color in range(len(webs.colors) - 1):
        begin = webs.colors[color]
        first, last = share_of(webs.colors[color + 1] - begin, team.thread, team.threads)
        for web in range(begin + first, begin + last):
            _bend_web(arrays, webs, web, settings, substep, multipliers, scratch)
        meet(team)


@native_part
def _bend_web(arrays, webs, web, settings, substep, multipliers, scratch):  # type: ignore[no-untyped-def]
    rods, h, rows = webs.rods, float(settings.h), arrays.rows
    first, last = webs.column_ends[web], webs.column_ends[web + 1]
    if webs.factored[web] != h:
        _assemble(webs, web, first, last, h)
        _factorise(webs, first, last)
        webs.factored[web] = h
    for column in range(first, last):
        for k in range(3):
            webs.right[column, k] = 0.0
    for run in range(webs.run_ends[web], webs.run_ends[web + 1]):
        find_moments(arrays, rods, rods.runs[run, 0], rods.runs[run, 1], h, substep, scratch)
        _add_forces(webs, rods.runs[run, 0], rods.runs[run, 1], scratch)
    _substitute(webs, first, last)
    for column in range(first, last):
        for k in range(3):
            displace(arrays, webs.particles[column], k, webs.right[column, k], h)
    ends, share = substep == settings.substeps - 1, settings.span * settings.span / (h * h)
    for run in range(webs.run_ends[web], webs.run_ends[web + 1]):
        start, end = rods.runs[run, 0], rods.runs[run, 1]
        if rods.damped:
            note_turns(rows, rods, start, end, scratch[0])
        if ends:
            note_multipliers(rows, rods, start, end, share, scratch[0], multipliers)


@native_part
def _assemble(webs, web, first, last, h):  # type: ignore[no-untyped-def]
    """M + h (h + β) Cᵀ α⁻¹ C."""
    rods, values = webs.rods, webs.values
    for run in range(webs.run_ends[web], webs.run_ends[web + 1]):
        limit_forces(rods, rods.runs[run, 0], rods.runs[run, 1], h)
    for column in range(first, last):
        values[column] = webs.masses[column]
    diagonals = len(webs.particles)
    for entry in range(diagonals + webs.entry_ends[first], diagonals + webs.entry_ends[last]):
        values[entry] = 0.0
    for bend in range(webs.bend_ends[web], webs.bend_ends[web + 1]):
        row, lane = webs.bends[bend, 0], webs.bends[bend, 1]
        held = rods.forces[row, lane] * (1.0 + rods.damping[row, lane] / h)
        near, far = rods.near[row, lane], rods.far[row, lane]
        middle = -near - far
        _add(values, webs.targets[bend, 0], held * near * near)
        _add(values, webs.targets[bend, 1], held * middle * middle)
        _add(values, webs.targets[bend, 2], held * far * far)
        _add(values, webs.targets[bend, 3], held * near * middle)
        _add(values, webs.targets[bend, 4], held * middle * far)
        _add(values, webs.targets[bend, 5], held * near * far)


@native_part
def _add(values, place, number):  # type: ignore[no-untyped-def]
    if place >= 0:
        values[place] += number


@native_part
def _factorise(webs, first, last):  # type: ignore[no-untyped-def]
    """L D Lᵀ of columns [first, last) in place. D is never below a mass, but for rounding."""
    values, diagonals = webs.values, len(webs.particles)
    for column in range(first, last):
        inverse = 1.0 / max(values[column], webs.masses[column])
        values[column] = inverse
        pair = webs.pair_ends[column]
        start = diagonals + webs.entry_ends[column]
        end = diagonals + webs.entry_ends[column + 1]
        for entry in range(start, end):
            factor = values[entry] * inverse
            for other in range(start, entry + 1):
                values[webs.pairs[pair]] -= factor * values[other]
                pair += 1
        for entry in range(start, end):
            values[entry] *= inverse


@native_part
def _add_forces(webs, first, end, scratch):  # type: ignore[no-untyped-def]
    """Add the forces on the particles of a run to the right side."""
    moments, forces = scratch[2], scratch[3]
    find_forces(webs.rods, first, end, moments, forces)
    for row in range(first, end):
        for lane in range(LANES):
            column = webs.columns[row, lane]
            if column >= 0:
                for k in range(3):
                    webs.right[column, k] += forces[row - first, k, lane]


@native_part
def _substitute(webs, first, last):  # type: ignore[no-untyped-def]
    """Turn the right side into the solution."""
    values, right, diagonals = webs.values, webs.right, len(webs.particles)
    for column in range(first, last):
        for entry in range(webs.entry_ends[column], webs.entry_ends[column + 1]):
            factor, below = values[diagonals + entry], webs.below[entry]
            for k in range(3):
                right[below, k] -= factor * right[column, k]
    for column in range(last - 1, first - 1, -1):
        for k in range(3):
            right[column, k] *= values[column]
        for entry in range(webs.entry_ends[column], webs.entry_ends[column + 1]):
            factor, below = values[diagonals + entry], webs.below[entry]
            for k in range(3):
                right[column, k] -= factor * right[below, k]
