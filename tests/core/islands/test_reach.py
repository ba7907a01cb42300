# SPDX-License-Identifier: GPL-3.0-or-later
"""How far units may get in a frame, and which of them come together."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core.islands.reach import Reach, foreseen, islands_of

pytestmark = pytest.mark.jit_off

UNITS = np.array([0, 1, 0])
EVERY = np.ones((3, 3), np.bool_)


def state() -> core.state.State:
    """Particles at 0 and 2 m, which fall, and one in between, which is led upward."""
    model = core.Model(np.float64)
    options = {"thickness": 0.01}
    model.add_particles([(0, 0, 0)], 1.0, [(1, 0, 0)], **options)
    model.add_particles([(1, 0, 0)], np.inf, **options)
    model.add_particles([(2, 0, 0)], 1.0, [(1, 0, 0)], **options)
    made = model.state()
    made.targets[:] = 1.0, 0.0, 5.0
    return made


def test_boxes_hold_where_units_are_and_twice_as_far_as_they_go() -> None:
    reach = foreseen(state(), UNITS, (0.0, 0.0, -10.0), 0.5)
    np.testing.assert_allclose(reach.low[0], (-0.01, -0.01, -5.01))
    np.testing.assert_allclose(reach.high[0], (3.01, 0.01, 0.01))


def test_what_is_led_goes_to_its_target() -> None:
    reach = foreseen(state(), UNITS, (0.0, 0.0, -10.0), 0.5)
    np.testing.assert_allclose(reach.low[1], (0.99, -0.01, -0.01))
    np.testing.assert_allclose(reach.high[1], (1.01, 0.01, 5.01))


def test_what_trembles_is_not_looked_for_far_away() -> None:
    made = state()
    made.velocities[[0, 2], 1] = 100.0, -100.0
    reach = foreseen(made, UNITS, (0.0, 0.0, 0.0), 0.5)
    np.testing.assert_allclose(reach.low[0], (-0.01, -0.212, -0.01))
    np.testing.assert_allclose(reach.high[0], (3.01, 0.212, 0.01))


def row(*places: float) -> Reach:
    """Boxes a metre wide."""
    low = np.array([(place, 0.0, 0.0) for place in places])
    return Reach(low, low + 1.0)


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ((0.0, 1.5, 3.0), [(0,), (1,), (2,)]),
        ((0.0, 1.5, 0.9), [(0, 1, 2)]),
        ((0.0, 1.5, 2.4), [(0,), (1, 2)]),
    ],
)
def test_units_whose_boxes_overlap_are_one_island(
    places: tuple[float, ...], expected: list[tuple[int, ...]]
) -> None:
    assert islands_of(row(*places), EVERY) == expected


def test_of_many_those_hang_together_that_asking_all_pairs_finds() -> None:
    draw = np.random.default_rng(7)
    low = draw.integers(0, 9, (80, 3)) * [1.0, 1.5, 0.5]  # many touch exactly
    reach = Reach(low, low + draw.integers(0, 4, (80, 3)))
    may_touch = draw.random((80, 80)) < 0.7
    may_touch &= may_touch.T
    pairs = [
        (one, other)
        for one in range(80)
        for other in range(one)
        if may_touch[one, other]
        and (reach.low[one] <= reach.high[other]).all()
        and (reach.low[other] <= reach.high[one]).all()
    ]
    owner = list(range(80))
    for _ in range(80):
        for one, other in pairs:
            owner[one] = owner[other] = min(owner[one], owner[other])
    expected = [tuple(k for k in range(80) if owner[k] == each) for each in sorted(set(owner))]
    assert 10 < len(expected) < 75
    assert islands_of(reach, may_touch) == expected


def test_units_that_may_not_touch_are_not() -> None:
    may_touch = EVERY.copy()
    may_touch[0, 2] = may_touch[2, 0] = False
    assert islands_of(row(0.0, 1.5, 0.5), may_touch) == [(0,), (1, 2)]
