# SPDX-License-Identifier: GPL-3.0-or-later
"""PBD against its closed form, against XPBD without compliance, and by what it keeps."""

from __future__ import annotations

from typing import Any

import contact_scenes
import naive
import numpy as np
import pytest

import core
from core.constraints import REGISTRY, Constraint
from core.native.barrier import new_barrier
from core.native.team import Team
from core.solvers.pbd.velocity_damping import bodies_of, damp_velocities

# Sums have tests of their own in test_sums.py.
WHOLE = [each for each in REGISTRY.values() if not (each.summed or each.only_xpbd)]
each_constraint = pytest.mark.parametrize("constraint", WHOLE, ids=[c.kind for c in WHOLE])


def oscillator(solver: core.PBD, compliance: float = 0.001) -> core.Simulation:
    """A unit mass on a spring of rest length 1, let go at 1.5."""
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0), (1.5, 0, 0)], [np.inf, 1.0])
    model.add_constraints("distance", [(0, 1)], rest=1.0, compliance=compliance, damping=0.1)
    return core.Simulation(model, solver, gravity=(0, 0, 0))


@pytest.mark.jit_off
@pytest.mark.parametrize("iterations", [1, 4, 20])
@pytest.mark.parametrize("k", [0.0, 0.01, 0.5, 1.0])
def test_the_oscillator_keeps_1_minus_k_whatever_the_iterations(k: float, iterations: int) -> None:
    """u' = (1 - k) (u + Δt v): the correction takes the exponent n of the errata away."""
    dt, u, v = 1 / 60, 0.5, 0.0
    simulation = oscillator(core.PBD(substeps=1, iterations=iterations, stiffness=k))
    for _ in range(40):
        simulation.advance(dt)
        new = (1.0 - k) * (u + dt * v)
        u, v = new, (new - u) / dt
        assert simulation.positions[1, 0] == pytest.approx(1.0 + u, abs=1e-13)


@pytest.mark.jit_off
@pytest.mark.parametrize("substeps", [1, 3])
def test_a_material_is_as_stiff_as_in_the_first_iteration_of_xpbd(substeps: int) -> None:
    """k = w / (w + α̃): for a constraint alone PBD is then XPBD, at every time step."""
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0), (1.5, 0, 0)], [np.inf, 1.0])
    model.add_constraints("distance", [(0, 1)], rest=1.0, compliance=0.001)
    ends = []
    for solver in (core.PBD(substeps=substeps), core.XPBD(substeps=substeps)):
        simulation = core.Simulation(model, solver, gravity=(0, 0, 0))
        for dt in (0.02, 0.01, 0.03):
            simulation.advance(dt)
        ends.append((simulation.positions.copy(), simulation.forces("distance")))
    np.testing.assert_allclose(ends[0][0], ends[1][0], atol=1e-13)
    np.testing.assert_allclose(ends[0][1], ends[1][1], rtol=1e-11)


@pytest.mark.jit_off
def test_each_component_of_a_material_has_its_own_stiffness() -> None:
    """A triangle strained along its first material axis only: shear has nothing to do with it."""
    points = np.array([(0, 0, 0), (1.1, 0, 0), (0, 1, 0)], float)
    kept = {}
    for shear in (1e-3, 1e3):
        model = core.Model(np.float64)
        model.add_particles(points, [np.inf, 1.0, np.inf])
        alpha = np.diag([1e-3, 1e-3, shear])[None]
        model.add_constraints("strain", [(0, 1, 2)], rest=[1, 0, 0, 1], compliance=alpha)
        simulation = core.Simulation(model, core.PBD(substeps=1), gravity=(0, 0, 0))
        simulation.advance(0.05)
        kept[shear] = simulation.positions[1, 0]
    assert kept[1e-3] == pytest.approx(kept[1e3], rel=1e-12)
    # ε_x = ½ (1.1² - 1), ∂ε_x/∂x = 1.1; w is measured within a thousandth of the shape.
    share = 1.1**2 / (1.1**2 + 1e-3 / 0.05**2)
    assert kept[1e3] == pytest.approx(1.1 - share * 0.5 * (1.1**2 - 1.0) / 1.1, rel=1e-3)


