# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands against the theory of rods, and what is done with every mesh of edges.

Small deflections are solved exactly with a stiffness matrix of the constraints that the strands
made, so what is tested is the way from SI material and mesh to α; some tests simulate as well.
"""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core
from core.constraints import REGISTRY

LENGTH, DENSITY, TENSILE, FLEXURAL, GRAVITY = 0.4, 2e-3, 50.0, 4e-6, 9.81
MATERIAL: dict[str, Any] = {
    "density": DENSITY,
    "stretch_compliance": 1 / TENSILE,
    "bend_compliance": 1 / FLEXURAL,
}
SEGMENTS = pytest.mark.parametrize("segments", [10, 20, 40])


def line(segments: int, direction: Any = (1.0, 0.0, 0.0), stub: bool = False) -> tuple[Any, Any]:
    """A straight strand; a stub before the origin is what a clamp holds."""
    along = np.linspace(0.0, LENGTH, segments + 1)
    if stub:
        along = np.concatenate([[-along[1]], along])
    numbers = np.arange(len(along))
    return np.outer(along, direction), np.stack([numbers[:-1], numbers[1:]], axis=1)


def strands(mesh: tuple[Any, Any], **options: Any) -> tuple[core.Model, core.Strands]:
    model = core.Model(np.float64)
    return model, model.add_strands(*mesh, **{**MATERIAL, **options})


def kinds(model: core.Model) -> dict[str, Any]:
    return {group.constraint.kind: group for group in model.groups}


def constraints_of(model: core.Model, *wanted: str) -> list[naive.NaiveConstraint]:
    return [
        naive.from_registry(
            group.constraint, group.indices[i], group.rest[i], naive.block_of(group.compliance[i])
        )
        for group in model.groups
        for i in range(len(group.indices))
        if not wanted or group.constraint.kind in wanted
    ]


def stiffness(model: core.Model, x: np.ndarray, kind: str) -> np.ndarray:
    """The derivative of the forces C α⁻¹ ∇C, which is smooth where the angle itself is not."""
    K = np.zeros((x.size, x.size))
    for constraint in constraints_of(model, kind):

        def force(points: np.ndarray, c: naive.NaiveConstraint = constraint) -> np.ndarray:
            C, gradient = c.evaluate(points)
            return np.asarray(C @ gradient.reshape(1, -1) / c.compliance[0, 0])

        place = (3 * np.array(constraint.indices)[:, None] + np.arange(3)).ravel()
        slope = naive.differentiate(force, x[constraint.indices])
        K[np.ix_(place, place)] += slope.reshape(len(place), -1)
    return K


def fall(model: core.Model, x: np.ndarray, kind: str, held: list[int]) -> float:
    """How far the last vertex sinks under the strand's own weight, straight down."""
    masses = np.where(np.isinf(model.masses), 0.0, model.masses)
    fixed = np.ones(x.shape, bool)
    fixed[:, 2] = False
    fixed[held] = True
    weights = np.outer(masses, (0.0, 0.0, -GRAVITY))
    return float(-naive.deflection(stiffness(model, x, kind), weights, fixed)[-1, 2])


@pytest.mark.jit_off
@SEGMENTS
def test_a_hanging_strand_stretches_as_a_rod_does(segments: int) -> None:
    x, edges = line(segments, (0.0, 0.0, -1.0))
    model, _ = strands((x, edges), pins=[0])
    expected = DENSITY * GRAVITY * LENGTH**2 / (2 * TENSILE)
    assert fall(model, x, "distance", [0]) == pytest.approx(expected, rel=1e-6)


@pytest.mark.jit_off
@SEGMENTS
def test_a_cantilever_sags_as_theory_says(segments: int) -> None:
    x, edges = line(segments, stub=True)
    model, _ = strands((x, edges), pins=[0, 1])
    expected = DENSITY * GRAVITY * LENGTH**4 / (8 * FLEXURAL)
    # Curvature is summed by the trapezoidal rule: the error falls with the square of the length.
    assert fall(model, x, "angle", [0, 1]) == pytest.approx(expected, rel=1.1 / segments**2)


@pytest.mark.jit_off
def test_uneven_segments_bend_as_even_ones() -> None:
    along = np.concatenate([[-0.02, 0.0], np.cumsum(np.tile([0.01, 0.03], 10))])
    x = np.outer(along, (1.0, 0.0, 0.0))
    edges = np.stack([np.arange(len(x) - 1), np.arange(1, len(x))], axis=1)
    model, _ = strands((x, edges), pins=[0, 1])
    expected = DENSITY * GRAVITY * LENGTH**4 / (8 * FLEXURAL)
    assert fall(model, x, "angle", [0, 1]) == pytest.approx(expected, rel=0.005)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_simulated_cantilever_comes_to_rest_there(dtype: Any) -> None:
    x, edges = line(10, stub=True)
    model = core.Model(dtype)
    rigidity = 400 * FLEXURAL
    material = {**MATERIAL, "bend_compliance": 1 / rigidity, "stretch_compliance": 0.0}
    model.add_strands(x, edges, pins=[0, 1], drag=20.0, **material)
    simulation = core.Simulation(model, solver=core.XPBD(substeps=100, iterations=4))
    for _ in range(60):
        simulation.advance(1 / 24)
    expected = DENSITY * GRAVITY * LENGTH**4 / (8 * rigidity)
    assert -simulation.positions[-1, 2] == pytest.approx(expected, rel=0.02)


