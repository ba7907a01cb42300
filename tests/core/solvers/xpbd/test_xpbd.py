# SPDX-License-Identifier: GPL-3.0-or-later
"""XPBD against closed forms, implicit Euler and Newton's method: the paper's section 6."""

from __future__ import annotations

import math
from typing import Any

import naive
import numpy as np
import pytest

import core
from core.constraints import REGISTRY

pytestmark = pytest.mark.long

ALPHA = 0.001
OMEGA = math.sqrt(1.0 / ALPHA)

# Limits have no compliance; sums have tests of their own in test_sums.py.
EACH_KIND = [kind for kind, c in REGISTRY.items() if not (c.inequality or c.summed)]


def oscillator(*, iterations: int = 1, substeps: int = 1, damping: float = 0.0) -> core.Simulation:
    """Figure 2: a unit mass on a spring of rest length 1, let go at 1.5."""
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0), (1.5, 0, 0)], [np.inf, 1.0])
    model.add_constraints("distance", [(0, 1)], rest=1.0, compliance=ALPHA, damping=damping)
    solver = core.XPBD(substeps=substeps, iterations=iterations)
    return core.Simulation(model, solver, gravity=(0, 0, 0))


def implicit_euler_oscillator(dt: float, steps: int, damping: float = 0.0) -> np.ndarray:
    """x with m ẍ = -(x - 1) / α - (damping / α) ẋ, everything at the end of the step."""
    x, v, path = 1.5, 0.0, []
    for _ in range(steps):
        stiff, viscous = dt**2 / ALPHA, dt * damping / ALPHA
        new = (x + dt * v + stiff + viscous * x) / (1.0 + stiff + viscous)
        x, v = new, (new - x) / dt
        path.append(x)
    return np.array(path)


@pytest.mark.jit_off
@pytest.mark.parametrize("iterations", [1, 5, 10])
@pytest.mark.parametrize("dt", [1 / 60, 0.008, 0.001])
@pytest.mark.parametrize("damping", [0.0, 0.002, 0.02, 0.2])
def test_the_oscillator_is_implicit_euler(iterations: int, dt: float, damping: float) -> None:
    """With damping ratios ζ = ω damping / 2 of 0, 0.03, 0.3 and 3."""
    simulation = oscillator(iterations=iterations, damping=damping)
    path = []
    for _ in range(60):
        simulation.advance(dt)
        path.append(simulation.positions[1, 0])
    # 60 steps of a handful of roundings each.
    np.testing.assert_allclose(path, implicit_euler_oscillator(dt, 60, damping), atol=1e-12)
    np.testing.assert_array_equal(simulation.positions[:, 1:], 0.0)


def analytic(time: float, damping: float) -> float:
    """1 + the damped motion from 0.5 at rest, for ζ below one."""
    zeta = 0.5 * OMEGA * damping
    decay, omega = zeta * OMEGA, OMEGA * math.sqrt(1.0 - zeta**2)
    swing = math.cos(omega * time) + decay / omega * math.sin(omega * time)
    return 1.0 + 0.5 * math.exp(-decay * time) * swing


@pytest.mark.parametrize("damping", [0.0, 0.01])
def test_the_oscillator_converges_at_first_order(damping: float) -> None:
    """Halving Δt halves the error over one period; at Δt = 1 µs it is below 1e-4."""
    period, samples = 2.0 * math.pi / OMEGA, 20

    def largest_error(substeps: int) -> float:
        simulation = oscillator(substeps=substeps, damping=damping)
        errors = []
        for sample in range(1, samples + 1):
            simulation.advance(period / samples)
            errors.append(simulation.positions[1, 0] - analytic(sample * period / samples, damping))
        return max(map(abs, errors))

    errors = [largest_error(substeps) for substeps in (500, 1000, 2000)]
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.03)
    assert errors[1] / errors[2] == pytest.approx(2.0, abs=0.02)
    assert largest_error(10_000) < 1e-4 * (1.0 if damping == 0.0 else 2.0)


