# SPDX-License-Identifier: GPL-3.0-or-later
"""Projective dynamics in scenes: invariants, contact, pins, precision, what is kept and refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import naive
import numpy as np
import pytest
from spring_cloth import GRAVITY, crumpled, spring_cloth, stepped

import core
from core.constraints import REGISTRY
from core.linear import solver_for
from core.solvers.projective import solver as projective_dynamics

pytestmark = pytest.mark.long

each_method = pytest.mark.parametrize("method", ["direct", "jacobi"])


@pytest.mark.jit_off
def test_momentum_is_kept() -> None:
    """Linear momentum in free flight, at any number of iterations."""
    positions, faces = naive.irregular_triangles(3, 3, 1.0, 1.0)
    model = core.Model(np.float64)
    model.add_cloth(positions, faces, bend_compliance=1.0, stretch_damping=0.01)
    velocities = np.random.default_rng(0).normal(size=positions.shape)
    simulation = core.Simulation(model, core.ProjectiveDynamics(iterations=4), (0, 0, 0))
    simulation.velocities[:] = velocities
    for _ in range(3):
        simulation.advance(0.02)
    before, after = (model.masses @ v for v in (velocities, simulation.velocities))
    np.testing.assert_allclose(after, before, atol=1e-12)


def strain_with_vertices_on_one_place(seed: int, chebyshev: bool) -> float:
    """Edge strain that a tenth exceeds, half a second after eight vertices began in one place."""
    positions, faces = naive.quad_grid(9, 9, 1.0, 1.0)
    together = np.random.default_rng(seed).choice(100, 8, replace=False)
    positions[together] = positions[together[0]]
    model = core.Model(np.float32)
    cloth = model.add_cloth(positions, faces, pins=[0, 9], self_collision=False)
    solver = core.ProjectiveDynamics(substeps=4, iterations=10, chebyshev=chebyshev)
    simulation = core.Simulation(model, solver)
    for _ in range(12):
        simulation.advance(1 / 24)
    assert simulation.positions[:, 2].min() < -0.3
    strain = core.edge_strain(simulation.positions, cloth.edges, cloth.rest_lengths)
    return float(np.percentile(np.abs(strain[cloth.rest_lengths > 0.0]), 90))


@pytest.mark.parametrize("seed", range(6))
def test_vertices_on_one_place_are_solved(seed: int) -> None:
    """Triangles between them are flat but for rounding; their stiffness once had no end."""
    assert strain_with_vertices_on_one_place(seed, chebyshev=False) < 0.015


def test_vertices_on_one_place_are_solved_accelerated() -> None:
    """Corners whip about, and Chebyshev's weights make much of rounding: the middle of six."""
    strains = [strain_with_vertices_on_one_place(seed, chebyshev=True) for seed in range(6)]
    assert np.median(strains) < 0.015


@pytest.mark.jit_off
@each_method
def test_cloth_in_free_fall_stays_as_it_is(method: Any) -> None:
    positions, faces = naive.irregular_triangles(3, 3, 1.0, 1.0)
    model = core.Model(np.float64)
    model.add_cloth(positions, faces, stretch_damping=0.01, velocities=(1.0, 2.0, 3.0))
    solver = core.ProjectiveDynamics(method=method, chebyshev=True)
    simulation = core.Simulation(model, solver)
    for _ in range(4):
        simulation.advance(0.02)
    way = 0.08 * np.array([1.0, 2.0, 3.0]) + 0.02**2 * 10 * np.array(GRAVITY)
    np.testing.assert_allclose(simulation.positions, positions + way, atol=1e-12)


@pytest.mark.jit_off
def test_forces_are_those_that_carry() -> None:
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0), (0, 0, -1), (0, 0, -2)], [np.inf, 1.0, 2.0])
    model.add_constraints("distance", [(0, 1), (1, 2)], compliance=1e-4, damping=0.01)
    simulation = core.Simulation(model, core.ProjectiveDynamics(iterations=20))
    for _ in range(60):
        simulation.advance(0.2)
    assert simulation.forces("distance") == pytest.approx([3 * 9.81, 2 * 9.81], rel=1e-6)


