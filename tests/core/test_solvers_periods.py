# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft constraints that are swept less often."""

from __future__ import annotations

import naive
import numpy as np
import pytest

import core
from core.solvers import periods

SUBSTEP = 1 / 24 / 64


def sheet(bend_compliance: float = 1e5, bend_damping: float = 0.0) -> core.Model:
    positions, faces = naive.quad_grid(8, 8, 1.0, 1.0)
    model = core.Model(np.float64)
    model.add_cloth(
        positions,
        faces,
        bend_compliance=bend_compliance,
        bend_damping=bend_damping,
        pins=[0, 8],
    )
    return model


def rates(model: core.Model) -> dict[str, float]:
    found = periods.stiffness_rates(model.groups, model.positions, model.masses)
    kinds = [group.constraint.kind for group in model.groups]
    return dict(zip(kinds, found, strict=True))


@pytest.mark.jit_off
def test_a_rate_is_that_of_a_hinge() -> None:
    """One hinge of two right-angled triangles, its gradient by finite differences."""
    positions = np.array([(0.0, 0, 0), (1, 0, 0), (0.3, 1, 0), (0.6, -1, 0)])
    masses = np.array([1.0, 2.0, 3.0, 4.0])
    model = core.Model(np.float64)
    model.add_particles(positions, masses)
    model.add_constraints("bending", [(0, 1, 2, 3)], compliance=0.5)
    gradient = naive.differentiate(lambda x: naive.bending(x, np.zeros(1)), positions)
    expected = (np.sum(gradient.reshape(4, 3) ** 2, axis=1) / masses).sum() / 0.5
    found = periods.stiffness_rates(model.groups, positions, masses)
    np.testing.assert_allclose(found, [expected], rtol=0.02)


@pytest.mark.jit_off
def test_only_soft_undamped_bending_can_wait() -> None:
    assert np.isfinite(rates(sheet())["bending"])
    assert np.isinf(rates(sheet())["distance"])
    assert np.isinf(rates(sheet(bend_damping=0.01))["bending"])
    assert np.isinf(rates(sheet(bend_compliance=0.0))["bending"])


@pytest.mark.jit_off
def test_periods_are_powers_of_two_that_keep_the_error_small() -> None:
    softness = np.array([0.0, 1e-9, 0.9, 0.11, 0.049, 0.012, np.inf])
    found = periods.periods_of(softness / SUBSTEP**2, SUBSTEP)
    np.testing.assert_array_equal(found, [8, 8, 1, 1, 2, 8, 1])
    assert (found * np.minimum(softness, 1.0) <= np.maximum(periods.TOLERANCE, softness)).all()


def test_without_automatic_quality_every_substep_sweeps_everything() -> None:
    simulation = core.Simulation(sheet(), core.XPBD(substeps=8))
    assert np.isinf(simulation.prepared.stiffness).all()


def flap_at_rest(largest_stretch: float, substeps: int = 64) -> core.Simulation:
    """A mass of 0.3 kg on a hinge one metre away, pulled down until the hinge holds it."""
    model = core.Model(np.float64)
    positions = np.array([(0.0, 0, 0), (0, 1, 0), (-1, 0.5, 0), (1, 0.5, 0)])
    model.add_particles(positions, [np.inf, np.inf, np.inf, 0.3], drag=5.0)
    model.add_constraints("bending", [(0, 1, 2, 3)], compliance=0.04)
    model.add_constraints("distance", [(0, 3), (1, 3)], compliance=1e-6)
    solver = core.XPBD(substeps=substeps, largest_stretch=largest_stretch)
    simulation = core.Simulation(model, solver)
    for _ in range(200):
        simulation.advance(1 / 24)
    return simulation


@pytest.mark.parametrize("substeps", [64, 21])
def test_bending_forces_are_the_same_as_if_each_substep_had_swept(substeps: int) -> None:
    """λ / h² is the moment of the weight, whatever the period, also where a step has a rest."""
    often, seldom = flap_at_rest(0.0, substeps), flap_at_rest(0.03, substeps)
    rates = seldom.prepared.stiffness
    assert periods.periods_of(rates, seldom.state.time_step)[0] > 1
    np.testing.assert_allclose(seldom.positions[3], often.positions[3], atol=1e-3)
    moment = 0.3 * 9.81 * seldom.positions[3, 0]
    np.testing.assert_allclose(seldom.forces("bending"), [moment], rtol=0.01)
    np.testing.assert_allclose(often.forces("bending"), [moment], rtol=0.01)


def test_momentum_is_kept() -> None:
    positions, faces = naive.quad_grid(6, 6, 1.0, 1.0)
    bent = positions.copy()
    bent[:, 2] = 0.05 * np.sin(7 * positions[:, 0])
    model = core.Model(np.float64)
    model.add_cloth(positions, faces, bend_compliance=1e4)
    solver = core.XPBD(substeps=64, largest_stretch=0.03)
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, 0.0))
    simulation.positions[:] = bent
    masses = model.masses[:, None]
    for _ in range(5):
        simulation.advance(1 / 24)
    momenta = masses * simulation.velocities
    assert np.linalg.norm(simulation.velocities, axis=1).max() > 1e-3
    np.testing.assert_allclose(momenta.sum(axis=0), 0.0, atol=1e-12)
    spins = np.cross(simulation.positions, momenta)
    np.testing.assert_allclose(spins.sum(axis=0), 0.0, atol=5e-3 * np.abs(spins).sum())
