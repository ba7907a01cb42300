# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies: what they are made of, and that it is Hooke's law in small strains."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core
from core import ModelError
from core.bodies.soft_body import SoftBody
from core.islands.part import Parts
from core.mesh.lattice import body_centred_box
from core.mesh.tetrahedra import TetrahedralBody

BOX = body_centred_box((2, 2, 3), (0.2, 0.2, 0.3))
VOLUME = 0.2 * 0.2 * 0.3
YOUNG, DENSITY = 2e4, 1000.0
ENERGIES = ("neo-hookean", "corotational")


def soft_model(*, dtype: Any = np.float64, **options: Any) -> tuple[core.Model, SoftBody]:
    model = core.Model(dtype)
    material = {"density": DENSITY, "young_modulus": YOUNG, "poisson_ratio": 0.3} | options
    return model, model.add_soft_body(BOX[0], tetrahedra=BOX[1], **material)


def energy_of(model: core.Model, x: np.ndarray) -> float:
    """½ Cᵀ α⁻¹ C of all constraints."""
    found = 0.0
    for group in model.groups:
        size = group.constraint.components
        diagonal = [i * (i + 3) // 2 for i in range(size)]
        for corners, rest, alpha in zip(group.indices, group.rest, group.compliance, strict=True):
            values, _ = naive.evaluate_body(group.constraint, x[corners], rest)
            found += 0.5 * float((np.square(values) / alpha[diagonal]).sum())
    return found


@pytest.mark.jit_off
@pytest.mark.parametrize("energy", ENERGIES)
@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.45])
def test_small_strains_obey_hookes_law(energy: str, ratio: float) -> None:
    """The energy of an even strain ε is V (μ ε : ε + λ/2 (tr ε)²) more than at rest."""
    model, _ = soft_model(poisson_ratio=ratio, energy=energy)
    mu = YOUNG / (2.0 * (1.0 + ratio))
    lame = YOUNG * ratio / ((1.0 + ratio) * (1.0 - 2.0 * ratio))
    at_rest, size = energy_of(model, BOX[0]), 1e-4
    for seed in range(3):
        strain = np.random.default_rng(seed).normal(size=(3, 3))
        strain = size * 0.5 * (strain + strain.T)
        expected = VOLUME * (mu * (strain**2).sum() + 0.5 * lame * np.trace(strain) ** 2)
        found = energy_of(model, BOX[0] @ (np.eye(3) + strain)) - at_rest
        # What is left out is of the third order.
        assert found == pytest.approx(expected, rel=2e-3)


@pytest.mark.jit_off
def test_mass_and_stiffness_go_by_what_is_filled() -> None:
    """A body whose cells are half full is that of half the density and half the modulus."""
    _, whole = soft_model()
    half, body = soft_model(fill=0.5)
    thin, _ = soft_model(density=0.5 * DENSITY, young_modulus=0.5 * YOUNG)
    assert half.masses.sum() == pytest.approx(0.5 * DENSITY * VOLUME)
    np.testing.assert_allclose(half.masses, thin.masses)
    for one, other in zip(half.groups, thin.groups, strict=True):
        np.testing.assert_allclose(one.compliance, other.compliance)
        np.testing.assert_allclose(one.rest, other.rest)
    np.testing.assert_allclose(2.0 * body.volumes, whole.volumes)
    assert body.wave_rate == pytest.approx(whole.wave_rate)


@pytest.mark.jit_off
def test_painting_one_number_everywhere_is_giving_it() -> None:
    plain, _ = soft_model(damping=1e-3)
    ones = np.ones(len(BOX[0]))
    painted, _ = soft_model(young_modulus=YOUNG * ones, density=DENSITY * ones, damping=1e-3 * ones)
    np.testing.assert_allclose(painted.masses, plain.masses)
    for one, other in zip(painted.groups, plain.groups, strict=True):
        np.testing.assert_allclose(one.compliance, other.compliance)
        np.testing.assert_allclose(one.damping, other.damping)
    stiff_top = np.where(BOX[0][:, 2] > 0.15, 2.0 * YOUNG, YOUNG)
    model, _ = soft_model(young_modulus=stiff_top)
    top = BOX[0] * (1.0, 1.0, 1.0) + 0.0
    assert energy_of(model, top) > energy_of(plain, top)


