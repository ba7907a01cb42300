# SPDX-License-Identifier: GPL-3.0-or-later
"""All bends and twists of a rod at once, and its lengths with them: one pass along, one back.

All of it is a push at once, over the whole substep h, as bending is (:mod:`.rod_step`): its parts
hold each other. Were lengths part of the acceleration, which goes on in the next substep, but bends
not, curls that are flung about would tear. So strands that resist twisting swing as implicit Euler
has it. λ of lengths are where the sweeps go on from: these correct what is not linear.

In double precision, as :mod:`.rod_step`.
"""

from __future__ import annotations

import math

from ....native.compiled import native_part
from ....native.rows import numbers_of
from ....native.team import meet, share_of
from ....vector.call import call_kernel
from .displacement import displace
from .kirchhoff import (
    BEND,
    BEND_HELD,
    KEPT,
    LENGTH,
    POINTS,
    STRETCH,
    STRETCH_HELD,
    TWIST,
    TWIST_HELD,
)
from .rods import STIFFEST
from .twisted_rods import LANES

LEAST, MOST = 0.2, 100.0
"""Of the stiffness against bending, that against twisting. What twists more easily would spin back
and forth about itself; what twists less easily looks the same."""


@native_part
def bend_twisted_rods(arrays, rods, settings, substep, multipliers, team):  # type: ignore[no-untyped-def]
    """Let particles feel rods that resist twisting, as one of several threads."""
    kept = rods.kept[team.thread]
    for color in range(len(rods.colors) - 1):
        begin = rods.colors[color]
        first, end = share_of(rods.colors[color + 1] - begin, team.thread, team.threads)
        for run in range(begin + first, begin + end):
            _bend_run(arrays, rods, run, settings, substep, multipliers, kept)
        meet(team)


@native_part
def _bend_run(arrays, rods, run, settings, substep, multipliers, kept):  # type: ignore[no-untyped-def]
    """LANES rods side by side."""
    first, end, h = rods.runs[run, 0], rods.runs[run, 1], float(settings.h)
    span = float(settings.span)
    if rods.factored[run] != h:
        _scale(rods, first, end, h, span)
        rods.factored[run] = h
    _gather(arrays, rods, first, end, multipliers)
    for guide in range(rods.guides.ends[run], rods.guides.ends[run + 1]):
        _follow_guide(arrays.previous, rods, guide)
    given, points = numbers_of(rods.given, first, end), numbers_of(rods.points, first, end)
    frames, beginning = numbers_of(rods.frames, first, end), (0, 0, 0, 0)
    call_kernel(
        rods.along, points, points, given, points, frames, kept, beginning, 1.0, end - first
    )
    call_kernel(rods.back, points, points, given, points, frames, kept, beginning, 1.0, end - first)
    share = span * span / (h * h)
    _move(arrays, rods, first, end, h, share, multipliers, kept)
    if substep == settings.substeps - 1:
        _note_multipliers(arrays.rows, rods, first, end, share, multipliers)


@native_part
def _scale(rods, first, end, h, span):  # type: ignore[no-untyped-def]
    """h² times each stiffness, as much as double precision can solve for."""
    for row in range(first, end):
        for lane in range(LANES):
            lightest = max(
                rods.inverse_masses[row, lane], rods.inverse_masses[max(row - 1, first), lane]
            )
            lightest = max(lightest, rods.inverse_masses[max(row - 2, first), lane])
            length = rods.given[row, LENGTH, lane]
            if row > first:
                length = min(length, rods.given[row - 1, LENGTH, lane])
            stretch, bend, twist = 0.0, 0.0, 0.0
            if lightest > 0.0:
                most = STIFFEST / lightest
                stretch = min(h * h * rods.constants[row, 0, lane], most)
                bend = min(h * h * rods.constants[row, 2, lane], most * length * length)
                twist = min(max(h * h * rods.constants[row, 4, lane], LEAST * bend), MOST * bend)
            rods.given[row, STRETCH, lane] = stretch
            rods.given[row, STRETCH_HELD, lane] = stretch * (
                1.0 + rods.constants[row, 1, lane] / span
            )
            rods.given[row, BEND, lane] = bend
            rods.given[row, BEND_HELD, lane] = bend * (1.0 + rods.constants[row, 3, lane] / h)
            rods.given[row, TWIST, lane] = twist
            rods.given[row, TWIST_HELD, lane] = twist * (1.0 + rods.constants[row, 5, lane] / h)