@pytest.mark.jit_off
@pytest.mark.parametrize("soft", [1e-5, 1e-2, 1e3])
def test_components_of_a_slender_triangle_are_softened_together(soft: float) -> None:
    """Oblique to the axes, so that ε_x, ε_y and ε_xy are nearly the same; again XPBD's first step.

    w is measured within a thousandth of the shape.
    """
    points = np.array([(0, 0, 0), (0.7, 0.7, 0), (0.65, 0.75, 0)])
    rest = REGISTRY["strain"].measure_rest(points[None])
    axis = np.array([[np.cos(0.6), np.sin(0.6)], [-np.sin(0.6), np.cos(0.6)]])
    rest = (rest.reshape(2, 2) @ axis.T).reshape(1, 4)
    moves = []
    for solver in (core.PBD(substeps=1), core.XPBD(substeps=1)):
        model = core.Model(np.float64)
        model.add_particles(1.001 * points + [(0, 0, 0), (0, 0, 0), (0.002, 0, 0)], 1.0)
        alpha = np.diag([1e-4, soft, 1e-3])[None]
        model.add_constraints("strain", [(0, 1, 2)], rest=rest, compliance=alpha)
        simulation = core.Simulation(model, solver, gravity=(0, 0, 0))
        start = simulation.positions.copy()
        simulation.advance(0.05)
        moves.append(simulation.positions - start)
    largest = np.abs(moves[1]).max()
    assert largest > 1e-4
    np.testing.assert_allclose(moves[0], moves[1], atol=0.02 * largest)


def a_body(constraint: Constraint, solver: Any) -> core.Simulation:
    """One constraint between particles of different mass, away from its rest shape, in flight."""
    random = np.random.default_rng(3)
    shape = np.array([(0, 0, 0), (1, 0, 0), (0.2, 1, 0), (0.4, -0.8, 0.6)])[: constraint.vertices]
    model = core.Model(np.float64)
    speeds = random.uniform(-1, 1, shape.shape)
    model.add_particles(shape, np.linspace(0.5, 2.0, len(shape)), speeds)
    deformed = shape + random.uniform(-0.2, 0.2, shape.shape)
    rest = constraint.measure_rest(deformed[None])
    model.add_constraints(constraint.kind, [range(constraint.vertices)], rest=rest)
    return core.Simulation(model, solver, gravity=(0, 0, 0))


@pytest.mark.jit_off
@each_constraint
def test_xpbd_without_compliance_is_pbd_at_full_stiffness(constraint: Constraint) -> None:
    for substeps, iterations in ((1, 1), (2, 3)):
        xpbd = a_body(constraint, core.XPBD(substeps=substeps, iterations=iterations))
        pbd = a_body(constraint, core.PBD(stiffness=1.0, substeps=substeps, iterations=iterations))
        start = xpbd.positions + 0.01 * xpbd.velocities
        for simulation in (xpbd, pbd):
            simulation.advance(0.01)
        assert np.abs(pbd.positions - start).max() > 1e-3, "the constraint must do something"
        np.testing.assert_allclose(pbd.positions, xpbd.positions, atol=1e-12)
        np.testing.assert_allclose(
            pbd.forces(constraint.kind), xpbd.forces(constraint.kind), rtol=1e-8
        )


@pytest.mark.jit_off
@each_constraint
def test_momentum_is_kept(constraint: Constraint) -> None:
    simulation = a_body(constraint, core.PBD(substeps=2, iterations=3, stiffness=0.4))
    masses = simulation.model.masses[:, None]
    before = (masses * simulation.velocities).sum(axis=0)
    simulation.advance(0.01)
    np.testing.assert_allclose((masses * simulation.velocities).sum(axis=0), before, atol=1e-10)


@pytest.mark.jit_off
def test_stiffness_by_kind_and_that_of_the_material_for_others() -> None:
    def ends(stiffness: float | dict[str, float] | None) -> np.ndarray:
        model = core.Model(np.float64)
        model.add_particles([(0, 0, 0), (1, 0, 0), (1.5, 0.9, 0)], [np.inf, 1.0, 1.0])
        model.add_constraints("distance", [(0, 1)], rest=0.8, compliance=1e-3)
        model.add_constraints("angle", [(0, 1, 2)], rest=0.3, compliance=1e-2)
        solver = core.PBD(substeps=1, iterations=1, stiffness=stiffness)
        simulation = core.Simulation(model, solver, gravity=(0, 0, 0))
        simulation.advance(0.02)
        return simulation.positions.copy()

    assert (ends({}) == ends(None)).all()
    assert (ends({"distance": 0.7, "angle": 0.7}) == ends(0.7)).all()
    assert not np.allclose(ends({"distance": 0.7}), ends(0.7), atol=1e-4)
    assert not np.allclose(ends({"distance": 0.7}), ends(None), atol=1e-4)


