# SPDX-License-Identifier: GPL-3.0-or-later
"""Automatic Quality: what the next step needs, from what the last one left wrong.

The overstretch falls with the square of the number of substeps and with that of iterations.
Substeps are better spent (Macklin et al. 2019, "Small steps in physics simulation"); iterations
make up for those that are not allowed.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...lasting import Lasting, numbers_of

LEAST = 20
"""Substeps below which fast movement and contact become coarse, however little is stretched."""

AIM = 0.5
"""Of the stretch allowed: what a step aims at, as the next one may need more."""

LITTLE, MUCH = 0.6, 1.4
"""Of what is aimed at: overstretch between them changes nothing. Where some is left, lengths depend
on the work, so that work that goes to and fro would shake what lies at rest."""

MOST_GROWTH, LEAST_GROWTH = 2.0, 0.95
"""Of the work from step to step; saving faster, it would time and again do too little."""

WAIT = 8
"""Steps at the limits before less is tried."""

FIRST_STAY = 96
"""Steps for which less is kept to the first time; twice as many each time after."""

TRIED = 0.8
"""Of the work from step to step while less is tried: what it does is looked at in each."""

STILL, UNSEEN = 0.05, 0.2
"""Of the stretch that the limits bring about, and of that which is allowed: a change that is none;
twice that while it is left at what was just enough, or it would soon be a change."""

MOST_MISSES = 3
"""Steps in a row with another stretch, after which something has changed."""

CLIMB, HELP = 1.25, 0.85
"""Growth of work after which it is judged by what part of the overstretch it has left."""

PAUSE = 48
"""Steps for which no more is spent where that did not help."""

CAUGHT, CAUGHT_CLIMB = 0.25, 1.9
"""Overstretch of the worst but one near what touches that counts like all that is aimed at; and
growth of work after which it is judged by that: what is caught gets free all at once."""


@dataclass(frozen=True)
class Effort:
    """What is spent on a step.

    Attributes:
        substeps, iterations: counts.
        overstretch: what is left after it, a fraction of the rest length.
        stretch: how much longer than at rest that is.
        bend_error: how wrong it left the bending of sheets, as in :class:`.Report`.
        caught: as in :class:`.Overstretch`, of what is worst.
    """

    substeps: int
    iterations: int
    overstretch: float = 0.0
    stretch: float = 0.0
    bend_error: float = 0.0
    caught: float = 0.0

    @property
    def work(self) -> float:
        """By whose square the overstretch falls."""
        return self.substeps * math.sqrt(self.iterations)


def lasting_of(effort: Effort | None) -> NDArray[np.float64]:
    """An effort as numbers, none of them one where there is none."""
    return np.array([math.nan] * 6 if effort is None else astuple(effort), np.float64)


def effort_of(lasting: Lasting, name: str) -> Effort | None:
    """The effort that such numbers tell of. Raises CheckpointError."""
    substeps, iterations, *errors = numbers_of(lasting, name, 6)
    return None if math.isnan(substeps) else Effort(int(substeps), int(iterations), *errors)


def first_effort(most: Effort) -> Effort:
    """What to begin with, before anything has been measured."""
    return Effort(min(most.substeps, 2 * LEAST), 1)


def calm(last: Effort, allowed: float) -> Effort:
    """The last step as if it had left what was aimed at, if it nearly has."""
    aim = AIM * allowed
    return replace(last, overstretch=aim) if LITTLE < last.overstretch / aim < MUCH else last


def next_effort(last: Effort, allowed: float, most: Effort, least: float = LEAST_GROWTH) -> Effort:
    """What the next step needs.

    Args:
        last: the step before, with what it left.
        allowed: stretch allowed.
        most: the limits.
        least: growth of the work, see :attr:`Saturation.least_growth`.
    """
    growth = math.sqrt(last.overstretch / (AIM * allowed))
    wanted = last.work * min(max(growth, least), MOST_GROWTH)
    substeps = min(math.ceil(max(wanted, LEAST)), most.substeps)
    iterations = (math.floor if wanted < last.work else round)((wanted / substeps) ** 2)
    return Effort(substeps, min(max(iterations, 1), most.iterations))


class Saturation:
    """Notices where the limits are reached in vain, and gives work back.

    Between things that are drawn apart less error means more force and the same length. So after
    some steps at the limits less is tried, step by step, for as long as the stretch that is seen
    stays the same; what was just enough for that is kept to. All that is allowed is spent anew
    where even that does not bring the stretch back, as something has changed, and after a while,
    which gets longer every time.
    """

    def __init__(self) -> None:
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._stay = FIRST_STAY
        self._forget()

    def _forget(self) -> None:
        self._steps = 0  # at the limits, or since less was tried
        self._stretch: float | None = None  # that the limits brought about; None: nothing is tried
        self._enough = 0.0  # the least work that brought it about as well
        self._misses = 0  # steps in a row in which it was another
        self._found = False  # whether any was

    def lasting(self) -> Lasting:
        """What has been noticed."""
        stretch = math.nan if self._stretch is None else self._stretch
        tried = [self._stay, self._steps, stretch, self._enough, self._misses, self._found]
        return {"tried": np.array(tried, np.float64)}

    def go_on_from(self, lasting: Lasting) -> None:
        """Have noticed what another one has. Raises CheckpointError."""
        stay, steps, stretch, enough, misses, found = numbers_of(lasting, "tried", 6)
        self._stay, self._steps, self._enough = int(stay), int(steps), enough
        self._stretch = None if math.isnan(stretch) else stretch
        self._misses, self._found = int(misses), bool(found)

    @property
    def tries(self) -> bool:
        """Whether less is tried than the limits allow."""
        return self._stretch is not None

    @property
    def least_growth(self) -> float:
        """Of the work of the next step."""
        return TRIED if self.tries else LEAST_GROWTH

    def heeded(self, last: Effort, allowed: float, most: Effort) -> Effort:
        """The last step with the overstretch that the next one shall go by."""
        if last.overstretch <= AIM * allowed:
            self._begin_anew()
            return last
        if self._stretch is None:
            self._steps = self._steps + 1 if last.work >= most.work else 0
            if self._steps < WAIT:
                return last
            self._steps, self._stretch = 0, last.stretch
        wanted = self._tried(last, self._stretch, allowed)
        return last if wanted is None else replace(last, overstretch=AIM * allowed * wanted**2)

    def _tried(self, last: Effort, stretch: float, allowed: float) -> float | None:
        """What the work shall grow by while less is tried than brought about a stretch.

        Returns:
            None where all that is allowed shall be spent again.
        """
        self._steps += 1
        change = max(STILL * stretch, UNSEEN * allowed) * (2.0 if self._found else 1.0)
        still = abs(last.stretch - stretch) <= change
        self._misses = 0 if still else self._misses + 1
        if self._misses > MOST_MISSES or self._steps > self._stay:
            self._stay *= 2
            self._forget()
            return None
        if still and not self._found:
            self._enough = last.work
            return 0.0
        self._found = True
        return self._enough / last.work


def _has_helped(first: Effort, last: Effort) -> bool:
    """Whether more work has left less, also of what is longer by now as more pulls at it."""
    longer = max(last.stretch / first.stretch, 1.0) if first.stretch > 0.0 else 1.0
    return last.overstretch < HELP * first.overstretch * longer


class Plateau:
    """Notices where the stretch is within what is allowed, and more work does not lessen it.

    Steps aim at less than what is allowed, as the next one may need more. Where contact holds
    lengths, more and more work would be spent for that; it goes back to what it was instead.

    Args:
        most: times what is allowed; of what exceeds that, others judge whether work helps.
        climb: growth of work after which it is judged.
    """

    def __init__(self, most: float = 1.0, climb: float = CLIMB) -> None:
        self._most, self._climb = most, climb
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._first: Effort | None = None  # of the climb
        self._pause = 0  # steps that are left of it

    def lasting(self) -> Lasting:
        """What has been noticed."""
        return {"first": lasting_of(self._first), "pause": np.array([float(self._pause)])}

    def go_on_from(self, lasting: Lasting) -> None:
        """Have noticed what another one has. Raises CheckpointError."""
        self._first = effort_of(lasting, "first")
        (pause,) = numbers_of(lasting, "pause", 1)
        self._pause = int(pause)

    def heeded(self, last: Effort, allowed: float) -> Effort:
        """The last step with the overstretch that the next one shall go by."""
        if not AIM * allowed < last.overstretch <= self._most * allowed:
            self._begin_anew()
            return last
        if self._first is None:
            self._first = last
        if self._pause > 0:
            self._pause -= 1
            if self._pause == 0:
                self._first = last
        elif last.work > self._climb * self._first.work:
            if _has_helped(self._first, last):
                self._first = last
            else:
                self._pause = PAUSE
        if self._pause == 0:
            return last
        return replace(last, overstretch=AIM * allowed * (self._first.work / last.work) ** 2)

    def heeded_error(self, error: float, last: Effort, allowed: float) -> Effort:
        """The same for an error that is no part of the stretch, times what is allowed of it."""
        left = replace(last, overstretch=error * allowed, stretch=0.0)
        return self.heeded(calm(left, allowed), allowed)
