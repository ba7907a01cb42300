# SPDX-License-Identifier: GPL-3.0-or-later
"""Warm starts, symmetric sweeps and the residual, for XPBD."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core


def chain(links: int, compliance: float, **options: Any) -> core.Simulation:
    """A chain of links of 0.1 m and 1 kg, let go from horizontal, swept in order."""
    model = core.Model(np.float64)
    along = 0.1 * np.arange(links + 1)
    model.add_particles(
        np.stack([along, 0.0 * along, 0.0 * along], axis=1), [np.inf] + [1.0] * links
    )
    pairs = np.stack([np.arange(links), np.arange(1, links + 1)], axis=1)
    model.add_constraints("distance", pairs, compliance=compliance, order="given")
    return core.Simulation(model, core.XPBD(substeps=1, **options))


def hanging(links: int, **options: Any) -> core.Simulation:
    """The same at rest, hanging down."""
    simulation = chain(links, 1e-5, **options)
    depth = -np.linalg.norm(simulation.positions, axis=1)
    simulation.state.positions[:] = np.stack([0 * depth, 0 * depth, depth], axis=1)
    simulation.state.previous[:, :3] = simulation.state.rows[:, :3]
    return simulation


EXACT = 9.81 * np.arange(10, 0, -1)
"""Forces [N] in the links of ten hanging at rest."""


def balanced(h: float, **options: Any) -> core.Simulation:
    """Ten links as long as their weight pulls them, and what a last substep of h [s] left."""
    simulation = hanging(10, **options)
    simulation.state.positions[1:, 2] = -np.cumsum(0.1 + 1e-5 * EXACT)
    slots = simulation.prepared.slots[0][:, 0]
    simulation.prepared.program.multipliers[slots] = -EXACT * h**2
    simulation.state.span = h
    return simulation


@pytest.mark.jit_off
def test_a_warm_start_knows_the_forces_of_the_last_step() -> None:
    """In equilibrium the first guess is the solution: a single sweep holds the weight."""
    errors = []
    for kept in (0.0, 1.0):
        simulation = balanced(0.01, iterations=2, warm_start=kept)
        simulation.advance(0.01)
        errors.append(np.abs(simulation.forces("distance") - EXACT).max() / EXACT.max())
    assert errors[1] < 1e-9
    assert errors[0] > 0.1


@pytest.mark.jit_off
@pytest.mark.parametrize("method", ["gauss-seidel", "jacobi"])
@pytest.mark.parametrize("h", [0.004, 0.03])
def test_a_warm_start_knows_the_forces_when_substeps_change(method: Any, h: float) -> None:
    """It is the force that goes on, not λ, which is h² as large."""
    simulation = balanced(0.01, iterations=1, warm_start=1.0, method=method)
    before = simulation.positions.copy()
    simulation.advance(h)
    np.testing.assert_allclose(simulation.forces("distance"), EXACT, rtol=1e-9)
    np.testing.assert_allclose(simulation.positions, before, atol=1e-12)


@pytest.mark.jit_off
@pytest.mark.parametrize("substeps", [2, 5])
@pytest.mark.parametrize("method", ["gauss-seidel", "jacobi"])
def test_a_warm_start_rescales_once_a_step(method: Any, substeps: int) -> None:
    """Only from the last step's h to this one's; from substep to substep λ stays as it is."""
    simulation = balanced(0.01, iterations=1, warm_start=1.0, method=method)
    before = simulation.positions.copy()
    simulation.solver.substeps = substeps
    simulation.advance(0.03)
    np.testing.assert_allclose(simulation.forces("distance"), EXACT, rtol=1e-9)
    np.testing.assert_allclose(simulation.positions, before, atol=1e-12)


def test_a_warm_start_makes_a_long_chain_stiffer() -> None:
    """It swings about the depth to which its weight pulls it."""
    exact = 1e-5 * 9.81 * np.arange(1, 41).sum()
    errors = []
    for kept in (0.0, 0.9):
        simulation, depths = hanging(40, iterations=10, warm_start=kept), []
        for _ in range(400):
            simulation.advance(0.008)
            depths.append(-simulation.positions[-1, 2] - 4.0)
        errors.append(abs(np.mean(depths) - exact))
    assert errors[1] < 0.3 * errors[0]


@pytest.mark.jit_off
def test_a_warm_start_converges_to_the_same_state() -> None:
    """Along a line, where gradients don't turn, the solution does not depend on the start."""
    ends = []
    for kept in (0.0, 0.5, True):
        simulation = hanging(3, iterations=200, warm_start=kept)
        for step in (0.01, 0.02, 0.005):
            simulation.advance(step)
        ends.append(simulation.positions.copy())
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-12)
    np.testing.assert_allclose(ends[2], ends[0], atol=1e-12)


@pytest.mark.jit_off
def test_symmetric_sweeps_go_there_and_back() -> None:
    """An iteration is a sweep up and a sweep down, as the naive solver does them."""
    simulation = chain(4, 1e-6, iterations=1, symmetric=True)
    x, v = np.array(simulation.positions), np.zeros((5, 3))
    links = naive.constraints_of(simulation.model.groups, simulation.prepared.slots)
    constraints = [constraint for _, constraint in links]
    w, dt = np.r_[0.0, np.ones(4)], 0.01
    start = x.copy()
    x[1:] += dt**2 * np.array([0.0, 0.0, -9.81]) + dt * v[1:]
    multipliers = [np.zeros(1) for _ in constraints]
    for order in (range(3, -1, -1), range(4)):
        for i in order:
            naive.project(constraints[i], x, start, w, multipliers[i], dt)
    simulation.advance(dt)
    np.testing.assert_allclose(simulation.positions, x, atol=1e-14)


@pytest.mark.jit_off
def test_the_residual_is_what_an_averaged_iteration_would_move() -> None:
    simulation = chain(2, 0.0, iterations=1)
    assert simulation.residual() == 0.0
    simulation.advance(0.01)
    simulation.state.positions[:] = [(0, 0, 0), (0.1, 0, 0), (0.23, 0, 0)]
    # The last link is 0.03 too long: 0.015 each, averaged with the first link's zero at the middle.
    assert simulation.residual() == pytest.approx(0.015)
    simulation.state.positions[:] = [(0, 0, 0), (0.13, 0, 0), (0.23, 0, 0)]
    assert simulation.residual() == pytest.approx(0.015)
    simulation.state.positions[:] = [(0, 0, 0), (0.1, 0, 0), (0.2, 0, 0)]
    assert simulation.residual() == pytest.approx(0.0, abs=1e-15)


@pytest.mark.jit_off
def test_measuring_the_residual_changes_nothing() -> None:
    simulation = chain(5, 1e-6, iterations=3)
    simulation.advance(0.02)
    before = (simulation.positions.copy(), simulation.prepared.program.multipliers.copy())
    assert simulation.residual() > 0.0
    np.testing.assert_array_equal(simulation.positions, before[0])
    np.testing.assert_array_equal(simulation.prepared.program.multipliers, before[1])


def test_the_residual_falls_with_iterations() -> None:
    residuals = []
    for iterations in (1, 10, 100, 1000):
        simulation = chain(10, 1e-6, iterations=iterations)
        for _ in range(10):
            simulation.advance(0.01)
        residuals.append(simulation.residual())
    assert residuals[0] > 2.0 * residuals[1] > 4.0 * residuals[2] > 8.0 * residuals[3]