@each_method
def test_pins_end_on_their_targets_and_pull(method: Any) -> None:
    model = spring_cloth(4)
    simulation = core.Simulation(
        model, core.ProjectiveDynamics(substeps=3, iterations=30, method=method), (0, 0, 0)
    )
    targets = simulation.positions[[0, 3]] + np.array([0.0, -0.3, 0.1])
    simulation.set_targets([0, 3], targets)
    for _ in range(60):
        simulation.advance(0.1)
    np.testing.assert_array_equal(simulation.positions[[0, 3]], targets)
    pairs = model.groups[0].indices
    lengths = np.linalg.norm(np.diff(simulation.positions[pairs], axis=1)[:, 0], axis=1)
    np.testing.assert_allclose(lengths, model.groups[0].rest[:, 0], rtol=0.02)


@pytest.mark.parametrize("chebyshev", [False, True])
@each_method
def test_cloth_lies_on_a_floor(method: Any, chebyshev: bool) -> None:
    """It stops a thickness above, whatever the iterations do, and slides to rest."""
    positions, faces = naive.quad_grid(10, 10, 1.0, 1.0)
    model = core.Model()
    model.add_cloth(
        positions + np.array([0, 0, 0.2]),
        faces,
        thickness=0.01,
        velocities=(0.5, 0, 0),
        friction=0.8,
    )
    floor = np.array([(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)], float)
    model.add_collider(floor, [(0, 1, 2), (0, 2, 3)], thickness=0.02, friction=0.8)
    solver = core.ProjectiveDynamics(substeps=2, method=method, chebyshev=chebyshev)
    simulation = core.Simulation(model, solver)
    for _ in range(48):
        simulation.advance(1 / 24)
        assert simulation.positions[:, 2].min() > 0.03 - 1e-6
    assert simulation.positions[:, 2].max() < 0.031
    assert np.abs(simulation.velocities).max() < 0.01


@pytest.mark.parametrize("iterations", [1, 3, 10])
@each_method
def test_cloth_slides_down_a_slope_as_coulomb_says(method: Any, iterations: int) -> None:
    """With g (sin 30° - μ cos 30°), whatever the iterations, and not at all where μ is larger."""
    slope, dt = np.radians(30.0), 1 / 48
    gravity = 9.81 * np.array([np.sin(slope), 0.0, -np.cos(slope)])
    for friction, share in ((0.3, np.sin(slope) - 0.3 * np.cos(slope)), (0.7, 0.0)):
        positions, faces = naive.quad_grid(6, 6, 0.5, 0.5)
        model = core.Model(np.float64)
        model.add_cloth(
            positions + np.array([0, 0, 0.03]), faces, thickness=0.01, friction=friction
        )
        plane = np.array([(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)], float)
        model.add_collider(plane, [(0, 1, 2), (0, 2, 3)], thickness=0.02, friction=friction)
        solver = core.ProjectiveDynamics(method=method, iterations=iterations)
        simulation = core.Simulation(model, solver, tuple(gravity))
        for _ in range(24):
            simulation.advance(dt)
        speed = simulation.velocities[:, 0]
        np.testing.assert_allclose(speed, share * 9.81 * 24 * dt, rtol=1e-3, atol=1e-6)


def test_a_soft_body_settles_the_same_by_both_methods() -> None:
    """Tetrahedra whose gradient vanishes at rest, some of them pressed flat and inverted."""
    corners = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)
    cubes = np.concatenate([np.add(corners, (0, 0, level)) for level in range(3)])
    points, places = np.unique(cubes, axis=0, return_inverse=True)
    cells = [(0, 1, 2, 4), (3, 2, 1, 7), (5, 4, 7, 1), (6, 7, 4, 2), (1, 2, 4, 7)]
    tetrahedra = [
        [places.ravel()[8 * level + c] for c in cell] for level in range(3) for cell in cells
    ]
    ends = []
    for method in ("direct", "jacobi"):
        model = core.Model(np.float64)
        masses = np.where(points[:, 2] == 0.0, np.inf, 1.0)
        model.add_particles(points, masses)
        model.add_constraints("corotational", tetrahedra, compliance=1e-3)
        start = points.copy()
        start[points[:, 2] == 3.0, 2] = 1.5
        simulation = stepped(
            model, (start, np.zeros_like(start)), 0.1, method=method, iterations=2000,
            chebyshev=True,
        )  # fmt: skip
        assert simulation.residual() < 1e-10
        ends.append(simulation.positions.copy())
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-8)


@pytest.mark.jit_off
def test_limits_are_projected_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        REGISTRY, "rope", replace(REGISTRY["distance"], kind="rope", inequality=True)
    )
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0), (0, 0, -1)], [np.inf, 1.0])
    model.add_constraints("distance", [(0, 1)], compliance=0.1)
    model.add_constraints("rope", [(0, 1)], rest=1.2)
    simulation = core.Simulation(model, core.ProjectiveDynamics())
    for _ in range(20):
        simulation.advance(0.05)
    assert simulation.positions[1, 2] == pytest.approx(-1.2, abs=1e-9)


