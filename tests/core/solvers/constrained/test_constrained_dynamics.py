# SPDX-License-Identifier: GPL-3.0-or-later
"""Constrained dynamics against dense solves, XPBD, and what holds for any solver."""

from __future__ import annotations

from typing import Any

import contact_scenes
import naive
import numpy as np
import pytest
from constrained_scenes import GRAVITY, chain, cloud, error_of, inverse_masses, net, references

import core
from core.constraints import REGISTRY

MATERIALS = [kind for kind, c in REGISTRY.items() if not (c.inequality or c.summed or c.only_xpbd)]


# --- the chain of the XPBD paper ------------------------------------------------------------------


@pytest.mark.parametrize("degrees", [0.0, 15.0])
def test_two_solves_leave_no_drift_on_the_chain(degrees: float) -> None:
    model = chain(degrees=degrees)
    simulation = core.Simulation(model, core.ConstrainedDynamics(substeps=1, iterations=2))
    errors = []
    for _ in range(100):
        simulation.advance(0.008)
        errors.append(error_of(simulation, model.groups[0]))
    assert max(errors) < 1e-12


def test_a_velocity_level_solve_drifts() -> None:
    model = chain()
    distance, rest = REGISTRY["distance"], np.array([0.1])
    links = [naive.from_registry(distance, pair, rest, 0.0) for pair in model.groups[0].indices]
    x, v = model.positions, np.zeros((20, 3))
    errors = []
    for _ in range(100):
        x, v = naive.velocity_level_step(x, v, inverse_masses(model), links, 0.008, gravity=GRAVITY)
        errors.append(np.abs(np.linalg.norm(np.diff(x, axis=0), axis=1) - 0.1).max())
    assert 5e-3 < max(errors) < 0.1


# --- against dense solves -------------------------------------------------------------------------


@pytest.mark.jit_off
@pytest.mark.parametrize("iterations", [1, 2])
@pytest.mark.parametrize("degrees", [0.0, 15.0])
def test_a_step_of_a_hard_chain_is_the_dense_one(iterations: int, degrees: float) -> None:
    model = chain(6, degrees=degrees)
    simulation = core.Simulation(model, core.ConstrainedDynamics(iterations=iterations))
    x, v, w = model.positions.copy(), np.zeros((6, 3)), inverse_masses(model)
    for _ in range(5):
        simulation.advance(0.01)
        x, v, multipliers = naive.constrained_step(
            x, v, w, references(simulation), 0.01, gravity=GRAVITY, iterations=iterations
        )
    np.testing.assert_allclose(simulation.positions, x, atol=1e-11)
    np.testing.assert_allclose(simulation.velocities, v, atol=1e-9)
    forces = np.abs(np.concatenate(multipliers)) / 0.01**2
    np.testing.assert_allclose(np.sort(simulation.forces("distance")), np.sort(forces), rtol=1e-7)


@pytest.mark.jit_off
@pytest.mark.parametrize("damping", [0.0, 0.05])
@pytest.mark.parametrize("kinds", [*([kind] for kind in MATERIALS), MATERIALS])
def test_every_kind_is_solved_as_densely(kinds: list[str], damping: float) -> None:
    model = cloud(kinds, compliance=1e-4, damping=damping)
    simulation = core.Simulation(model, core.ConstrainedDynamics(iterations=4))
    x, v, w = model.positions.copy(), np.array(simulation.velocities), inverse_masses(model)
    simulation.advance(1e-3)
    x, v, _ = naive.constrained_step(
        x, v, w, references(simulation), 1e-3, gravity=GRAVITY, iterations=4
    )
    np.testing.assert_allclose(simulation.positions, x, atol=1e-8)


# --- against XPBD ---------------------------------------------------------------------------------


@pytest.mark.parametrize("damping", [0.0, 0.02])
@pytest.mark.parametrize("kind", ["distance", "strain", "bending"])
def test_it_finds_what_xpbd_converges_to(kind: str, damping: float) -> None:
    """Both go through g ≈ 0, which is of second order in Δt: the ways there hardly differ."""
    ends = []
    for solver in (core.ConstrainedDynamics(iterations=4), core.XPBD(substeps=1, iterations=2000)):
        simulation = core.Simulation(cloud([kind], compliance=1e-3, damping=damping), solver)
        for _ in range(3):
            simulation.advance(1e-3)
        ends.append(simulation.positions.copy())
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)
    assert np.abs(ends[0] - simulation.model.positions).max() > 1e-3


def test_a_hanging_chain_is_as_long_as_statics_say() -> None:
    model = chain(5, compliance=1e-4, degrees=90.0)
    simulation = core.Simulation(model, core.ConstrainedDynamics())
    for _ in range(2000):
        simulation.advance(0.01)
    weights = 9.81 * np.arange(4, 0, -1)
    np.testing.assert_allclose(simulation.forces("distance"), weights, rtol=1e-6)
    lengths = -np.diff(simulation.positions[:, 2])
    np.testing.assert_allclose(lengths, 0.1 + 1e-4 * weights, rtol=1e-6)


# --- what holds for any solver --------------------------------------------------------------------