def test_a_simulated_hanging_strand_comes_to_rest_there() -> None:
    x, edges = line(20, (0.0, 0.0, -1.0))
    model, _ = strands((x, edges), pins=[0], drag=20.0, stretch_compliance=1.0)
    simulation = core.Simulation(model, solver=core.XPBD(substeps=100, iterations=4))
    for _ in range(60):
        simulation.advance(1 / 24)
    stretched = -simulation.positions[-1, 2] - LENGTH
    assert stretched == pytest.approx(DENSITY * GRAVITY * LENGTH**2 / 2, rel=0.01)


def test_a_single_hair_is_stable_in_single_precision() -> None:
    """70 µm thick: vertices of 1e-7 kg and less, far from the origin, at the usual substeps."""
    x, edges = line(40)
    x += (3.0, -4.0, 2.0)
    model = core.Model(np.float32)
    material: dict[str, Any] = {
        "density": 5e-6,
        "stretch_compliance": 0.065,
        "bend_compliance": 2e8,
    }
    hair = model.add_strands(x, edges, pins=[0, 1], drag=2.0, **material)
    simulation = core.Simulation(model, solver=core.XPBD(substeps=160, iterations=1))
    for _ in range(96):
        simulation.advance(1 / 24)
    strain = core.edge_strain(simulation.positions, hair.edges, hair.rest_lengths)
    assert np.abs(strain).max() < 0.01
    assert simulation.positions[-1, 2] < 2.0 - 0.9 * LENGTH
    assert np.abs(simulation.velocities).max() < 0.1


def wavy() -> tuple[np.ndarray, np.ndarray]:
    x, edges = line(12)
    x[:, 1] = 0.03 * np.sin(40 * x[:, 0])
    x[:, 2] = 0.02 * np.cos(25 * x[:, 0])
    return x, edges


def moved(mesh: tuple[Any, Any], velocities: np.ndarray, **options: Any) -> core.Simulation:
    """Half a second without gravity."""
    model, _ = strands(mesh, velocities=velocities, bend_damping=1e-3, **options)
    simulation = core.Simulation(model, solver=core.XPBD(substeps=20), gravity=(0.0, 0.0, 0.0))
    for _ in range(12):
        simulation.advance(1 / 24)
    return simulation


def test_free_strands_keep_their_momentum() -> None:
    mesh = wavy()
    speeds = np.random.default_rng(3).normal(size=mesh[0].shape)
    simulation = moved(mesh, speeds)
    masses = simulation.model.masses[:, None]
    before, after = (masses * speeds).sum(axis=0), (masses * simulation.velocities).sum(axis=0)
    np.testing.assert_allclose(after, before, atol=1e-15)
    assert np.abs(simulation.velocities - speeds).max() > 0.1


def test_where_it_happens_makes_no_difference() -> None:
    x, edges = wavy()
    speeds = np.random.default_rng(4).normal(size=x.shape)
    Q, _ = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))
    shift = np.array([1.0, -2.0, 0.5])
    here = moved((x, edges), speeds)
    there = moved((x @ Q.T + shift, edges), speeds @ Q.T)
    np.testing.assert_allclose(there.positions, here.positions @ Q.T + shift, atol=1e-8)


@pytest.mark.jit_off
def test_every_shape_is_at_rest_as_it_is_given() -> None:
    x, edges = wavy()
    model, handle = strands((x, edges))
    for constraint in constraints_of(model):
        C, _ = constraint.evaluate(x[constraint.indices])
        np.testing.assert_allclose(C, 0.0, atol=1e-15)
    np.testing.assert_allclose(handle.rest_lengths.sum() * DENSITY, model.masses.sum())


@pytest.mark.jit_off
def test_the_handle_tells_particles_from_vertices() -> None:
    model = core.Model()
    model.add_particles([(9.0, 9.0, 9.0)], 1.0)
    hair = model.add_strands(*line(3), pins=[0, 0, 1], name="Hair")
    assert hair.particles.tolist() == [1, 2, 3, 4]
    assert hair.pins.tolist() == [1, 2]
    assert hair.edges.tolist() == [[1, 2], [2, 3], [3, 4]]
    assert model.owner_of(3) == "Hair"
    assert model.owner_of(0) == "particle 0"


def joints_of(model: core.Model) -> set[tuple[int, ...]]:
    listed = kinds(model)["angle"].indices.tolist()
    return {(min(a, c), b, max(a, c)) for a, b, c in listed}


