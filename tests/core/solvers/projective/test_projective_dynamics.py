# SPDX-License-Identifier: GPL-3.0-or-later
"""Projective dynamics against Newton's method, closed forms and invariants."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from spring_cloth import (
    GRAVITY,
    Array,
    Start,
    crumpled,
    energy_of,
    in_motion,
    spring_cloth,
    stepped,
)

import core
from core.constraints import REGISTRY
from core.solvers.projective.pace import first_pace, judged_pace, next_pace

pytestmark = pytest.mark.long

METHODS = ("direct", "jacobi")
each_method = pytest.mark.parametrize("method", METHODS)

KINDS = [kind for kind, c in REGISTRY.items() if not (c.inequality or c.summed or c.only_xpbd)]


def newton_of(model: core.Model, start: Start, dt: float) -> Array:
    group = model.groups[0]
    end, _ = naive.spring_step(
        *start, model.masses, group.indices, group.rest[:, 0], 1.0 / group.compliance[:, 0], dt,
        gravity=GRAVITY,
    )  # fmt: skip
    return end


# --- the fixed point ------------------------------------------------------------------------------


@pytest.mark.jit_off
@each_method
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("damping", [0.0, 0.01])
def test_the_fixed_point_is_newtons_solution(kind: str, method: Any, damping: float) -> None:
    """Equations 8 and 24 with full K, from a start away from rest."""
    constraint = REGISTRY[kind]
    random = np.random.default_rng(5)
    shape = np.resize(
        [(0, 0, 0), (1, 0, 0.1), (0.3, 1, 0), (0.4, -1, 0.5)], (constraint.vertices, 3)
    ).astype(float)
    x = shape + random.uniform(-0.1, 0.1, shape.shape)
    v = random.uniform(-1, 1, x.shape)
    masses = np.r_[random.uniform(0.5, 2.0, len(x) - 1), np.inf]
    v[-1] = 0.0
    model = core.Model(np.float64)
    model.add_particles(x, masses, v)
    model.add_constraints(
        kind,
        [range(constraint.vertices)],
        rest=constraint.measure_rest(shape[None]),
        compliance=0.01,
        damping=damping,
    )
    simulation = stepped(model, (x, v), 0.02, method=method, iterations=150)
    reference = [c for _, c in naive.constraints_of(model.groups, simulation.prepared.slots)]
    end, velocity, multipliers = naive.implicit_euler_step(
        x, v, 1.0 / masses, reference, 0.02, gravity=GRAVITY
    )
    np.testing.assert_allclose(simulation.positions, end, atol=1e-9)
    np.testing.assert_allclose(simulation.velocities, velocity, atol=1e-7)
    places = simulation.prepared.slots[0][0]
    np.testing.assert_allclose(
        simulation.prepared.program.multipliers[places], multipliers[0], rtol=1e-5, atol=1e-10
    )
    assert simulation.residual() < 1e-9


@each_method
@pytest.mark.parametrize("chebyshev", [False, True])
def test_the_fixed_point_of_spring_cloth_is_newtons_solution(method: Any, chebyshev: bool) -> None:
    """Half the digits of double precision: the same solution, not one nearby."""
    model, dt = spring_cloth(), 1 / 30
    start = in_motion(model, 10, dt)
    end = newton_of(model, start, dt)
    found = stepped(
        model, start, dt, method=method, chebyshev=chebyshev, iterations=800 if chebyshev else 4000
    ).positions
    assert np.linalg.norm(found - end) < 1e-8 * np.linalg.norm(end - start[0])


@pytest.mark.jit_off
def test_with_small_steps_it_agrees_with_converged_xpbd() -> None:
    """Both solve implicit Euler; XPBD's g ≈ 0 is of second order in Δt."""
    ends = []
    for solver in (
        core.ProjectiveDynamics(iterations=20),
        core.XPBD(substeps=1, iterations=60),
    ):
        model = spring_cloth(4)
        simulation = core.Simulation(model, solver)
        for _ in range(5):
            simulation.advance(1e-3)
        ends.append(simulation.positions.copy())
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


@pytest.mark.jit_off
@each_method
@pytest.mark.parametrize("damping", [0.0, 0.002, 0.2])
def test_the_oscillator_is_implicit_euler(method: Any, damping: float) -> None:
    alpha, dt = 0.001, 1 / 60
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0), (1.5, 0, 0)], [np.inf, 1.0])
    model.add_constraints("distance", [(0, 1)], rest=1.0, compliance=alpha, damping=damping)
    solver = core.ProjectiveDynamics(method=method, iterations=2)
    simulation = core.Simulation(model, solver, (0, 0, 0))
    x, v = 1.5, 0.0
    for _ in range(30):
        stiff, viscous = dt**2 / alpha, dt * damping / alpha
        new = (x + dt * v + stiff + viscous * x) / (1.0 + stiff + viscous)
        x, v = new, (new - x) / dt
        simulation.advance(dt)
        assert simulation.positions[1, 0] == pytest.approx(x, abs=1e-12)


