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


def test_units_that_may_not_touch_are_not() -> None:
    may_touch = EVERY.copy()
    may_touch[0, 2] = may_touch[2, 0] = False
    assert islands_of(row(0.0, 1.5, 0.5), may_touch) == [(0,), (1, 2)]
