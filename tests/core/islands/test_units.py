# SPDX-License-Identifier: GPL-3.0-or-later
"""What is never parted."""

from __future__ import annotations

import naive
import numpy as np
import pytest

import core
from core.islands.units import may_touch, units_of

pytestmark = pytest.mark.jit_off


def three_sheets() -> core.Model:
    """Loose particles 0 and 14; sheets of four, 1 to 4, 5 to 8 and 10 to 13; 9 is loose, too."""
    positions, faces = naive.quad_grid(1, 1, 1.0, 1.0)
    model = core.Model()
    model.add_particles([(9, 9, 9)], 1.0)
    model.add_cloth(positions, faces)
    model.add_strands(positions, [(0, 1), (1, 2), (2, 3)], body_collision=False)
    model.add_particles([(9, 9, 8)], 1.0)
    model.add_cloth(positions, faces)
    model.add_particles([(9, 9, 7)], 1.0)
    return model


def test_a_body_is_a_unit_and_all_that_belongs_to_none() -> None:
    expected = [0] + 4 * [1] + 4 * [2] + [0] + 4 * [3] + [0]
    np.testing.assert_array_equal(units_of(three_sheets()), expected)


def test_constraints_join_units() -> None:
    model = three_sheets()
    model.add_constraints("distance", [(1, 5)])
    model.add_constraints("distance", [(10, 14)])
    expected = [0] + 4 * [1] + 4 * [1] + [0] + 4 * [0] + [0]
    np.testing.assert_array_equal(units_of(model), expected)


def test_constraints_that_were_added_together_make_one_unit() -> None:
    model = three_sheets()
    model.add_constraints("distance", [(1, 5), (10, 14)])
    assert set(units_of(model)) == {0}


def test_nothing_is_no_unit() -> None:
    assert len(units_of(core.Model())) == 0
    core.Simulation(core.Model()).advance(0.1)


def test_units_may_touch_if_any_of_their_bodies_may() -> None:
    model = three_sheets()
    meets = model.state().contact.surface.shape.meets != 0
    found = may_touch(model, units_of(model), meets)
    expected = np.diag([False, True, True, True])
    expected[[1, 3], [3, 1]] = True
    np.testing.assert_array_equal(found, expected)
    model.add_constraints("distance", [(5, 10)])
    joined = may_touch(model, units_of(model), meets)
    np.testing.assert_array_equal(joined[1:, 1:], np.ones((2, 2)))
