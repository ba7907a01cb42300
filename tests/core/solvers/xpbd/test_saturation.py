# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the limits are reached in vain less is spent, and more again when that may help."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from core.solvers.xpbd.effort import (
    AIM,
    FIRST_STAY,
    LEAST,
    MOST_MISSES,
    PAUSE,
    STILL,
    WAIT,
    Effort,
    Plateau,
    Saturation,
    first_effort,
    next_effort,
)
from core.solvers.xpbd.effort import (
    CLIMB as GROWTH,
)

pytestmark = pytest.mark.jit_off

ALLOWED = 0.03
MOST = Effort(400, 8)
CLIMB = 8
"""Steps in which any effort has grown to the limits."""

Law = Callable[[float, int], tuple[float, float]]
"""(work, step) → overstretch and stretch."""


def spent(law: Law, steps: int, most: Effort = MOST) -> list[Effort]:
    """What is spent on each step where work does what the law says."""
    saturation, found = Saturation(), [first_effort(most)]
    for step in range(steps):
        substeps, iterations = found[-1].substeps, found[-1].iterations
        last = Effort(substeps, iterations, *law(found[-1].work, step))
        heeded = saturation.heeded(last, ALLOWED, most)
        found.append(next_effort(heeded, ALLOWED, most, saturation.least_growth))
    return found


def counts(efforts: list[Effort]) -> list[tuple[int, int]]:
    return [(effort.substeps, effort.iterations) for effort in efforts]


def in_vain(_work: float, _step: int) -> tuple[float, float]:
    return 0.1, 0.4


def mendable(work: float, _step: int) -> tuple[float, float]:
    """All of the stretch is error, of which ten times as much work would leave what is allowed."""
    error = 100.0 * ALLOWED * (MOST.work / work) ** 2
    return error, error + 0.001


def test_what_does_not_help_is_given_back_down_to_the_least() -> None:
    found = spent(in_vain, CLIMB + WAIT + FIRST_STAY)
    arrival = counts(found).index((400, 8))
    assert counts(found)[arrival:].index((400, 5)) == WAIT
    after = [effort.work for effort in found[CLIMB + WAIT :]]
    assert after[:-CLIMB] == sorted(after[:-CLIMB], reverse=True)
    assert min(counts(found[CLIMB:])) == (LEAST, 1)


