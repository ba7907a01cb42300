# SPDX-License-Identifier: GPL-3.0-or-later
"""Stitches as links of the chains that come to them from both sides.

Tension travels along chains. Where they ended at a seam, each would be pulled together along itself
by each sweep, and all that a garment is too tight be left to the edges beside its seams, or keep
its threads from being drawn any further. What is welded (:mod:`.welds`) needs no link, but has no
force either, and two places. So threads that are not closed yet, and seams that can tear, are links
of a length that is as much as is to be left of them. A closed one has no direction of its own: it
pulls along the link before it, and what lies across is left to :mod:`.stitches`, where the force of
both adds up.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...layout.layout import Layout
from ...native.by_address import by_address
from ...native.compiled import native_part
from ...native.team import meet
from .chain_projection import NO_LENGTH
from .stitches import Stitches, gap_of

Indices = NDArray[np.int64]

SHORT = 1e-9
"""Length [m] to which a thread is drawn that is to be closed, but has a direction still."""

LOOSE = 1e20
"""Compliance [m/N] of threads that pull at nothing."""


@by_address
class Threads(NamedTuple):
    """Stitches that are links of chains, some of more than one, for native code.

    Attributes:
        stitches: numbers among all stitches, shape (t,).
        ends: particles before, at the start and at the end of each in its chain, -1 where the chain
            starts with it, shape (t, 3).
        signs: 1 where the chain runs from the first particle of the stitch to the other, else -1.
        shares: of the greatest force of its stitch that each may pull with, shape (t,).
        rests, compliances: places of these among all parameters, shape (t,).
        slots: of λ among all multipliers, shape (t,).
        seen: λ that the stitches know of, shape (t,).
    """

    stitches: Indices
    ends: Indices
    signs: NDArray[np.float64]
    shares: NDArray[np.float64]
    rests: Indices
    compliances: Indices
    slots: Indices
    seen: NDArray[np.float64]


def threads_of(layout: Layout, stitches: Stitches, ones: Indices) -> Threads:
    """The stitches that are links of a layout's chains.

    Args:
        ones: of each particle the one that stands for it in sweeps, shape (n,).
    """
    none = np.empty(0, np.int64)
    numbers, slots = [none], [none]
    ends, places = [np.empty((0, 3), np.int64)], [np.empty((0, 2), np.int64)]
    every_place = layout.parameter_places()
    for number, group in enumerate(layout.groups):
        if group.chains is None or len(group.sewn) == 0:
            continue
        own = len(group.indices) - len(group.sewn)
        numbers.append(group.sewn)
        ends.append(group.chains.ends_from(own))
        places.append(every_place[number][own:, [0, group.constraint.rest_size]])
        slots.append(layout.slots[number][own:, 0])
    every, along = np.concatenate(numbers), np.concatenate(ends)
    rests, compliances = np.concatenate(places).T
    return Threads(
        every,
        along,
        np.where(ones[stitches.particles[every, 0]] == along[:, 1], 1.0, -1.0),
        1.0 / np.bincount(every)[every] if len(every) else np.empty(0),
        np.ascontiguousarray(rests),
        np.ascontiguousarray(compliances),
        np.concatenate(slots),
        np.zeros(len(every)),
    )


@native_part
def tighten(arrays, program, stitches, threads, settings, iteration, team):  # type: ignore[no-untyped-def]
    """Let links be as long as their threads are to be at the substep's end.

    One that is drawn with a greatest force gives way by so much that it is not exceeded.
    """
    if len(threads.slots) == 0 or iteration > 0:
        return
    if team.thread == 0:
        real = program.parameters.dtype.type
        for t in range(len(threads.slots)):
            i = threads.stitches[t]
            x, y, z = gap_of(arrays.rows, threads.ends[t, 1], threads.ends[t, 2])
            length, left = math.sqrt(x * x + y * y + z * z), stitches.lengths[i]
            rest, compliance = NO_LENGTH, 0.0
            if left > 0.0:
                rest = max(SHORT, left - stitches.speeds[i] * float(settings.h))
                # A torn one has no force; it must not divide by that.
                greatest = max(stitches.holding[i] * threads.shares[t], 1.0 / LOOSE)
                compliance = (length - rest) / greatest
            if stitches.holding[i] == 0.0 or (left > 0.0 and length <= rest):
                rest, compliance = max(length, SHORT), LOOSE
            program.parameters[threads.rests[t]] = real(rest)
            program.parameters[threads.compliances[t]] = real(compliance)
            program.multipliers[threads.slots[t]] = real(0.0)
            threads.seen[t] = 0.0
    meet(team)


@native_part
def hand_over(arrays, program, stitches, threads, team):  # type: ignore[no-untyped-def]
    """Add what links have pulled since the last time to the λ of their stitches."""
    if len(threads.slots) == 0:
        return
    if team.thread == 0:
        for t in range(len(threads.slots)):
            i, now = threads.stitches[t], float(program.multipliers[threads.slots[t]])
            change = threads.signs[t] * (threads.seen[t] - now)
            threads.seen[t] = now
            first = 0 if stitches.lengths[i] == 0.0 else 1
            start, end = threads.ends[t, first], threads.ends[t, first + 1]
            if start < 0:
                continue
            x, y, z = gap_of(arrays.rows, start, end)
            length = math.sqrt(x * x + y * y + z * z)
            if length > 0.0:
                stitches.multipliers[i, 0] += change * x / length
                stitches.multipliers[i, 1] += change * y / length
                stitches.multipliers[i, 2] += change * z / length
    meet(team)
