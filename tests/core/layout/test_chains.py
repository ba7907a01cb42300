# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains: found in any net, solved exactly, and what that is good for."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import naive
import numpy as np
import pytest
from naive.chains import chain_steps

import core
from core.constraints import REGISTRY
from core.layout.chains import Chains, find_chains
from core.mesh import surface
from core.solvers.common.residual import largest_correction

pytestmark = pytest.mark.jit_off


def edges_of(faces: Any) -> np.ndarray:
    return surface.edges(surface.Polygons.of(faces))


def unrolled(chains: Chains) -> list[tuple[list[int], list[int]]]:
    """Links and vertices of each chain."""
    found = []
    for c, (start, end) in enumerate(zip(chains.starts[:-1], chains.starts[1:], strict=True)):
        vertices = chains.vertices[start + c : end + c + 1]
        found.append((chains.links[start:end].tolist(), vertices.tolist()))
    return found


def check(chains: Chains, pairs: np.ndarray) -> None:
    """Every link is in one chain, in its place; chains of a colour share no vertex."""
    seen: list[int] = []
    taken: set[tuple[int, int]] = set()
    for (links, vertices), color in zip(unrolled(chains), chains.colors, strict=True):
        assert len(vertices) == len(links) + 1
        is_ring = vertices[0] == vertices[-1]
        assert len(set(vertices)) == len(vertices) - is_ring
        assert not is_ring or len(links) >= 3
        for link, ends in zip(links, pairwise(vertices), strict=True):
            assert sorted(pairs[link].tolist()) == sorted(ends)
        places = {(int(color), vertex) for vertex in vertices}
        assert not places & taken
        taken |= places
        seen += links
    assert sorted(seen) == list(range(len(pairs)))


def test_a_grid_has_rows_and_columns() -> None:
    positions, faces = naive.quad_grid(5, 3, 1.0, 1.0)
    pairs = edges_of(faces)
    chains = find_chains(positions, pairs)
    check(chains, pairs)
    assert sorted(np.diff(chains.starts).tolist()) == [3] * 6 + [5] * 4
    assert set(chains.colors.tolist()) == {0, 1}


@pytest.mark.parametrize("seed", range(3))
def test_every_link_of_an_irregular_mesh_is_in_a_chain(seed: int) -> None:
    positions, faces = naive.irregular_triangles(8, 8, 1.0, 1.0, seed=seed)
    pairs = edges_of(faces)
    chains = find_chains(positions, pairs)
    check(chains, pairs)
    assert len(chains.starts) - 1 < 0.5 * len(pairs)


def test_what_goes_around_is_closed_and_knots_are_left() -> None:
    angle = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    pairs = np.stack([np.arange(12), (np.arange(12) + 1) % 12], axis=1)
    chains = find_chains(ring, pairs)
    check(chains, pairs)
    assert np.diff(chains.starts).tolist() == [12]
    assert chains.closed.tolist() == [True]
    # A figure of eight that goes through vertex 0 twice, straight each time.
    eight = [(0, 0, 0), (1, 1, 0), (2, 0, 0), (1, -1, 0), (-1, 1, 0), (-2, 0, 0), (-1, -1, 0)]
    loop = [0, 1, 2, 3, 0, 4, 5, 6, 0]
    pairs = np.stack([loop[:-1], loop[1:]], axis=1)
    check(find_chains(np.array(eight, float), pairs), pairs)


