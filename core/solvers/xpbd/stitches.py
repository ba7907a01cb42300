# SPDX-License-Identifier: GPL-3.0-or-later
"""Stitches: threads that are drawn together, hold, and may tear.

C = x₁ - x₀ is a vector, of which so much is left as the thread is still long: linear where a seam
is closed, so that its force has no favourite direction. A thread is drawn together with no more
than its greatest force, but holds what it has got: it never becomes longer. Where a seam is pulled
with more than its strength it tears at the substep's end: λ / span² of equation 9, for the length
of a stitch and its neighbours, as what each of them holds alone depends on how faces are cut, and
for some time, as single substeps tremble. Of faces that lie on each other the span is an area, and
what presses them together counts for nothing.

What chains pull through a stitch (:mod:`.threads`) is part of its λ; here the rest of its gap is
closed, and limits are kept. How short a thread has been drawn is seen before contact moves its ends
apart again: else what is tight on a body would never be closed.

Substeps begin with λ = 0, as others do. To begin with the last λ carries tension across a seam at
once, but swings ever more: what the panels do about it is a substep late.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...bodies.stitches import CLOSED
from ...layout.group import Group, Stitching
from ...layout.layout import Places
from ...native.by_address import by_address
from ...native.compiled import native_part
from ...native.team import meet
from ...state import State
from ..common.report import NONE, Overstretch

MEMORY = 0.01
"""Seconds over which a force is averaged."""

ROUNDS = 6
"""Times that faces on each other are sewn in an iteration: where several parts meet in one place,
each stitch opens those before it."""


@by_address
class Stitches(NamedTuple):
    """All stitches of a model.

    Attributes:
        particles: both ends, shape (s, 2); slots: where the size of λ is noted, shape (s,).
        strengths, spans, sizes, neighbours, inner, speeds: as in :class:`.Stitching`.
        lengths: that are left [m]; holding: greatest force [N] with which each is drawn together,
            none of what is torn; shape (s,).
        pulls: mean force of late [N] by which each may tear, shape (s,).
        multipliers: λ, shape (s, 3).
    """

    particles: NDArray[np.int64]
    slots: NDArray[np.int64]
    strengths: NDArray[np.float64]
    spans: NDArray[np.float64]
    sizes: NDArray[np.float64]
    neighbours: NDArray[np.int64]
    inner: NDArray[np.int64]
    speeds: NDArray[np.float64]
    lengths: NDArray[np.float64]
    holding: NDArray[np.float64]
    pulls: NDArray[np.float64]
    multipliers: NDArray[np.float64]

    def load(self, groups: Sequence[Group]) -> None:
        """Begin with what groups of the model are now."""
        for own, state in _places_of(groups):
            self.lengths[own], self.holding[own] = state.lengths, state.holding
            self.pulls[own] = state.pulls

    def store(self, groups: Sequence[Group]) -> None:
        """Let these be what a step has made of them."""
        for own, state in _places_of(groups):
            state.lengths[:], state.holding[:] = self.lengths[own], self.holding[own]
            state.pulls[:] = self.pulls[own]

    def gape(self, state: State) -> list[Overstretch]:
        """How the closed stitch that gapes most was left, if any is closed.

        A gap falls with the square of the substep as stretch does. It is seen like that of an edge
        that is as long as stitches are from each other.
        """
        if not len(self.slots):
            return []
        a, b = self.particles.T
        closed = (self.lengths == 0.0) & (self.holding > 0.0)
        closed &= state.rows[a, 3] + state.rows[b, 3] > 0.0
        closed &= ~(state.contact.tangled[a] | state.contact.tangled[b])
        if not closed.any():
            return []
        gaps = np.linalg.norm(state.rows[a, :3] - state.rows[b, :3], axis=1)[closed]
        worst = int(gaps.argmax())
        error = float(gaps[worst]) / max(float(self.sizes[closed].mean()), CLOSED)
        return [NONE._replace(particle=int(a[closed][worst]), error=error, stretch=error)]


def _places_of(groups: Sequence[Group]) -> list[tuple[slice, Stitching]]:
    """Of each group that is sewn where it is among all stitches, and how."""
    states = [group.stitching for group in groups if group.stitching is not None]
    if not states:
        return []
    ends = np.cumsum([0, *(len(state.lengths) for state in states)])
    return [(slice(i, j), state) for (i, j), state in zip(pairwise(ends), states, strict=True)]


def stitches_of(groups: Sequence[Group], slots: Places) -> Stitches:
    """The stitches among groups of a model.

    Args:
        slots: of each group the places of its multipliers.
    """
    sewn = [(k, group.indices) for k, group in enumerate(groups) if group.stitching is not None]
    known = _places_of(groups)
    count = known[-1][0].stop if known else 0
    most = max((state.neighbours.shape[1] for _, state in known), default=0)
    found = Stitches(
        np.concatenate([np.empty((0, 2), np.int64), *(indices for _, indices in sewn)]),
        np.concatenate([np.empty(0, np.int64), *(slots[k][:, 0] for k, _ in sewn)]),
        np.empty(count),
        np.empty(count),
        np.empty(count),
        np.full((count, most), -1),
        np.empty((count, 2), np.int64),
        np.empty(count),
        np.empty(count),
        np.empty(count),
        np.empty(count),
        np.zeros((count, 3)),
    )
    for own, state in known:
        found.strengths[own], found.spans[own] = state.strengths, state.spans
        found.sizes[own], found.inner[own] = state.sizes, state.inner
        beside = state.neighbours
        found.neighbours[own, : beside.shape[1]] = np.where(beside < 0, -1, beside + own.start)
        found.speeds[own] = state.speeds
    found.load(groups)
    return found


@native_part
def sew(arrays, stitches, settings, iteration, team):  # type: ignore[no-untyped-def]
    """Solve all stitches once, one after the other."""
    if len(stitches.slots) == 0:
        return
    if team.thread == 0:
        square = float(settings.span) * float(settings.span)
        for turn in range(ROUNDS):
            for i in range(len(stitches.slots)):
                if turn > 0 and stitches.inner[i, 0] < 0:
                    continue
                if stitches.holding[i] > 0.0:
                    drawn = stitches.speeds[i] * float(settings.h)
                    _solve(arrays.rows, stitches, square, drawn, i)
        for i in range(len(stitches.slots) if iteration == settings.iterations - 1 else 0):
            stitches.lengths[i] = _length_left(arrays.rows, stitches, settings, i)
    meet(team)


@native_part
def _solve(rows, stitches, square, drawn, i):  # type: ignore[no-untyped-def]
    """Equation 25 of a stitch: drawn with no more than its greatest force, and never any longer.

    Args:
        square: of the span, by which λ is a force. drawn: by how much the thread is to be shorter.
    """
    multipliers = stitches.multipliers
    a, b = stitches.particles[i, 0], stitches.particles[i, 1]
    weight = float(rows[a, 3]) + float(rows[b, 3])
    if weight == 0.0:
        return
    x, y, z = gap_of(rows, a, b)
    length, left = math.sqrt(x * x + y * y + z * z), stitches.lengths[i]
    wanted = max(0.0, left - drawn)
    held = max(0.0, length - left) / weight
    missing = (length - wanted) / weight
    factor = missing / length if length > 0.0 else 0.0
    new_x = multipliers[i, 0] + factor * x
    new_y = multipliers[i, 1] + factor * y
    new_z = multipliers[i, 2] + factor * z
    size, pulled = math.sqrt(new_x**2 + new_y**2 + new_z**2), new_x * x + new_y * y + new_z * z
    most = size
    if left > 0.0:
        most = max(square * stitches.holding[i], held + size - missing)
    if wanted > 0.0 and pulled < 0.0:
        most = 0.0
    if size > most:
        new_x, new_y, new_z = new_x * most / size, new_y * most / size, new_z * most / size
    _pull(
        rows, stitches, i, new_x - multipliers[i, 0], new_y - multipliers[i, 1],
        new_z - multipliers[i, 2],
    )  # fmt: skip
    multipliers[i, 0], multipliers[i, 1], multipliers[i, 2] = new_x, new_y, new_z


@native_part
def gap_of(rows, a, b):  # type: ignore[no-untyped-def]
    """The way from one particle to another."""
    return (
        float(rows[b, 0]) - float(rows[a, 0]),
        float(rows[b, 1]) - float(rows[a, 1]),
        float(rows[b, 2]) - float(rows[a, 2]),
    )


@native_part
def _pull(rows, stitches, i, x, y, z):  # type: ignore[no-untyped-def]
    """Move both ends towards each other by Δλ over their masses."""
    real = rows.dtype.type
    for end in range(2):
        particle = stitches.particles[i, end]
        weight = float(rows[particle, 3]) * (1.0 if end == 0 else -1.0)
        rows[particle, 0] += real(weight * x)
        rows[particle, 1] += real(weight * y)
        rows[particle, 2] += real(weight * z)


@native_part
def tear(arrays, program, stitches, settings, team):  # type: ignore[no-untyped-def]
    """Let stitches go that pull with more than their strength, and note how long others are now."""
    if len(stitches.slots) == 0:
        return
    if team.thread == 0:
        span, multipliers = float(settings.span), stitches.multipliers
        share = min(1.0, float(settings.h) / MEMORY)
        for i in range(len(stitches.slots)):
            x, y, z = multipliers[i, 0], multipliers[i, 1], multipliers[i, 2]
            size = math.sqrt(x * x + y * y + z * z)
            tearing = _without_pressure(arrays.rows, stitches, i, x, y, z)
            stitches.pulls[i] += share * (tearing / (span * span) - stitches.pulls[i])
            program.multipliers[stitches.slots[i]] = program.multipliers.dtype.type(-size)
            for k in range(3):
                multipliers[i, k] = 0.0
        for i in range(len(stitches.slots)):
            if stitches.holding[i] > 0.0 and _is_torn(stitches, i):
                stitches.holding[i] = 0.0
    meet(team)


@native_part
def _without_pressure(rows, stitches, i, x, y, z):  # type: ignore[no-untyped-def]
    """The size of λ, without what presses together faces that lie on each other."""
    square = x * x + y * y + z * z
    one, other = stitches.inner[i, 0], stitches.inner[i, 1]
    if one < 0:
        return math.sqrt(square)
    across_x, across_y, across_z = gap_of(rows, one, other)
    pressure = -(x * across_x + y * across_y + z * across_z)
    if pressure > 0.0:
        square -= pressure * pressure / (across_x**2 + across_y**2 + across_z**2)
    return math.sqrt(max(0.0, square))


@native_part
def _is_torn(stitches, i):  # type: ignore[no-untyped-def]
    """Whether a stitch and its neighbours are pulled by more than its strength."""
    force, span = stitches.pulls[i], stitches.spans[i]
    for side in range(stitches.neighbours.shape[1]):
        j = stitches.neighbours[i, side]
        if j >= 0 and stitches.holding[j] > 0.0:
            force += stitches.pulls[j]
            span += stitches.spans[j]
    return force > stitches.strengths[i] * span


@native_part
def _length_left(rows, stitches, settings, i):  # type: ignore[no-untyped-def]
    """How long a thread is at a substep's end: as far as it was drawn, and never longer again."""
    x, y, z = gap_of(rows, stitches.particles[i, 0], stitches.particles[i, 1])
    length, left = math.sqrt(x * x + y * y + z * z), stitches.lengths[i]
    wanted = max(0.0, left - stitches.speeds[i] * float(settings.h))
    return min(left, max(wanted, length if length > CLOSED else 0.0))