@native_part
def _gather(arrays, rods, first, end, multipliers):  # type: ignore[no-untyped-def]
    """Where particles were, how far they have come, and λ of edges."""
    particles = numbers_of(rods.particles, first, end)
    edges, points = numbers_of(rods.edges, first, end), numbers_of(rods.points, first, end)
    rows = numbers_of(arrays.rows, 0, len(arrays.rows))
    previous = numbers_of(arrays.previous, 0, len(arrays.previous))
    for i in range(end - first):
        for lane in range(LANES):
            place, start = LANES * POINTS * i + lane, 4 * particles[LANES * i + lane]
            for k in range(3):
                before = float(previous[start + k])
                points[place + LANES * k] = before
                points[place + LANES * (3 + k)] = float(rows[start + k]) - before
            edge = edges[LANES * i + lane]
            points[place + LANES * 6] = float(multipliers[edge]) if edge >= 0 else 0.0


@native_part
def _follow_guide(rows, rods, guide):  # type: ignore[no-untyped-def]
    """Turn the frame of a pinned edge with the vertex that guides it."""
    row, lane = rods.guides.places[guide, 0], rods.guides.places[guide, 1]
    a, b = rods.guides.places[guide, 2], rods.guides.places[guide, 3]
    c = rods.guides.places[guide, 4]
    tx, ty, tz = _unit(rows[b, 0] - rows[a, 0], rows[b, 1] - rows[a, 1], rows[b, 2] - rows[a, 2])
    wx, wy, wz = rows[c, 0] - rows[b, 0], rows[c, 1] - rows[b, 1], rows[c, 2] - rows[b, 2]
    inside = wx * tx + wy * ty + wz * tz
    wx, wy, wz = _unit(wx - inside * tx, wy - inside * ty, wz - inside * tz)
    if wx * wx + wy * wy + wz * wz < 0.5:
        return
    p, q = rods.guides.directions[guide, 0], rods.guides.directions[guide, 1]
    rods.frames[row, 0, lane] = p * wx + q * (ty * wz - tz * wy)
    rods.frames[row, 1, lane] = p * wy + q * (tz * wx - tx * wz)
    rods.frames[row, 2, lane] = p * wz + q * (tx * wy - ty * wx)
    rods.frames[row, 3, lane] = tx
    rods.frames[row, 4, lane] = ty
    rods.frames[row, 5, lane] = tz


@native_part
def _unit(x, y, z):  # type: ignore[no-untyped-def]
    """A direction, or zero where there is none."""
    x, y, z = float(x), float(y), float(z)
    length = math.sqrt(x * x + y * y + z * z)
    inverse = 1.0 / length if length > 0.0 else 0.0
    return x * inverse, y * inverse, z * inverse


@native_part
def _move(arrays, rods, first, end, h, share, multipliers, kept):  # type: ignore[no-untyped-def]
    """Move the particles of a run, and hand λ of edges on.

    Args:
        share: of h², by which λ of what is swept is a force.
    """
    rows, width = arrays.rows, LANES * KEPT
    for row in range(first, end):
        for lane in range(LANES):
            place = width * (row - first) + lane
            if rods.inverse_masses[row, lane] > 0.0:
                particle = rods.particles[row, lane]
                for k in range(3):
                    displace(arrays, particle, k, kept[place + LANES * k], h)
            edge = rods.edges[row, lane]
            if edge >= 0:
                multipliers[edge] = rows.dtype.type(share * kept[place + LANES * 3])


@native_part
def _note_multipliers(rows, rods, first, end, share, multipliers):  # type: ignore[no-untyped-def]
    """λ = -(θ - θ₀) / α̃ of the bends of a run, where particles are now.

    Args:
        share: of h², by which λ is a force.
    """
    for row in range(first + 2, end):
        for lane in range(LANES):
            slot = rods.bends[row, lane]
            if slot >= 0:
                a, b = rods.particles[row - 2, lane], rods.particles[row - 1, lane]
                c = rods.particles[row, lane]
                px, py, pz = _unit(
                    rows[b, 0] - rows[a, 0], rows[b, 1] - rows[a, 1], rows[b, 2] - rows[a, 2]
                )
                qx, qy, qz = _unit(
                    rows[c, 0] - rows[b, 0], rows[c, 1] - rows[b, 1], rows[c, 2] - rows[b, 2]
                )
                x, y, z = qx - px, qy - py, qz - pz
                half = min(0.5 * math.sqrt(x * x + y * y + z * z), 1.0)
                rest = 0.5 * rods.constants[row, 6, lane]
                angle = 2.0 * (math.asin(half) - math.asin(rest))
                multipliers[slot] = -angle * share * rods.given[row, BEND, lane]