@pytest.mark.parametrize("spokes", [64, 65, 127, 128, 129, 200])
def test_spokes_go_on_across_the_hub(spokes: int) -> None:
    """An even wheel has diameters; each goes through the hub, so each has a colour of its own."""
    positions, pairs = wheel(spokes)
    chains = find_chains(positions, pairs)
    check(chains, pairs)
    through = [vertices for _, vertices in unrolled(chains) if 0 in vertices[1:-1]]
    assert len(through) == spokes // 2
    if spokes % 2 == 0:
        assert all(abs(a - b) == spokes // 2 for a, _, b in through)


def wheel(spokes: int) -> tuple[np.ndarray, np.ndarray]:
    """A hub, its spokes and a rim."""
    angle = np.linspace(0.0, 2.0 * np.pi, spokes, endpoint=False)
    rim = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    outer = np.arange(1, spokes + 1)
    ends = [np.stack([0 * outer, outer], axis=1), np.stack([outer, np.roll(outer, -1)], axis=1)]
    return np.concatenate([np.zeros((1, 3)), rim]), np.concatenate(ends)


@pytest.mark.parametrize("seed", range(8))
def test_the_straightest_two_ends_that_are_left_go_on_in_each_other(seed: int) -> None:
    """A star, some of whose spokes are bundles that all want the same few partners."""
    random = np.random.default_rng(seed)
    ways = random.normal(size=(40, 3))
    ways[:12] = ways[0] + 0.05 * random.normal(size=(12, 3))
    ways[12:20] = -ways[0] + 0.5 * random.normal(size=(8, 3))
    directions = ways / np.linalg.norm(ways, axis=1)[:, None]
    left = {
        (float(directions[a] @ directions[b]), a + 1, b + 1) for a in range(40) for b in range(a)
    }
    expected, joined = set(), set[int]()
    for cosine, a, b in sorted(left):
        if cosine < -0.5 and not {a, b} & joined:
            expected.add(frozenset((a, b)))
            joined |= {a, b}
    pairs = np.stack([np.zeros(40, int), np.arange(1, 41)], axis=1)
    chains = find_chains(np.concatenate([np.zeros((1, 3)), ways]), pairs)
    check(chains, pairs)
    found = {frozenset(vertices) - {0} for _, vertices in unrolled(chains)}
    assert found == expected | {frozenset((end,)) for end in range(1, 41) if end not in joined}


def test_odd_nets() -> None:
    for pairs in ([], [(0, 1)], [(0, 1), (0, 2), (0, 3), (1, 2)], [(0, 1), (1, 0)]):
        links = np.array(pairs, int).reshape(-1, 2)
        check(find_chains(np.zeros((4, 3)), links), links)
        check(find_chains(np.eye(4, 3), links), links)


def strung(order: Any, *, damping: float = 0.0, alpha: float = 1e-6, **options: Any) -> Any:
    """A chain of unequal masses, somewhat bent, moving, held at one end and in the middle."""
    random = np.random.default_rng(4)
    positions = np.cumsum(random.uniform(-0.3, 0.3, (9, 3)) + np.array([1.0, 0.2, 0.0]), axis=0)
    masses = random.uniform(0.5, 2.0, 9)
    masses[[0, 5]] = np.inf
    model = core.Model(np.float64)
    model.add_particles(positions, masses, random.normal(size=(9, 3)))
    links = np.stack([np.arange(8), np.arange(1, 9)], axis=1)
    model.add_constraints("distance", links, compliance=alpha, damping=damping, order=order)
    return core.Simulation(model, core.XPBD(substeps=1, **options))


@pytest.mark.parametrize("damping", [0.0, 0.02])
@pytest.mark.parametrize("alpha", [0.0, 1e-6, 1e-3])
def test_a_chain_is_solved_as_equation_12_says(damping: float, alpha: float) -> None:
    """One iteration is the direct solution of the dense system."""
    simulation = strung("chains", damping=damping, alpha=alpha)
    model, dt = simulation.model, 0.01
    x, v = np.array(simulation.positions), np.array(simulation.velocities)
    w = 1.0 / model.masses
    start = x.copy()
    x[w > 0] += dt * v[w > 0] + dt**2 * np.array([0.0, 0.0, -9.81])
    J, h = np.zeros((8, 27)), np.zeros(8)
    gamma = damping / dt
    for i, link in enumerate(model.groups[0].indices):
        C, gradient = naive.evaluate_body(REGISTRY["distance"], x[link], model.groups[0].rest[i])
        J[i, (3 * link[:, None] + np.arange(3)).ravel()] = gradient.ravel()
        h[i] = C[0] + gamma * np.sum(gradient[0] * (x[link] - start[link]))
    W = np.repeat(w, 3)
    matrix = (1.0 + gamma) * (J * W) @ J.T + alpha / dt**2 * np.eye(8)
    change = np.linalg.solve(matrix, -h)
    expected = x + chain_steps(x, w, (J.T @ change).reshape(-1, 3), change)
    simulation.advance(dt)
    np.testing.assert_allclose(simulation.positions, expected, atol=1e-10)
    np.testing.assert_allclose(
        simulation.forces("distance"), np.abs(change) / dt**2, rtol=1e-7, atol=1e-6
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("damping", [0.0, 0.02])
def test_closed_chains_are_solved_as_equation_12_says(damping: float, dtype: type) -> None:
    """Of several lengths side by side, and a chain with ends; some particles are held."""
    random = np.random.default_rng(6)
    model, first = core.Model(dtype), 0
    points, links = [np.empty((0, 3))], [np.empty((0, 2), int)]
    for count in (12, 13, 17, 30):
        angle = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
        points.append(np.stack([np.cos(angle), np.sin(angle), 0.02 * random.normal(size=count)], 1))
        number = np.arange(count)
        links.append(first + np.stack([number, (number + 1) % count], axis=1))
        first += count
    positions, pairs = np.concatenate(points), np.concatenate(links)[:-1]  # the last one is open
    masses = random.uniform(0.5, 2.0, len(positions))
    masses[[5, 20]] = np.inf
    velocities = random.normal(size=positions.shape) * np.isfinite(masses)[:, None]
    model.add_particles(positions, masses, velocities)
    model.add_constraints("distance", pairs, compliance=1e-4, damping=damping, order="chains")
    assert sorted(model.groups[0].chains.closed.tolist()) == [False, True, True, True]
    simulation = core.Simulation(model, core.XPBD(substeps=1))
    listed = naive.blocks_of(model.groups, simulation.prepared.slots)
    w, dt = 1.0 / masses, 0.01
    expected, _, multipliers = naive.xpbd_step(
        positions, velocities, w, [c for _, c in listed], dt, gravity=(0.0, 0.0, -9.81)
    )
    simulation.advance(dt)
    exact = dtype == np.float64
    np.testing.assert_allclose(simulation.positions, expected, atol=1e-12 if exact else 2e-6)
    forces = np.concatenate([np.abs(each) for each in multipliers]) / dt**2
    found = np.sort(simulation.forces("distance"))
    np.testing.assert_allclose(found, np.sort(forces), rtol=1e-9 if exact else 2e-3, atol=1e-3)


def test_iterations_of_chains_go_where_sweeps_go() -> None:
    ends = []
    for order, iterations in (("chains", 60), ("colors", 3000)):
        simulation = strung(order, iterations=iterations)
        simulation.advance(0.01)
        assert simulation.residual() < 1e-9
        ends.append(simulation.positions.copy())
    # Not the same path, so not the same g ≈ 0; see test_solvers_xpbd.
    np.testing.assert_allclose(ends[0], ends[1], atol=0.02)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_net_of_chains_equals_the_naive_block_solver(dtype: type) -> None:
    """Lanes of chains of several lengths, colours one after the other."""
    positions, faces = naive.quad_grid(6, 4, 1.0, 1.0)
    positions = positions[:-3]
    pairs = np.array([pair for pair in edges_of(faces).tolist() if max(pair) < len(positions)])
    random = np.random.default_rng(1)
    masses = random.uniform(0.01, 0.03, len(positions))
    masses[[0, 6]] = np.inf
    model = core.Model(dtype)
    model.add_particles(positions, masses, random.normal(size=positions.shape))
    model.add_constraints("distance", pairs, compliance=1e-4, order="chains")
    simulation = core.Simulation(model, core.XPBD(substeps=1))
    x, dt, w = positions.copy(), 0.01, 1.0 / masses
    x[w > 0] += (dt * random_velocities(model) + dt**2 * np.array([0, 0, -9.81]))[w > 0]
    chains = model.groups[0].chains
    for color in sorted(set(chains.colors.tolist())):
        for (links, vertices), own in zip(unrolled(chains), chains.colors, strict=True):
            if own == color:
                solve_together(x, w, vertices, model.groups[0].rest[links, 0], 1e-4 / dt**2)
    simulation.advance(dt)
    tolerance = 1e-12 if dtype == np.float64 else 2e-6
    np.testing.assert_allclose(simulation.positions, x, atol=tolerance)


def random_velocities(model: core.Model) -> np.ndarray:
    return np.asarray(model.state().velocities, np.float64)


def solve_together(
    x: np.ndarray, w: np.ndarray, vertices: list[int], rest: np.ndarray, alpha: float
) -> None:
    """Equation 12 for the links along some vertices, dense, from λ = 0."""
    points, own = x[vertices], w[vertices]
    J = np.zeros((len(rest), points.size))
    ways = np.diff(points, axis=0)
    lengths = np.linalg.norm(ways, axis=1)
    for i, direction in enumerate(ways / lengths[:, None]):
        J[i, 3 * i : 3 * i + 6] = np.concatenate([-direction, direction])
    change = np.linalg.solve(
        (J * np.repeat(own, 3)) @ J.T + alpha * np.eye(len(rest)), rest - lengths
    )
    x[vertices] += chain_steps(points, own, (J.T @ change).reshape(-1, 3), change)


def test_momentum_is_kept() -> None:
    model = core.Model(np.float64)
    random = np.random.default_rng(3)
    positions, faces = naive.quad_grid(5, 5, 1.0, 1.0)
    masses = random.uniform(0.5, 2.0, len(positions))
    model.add_particles(positions, masses, random.normal(size=positions.shape))
    model.add_constraints("distance", edges_of(faces), compliance=1e-6, order="chains")
    simulation = core.Simulation(model, core.XPBD(substeps=5), gravity=(0, 0, 0))
    before = masses @ simulation.velocities
    for _ in range(5):
        simulation.advance(0.01)
    np.testing.assert_allclose(masses @ simulation.velocities, before, atol=1e-10)


@pytest.mark.parametrize("length", [0.0, 1e-30, 1e15])
def test_degenerate_links_stay_finite(length: float) -> None:
    model = core.Model()
    along = np.outer(np.arange(5), (1.0, 0.0, 0.0)) * length
    model.add_particles(along, [np.inf, 1.0, 1.0, np.inf, 1.0])
    links = [(0, 1), (1, 2), (2, 3), (3, 4)]
    model.add_constraints("distance", links, rest=[0.1] * 4, order="chains")
    simulation = core.Simulation(model, core.XPBD(substeps=2, iterations=2))
    simulation.advance(0.01)
    assert np.isfinite(simulation.positions).all()


@pytest.mark.parametrize("mass", [1e-15, 1e-9, 1e9])
def test_particles_of_any_mass_stay_finite(mass: float) -> None:
    """Chains of several lengths, so that lanes are filled up with links without length."""
    positions, faces = naive.quad_grid(6, 4, 1e-3, 1e-3)
    pairs = np.array([pair for pair in edges_of(faces).tolist() if max(pair) < len(positions) - 3])
    model = core.Model()
    model.add_particles(positions[:-3], [np.inf] + [mass] * (len(positions) - 4))
    model.add_constraints("distance", pairs, order="chains")
    simulation = core.Simulation(model, core.XPBD(substeps=20))
    simulation.advance(0.01)
    assert np.isfinite(simulation.positions).all()
    assert np.abs(simulation.positions).max() < 2e-3


def test_only_distances_make_chains() -> None:
    model = core.Model()
    model.add_particles(np.eye(3), 1.0)
    with pytest.raises(core.ModelError, match="Only what holds the length"):
        model.add_constraints("strain", [(0, 1, 2)], order="chains")
    with pytest.raises(core.ModelError, match="'chains', not 'rope'"):
        model.add_constraints("distance", [(0, 1)], order="rope")  # type: ignore[arg-type]


def test_the_residual_counts_each_link_once() -> None:
    """Lanes that are filled up don't thin the average."""
    residuals = []
    for order in ("chains", "colors"):
        simulation = strung(order)
        simulation.advance(0.01)
        simulation.state.positions[:] = 1.1 * simulation.model.state().positions
        simulation.prepared.program.multipliers[:] = 0.0
        residuals.append(largest_correction(simulation.prepared.correction, simulation.state))
    assert residuals[0] == pytest.approx(residuals[1], rel=1e-12)