@pytest.mark.jit_off
@pytest.mark.parametrize("kind", [kind for kind in KINDS if REGISTRY[kind].coefficients])
def test_coefficients_are_as_stiff_as_the_energy(kind: str) -> None:
    """Near rest C² ≤ Σ |Σ c x|² with nearly equality for some movements, none for translations."""
    constraint = REGISTRY[kind]
    assert constraint.coefficients is not None
    corners = np.array([(0, 0, 0), (1, 0, 0), (2, 0, 0.0), (0, 1, 0.5)])[: constraint.vertices]
    if constraint.vertices == 4:
        corners[2] = (0.2, 0.1, 1.0)
    rest = constraint.measure_rest(corners[None])
    c = constraint.coefficients(corners[None], rest)[0]
    np.testing.assert_allclose(c.sum(axis=1), 0.0, atol=1e-12)
    random, ratios = np.random.default_rng(0), []
    for _ in range(200):
        move = 1e-3 * random.normal(size=corners.shape)
        values, _ = naive.evaluate_body(constraint, corners + move, rest[0])
        ratios.append(float(values[0] ** 2 / ((c @ move) ** 2).sum()))
    assert max(ratios) < 1.01
    assert max(ratios) > 0.7


# --- the way there --------------------------------------------------------------------------------


@each_method
def test_energy_never_rises(method: Any) -> None:
    """Not even where the constant matrix does not bound the curvature."""
    model, start = crumpled()
    dt = 1 / 24
    energies = [
        energy_of(
            model, stepped(model, start, dt, method=method, iterations=n).positions, start, dt
        )
        for n in range(1, 25)
    ]
    assert np.all(np.diff(energies) <= 1e-12 * np.array(energies[:-1]))
    assert energies[-1] < 0.2 * energies[0]


@each_method
def test_acceleration_that_leads_astray_falls_back(method: Any) -> None:
    """Crumpled cloth is compressed: weights alone would throw it about."""
    model, start = crumpled(6)
    dt = 1 / 24

    def energy(iterations: int, chebyshev: bool) -> float:
        options = {"method": method, "iterations": iterations, "chebyshev": chebyshev}
        return energy_of(model, stepped(model, start, dt, **options).positions, start, dt)

    for iterations in (30, 100):
        assert energy(iterations, True) < energy(iterations, False)
    accelerated = stepped(model, start, dt, method=method, iterations=2000, chebyshev=True)
    assert accelerated.residual() < 1e-9


def test_weights_are_given_up_where_energy_breaks_its_promise() -> None:
    pace = first_pace(0.99, False, 50)
    while pace.age < 5:
        pace = judged_pace(next_pace(pace), 1.0)
    assert pace.weight > 1.0
    reached = judged_pace(next_pace(pace), 0.1)
    assert reached.age == 6
    assert reached.least == 0.1
    for energy in (1.2, np.inf, np.nan):
        refused = judged_pace(next_pace(reached), energy)
        assert (refused.age, refused.delay) == (-2 * pace.delay, 2 * pace.delay)
        assert next_pace(refused).weight == 1.0


def iterations_to(model: core.Model, start: Start, end: Array, error: float, **options: Any) -> int:
    """The least number of iterations of a step that leave this part of the first error."""
    dt = 1 / 30
    free = np.isfinite(model.masses)[:, None]
    predicted = start[0] + free * (dt * start[1] + dt**2 * np.array(GRAVITY))
    target = error * np.linalg.norm(predicted - end)

    def reached(iterations: int) -> bool:
        found = stepped(model, start, dt, iterations=iterations, **options).positions
        return bool(np.linalg.norm(found - end) < target)

    low, high = 1, 4096
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle + 1, high)
    return low


def test_chebyshev_needs_eight_times_fewer_jacobi_iterations() -> None:
    """Half of what linear theory promises, at errors of 1e-2, 1e-3, 1e-4, with no radius given."""
    model = spring_cloth()
    start = in_motion(model, 10, 1 / 30)
    end = newton_of(model, start, 1 / 30)
    for error in (1e-2, 1e-3, 1e-4):
        plain, accelerated = (
            iterations_to(model, start, end, error, method="jacobi", chebyshev=chebyshev)
            for chebyshev in (False, True)
        )
        assert plain >= 8 * accelerated