def test_the_error_of_frame_sized_steps_is_that_of_implicit_euler() -> None:
    """facts/seed-errata.md: 0.366, 0.265, 0.047 in the first period, not the plot of the paper."""
    for dt, expected in ((1 / 60, 0.366), (0.008, 0.265), (0.001, 0.047)):
        simulation, errors = oscillator(), []
        for step in range(1, int(2.0 * math.pi / OMEGA / dt) + 1):
            simulation.advance(dt)
            errors.append(abs(simulation.positions[1, 0] - analytic(step * dt, 0.0)))
        assert max(errors) == pytest.approx(expected, abs=0.002)


# --- the chain of figures 3a and 4 ----------------------------------------------------------------


def chain_start(angle: float) -> np.ndarray:
    along = 0.1 * np.arange(20)
    return np.stack([along * np.cos(angle), np.zeros(20), -along * np.sin(angle)], axis=1)


def reference_support_force(start: np.ndarray, dt: float, frames: int) -> np.ndarray:
    """Force of the first link [N] over the frames, by Newton."""
    w = np.r_[0.0, np.ones(19)]
    distance = REGISTRY["distance"]
    links = [naive.from_registry(distance, (i, i + 1), np.array([0.1]), 1e-8) for i in range(19)]
    x, v, forces = start.copy(), np.zeros((20, 3)), []
    for _ in range(frames):
        x, v, multipliers = naive.implicit_euler_step(
            x, v, w, links, dt, gravity=(0, 0, -9.81), tolerance=1e-9
        )
        forces.append(abs(multipliers[0][0]) / dt**2)
    return np.array(forces)


@pytest.mark.parametrize(
    ("angle", "expected"),
    [(0.0, {50: 9.05, 100: 4.16, 1000: 0.67}), (15.0, {50: 6.5, 100: 4.6, 1000: 0.39})],
)
def test_the_support_force_of_a_chain(angle: float, expected: dict[int, float]) -> None:
    """Error over the reference's peak in percent, as worked out in facts/seed-errata.md."""
    start, dt, frames = chain_start(np.radians(angle)), 0.008, 100
    reference = reference_support_force(start, dt, frames)
    for iterations, percent in expected.items():
        model = core.Model(np.float64)
        model.add_particles(start, [np.inf] + [1.0] * 19)
        links = np.stack([np.arange(19), np.arange(1, 20)], axis=1)
        model.add_constraints("distance", links, rest=0.1, compliance=1e-8, order="given")
        simulation = core.Simulation(model, core.XPBD(substeps=1, iterations=iterations))
        forces = []
        for _ in range(frames):
            simulation.advance(dt)
            forces.append(simulation.forces("distance")[0])
        error = 100.0 * np.abs(np.array(forces) - reference).max() / reference.max()
        # The errata's figures have two or three digits.
        assert error == pytest.approx(percent, abs=0.06)


# --- statics --------------------------------------------------------------------------------------


@pytest.mark.jit_off
@pytest.mark.parametrize("substeps", [1, 4])
def test_the_force_of_a_hanging_mass_is_its_weight(substeps: int) -> None:
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0), (0, 0, -1)], [np.inf, 2.0])
    link = model.add_constraints("distance", [(0, 1)], compliance=1e-4, damping=0.05)
    simulation = core.Simulation(model, core.XPBD(substeps=substeps, iterations=1))
    for _ in range(200):
        simulation.advance(0.02)
    assert simulation.forces("distance") == pytest.approx([2.0 * 9.81], rel=1e-9)
    assert simulation.forces(link) == pytest.approx([2.0 * 9.81], rel=1e-9)
    assert simulation.positions[1, 2] == pytest.approx(-1.0 - 1e-4 * 2.0 * 9.81, rel=1e-12)


@pytest.mark.jit_off
def test_stiffness_does_not_depend_on_iterations() -> None:
    """A pair hanging in two springs: 2 × 2 unknowns converge, and to the same place."""
    ends = []
    for iterations in (40, 80):
        model = core.Model(np.float64)
        model.add_particles([(0, 0, 0), (0, 0, -1), (0, 0, -2)], [np.inf, 1.0, 1.0])
        model.add_constraints("distance", [(0, 1), (1, 2)], compliance=1e-2)
        simulation = core.Simulation(model, core.XPBD(substeps=1, iterations=iterations))
        for _ in range(5):
            simulation.advance(0.02)
        ends.append(simulation.positions.copy())
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