@pytest.mark.jit_off
@pytest.mark.parametrize("kind", MATERIALS)
def test_momentum_is_kept(kind: str) -> None:
    constraint, random = REGISTRY[kind], np.random.default_rng(3)
    points = random.uniform(-1.0, 1.0, (8, 3))
    masses = random.uniform(0.5, 2.0, 8)
    corners = np.array([random.choice(8, constraint.vertices, replace=False) for _ in range(4)])
    model = core.Model(np.float64)
    model.add_particles(points, masses, random.uniform(-1.0, 1.0, (8, 3)))
    rest = constraint.measure_rest(points[corners] * 1.02)
    model.add_constraints(kind, corners, rest=rest, compliance=1e-5)
    simulation = core.Simulation(model, core.ConstrainedDynamics(), gravity=(0, 0, 0))
    linear, angular = momenta(simulation, masses)
    for _ in range(3):
        simulation.advance(0.004)
    linear_after, angular_after = momenta(simulation, masses)
    np.testing.assert_allclose(linear_after, linear, atol=1e-12)
    # Positions move along ∇C at the predicted ones: an error of second order in the movement.
    np.testing.assert_allclose(angular_after, angular, atol=2e-2)


def momenta(simulation: core.Simulation, masses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    linear = masses[:, None] * simulation.velocities
    return linear.sum(axis=0), np.cross(simulation.positions, linear).sum(axis=0)


@pytest.mark.jit_off
def test_rigid_motion_makes_no_force() -> None:
    positions, _ = naive.quad_grid(2, 2, 1.0, 1.0)
    model = core.Model(np.float64)
    model.add_particles(positions, 1.0, (1.0, -2.0, 0.5))
    links = model.add_constraints("distance", [(0, 1), (1, 4), (4, 8), (3, 4)])
    simulation = core.Simulation(model, core.ConstrainedDynamics(), gravity=(0, 0, 0))
    simulation.advance(0.1)
    moved = positions + np.array([0.1, -0.2, 0.05])
    np.testing.assert_allclose(simulation.positions, moved, atol=1e-14)
    assert simulation.forces(links).max() < 1e-9


@pytest.mark.jit_off
def test_pins_end_on_their_targets_and_pull_the_chain_along() -> None:
    model = chain(5, degrees=90.0)
    simulation = core.Simulation(model, core.ConstrainedDynamics(substeps=4))
    for frame in range(1, 11):
        simulation.set_targets([0], [(0.02 * frame, 0.0, 0.0)])
        simulation.advance(1 / 24)
    np.testing.assert_array_equal(simulation.positions[0], (0.2, 0.0, 0.0))
    assert error_of(simulation, model.groups[0]) < 1e-9
    assert simulation.positions[-1, 0] > 0.05


@pytest.mark.jit_off
def test_constraints_between_pins_alone_move_nothing() -> None:
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0), (1, 0, 0), (1, 0, -1)], [np.inf, np.inf, 1.0])
    model.add_constraints("distance", [(0, 1), (1, 2)], rest=[0.5, 1.0])
    simulation = core.Simulation(model, core.ConstrainedDynamics())
    simulation.advance(0.01)
    np.testing.assert_array_equal(simulation.positions[:2], [(0, 0, 0), (1, 0, 0)])
    np.testing.assert_allclose(simulation.positions[2], (1, 0, -1), atol=1e-14)


@pytest.mark.jit_off
def test_a_model_without_constraints_falls_freely() -> None:
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0)], 1.0)
    simulation = core.Simulation(model, core.ConstrainedDynamics())
    simulation.advance(0.1)
    np.testing.assert_allclose(simulation.positions, [(0, 0, -0.0981)])
    assert simulation.residual() == 0.0


# --- options, residual, refusals ------------------------------------------------------------------


@pytest.mark.jit_off
@pytest.mark.parametrize("options", [{"substeps": 0}, {"iterations": 0}, {"threads": 0}])
def test_counts_must_be_positive(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="at least"):
        core.ConstrainedDynamics(**options)


@pytest.mark.jit_off
def test_the_residual_falls_with_each_solve() -> None:
    residuals = []
    for iterations in (1, 2):
        simulation = core.Simulation(chain(6), core.ConstrainedDynamics(iterations=iterations))
        for _ in range(3):
            simulation.advance(0.02)
        residuals.append(simulation.residual())
    assert residuals[1] < 1e-3 * residuals[0]


@pytest.mark.jit_off
def test_step_lays_out_the_model_itself_when_asked_for_one_step() -> None:
    model, solver = chain(4), core.ConstrainedDynamics()
    state = model.state()
    solver.step(model, state, 0.02, gravity=GRAVITY)
    simulation = core.Simulation(model, solver)
    simulation.advance(0.02)
    np.testing.assert_array_equal(state.positions, simulation.positions)


def test_a_mesh_too_wide_to_be_solved_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.solvers.constrained.schur_layout.MOST_ENTRIES", 100)
    with pytest.raises(core.ModelError, match="Choose XPBD"):
        core.Simulation(net(4), core.ConstrainedDynamics())


@pytest.mark.parametrize("kind", [kind for kind, c in REGISTRY.items() if c.summed])
def test_constraints_that_are_sums_are_refused(kind: str) -> None:
    positions, triangles = contact_scenes.box((0, 0, 0), (1, 1, 1))
    model = core.Model(np.float64)
    model.add_particles(positions, 1.0)
    model.add_constraints(kind, triangles)
    with pytest.raises(core.ModelError, match=kind):
        core.Simulation(model, core.ConstrainedDynamics())
