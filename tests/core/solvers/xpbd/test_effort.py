# SPDX-License-Identifier: GPL-3.0-or-later
"""How many substeps and iterations the next step gets."""

from __future__ import annotations

import math

import pytest

from core.solvers.xpbd.effort import AIM, LEAST, LEAST_GROWTH, Effort, first_effort, next_effort

pytestmark = pytest.mark.jit_off

ALLOWED = 0.03
WIDE = Effort(10_000, 64)


def left_by(substeps: int, iterations: int, stiffness: float) -> Effort:
    """The law that the choice relies on: overstretch falls with substeps² and with iterations."""
    return Effort(substeps, iterations, stiffness / (substeps**2 * iterations))


def test_it_begins_with_a_moderate_count_of_single_iterations() -> None:
    assert first_effort(WIDE) == Effort(2 * LEAST, 1)
    assert first_effort(Effort(7, 3)) == Effort(7, 1)


def test_what_turned_out_as_aimed_at_is_kept() -> None:
    assert next_effort(Effort(100, 1, AIM * ALLOWED), ALLOWED, WIDE) == Effort(100, 1)


@pytest.mark.parametrize("factor", [1.1, 1.5, 1.9])
def test_it_grows_with_the_root_of_the_overstretch(factor: float) -> None:
    last = Effort(100, 1, AIM * ALLOWED * factor**2)
    assert next_effort(last, ALLOWED, WIDE).substeps == pytest.approx(100 * factor, abs=1.0)


@pytest.mark.parametrize("overstretch", [4.0 * AIM * ALLOWED, 1.0, 1e6, math.inf])
def test_it_doubles_at_most(overstretch: float) -> None:
    assert next_effort(Effort(100, 1, overstretch), ALLOWED, WIDE) == Effort(200, 1)


@pytest.mark.parametrize("overstretch", [0.0, 1e-9])
def test_it_shrinks_slowly_and_never_below_the_least(overstretch: float) -> None:
    expected = math.ceil(100 * LEAST_GROWTH)
    assert next_effort(Effort(100, 1, overstretch), ALLOWED, WIDE) == Effort(expected, 1)
    assert next_effort(Effort(LEAST + 1, 1, overstretch), ALLOWED, WIDE) == Effort(LEAST, 1)
    assert next_effort(Effort(LEAST, 1, overstretch), ALLOWED, WIDE) == Effort(LEAST, 1)


@pytest.mark.parametrize("allowed", [0.003, 0.03, 0.3])
def test_it_settles_where_the_aim_is_met(allowed: float) -> None:
    effort = first_effort(WIDE)
    for _ in range(40):
        effort = next_effort(left_by(effort.substeps, effort.iterations, 150.0), allowed, WIDE)
    expected = max(LEAST, math.sqrt(150.0 / (AIM * allowed)))
    assert effort.substeps == pytest.approx(expected, rel=0.02)
    assert effort.iterations == 1


@pytest.mark.parametrize("substeps", [1, 5, 50])
def test_iterations_make_up_for_substeps_that_are_not_allowed(substeps: int) -> None:
    most, stiffness = Effort(substeps, 10_000), 4.0 * substeps**2 * AIM * ALLOWED
    effort = first_effort(most)
    for _ in range(40):
        effort = next_effort(left_by(substeps, effort.iterations, stiffness), ALLOWED, most)
        assert effort.substeps == substeps
    assert left_by(substeps, effort.iterations, stiffness).overstretch <= ALLOWED
    assert 4 <= effort.iterations <= 5


def test_there_is_one_iteration_as_long_as_substeps_are_free() -> None:
    most = Effort(400, 8)
    for overstretch in (0.0, 0.01, 0.1, 10.0):
        for substeps in (20, 100, 199):
            assert next_effort(Effort(substeps, 1, overstretch), ALLOWED, most).iterations == 1
    assert next_effort(Effort(300, 1, 10.0), ALLOWED, most) == Effort(400, 2)


def test_it_keeps_the_limits_whatever_happens() -> None:
    most = Effort(30, 4)
    effort = first_effort(most)
    for overstretch in (1.0, 50.0, math.inf, 0.0, 3.0, 1e300):
        for _ in range(10):
            effort = next_effort(
                Effort(effort.substeps, effort.iterations, overstretch), ALLOWED, most
            )
            assert 1 <= effort.substeps <= 30
            assert 1 <= effort.iterations <= 4


def test_it_comes_back_from_iterations_to_few_substeps() -> None:
    effort, most = Effort(400, 8, 0.0), Effort(400, 8)
    seen = [effort]
    while seen[-1].substeps > LEAST:
        seen.append(next_effort(Effort(seen[-1].substeps, seen[-1].iterations), ALLOWED, most))
        assert len(seen) < 200
    work = [effort.substeps * effort.iterations for effort in seen]
    assert work == sorted(work, reverse=True)
    assert seen[-1] == Effort(LEAST, 1)
