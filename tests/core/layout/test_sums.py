# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints that are sums over elements: the volume inside of a closed surface."""

from __future__ import annotations

from typing import Any

import contact_scenes as scenes
import naive
import numpy as np
import pytest

import core
from core.layout.layout import Layout
from core.solvers.common.projection import specification
from core.solvers.common.sweep import measure_sum

pytestmark = pytest.mark.long

BLOWN = 4.09
"""Half a hundredth more than the volume [m³] of the blob, so that C is nearly linear."""

TETRAHEDRON = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.1, 0.2, 0.9)])
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]

SOLVERS: dict[str, Any] = {
    "gauss-seidel": core.XPBD,
    "jacobi": lambda **options: core.XPBD(method="jacobi", **options),
    "pbd": core.PBD,
}


def volume_of(points: np.ndarray, triangles: Any) -> float:
    return float(np.linalg.det(np.asarray(points, np.float64)[np.asarray(triangles)]).sum() / 6.0)


def blob(rings: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """A closed surface of no particular shape."""
    points, triangles = scenes.ball(rings)
    random = np.random.default_rng(0)
    return points * (1.0, 0.8, 1.3) + random.uniform(-0.03, 0.03, points.shape), triangles


def balloon(
    solver: Any,
    *,
    compliance: float = 0.0,
    damping: float = 0.0,
    rest: float | None = None,
    dtype: type = np.float64,
    shift: float = 0.0,
    springs: float | None = 0.05,
) -> core.Simulation:
    """The blob with springs along its edges, masses that differ and a volume."""
    points, triangles = blob()
    model = core.Model(dtype)
    model.add_particles(points + shift, np.linspace(0.01, 0.02, len(points)))
    if springs is not None:
        sides = np.concatenate([triangles[:, :2], triangles[:, 1:], triangles[:, ::2]])
        edges = np.unique(np.sort(sides, axis=1), axis=0)
        model.add_constraints("distance", edges, compliance=springs)
    model.add_constraints("volume", triangles, rest=rest, compliance=compliance, damping=damping)
    return core.Simulation(model, solver, gravity=(0, 0, 0))


def measured(model: core.Model, points: np.ndarray) -> tuple[float, np.ndarray, float]:
    """C, ∇C by the native code in double precision, and ∇C M⁻¹ ∇Cᵀ."""
    state = model.state()
    state.positions[:] = points
    sums = Layout(model.groups, model.particle_count, np.float64).sums
    value, weight, _ = measure_sum(sums, 0, state.rows, state.rows, False)
    gradient = np.zeros((model.particle_count, 3))
    gradient[sums.particles] = sums.gradients[: len(sums.particles), :3]
    return value, gradient, weight


@pytest.mark.jit_off
@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_value_and_gradient_are_those_of_the_volume(shift: float) -> None:
    points, triangles = blob(4)
    model = core.Model(np.float64)
    masses = np.linspace(1.0, 2.0, len(points))
    model.add_particles(points, masses)
    model.add_constraints("volume", triangles, rest=0.7)
    value, gradient, weight = measured(model, points + shift)
    assert value == pytest.approx(volume_of(points, triangles) - 0.7, abs=1e-12)
    expected = naive.differentiate(
        lambda x: np.array([volume_of(x, triangles)]), points, step=1e-5
    )[0]
    np.testing.assert_allclose(gradient, expected, atol=1e-9)
    assert weight == pytest.approx((np.square(gradient).sum(axis=1) / masses).sum(), rel=1e-12)
    # Neither a translation nor a rotation changes the volume.
    np.testing.assert_allclose(gradient.sum(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.cross(points, gradient).sum(axis=0), 0.0, atol=1e-12)


@pytest.mark.jit_off
def test_without_a_rest_it_is_the_volume_now() -> None:
    model = core.Model(np.float64)
    model.add_particles(TETRAHEDRON, 1.0)
    group = model.add_constraints("volume", FACES)
    assert group.rest.sum() == pytest.approx(0.9 / 6.0, rel=1e-14)
    value, _, _ = measured(model, TETRAHEDRON)
    assert value == pytest.approx(0.0, abs=1e-15)


@pytest.mark.jit_off
@pytest.mark.parametrize("damping", [0.0, 0.02])
def test_xpbd_is_the_naive_one(damping: float) -> None:
    points = TETRAHEDRON * 1.2
    model = core.Model(np.float64)
    speeds = np.sin(np.arange(12)).reshape(4, 3)
    model.add_particles(points, [1.0, 2.0, np.inf, 1.5], speeds)
    model.add_constraints("distance", [(0, 1), (1, 2), (2, 3)], rest=1.1, compliance=1e-3)
    model.add_constraints("volume", FACES, rest=0.4, compliance=1e-4, damping=damping)
    simulation = core.Simulation(model, core.XPBD(substeps=1, iterations=7), gravity=(0, 0, 0))
    constraints = [c for _, c in naive.constraints_of(model.groups, simulation.prepared.slots)]
    x, v, multipliers = naive.xpbd_step(
        points, np.array(simulation.velocities), 1.0 / model.masses, constraints, 0.02, iterations=7
    )
    simulation.advance(0.02)
    np.testing.assert_allclose(simulation.positions, x, atol=1e-12)
    np.testing.assert_allclose(simulation.velocities[[0, 1, 3]], v[[0, 1, 3]], atol=1e-10)
    pressure = abs(multipliers[-1][0]) / 0.02**2
    assert simulation.forces("volume") == pytest.approx([pressure], rel=1e-9)


@pytest.mark.jit_off
@pytest.mark.parametrize("damping", [0.0, 0.02])
def test_a_jacobi_iteration_splits_masses_among_springs_and_volume(damping: float) -> None:
    """Each constraint pushes against its part of the mass, that is m / n of n constraints."""
    points, h = TETRAHEDRON * 1.2, 0.02
    model = core.Model(np.float64)
    speeds = np.sin(np.arange(12)).reshape(4, 3)
    model.add_particles(points, [1.0, 2.0, np.inf, 1.5], speeds)
    model.add_constraints("distance", [(0, 1), (1, 2), (1, 3)], rest=1.1, compliance=1e-3)
    model.add_constraints("volume", FACES, rest=0.4, compliance=1e-4, damping=damping)
    solver = core.XPBD(substeps=1, iterations=1, method="jacobi")
    simulation = core.Simulation(model, solver, gravity=(0, 0, 0))
    w, parts = 1.0 / model.masses, np.array([2.0, 4.0, 2.0, 2.0])
    x = points + h * np.where(w[:, None] > 0.0, speeds, 0.0)
    expected = x.copy()
    for _, constraint in naive.constraints_of(model.groups, simulation.prepared.slots):
        own = constraint.indices
        C, gradient = constraint.evaluate(x[own])
        gamma = constraint.damping / h
        weight = (parts[own, None] * w[own, None] * gradient[0] ** 2).sum()
        residual = C + gamma * (gradient[0] * (x - points)[own]).sum()
        change = -residual / ((1.0 + gamma) * weight + constraint.compliance[0] / h**2)
        expected[own] += w[own, None] * gradient[0] * change
    simulation.advance(h)
    assert np.abs(expected - x).max() > 0.01
    np.testing.assert_allclose(simulation.positions, expected, atol=1e-13)


def test_at_convergence_it_solves_equations_8_and_9() -> None:
    simulation = balloon(core.XPBD(substeps=1, iterations=400), compliance=1e-3, rest=BLOWN)
    model = simulation.model
    reference = [c for _, c in naive.constraints_of(model.groups, simulation.prepared.slots)]
    x = np.array(simulation.positions)
    end, _, multipliers = naive.implicit_euler_step(
        x, np.zeros_like(x), 1.0 / model.masses, reference, 2e-3
    )
    simulation.advance(2e-3)
    # As for other kinds, the two differ by g ≈ 0, of second order in Δt.
    assert np.abs(end - x).max() > 5e-4
    np.testing.assert_allclose(simulation.positions, end, atol=1e-5)
    assert simulation.forces("volume")[0] == pytest.approx(abs(multipliers[-1][0]) / 4e-6, rel=1e-3)


@pytest.mark.parametrize("method", SOLVERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_stiff_volume_is_kept(method: str, dtype: type) -> None:
    """Also ten metres from the origin, where single precision has no digits for x · (y × z)."""
    wanted = 4.5
    options = {"substeps": 2, "iterations": 60}
    simulation = balloon(SOLVERS[method](**options), rest=wanted, dtype=dtype, shift=10.0)
    for _ in range(20):
        simulation.advance(1 / 60)
    triangles = simulation.model.groups[1].indices
    now = volume_of(simulation.positions.astype(np.float64) - 10.0, triangles)
    start = volume_of(blob()[0], triangles)
    assert wanted > start + 0.3
    assert now == pytest.approx(wanted, rel=1e-4 if method == "jacobi" else 2e-6)


@pytest.mark.parametrize("method", SOLVERS)
def test_momentum_is_kept(method: str) -> None:
    """From rest, so that the first projection starts where the particles are."""
    simulation = balloon(SOLVERS[method](substeps=1, iterations=1), rest=5.0, springs=None)
    start = np.array(simulation.positions)
    simulation.advance(1 / 60)
    momentum = simulation.model.masses[:, None] * simulation.velocities
    assert np.abs(momentum).max() > 1e-3
    np.testing.assert_allclose(momentum.sum(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.cross(start, momentum).sum(axis=0), 0.0, atol=1e-12)


def test_the_pressure_is_that_of_the_compliance() -> None:
    """At rest p = (V₀ - V) / α, and the surface's springs balance it."""
    compliance, wanted = 2e-2, 6.0
    simulation = balloon(core.XPBD(substeps=10, iterations=4), compliance=compliance, rest=wanted)
    for _ in range(400):
        simulation.advance(1 / 24)
    volume = volume_of(simulation.positions, simulation.model.groups[1].indices)
    pressure = simulation.forces("volume")
    assert pressure.shape == (1,)
    assert pressure[0] == pytest.approx((wanted - volume) / compliance, rel=1e-6)
    # The virial of a body at rest: 3 p V = Σ f L over its springs.
    ends = simulation.positions[simulation.model.groups[0].indices]
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    tension = (lengths - simulation.model.groups[0].rest[:, 0]) / 0.05
    assert 3.0 * pressure[0] * volume == pytest.approx((tension * lengths).sum(), rel=1e-3)


@pytest.mark.parametrize("method", SOLVERS)
def test_any_number_of_threads_gives_the_same_bytes(method: str) -> None:
    def ends(threads: int) -> bytes:
        solver = SOLVERS[method](substeps=3, iterations=3, threads=threads)
        simulation = balloon(solver, compliance=1e-3, rest=5.0, dtype=np.float32)
        for _ in range(5):
            simulation.advance(1 / 24)
        return simulation.positions.tobytes() + simulation.forces("volume").tobytes()

    assert ends(1) == ends(2) == ends(3)


def test_gauss_seidel_and_jacobi_come_to_the_same() -> None:
    ends = []
    for solver in (
        core.XPBD(substeps=1, iterations=600),
        core.XPBD(substeps=1, iterations=3000, method="jacobi"),
        core.XPBD(substeps=1, iterations=600, method="jacobi", chebyshev=True),
    ):
        simulation = balloon(solver, compliance=1e-3, rest=BLOWN)
        for _ in range(2):
            simulation.advance(0.01)
        ends.append((simulation.positions.copy(), simulation.forces("volume")[0]))
        assert simulation.residual() < 1e-5
    for positions, pressure in ends[1:]:
        np.testing.assert_allclose(positions, ends[0][0], atol=5e-5)
        assert pressure == pytest.approx(ends[0][1], rel=1e-2)


def test_a_warm_start_begins_with_the_last_pressure() -> None:
    """Of a balloon at rest nothing is left to do: the first iteration hardly moves it."""
    left = {}
    for warm in (False, True):
        simulation = balloon(
            core.XPBD(substeps=1, iterations=20, warm_start=warm), compliance=2e-2, rest=6.0
        )
        for _ in range(300):
            simulation.advance(1 / 60)
        left[warm] = simulation.residual()
    assert left[True] < 0.1 * left[False]


@pytest.mark.jit_off
def test_pbd_takes_the_part_k_of_the_error() -> None:
    """To first order; the volume is a cubic, so the change is kept small."""
    for k, iterations in ((0.3, 1), (0.3, 5), (1.0, 1)):
        solver = core.PBD(substeps=1, iterations=iterations, stiffness=k)
        model = core.Model(np.float64)
        model.add_particles(TETRAHEDRON, [1.0, 2.0, 1.0, 0.5])
        start = volume_of(TETRAHEDRON, FACES)
        model.add_constraints("volume", FACES, rest=1.0001 * start, compliance=0.1)
        simulation = core.Simulation(model, solver, gravity=(0, 0, 0))
        simulation.advance(0.01)
        error = volume_of(simulation.positions, FACES) / start - 1.0001
        assert error == pytest.approx(-(1.0 - k) * 1e-4, abs=1e-8)


@pytest.mark.jit_off
def test_pbd_takes_the_stiffness_of_the_compliance() -> None:
    """k = w / (w + α̃), as the first iteration of XPBD."""
    ends = []
    for solver in (core.PBD(substeps=1), core.XPBD(substeps=1)):
        model = core.Model(np.float64)
        model.add_particles(TETRAHEDRON, [1.0, 2.0, np.inf, 0.5])
        model.add_constraints("volume", FACES, rest=0.3, compliance=2e-4)
        simulation = core.Simulation(model, solver, gravity=(0, 0, 0))
        simulation.advance(0.02)
        ends.append(simulation.positions.copy())
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-13)


def test_two_balloons_and_a_spring_between_them() -> None:
    """Each group has its own multiplier, whatever the others do."""
    model = core.Model(np.float64)
    model.add_particles(TETRAHEDRON, 1.0)
    model.add_particles(TETRAHEDRON + 5.0, 1.0)
    first = model.add_constraints("volume", FACES, rest=0.3)
    model.add_constraints("distance", [(0, 4)])
    second = model.add_constraints("volume", np.add(FACES, 4), rest=0.1)
    simulation = core.Simulation(model, core.XPBD(substeps=1, iterations=50), gravity=(0, 0, 0))
    simulation.advance(0.01)
    assert volume_of(simulation.positions, FACES) == pytest.approx(0.3, rel=1e-6)
    assert volume_of(simulation.positions, np.add(FACES, 4)) == pytest.approx(0.1, rel=1e-6)
    forces = simulation.forces("volume")
    assert forces.shape == (2,)
    assert simulation.forces(first) == forces[0]
    assert simulation.forces(second) == forces[1]


@pytest.mark.jit_off
def test_a_collapsed_or_empty_volume_stays_finite() -> None:
    for points in (np.zeros((4, 3)), TETRAHEDRON * 1e-9, TETRAHEDRON * (1, 1, 0)):
        model = core.Model()
        model.add_particles(points, 1.0)
        model.add_constraints("volume", FACES, rest=0.2)
        model.add_constraints("volume", [])
        simulation = core.Simulation(model, core.XPBD(substeps=1), gravity=(0, 0, 0))
        simulation.solver.step(model, simulation.state, 0.01, prepared=simulation.prepared)
        assert np.isfinite(simulation.positions).all()


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("faces", "message"),
    [
        (FACES[:3], "closed surface"),
        ([*FACES[:3], (0, 2, 3)], "closed surface"),
        ([face[::-1] for face in FACES], "anticlockwise"),
    ],
)
def test_the_surface_must_be_closed_and_turn_outwards(faces: Any, message: str) -> None:
    model = core.Model()
    model.add_particles(TETRAHEDRON, 1.0)
    with pytest.raises(core.ModelError, match=message):
        model.add_constraints("volume", faces)


@pytest.mark.jit_off
@pytest.mark.parametrize("options", [{"rest": [1.0, 2.0]}, {"compliance": [0.1, 0.2]}])
def test_a_volume_has_one_rest_and_one_compliance(options: dict[str, Any]) -> None:
    model = core.Model()
    model.add_particles(TETRAHEDRON, 1.0)
    with pytest.raises(core.ModelError, match="volume"):
        model.add_constraints("volume", FACES, **options)


@pytest.mark.jit_off
def test_a_solver_that_does_not_know_sums_says_so() -> None:
    model = core.Model()
    model.add_particles(TETRAHEDRON, 1.0)
    model.add_constraints("volume", FACES)
    layout = Layout(model.groups, model.particle_count, model.dtype)
    with pytest.raises(core.ModelError, match="kind 'volume'"):
        layout.program(specification)
