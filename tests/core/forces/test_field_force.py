# SPDX-License-Identifier: GPL-3.0-or-later
"""What fields do to points: closed forms, and what Blender's oddities are."""

from __future__ import annotations

import math

import numpy as np
import pytest

import core
from core.forces.evaluate import forces_of


def at(field: core.Field, x: tuple[float, ...], v: tuple[float, ...] = (0, 0, 0)) -> list[float]:
    return [float(each) for each in forces_of(field, [x], [v])[0]]


def test_a_force_pushes_away_and_falls_by_its_power() -> None:
    field = core.Field(strength=6.0, power=1.0, origin=(1.0, 0.0, 0.0))
    assert at(field, (3.0, 0.0, 0.0)) == pytest.approx([2.0, 0.0, 0.0])
    assert at(field, (1.0, 0.0, 0.0)) == [0.0, 0.0, 0.0]
    near = core.Field(strength=6.0, gravity_falloff=True)
    assert at(near, (0.0, 2.0, 0.0)) == pytest.approx([0.0, 1.5, 0.0])


def test_distances_bound_it() -> None:
    field = core.Field(power=2.0, nearest=1.0, farthest=2.0)
    assert at(field, (0.5, 0.0, 0.0))[0] == 1.0
    assert at(field, (1.5, 0.0, 0.0))[0] == pytest.approx(1.5**-2)
    assert at(field, (2.5, 0.0, 0.0))[0] == 0.0


def test_tubes_and_cones_look_from_the_field_object() -> None:
    tube = core.Field(kind="WIND", falloff="TUBE", radial_farthest=1.0, farthest=3.0)
    assert at(tube, (0.9, 0.0, 2.0)) == [0.0, 0.0, 1.0]
    assert at(tube, (1.1, 0.0, 2.0)) == at(tube, (0.0, 0.0, 3.1)) == [0.0, 0.0, 0.0]
    cone = core.Field(kind="WIND", falloff="CONE", radial_farthest=45.0)
    assert at(cone, (0.9, 0.0, 1.0))[2] == 1.0
    assert at(cone, (1.1, 0.0, 1.0))[2] == 0.0


def test_one_side_only() -> None:
    field = core.Field(kind="WIND", direction="POSITIVE")
    assert [at(field, (0.0, 0.0, z))[2] for z in (-1.0, 1.0)] == [0.0, 1.0]


def test_a_weight_that_is_not_positive_switches_it_off() -> None:
    assert at(core.Field(kind="WIND", weight=-2.0, flow=1.0), (0, 0, 1), (1, 1, 1)) == [0, 0, 0]


def test_the_names_of_drags_are_swapped() -> None:
    field = core.Field(kind="DRAG", linear_drag=0.5)
    assert at(field, (1, 0, 0), (4.0, 0.0, 0.0)) == pytest.approx([-8.0, 0.0, 0.0])
    field = core.Field(kind="DRAG", quadratic_drag=5.0)
    assert at(field, (1, 0, 0), (4.0, 0.0, 0.0)) == pytest.approx([-8.0, 0.0, 0.0])


def test_a_harmonic_field_rests_at_its_length() -> None:
    field = core.Field(kind="HARMONIC", strength=4.0, rest_length=2.0, damping=0.5)
    assert at(field, (2.0, 0.0, 0.0)) == [0.0, 0.0, 0.0]
    assert at(field, (3.0, 0.0, 0.0), (1.0, 0, 0)) == pytest.approx([-4.0 - 2.0, 0.0, 0.0])


def test_turbulence_has_the_statistics_of_blenders() -> None:
    points = np.random.default_rng(1).uniform(-50.0, 50.0, (20_000, 3))
    found = forces_of(core.Field(kind="TURBULENCE", strength=3.0, size=0.7), points)
    assert found.std(axis=0) == pytest.approx([0.51] * 3, rel=0.05)
    assert abs(found.mean(axis=0)).max() < 0.02


def test_noise_is_random_but_the_same_again() -> None:
    points = np.full((4000, 3), 1.0)
    field = core.Field(kind="WIND", strength=0.0, noise=1.0, seed=7)
    found = forces_of(field, points)[:, 2]
    assert found.mean() == pytest.approx(0.168, abs=0.02)
    assert found.std() == pytest.approx(0.369, abs=0.02)
    assert (found == forces_of(field, points)[:, 2]).all()
    other = forces_of(core.Field(kind="WIND", strength=0.0, noise=1.0, seed=8), points)[:, 2]
    assert abs(np.corrcoef(found, other)[0, 1]) < 0.05
    assert abs(np.corrcoef(found[1:], found[:-1])[0, 1]) < 0.05


@pytest.mark.parametrize("bad", [{"strength": math.nan}, {"origin": (0.0, math.inf, 0.0)}])
def test_numbers_must_be_finite(bad: dict[str, float]) -> None:
    with pytest.raises(core.ModelError, match="'Gale' is not a finite number"):
        core.Field(name="Gale", **bad)  # type: ignore[arg-type]


def test_words_must_be_known() -> None:
    with pytest.raises(core.ModelError, match="can't be BOID"):
        core.Field(kind="BOID")