@pytest.mark.jit_off
def test_pins_hold_or_pull_by_what_they_stand_for() -> None:
    below = np.flatnonzero(BOX[0][:, 2] == 0.0)
    model, body = soft_model(pins=below)
    np.testing.assert_array_equal(np.flatnonzero(np.isinf(model.masses)), body.particles[below])
    np.testing.assert_array_equal(body.pins, body.particles[below])
    model, body = soft_model(pins=below, pin_stiffness=3e5)
    springs = model.groups[-1]
    assert springs.constraint.kind == "tie_1"
    own = TetrahedralBody.of(*BOX)
    amounts = own.lumped(own.volumes)[below]
    np.testing.assert_allclose(1.0 / springs.compliance[:, 0], 3e5 * amounts)
    np.testing.assert_array_equal(body.anchors, body.pins)


@pytest.mark.jit_off
def test_a_part_of_a_model_has_its_soft_bodies() -> None:
    model, first = soft_model()
    second = model.add_soft_body(BOX[0] + 5.0, tetrahedra=BOX[1], name="second")
    part = Parts(model).model_of(second.own)
    (body,) = part.soft_bodies
    assert body.name == "second"
    np.testing.assert_array_equal(body.tetrahedra, BOX[1])
    np.testing.assert_array_equal(body.triangles, first.triangles)
    assert part.owner_of(3) == "second"
    assert len(part.groups) == len(model.groups) - sum(
        group.indices.max() < len(BOX[0]) for group in model.groups
    )


def test_at_rest_nothing_moves() -> None:
    for energy in ENERGIES:
        model, _ = soft_model(dtype=np.float32, energy=energy, poisson_ratio=0.45)
        simulation = core.Simulation(model, core.XPBD(substeps=20), gravity=(0, 0, 0))
        for _ in range(10):
            simulation.advance(1 / 24)
        np.testing.assert_allclose(simulation.positions, BOX[0], atol=2e-6)


def test_two_far_apart_are_islands_of_their_own_substeps() -> None:
    model, soft = soft_model(dtype=np.float32)
    stiff = model.add_soft_body(
        BOX[0] + 9.0, tetrahedra=BOX[1], density=DENSITY, young_modulus=100.0 * YOUNG
    )
    solver = core.XPBD(substeps=400, largest_stretch=0.03, second_order=True)
    simulation = core.Simulation(model, solver, gravity=(0, 0, 0))
    simulation.advance(1 / 24)
    calm, busy = simulation.reports_of(soft, stiff)
    assert calm.needed < busy.needed == busy.substeps


def test_a_simulation_goes_on_with_another_stiffness() -> None:
    model, body = soft_model(pins=[0, 1, 2])
    simulation = core.Simulation(model, core.XPBD(substeps=10, second_order=True))
    simulation.advance(1 / 24)
    before = simulation.positions.copy()
    other, body = soft_model(pins=[0, 1, 2], young_modulus=2.0 * YOUNG)
    simulation.go_on_with(other)
    np.testing.assert_array_equal(simulation.positions, before)
    simulation.advance(1 / 24)
    assert simulation.model.soft_bodies == [body]
    assert np.isfinite(simulation.positions).all()
    assert len(simulation.forces("neo_hookean_8")) > 0


@pytest.mark.jit_off
@pytest.mark.parametrize("energy", ENERGIES)
@pytest.mark.parametrize("solver", [core.PBD, core.ProjectiveDynamics, core.ConstrainedDynamics])
def test_other_solvers_refuse_it(solver: Any, energy: str) -> None:
    model, _ = soft_model(name="jelly", energy=energy)
    with pytest.raises(ModelError, match="can't simulate 'jelly', a soft body: use XPBD"):
        core.Simulation(model, solver())


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"poisson_ratio": 0.5}, "Poisson's ratio of a soft body lies between 0 and 0.499"),
        ({"poisson_ratio": -0.1}, "Poisson's ratio of a soft body lies between 0 and 0.499"),
        ({"young_modulus": 0.0}, "young modulus must be positive"),
        ({"density": 0.0}, "density must be positive"),
        ({"damping": -1.0}, "damping can't be"),
        ({"energy": "ogden"}, "'ogden' is no energy"),
        ({"fill": 0.0}, "filled part of a tetrahedron of 'jelly' must be above 0"),
        ({"fill": [1.0, 1.0]}, "filled part of 'jelly' must fit"),
        ({"young_modulus": [1.0, 2.0]}, "young modulus of 'jelly' must be one number"),
        ({"pins": [999]}, "pin of 'jelly' refers to a vertex"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        soft_model(name="jelly", **wrong)


@pytest.mark.jit_off
def test_what_is_wrong_with_tetrahedra_names_the_body() -> None:
    with pytest.raises(ModelError, match=r"'jelly' can't be a soft body\. Tetrahedron 0"):
        core.Model().add_soft_body(BOX[0], tetrahedra=BOX[1][:, [1, 0, 2, 3]], name="jelly")
