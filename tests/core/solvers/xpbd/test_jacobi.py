# SPDX-License-Identifier: GPL-3.0-or-later
"""Jacobi iterations with mass splitting, plain and accelerated."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core
from core.constraints import REGISTRY
from core.solvers.common import chebyshev
from core.solvers.xpbd.jacobi import valences

pytestmark = pytest.mark.long

# Sums have tests of their own in test_sums.py.
EACH_KIND = [kind for kind, c in REGISTRY.items() if not (c.inequality or c.summed)]


def net(side: int, compliance: float, dtype: type = np.float64) -> core.Model:
    """A square metre of springs along sides and one diagonal, held at two corners."""
    model = core.Model(dtype)
    positions, _ = naive.quad_grid(side, side, 1.0, 1.0)
    masses = np.full(len(positions), 0.01)
    masses[[0, side]] = np.inf
    model.add_particles(positions, masses)
    vertex = np.arange(len(positions)).reshape(side + 1, side + 1)
    pairs = [(vertex[:, :-1], vertex[:, 1:]), (vertex[:-1], vertex[1:])]
    pairs.append((vertex[:-1, :-1], vertex[1:, 1:]))
    edges = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])
    model.add_constraints("distance", edges, compliance=compliance)
    return model


def after(model: core.Model, frames: int, **options: Any) -> core.Simulation:
    simulation = core.Simulation(model, core.XPBD(substeps=1, method="jacobi", **options))
    for _ in range(frames):
        simulation.advance(1 / 60)
    return simulation


@pytest.mark.jit_off
def test_valences_count_the_constraints_at_each_vertex() -> None:
    model = core.Model()
    model.add_particles(np.eye(3), 1.0)
    model.add_constraints("distance", [(0, 1), (1, 2)], compliance=0.1)
    model.add_constraints("strain", [(2, 1, 0)], compliance=0.1)
    springs, triangles = valences(model.groups, [True, True], 3)
    np.testing.assert_array_equal(springs, [(2, 3), (3, 2)])
    np.testing.assert_array_equal(triangles, [(2, 3, 2)])
    springs, _ = valences(model.groups, [True, False], 3)
    np.testing.assert_array_equal(springs, [(1, 2), (2, 1)])


@pytest.mark.jit_off
@pytest.mark.parametrize("options", [{}, {"relaxation": 1.8}, {"chebyshev": True}])
def test_two_springs_come_to_where_gauss_seidel_does(options: dict[str, Any]) -> None:
    """Along a line gradients are constant: equation 16 has one solution."""
    ends = []
    for method in ({"method": "jacobi", **options}, {}):
        model = core.Model(np.float64)
        model.add_particles([(0, 0, 0), (0, 0, -1), (0, 0, -2)], [np.inf, 1.0, 2.0])
        model.add_constraints("distance", [(0, 1), (1, 2)], compliance=1e-3, damping=0.01)
        simulation = core.Simulation(model, core.XPBD(substeps=1, iterations=300, **method))
        for _ in range(3):
            simulation.advance(0.02)
        ends.append((simulation.positions.copy(), simulation.forces("distance")))
    np.testing.assert_allclose(ends[0][0], ends[1][0], atol=1e-12)
    np.testing.assert_allclose(ends[0][1], ends[1][1], rtol=1e-9)


@pytest.mark.jit_off
@pytest.mark.parametrize("kind", EACH_KIND)
def test_a_single_constraint_is_solved_as_by_gauss_seidel(kind: str) -> None:
    """Alone, a constraint splits nothing, and an iteration is that of equation 25."""
    constraint = REGISTRY[kind]
    random = np.random.default_rng(2)
    shape = random.normal(size=(constraint.vertices, 3))
    ends = []
    for method in ("jacobi", "gauss-seidel"):
        model = core.Model(np.float64)
        model.add_particles(shape + 0.1, 1.0, 0.5 * np.sin(np.arange(shape.size)).reshape(-1, 3))
        rest = constraint.measure_rest(shape[None])
        model.add_constraints(
            kind, [range(constraint.vertices)], rest=rest, compliance=1e-3, damping=0.01
        )
        simulation = core.Simulation(model, core.XPBD(substeps=2, iterations=3, method=method))
        simulation.advance(0.02)
        ends.append(simulation.positions.copy())
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)


@pytest.mark.parametrize("compliance", [0.0, 1e-5, 1e-2])
def test_it_converges_whatever_the_stiffness(compliance: float) -> None:
    """Without splitting, eight constraints at a particle overshoot and the iteration diverges."""
    residuals = [after(net(8, compliance), 5, iterations=n).residual() for n in (20, 200, 2000)]
    assert residuals[0] > 1.4 * residuals[1] > 1.4**2 * residuals[2]


def test_momentum_is_kept() -> None:
    model = net(6, 1e-4)
    model.masses[:] = np.linspace(0.01, 0.02, model.particle_count)
    random = np.random.default_rng(0)
    model.velocities[:] = random.normal(size=model.velocities.shape)
    simulation = core.Simulation(
        model,
        core.XPBD(substeps=3, iterations=20, method="jacobi", chebyshev=True),
        gravity=(0, 0, 0),
    )

    def momenta() -> np.ndarray:
        p = model.masses[:, None] * simulation.velocities
        middle = simulation.positions.mean(axis=0)
        return np.concatenate(
            [p.sum(axis=0), np.cross(simulation.positions - middle, p).sum(axis=0)]
        )

    before = momenta()
    for _ in range(5):
        simulation.advance(1 / 60)
    # Angular momentum is kept to the order of the step, as ∇C is not that of the end.
    np.testing.assert_allclose(momenta()[:3], before[:3], atol=1e-13)
    assert np.linalg.norm(momenta()[3:] - before[3:]) < 0.05 * np.linalg.norm(before[3:])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_chebyshev_needs_far_fewer_iterations(dtype: type) -> None:
    """Nobody says what the spectral radius is; after ten frames it has been found."""
    plain = after(net(20, 1e-3, dtype), 10, iterations=300).residual()
    fast = after(net(20, 1e-3, dtype), 10, iterations=40, chebyshev=True).residual()
    assert fast < plain


def test_chebyshev_is_never_worse_with_few_iterations() -> None:
    for iterations in (1, 2, 3, 5, 8, 13):
        plain = after(net(12, 1e-4), 10, iterations=iterations).residual()
        fast = after(net(12, 1e-4), 10, iterations=iterations, chebyshev=True).residual()
        assert fast <= plain


@pytest.mark.parametrize("wrong", [0.9999, 2.5])
def test_chebyshev_falls_back_where_it_would_diverge(wrong: float) -> None:
    """A cloth that crumples, with an estimate far too high: without a guard it is thrown apart."""
    simulation = after(net(12, 1e-4), 1, iterations=60, chebyshev=True)
    (memory,) = simulation.prepared.memory.values()
    memory.estimate[0] = wrong
    for _ in range(40):
        simulation.advance(1 / 60)
        assert np.abs(simulation.positions).max() < 1.5
    assert memory.estimate[0] < 0.9995
    assert simulation.residual() < 20.0 * after(net(12, 1e-4), 41, iterations=60).residual()


def test_threads_give_the_same_bytes() -> None:
    ends = []
    for threads in (1, 2, 3):
        options = {"iterations": 15, "chebyshev": True, "threads": threads}
        ends.append(after(net(20, 1e-4, np.float32), 4, **options).positions.tobytes())
    assert len(set(ends)) == 1


def test_a_second_state_starts_its_own_iterations() -> None:
    model = net(6, 1e-4)
    solver = core.XPBD(substeps=2, iterations=10, method="jacobi", chebyshev=True)
    prepared, states = solver.prepare(model), [model.state(), model.state()]
    for state in states:
        prepared.program.multipliers[:] = 0.0
        solver.step(model, state, 1 / 60, prepared=prepared, gravity=(0, 0, -9.81))
    np.testing.assert_array_equal(states[0].positions, states[1].positions)


# --- Chebyshev's weights --------------------------------------------------------------------------


@pytest.mark.jit_off
@pytest.mark.parametrize("radius", [0.5, 0.9, 0.99])
def test_the_weights_make_chebyshev_polynomials(radius: float) -> None:
    """A mode of eigenvalue μ falls by T_k(μ/ρ) / T_k(1/ρ)."""
    for eigenvalue in (-radius, 0.3 * radius, radius, 0.5 * (1.0 + radius)):
        older, now, weight = 0.0, 1.0, 1.0
        for iteration in range(12):
            weight = chebyshev.next_weight(iteration, weight, radius)
            now, older = weight * (eigenvalue * now - older) + older, now
            degree = iteration + 1
            T = np.polynomial.chebyshev.Chebyshev.basis(degree)
            assert now == pytest.approx(T(eigenvalue / radius) / T(1.0 / radius), rel=1e-9)


@pytest.mark.jit_off
@pytest.mark.parametrize("radius", [0.0, 0.5, 0.9])
def test_the_radius_is_found_from_the_factor(radius: float) -> None:
    """What a slow mode falls by tells its eigenvalue."""
    slow = 0.95
    if radius == 0.0:
        factor = slow
    else:
        degree = 400
        ratio = np.arccosh(slow / radius) - np.arccosh(1.0 / radius)
        factor = np.exp(degree * ratio) ** (1.0 / degree)
    assert chebyshev.renewed_radius(radius, factor) == pytest.approx(slow, rel=1e-9)


@pytest.mark.jit_off
def test_a_fast_iteration_keeps_the_radius() -> None:
    assert chebyshev.renewed_radius(0.9, 0.1) == 0.9
    assert chebyshev.renewed_radius(0.9, 5.0) == chebyshev.LARGEST_RADIUS


@pytest.mark.jit_off
def test_few_iterations_use_a_smaller_radius() -> None:
    assert chebyshev.usable_radius(0.5, 100) == 0.5
    radius = chebyshev.usable_radius(0.9999, 10)
    T = np.polynomial.chebyshev.Chebyshev.basis(10)
    assert T(1.0 / radius) == pytest.approx(10.0, rel=0.01)


# --- options --------------------------------------------------------------------------------------


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "newton"}, "no method"),
        ({"chebyshev": True}, "'jacobi'"),
        ({"method": "jacobi", "relaxation": 2.0}, "between 0 and 2"),
        ({"warm_start": 1.5}, "between 0 and 1"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        core.XPBD(**options)
