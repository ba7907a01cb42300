# SPDX-License-Identifier: GPL-3.0-or-later
"""What the report on contact measures with: slopes, collisions, layers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from validation.contact_impact import SIZE, Collision
from validation.contact_layers import Fold, pleats_in_peace, stack
from validation.contact_settings import AUTOMATIC, fixed, solver
from validation.contact_slope import RATE, SECONDS, Slide, Slope

pytestmark = pytest.mark.long


def test_settings_are_told_by_their_names() -> None:
    assert solver(fixed(7)).substeps == 7
    assert solver(AUTOMATIC).largest_stretch > 0.0


def test_the_friction_angle_is_found_from_an_exact_path() -> None:
    slope = Slope("cloth", (0.2, 0.8), 1.3)
    assert slope.friction == pytest.approx(0.4)
    times = np.arange(round(SECONDS * RATE) + 1) / RATE
    assert Slide(slope, 0.5 * slope.acceleration * times**2).angle_error == pytest.approx(0.0)
    slower = Slide(slope, 0.25 * slope.acceleration * times**2)
    assert slower.angle_error > 0.1
    assert Slope("cloth", (0.4, 0.4), 0.9).acceleration == 0.0


@pytest.mark.parametrize("ground", ["collider", "cloth"])
def test_a_patch_slides_down_along_the_slope(ground: str) -> None:
    slide = Slope(ground, (0.3, 0.3), 1.5).slide(solver(fixed(20)))  # type: ignore[arg-type]
    due = 9.81 * (math.sin(slide.slope.angle) - 0.3 * math.cos(slide.slope.angle))
    assert slide.acceleration == pytest.approx(due, rel=0.02)


def test_sheets_come_towards_each_other_with_the_momentum_told() -> None:
    collision = Collision(3.0, 0.5, np.float64)
    first, *_, last = collision.moments(solver(fixed(5)))
    assert first.kinetic == pytest.approx(0.25 * collision.scale * 3.0)
    assert np.abs(first.linear).max() < 1e-12
    assert first.elastic < 1e-12 < last.elastic
    assert last.energy < 0.7 * first.energy
    limp = Collision(3.0, 0.5, np.float64, limp=True)
    *_, last = limp.moments(solver(fixed(5)))
    assert last.elastic < 1e-3 * last.kinetic
    assert sum(cloth.density for cloth in limp.scene.cloths) * SIZE**2 == pytest.approx(0.1)


def test_a_stack_and_a_fold_are_measured_where_they_lie() -> None:
    heights = stack(8, 2, 0.002, solver(fixed(20)))
    np.testing.assert_allclose(heights, [0.004, 0.008], rtol=0.03)
    fold = Fold(32)
    upper, covered, turn = fold.figures(fold.points(solver(fixed(20))))
    assert upper == pytest.approx(0.008, rel=0.03)
    assert 0.1 < covered < 0.5 * fold.length
    assert turn > upper


def test_pleats_stay_as_they_were_made() -> None:
    assert pleats_in_peace(solver(fixed(20)), 0.01) < 1e-4