@pytest.mark.jit_off
def test_a_straight_strand_has_a_stiffness_against_bending() -> None:
    """Where it is straight the angle has no gradient, and so no w of its own."""
    ends = []
    for solver in (core.PBD(substeps=1), core.XPBD(substeps=1)):
        model = core.Model(np.float64)
        model.add_particles([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [np.inf, np.inf, 1.0], (0, 0, -1))
        model.add_constraints("angle", [(0, 1, 2)], compliance=1e-3)
        simulation = core.Simulation(model, solver, gravity=(0, 0, 0))
        simulation.advance(0.03)
        ends.append(simulation.positions[2, 2])
    assert ends[0] == pytest.approx(ends[1], rel=2e-3)
    assert -0.02 < ends[0] < -0.01


@pytest.mark.jit_off
def test_the_residual_is_what_is_left_of_the_error() -> None:
    """Of u = 0.5 the first step leaves (1 - k) u; an iteration would take k of that."""
    simulation = oscillator(core.PBD(substeps=1, stiffness=0.4))
    assert simulation.residual() == 0.0
    simulation.advance(0.01)
    assert simulation.residual() == pytest.approx(0.4 * 0.6 * 0.5, rel=1e-12)


@pytest.mark.jit_off
@pytest.mark.parametrize("stiffness", [-0.1, 1.1, np.nan, {"distance": 2.0}])
def test_stiffness_lies_between_0_and_1(stiffness: float | dict[str, float]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        core.PBD(stiffness=stiffness)


@pytest.mark.jit_off
def test_other_options_are_checked() -> None:
    with pytest.raises(ValueError, match="no constraint kind 'elastic'"):
        core.PBD(stiffness={"elastic": 0.5})
    with pytest.raises(ValueError, match="at least"):
        core.PBD(iterations=0)
    for damping in (-0.1, 1.5, np.nan):
        with pytest.raises(ValueError, match="velocity damping"):
            core.PBD(velocity_damping=damping)


@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_any_number_of_threads_gives_the_same_bytes(damping: float) -> None:
    positions, faces = naive.quad_grid(16, 16, 1.0, 1.0)

    def ends(threads: int) -> bytes:
        model = core.Model()
        model.add_cloth(positions, faces, pins=[0, 16])
        model.add_cloth(np.add(positions, (0, 0, 1)), faces)
        solver = core.PBD(substeps=3, iterations=2, velocity_damping=damping, threads=threads)
        simulation = core.Simulation(model, solver)
        for _ in range(3):
            simulation.advance(1 / 24)
        return simulation.positions.tobytes() + simulation.velocities.tobytes()

    assert ends(1) == ends(2) == ends(3)


# --- velocity damping -----------------------------------------------------------------------------


def damped(
    points: np.ndarray, speeds: np.ndarray, masses: np.ndarray, k: float, links: list[list[int]]
) -> np.ndarray:
    """Velocities after one damping of the bodies that links make."""
    model = core.Model(np.float64)
    model.add_particles(points, masses, speeds)
    model.add_constraints("distance", links)
    state = model.state()
    alone = Team(new_barrier(), 0, 1)
    damp_velocities(state.arrays, bodies_of(model.groups, model.masses), k, alone)
    return np.array(state.velocities)


def ring(count: int) -> list[list[int]]:
    return [[i, (i + 1) % count] for i in range(count)]


def moments(points: np.ndarray, speeds: np.ndarray, masses: np.ndarray) -> np.ndarray:
    m = masses[:, None]
    return np.stack([(m * speeds).sum(axis=0), np.cross(points, m * speeds).sum(axis=0)])


@pytest.mark.jit_off
@pytest.mark.parametrize("k", [0.3, 1.0])
def test_damping_keeps_both_momenta_and_takes_the_rest(k: float) -> None:
    random = np.random.default_rng(0)
    points, speeds = random.normal(size=(2, 12, 3))
    masses = random.uniform(0.5, 3.0, 12)
    slower = damped(points, speeds, masses, k, ring(12))
    np.testing.assert_allclose(
        moments(points, slower, masses), moments(points, speeds, masses), atol=1e-12
    )
    # What is rigid stays, so what is left of the rest is 1 - k of each velocity.
    rigid = damped(points, speeds, masses, 1.0, ring(12))
    np.testing.assert_allclose(slower - rigid, (1.0 - k) * (speeds - rigid), atol=1e-12)
    gaps = [points[0] - points[5], points[3] - points[7]]
    rates = [rigid[0] - rigid[5], rigid[3] - rigid[7]]
    np.testing.assert_allclose(np.einsum("ij,ij->i", gaps, rates), 0.0, atol=1e-12)
    assert np.abs(speeds - rigid).max() > 0.5


@pytest.mark.jit_off
@pytest.mark.parametrize("shape", ["solid", "flat", "straight", "point"])
def test_rigid_motion_is_not_damped(shape: str) -> None:
    """A straight body has no inertia about itself, one in a point has none at all."""
    points = np.random.default_rng(1).normal(size=(8, 3))
    if shape == "flat":
        points[:, 2] = 0.5
    if shape == "straight":
        points = np.add(np.outer(points[:, 0], (1.0, 2.0, -0.5)), (3.0, 0.0, 1.0))
    if shape == "point":
        points[:] = (1.0, 2.0, 3.0)
    speeds = np.add(np.cross((0.3, -1.0, 2.0), points), (1.0, 0.5, -2.0))
    kept = damped(points, speeds, np.linspace(1.0, 2.0, 8), 1.0, ring(8))
    np.testing.assert_allclose(kept, speeds, atol=1e-10)


@pytest.mark.jit_off
def test_bodies_are_damped_each_on_its_own() -> None:
    random = np.random.default_rng(2)
    points, speeds = random.normal(size=(2, 9, 3))
    masses = random.uniform(1.0, 2.0, 9)
    links = [[0, 4], [4, 8], [8, 0], [1, 5], [5, 2]]
    together = damped(points, speeds, masses, 0.8, links)
    for members in ([0, 4, 8], [1, 2, 5]):
        alone = damped(points[members], speeds[members], masses[members], 0.8, ring(3))
        np.testing.assert_allclose(together[members], alone, atol=1e-12)
    np.testing.assert_array_equal(together[[3, 6, 7]], speeds[[3, 6, 7]])


@pytest.mark.jit_off
def test_kinematic_particles_end_a_body() -> None:
    """Two pairs at one pin are two bodies, and the pin keeps its velocity."""
    random = np.random.default_rng(4)
    points, speeds = random.normal(size=(2, 5, 3))
    masses = np.array([1.0, 2.0, np.inf, 1.5, 1.0])
    kept = damped(points, speeds, masses, 1.0, [[0, 1], [1, 2], [2, 3], [3, 4]])
    np.testing.assert_array_equal(kept[2], speeds[2])
    for pair in ([0, 1], [3, 4]):
        alone = damped(points[pair], speeds[pair], masses[pair], 1.0, [[0, 1]])
        np.testing.assert_allclose(kept[pair], alone, atol=1e-12)


def test_damping_is_the_same_for_any_number_of_substeps() -> None:
    """Of a stretching motion that no constraint resists, a step leaves 1 - k."""
    for substeps in (1, 4, 16):
        model = core.Model(np.float64)
        model.add_particles([(0, 0, 0), (1, 0, 0)], [1.0, 3.0], [(-3, 2, 0), (1, 2, 0)])
        model.add_constraints("distance", [(0, 1)])
        solver = core.PBD(substeps=substeps, stiffness=0.0, velocity_damping=0.6)
        simulation = core.Simulation(model, solver, gravity=(0, 0, 0))
        simulation.advance(0.02)
        simulation.advance(0.02)
        left = 0.4**2
        expected = [(-3.0 * left, 2, 0), (1.0 * left, 2, 0)]
        np.testing.assert_allclose(simulation.velocities, expected, atol=1e-12)


def test_a_pendulum_swings_undamped() -> None:
    """Turning about its pin it moves like a rigid body, and comes up on the other side."""
    for damping in (0.0, 0.5):
        model = core.Model(np.float64)
        model.add_particles([(0, 0, 0), (1, 0, 0), (1.2, 0, 0)], [np.inf, 1.0, 1.0])
        model.add_constraints("distance", [(0, 1), (1, 2)])
        solver = core.PBD(substeps=200, stiffness=1.0, velocity_damping=damping)
        simulation = core.Simulation(model, solver)
        path = []
        for _ in range(48):
            simulation.advance(1 / 24)
            path.append(float(simulation.positions[:, 0].min()))
        assert min(path) < -1.0


@pytest.mark.parametrize("segments", [32, 64, 96])
def test_a_sphere_with_many_triangles_at_its_poles_falls_as_it_is(segments: int) -> None:
    """At the extension's defaults and in single precision, whose rounding adds up to 1 cm/s."""
    positions, faces = contact_scenes.ball(segments // 2)
    model = core.Model(np.float32)
    model.add_cloth(positions, faces, self_collision=False)
    velocities = 0.1 * np.random.default_rng(0).normal(size=positions.shape) + (1.0, 0.0, 0.0)
    solver = core.PBD(substeps=160, velocity_damping=0.1)
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, 0.0))
    simulation.velocities[:] = velocities
    for _ in range(6):
        simulation.advance(1 / 24)
    drift = model.masses @ (simulation.velocities - velocities) / model.masses.sum()
    np.testing.assert_allclose(drift, 0.0, atol=0.02)
    assert np.ptp(simulation.positions, axis=0) == pytest.approx([2.0, 2.0, 2.0], abs=0.02)