@pytest.mark.jit_off
def test_cords_of_a_net_go_on_straight() -> None:
    x = np.array([(i, j, 0.0) for j in range(3) for i in range(3)])
    edges = [(a, a + 1) for a in range(9) if a % 3 < 2] + [(a, a + 3) for a in range(6)]
    model, _ = strands((x, edges))
    cords = {(3, 4, 5), (1, 4, 7)}
    border = {(0, 1, 2), (0, 3, 6), (2, 5, 8), (6, 7, 8)}
    corners = {(1, 0, 3), (1, 2, 5), (3, 6, 7), (5, 8, 7)}
    found = joints_of(model)
    assert cords | border | corners <= found
    # In the middle of each side, the cord that ends there keeps its angle to the border.
    assert len(found) == 2 + 4 + 4 + 4


@pytest.mark.jit_off
def test_a_twig_keeps_its_angle_to_its_branch() -> None:
    x = np.array([(0, 0, 0), (0, 0, 1), (0, 0, 2), (1, 0, 1.5)], float)
    model, _ = strands((x, [(0, 1), (1, 2), (1, 3)]))
    assert joints_of(model) == {(0, 1, 2), (0, 1, 3)}


@pytest.mark.jit_off
def test_a_loop_bends_everywhere() -> None:
    around = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    x = np.stack([np.cos(around), np.sin(around), 0 * around], axis=1)
    model, _ = strands((x, [(i, (i + 1) % 8) for i in range(8)]))
    assert len(kinds(model)["angle"].indices) == 8


@pytest.mark.jit_off
def test_many_edges_at_a_vertex_cost_no_more_than_they_are() -> None:
    directions = np.random.default_rng(1).normal(size=(500, 3))
    x = np.concatenate([[(0.0, 0.0, 0.0)], directions])
    model, _ = strands((x, [(0, i) for i in range(1, 501)]))
    assert 250 <= len(kinds(model)["angle"].indices) <= 500


@pytest.mark.jit_off
def test_double_and_empty_edges_are_left_out() -> None:
    x, _ = line(2)
    model, handle = strands((x, [(0, 1), (1, 0), (1, 2), (2, 2)]))
    assert handle.edges.tolist() == [[0, 1], [1, 2]]
    assert len(kinds(model)["angle"].indices) == 1


@pytest.mark.jit_off
def test_vertices_in_the_same_place_hold_together() -> None:
    x = np.array([(0, 0, 0), (1, 0, 0), (1, 0, 0), (2, 0, 0)], float)
    model, _ = strands((x, [(0, 1), (1, 2), (2, 3)]))
    stretch = kinds(model)["distance"]
    assert stretch.rest[1, 0] == stretch.compliance[1, 0] == 0.0
    assert len(kinds(model)["angle"].indices) == 0


@pytest.mark.jit_off
def test_loose_vertices_have_a_mass() -> None:
    x = np.concatenate([line(4)[0], [(5.0, 5.0, 5.0)]])
    model, _ = strands((x, line(4)[1]))
    assert 0.0 < model.masses[-1] < model.masses[1]


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"edges": []}, "'hair' has no edges"),
        ({"edges": [(0, 9)]}, "An edge of 'hair' refers to a vertex that doesn't exist"),
        ({"edges": [(0, -1)]}, "An edge of 'hair' refers to a vertex that doesn't exist"),
        ({"edges": [(0, 1, 2)]}, "The edges of 'hair' must be"),
        ({"edges": [(0.0, 1.5)]}, "The edges of 'hair' must be whole numbers"),
        ({"edges": [(1, 1)]}, "All edges of 'hair' have zero length"),
        ({"positions": np.zeros((4, 3))}, "All edges of 'hair' have zero length"),
        ({"positions": [(0, 0, 0), (1, np.nan, 0)]}, "Positions of 'hair': vertex 1"),
        ({"pins": [4]}, "A pin of 'hair'"),
        ({"density": 0.0}, "density must be positive"),
        ({"density": np.nan}, "density must be positive"),
        ({"bend_compliance": -1.0}, "bend compliance can't be"),
        ({"stretch_damping": np.inf}, "stretch damping can't be"),
        ({"thickness": -1.0}, "thickness"),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, Any], message: str) -> None:
    x, edges = line(3)
    arguments = {"positions": x, "edges": edges, "name": "hair", **change}
    with pytest.raises(core.ModelError, match=message):
        core.Model().add_strands(**arguments)


@pytest.mark.jit_off
@pytest.mark.parametrize("angle", [1e-7, 1e-3, 1.0, 3.0, np.pi - 1e-7])
def test_angles_are_measured_at_both_ends_of_their_range(angle: float) -> None:
    points = np.array([(-2, 0, 0), (0, 0, 0), (0.5 * np.cos(angle), 0.5 * np.sin(angle), 0)])
    value, _ = naive.evaluate_body(REGISTRY["angle"], points, [0.0])
    measured = REGISTRY["angle"].measure_rest(points[None])[0]
    np.testing.assert_allclose([value[0], measured[0]], angle, rtol=1e-9)


@pytest.mark.jit_off
@pytest.mark.parametrize("end", [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 0.0)])
def test_an_angle_without_direction_pushes_nowhere(end: tuple[float, float, float]) -> None:
    points = np.array([(-1.0, 0.0, 0.0), (0.0, 0.0, 0.0), end])
    _, gradient = naive.evaluate_body(REGISTRY["angle"], points, [0.5])
    np.testing.assert_array_equal(gradient, 0.0)