def test_it_goes_back_step_by_step() -> None:
    found = spent(in_vain, CLIMB + WAIT + FIRST_STAY // 2)[CLIMB:]
    work = np.array([effort.work for effort in found])
    assert (work[1:] > 0.55 * work[:-1]).all(), "three iterations become one"


def test_more_is_tried_again_ever_more_rarely() -> None:
    at_limits = [effort.work == MOST.work for effort in spent(in_vain, 1200)]
    begins = np.flatnonzero(np.diff(np.array(at_limits, int)) == 1)
    pauses = np.diff(begins)
    assert len(pauses) >= 3
    assert (pauses[1:] > 1.6 * pauses[:-1]).all()


def test_limits_that_are_too_low_are_spent() -> None:
    """Less shows at once, and is not tried again for long."""
    found = counts(spent(mendable, 300))[CLIMB:]
    less = [each for each in found if each != (400, 8)]
    assert 1 <= len(less) <= 6
    assert set(less) == {(400, 5)}


@pytest.mark.parametrize("enough", [35.0, 150.0, 700.0])
def test_it_stays_at_what_is_enough(enough: float) -> None:
    def law(work: float, _step: int) -> tuple[float, float]:
        return 0.1, 0.4 * max(1.0, enough / work)

    found = spent(law, CLIMB + WAIT + FIRST_STAY)[-FIRST_STAY // 4 - CLIMB : -CLIMB]
    assert len(set(counts(found))) == 1
    work = found[0].work
    assert (1.0 - STILL) * enough <= work <= 1.25 * enough


def test_changes_far_below_what_is_allowed_are_none() -> None:
    """A knot of a few edges is left; all others are longer by a thousandth with half the work."""

    def law(work: float, _step: int) -> tuple[float, float]:
        return 0.08, 0.015 + 0.001 * MOST.work / work

    found = spent(law, CLIMB + WAIT + FIRST_STAY)[CLIMB + WAIT + 8 : -CLIMB]
    assert len(set(counts(found))) == 1
    assert 0.1 * MOST.work < found[0].work < 0.25 * MOST.work


@pytest.mark.parametrize("stretch", [0.2, 0.6])
def test_another_situation_gets_all_there_is(stretch: float) -> None:
    change = CLIMB + WAIT + FIRST_STAY // 2

    def law(_work: float, step: int) -> tuple[float, float]:
        return 0.1, stretch if step > change else 0.4

    found = spent(law, change + MOST_MISSES + CLIMB + WAIT // 2)
    assert found[change].work < 0.2 * MOST.work
    assert counts(found)[-1] == (400, 8)


def test_what_is_mended_is_forgotten() -> None:
    change = CLIMB + WAIT + 20

    def law(_work: float, step: int) -> tuple[float, float]:
        return (0.5 * AIM * ALLOWED, 0.01) if step == change else (0.1, 0.4)

    found = counts(spent(law, change + CLIMB + WAIT - 4))
    assert found[change] != (400, 8)
    assert found[change + CLIMB :][: WAIT // 2] == WAIT // 2 * [(400, 8)]


def test_below_the_limits_it_has_no_say() -> None:
    saturation = Saturation()
    for step in range(4 * WAIT):
        last = Effort(399 if step % 2 else 200, 8, 0.1, 0.4)
        assert saturation.heeded(last, ALLOWED, MOST) is last


def spent_on_a_plateau(law: Law, steps: int) -> list[Effort]:
    plateau, found = Plateau(), [Effort(100, 1)]
    for step in range(steps):
        last = Effort(found[-1].substeps, 1, *law(found[-1].work, step))
        found.append(next_effort(plateau.heeded(last, ALLOWED), ALLOWED, MOST))
    return found


def test_where_the_stretch_is_allowed_no_more_is_spent_in_vain() -> None:
    found = spent_on_a_plateau(lambda _work, _step: (0.7 * ALLOWED, 0.4), PAUSE)
    assert max(effort.substeps for effort in found) < 1.3 * GROWTH * 100
    assert found[-1].substeps <= 101


def test_where_it_helps_the_aim_is_reached() -> None:
    found = spent_on_a_plateau(lambda work, _step: (ALLOWED * (100 / work) ** 2, 0.4), 20)
    assert found[-1].overstretch == 0.0
    assert 140 <= found[-1].substeps <= 146


def test_it_is_not_judged_by_a_load_that_comes_on_meanwhile() -> None:
    def law(work: float, step: int) -> tuple[float, float]:
        load = 0.87 if step == 0 else 1.0
        return 0.966 * ALLOWED * load * 100 / work, 0.04 * load

    found = spent_on_a_plateau(law, 12)
    assert found[-1].substeps > 150


def test_what_grows_as_what_holds_it_does_is_not_helped() -> None:
    def law(_work: float, step: int) -> tuple[float, float]:
        return 0.6 * ALLOWED * 1.05 ** min(step, 5), 0.4 * 1.05 ** min(step, 5)

    found = spent_on_a_plateau(law, PAUSE)
    assert max(effort.substeps for effort in found) < 1.3 * GROWTH * 100


def test_more_is_spent_at_once_where_it_gets_worse() -> None:
    def law(work: float, step: int) -> tuple[float, float]:
        error = 0.7 * ALLOWED if step < 12 else 4.0 * ALLOWED * (100 / work) ** 2
        return error, 0.4

    found = spent_on_a_plateau(law, 20)
    assert found[-1].substeps > 200