def test_single_precision_is_good_enough() -> None:
    """To a tenth of a millimetre after a second of swinging."""
    ends = []
    for dtype in (np.float32, np.float64):
        solver = core.ProjectiveDynamics(iterations=40, chebyshev=True)
        simulation = core.Simulation(spring_cloth(10, dtype=dtype, damping=0.01), solver)
        for _ in range(24):
            simulation.advance(1 / 24)
        ends.append(simulation.positions.astype(float))
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-4)


@pytest.mark.parametrize("chebyshev", [False, True])
def test_threads_change_nothing(chebyshev: bool) -> None:
    ends = []
    for threads in (1, 2, 3):
        solver = core.ProjectiveDynamics(
            method="jacobi", iterations=30, chebyshev=chebyshev, threads=threads
        )
        simulation = core.Simulation(spring_cloth(40, dtype=np.float32), solver)
        for _ in range(3):
            simulation.advance(1 / 24)
        ends.append(simulation.positions.copy())
    np.testing.assert_array_equal(ends[0], ends[1])
    np.testing.assert_array_equal(ends[0], ends[2])


# --- what is kept, what is refused ----------------------------------------------------------------


@pytest.mark.jit_off
def test_the_matrix_is_factored_once_for_each_time_step(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def counted(matrix: Any) -> Any:
        sizes.append(matrix.size)
        return solver_for(matrix)

    monkeypatch.setattr(projective_dynamics, "solver_for", counted)
    simulation = core.Simulation(spring_cloth(3), core.ProjectiveDynamics(substeps=2, iterations=3))
    for dt in (0.04, 0.04, 0.02, 0.04, 0.02):
        simulation.advance(dt)
    assert sizes == [9, 9]


@pytest.mark.jit_off
@pytest.mark.parametrize("compliance", [0.0, np.diag([1.0, 0.0, 1.0])[None]])
def test_infinite_stiffness_is_refused_by_name(compliance: Any) -> None:
    kind, corners = ("distance", (0, 1)) if np.ndim(compliance) == 0 else ("strain", (0, 1, 2))
    model = core.Model()
    model.add_particles([(0, 0, 0), (1, 0, 0), (0, 1, 0)], 1.0)
    model.add_constraints(kind, [corners], compliance=compliance)
    with pytest.raises(core.ModelError, match=rf"'particle 0' .*\('{kind}', 1 .* XPBD"):
        core.Simulation(model, core.ProjectiveDynamics())


@pytest.mark.jit_off
def test_sums_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    model = core.Model()
    model.add_particles([(0, 0, 0), (1, 0, 0)], 1.0)
    model.add_constraints("distance", [(0, 1)], compliance=1.0)
    model.groups[0].constraint = replace(REGISTRY["distance"], kind="total", summed=True)
    with pytest.raises(core.ModelError, match=r"'particle 0' .* 'total' .* XPBD"):
        core.Simulation(model, core.ProjectiveDynamics())


@pytest.mark.jit_off
@pytest.mark.parametrize("options", [{"substeps": 0}, {"iterations": 0}, {"threads": 0}])
def test_counts_must_be_positive(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="at least"):
        core.ProjectiveDynamics(**options)


@pytest.mark.jit_off
def test_the_method_must_exist() -> None:
    with pytest.raises(ValueError, match="'newton' is no method"):
        core.ProjectiveDynamics(method="newton")  # type: ignore[arg-type]


@pytest.mark.jit_off
def test_step_lays_out_the_model_itself_when_asked_for_one_step() -> None:
    model = spring_cloth(3)
    state, solver = model.state(), core.ProjectiveDynamics(substeps=2, iterations=3)
    solver.step(model, state, 0.02, gravity=GRAVITY)
    simulation = core.Simulation(model, solver)
    simulation.advance(0.02)
    np.testing.assert_array_equal(state.positions, simulation.positions)


@pytest.mark.jit_off
@each_method
def test_the_residual_falls(method: Any) -> None:
    model, start = crumpled()
    few, many = (
        stepped(model, start, 1 / 24, method=method, iterations=n).residual() for n in (5, 50)
    )
    assert few > 1e-3
    assert many < 0.1 * few
    fresh = core.Simulation(model, core.ProjectiveDynamics(method=method))
    assert fresh.residual() == 0.0