@pytest.mark.jit_off
@pytest.mark.parametrize("kind", EACH_KIND)
def test_at_convergence_it_solves_equations_8_and_9(kind: str) -> None:
    """One constraint with fixed direction aside, XPBD's fixed point differs from Newton by g ≈ 0.

    That approximation is of second order in Δt: at Δt = 1 ms the two agree to 1e-7 m. Where C is
    a norm, its gradient turns faster the nearer it is to zero; where C is far from zero λ is large.
    """
    constraint = REGISTRY[kind]
    random = np.random.default_rng(5)
    rest_shape = np.resize(
        [(0, 0, 0), (1, 0, 0), (0.3, 1, 0), (0.4, -1, 0.5)], (constraint.vertices, 3)
    )
    x = rest_shape + random.uniform(-0.05, 0.05, rest_shape.shape)
    model = core.Model(np.float64)
    model.add_particles(x, 1.0, random.uniform(-1, 1, x.shape))
    model.add_constraints(
        kind,
        [range(constraint.vertices)],
        rest=constraint.measure_rest(rest_shape[None].astype(float)),
        compliance=1e-3,
    )
    simulation = core.Simulation(model, core.XPBD(substeps=1, iterations=100))
    slots = simulation.prepared.slots
    reference = [c for _, c in naive.constraints_of(model.groups, slots)]
    end, _, _ = naive.implicit_euler_step(
        x, np.array(simulation.velocities), np.ones(len(x)), reference, 1e-3, gravity=(0, 0, -9.81)
    )
    simulation.advance(1e-3)
    loose = {
        "corotational": 1e-5,
        "patch_corotational": 1e-5,
        "patch_volume": 1e-6,
        "neo_hookean": 2e-5,
    }
    tolerance = loose.get(kind.rstrip("_45678"), 1e-7)
    np.testing.assert_allclose(simulation.positions, end, atol=tolerance)


# --- options --------------------------------------------------------------------------------------


@pytest.mark.jit_off
@pytest.mark.parametrize("options", [{"substeps": 0}, {"iterations": 0}, {"threads": 0}])
def test_counts_must_be_positive(options: Any) -> None:
    with pytest.raises(ValueError, match="at least"):
        core.XPBD(**options)


@pytest.mark.jit_off
def test_step_lays_out_the_model_itself_when_asked_for_one_step() -> None:
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0), (0, 0, -1)], [np.inf, 1.0])
    model.add_constraints("distance", [(0, 1)], compliance=1e-3)
    state, solver = model.state(), core.XPBD(substeps=3)
    solver.step(model, state, 0.02, gravity=(0, 0, -9.81))
    simulation = core.Simulation(model, solver)
    simulation.advance(0.02)
    np.testing.assert_array_equal(state.positions, simulation.positions)


@pytest.mark.jit_off
def test_sweeps_near_pins_do_not_go_with_jacobi() -> None:
    with pytest.raises(ValueError, match="sweeps all constraints alike"):
        core.XPBD(near_pins=True, method="jacobi")


def test_each_acceleration_is_switched_on_by_itself() -> None:
    """How many substeps, and which are swept more often: no switch moves the other."""
    positions, faces = naive.quad_grid(12, 12, 1.0, 1.0)
    for near_pins in (False, True):
        for largest_stretch in (0.0, 0.03):
            model = core.Model()
            model.add_cloth(positions, faces, pins=[0, 12], bend_compliance=1e5)
            solver = core.XPBD(substeps=300, largest_stretch=largest_stretch, near_pins=near_pins)
            simulation = core.Simulation(model, solver)
            simulation.advance(1 / 24)
            prepared = simulation.prepared
            assert (len(prepared.programs.near.sweeps) > 0) == near_pins
            assert (prepared.counts[0] < 300) == (largest_stretch > 0.0)
