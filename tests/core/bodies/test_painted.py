# SPDX-License-Identifier: GPL-3.0-or-later
"""Painted quantities: numbers of vertices where one number was, the same at any resolution."""

from __future__ import annotations

from typing import Any

import bent_sheets
import naive
import numpy as np
import pytest

import core

GRAVITY = 9.81
DENSITY = 0.2
LENGTH = 1.0
ENDS = (300.0, 900.0)  # N/m at the top and at the bottom


def rested(model: core.Model, seconds: float, **options: Any) -> core.Simulation:
    solver = core.XPBD(implicit_bending=True, **options)
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, -GRAVITY))
    for _ in range(round(24 * seconds)):
        simulation.advance(1 / 24)
    return simulation


def sag_of_linear_strip() -> float:
    """∫ w (L - s) / k(s) ds of a strip that hangs by s = 0, k from one end to the other."""
    step = LENGTH / 100_000
    s = step * (np.arange(100_000) + 0.5)
    top, bottom = ENDS
    stiffness = top + (bottom - top) * s / LENGTH
    return float(np.sum(DENSITY * GRAVITY * (LENGTH - s) / stiffness) * step)


@pytest.mark.parametrize("kind", ["quads", "irregular"])
@pytest.mark.parametrize("cells", [10, 20, 40])
def test_a_painted_strip_sags_as_the_exact_solution(kind: Any, cells: int) -> None:
    points, faces = bent_sheets.strip(kind, cells, LENGTH)
    points = np.stack([points[:, 1], np.zeros(len(points)), -points[:, 0]], axis=1)
    down = -points[:, 2]
    stiffness = np.interp(down, (0.0, LENGTH), ENDS)
    model = core.Model(np.float64)  # single precision comes to rest 0.1% of the sag beside
    model.add_cloth(
        points,
        faces,
        pins=np.flatnonzero(down < 1e-9),
        density=DENSITY,
        stretch_compliance=1.0 / stiffness,
        shear_compliance=50.0 / stiffness,  # nearly no narrowing
        poisson_ratio=0.0,
        bend_compliance=None,
        drag=3.0,
        self_collision=False,
    )
    simulation = rested(model, 3.0, substeps=50, iterations=8, near_pins=True)
    end = down > LENGTH - 1e-9
    sag = -float(simulation.positions[end, 2].mean()) - LENGTH
    # Irregular triangles of a tenth of the length are 1.04% off.
    assert sag == pytest.approx(sag_of_linear_strip(), rel=0.01 if kind == "quads" else 0.0105)


def drop_of_linear_beam(length: float, ends: tuple[float, float], load: float) -> float:
    """Of a cantilever's end, of rigidity D(s) under a load w, small: ∫ w (L - s)³ / (2 D) ds."""
    step = length / 100_000
    s = step * (np.arange(100_000) + 0.5)
    rigidity = ends[0] + (ends[1] - ends[0]) * s / length
    return float(np.sum(load * (length - s) ** 3 / (2.0 * rigidity)) * step)


@pytest.mark.parametrize("cells", [6, 9, 12])
def test_a_painted_card_drops_as_a_beam(cells: int) -> None:
    length, ends = 0.1, (0.02, 0.005)  # m, N·m
    points, faces = bent_sheets.strip("cut", cells, length)
    rigidity = np.interp(points[:, 0], (0.0, length), ends)
    simulation = bent_sheets.at_rest(
        points,
        faces,
        core.XPBD(substeps=60, implicit_bending=True),
        density=DENSITY,
        bend_compliance=1.0 / rigidity,
        self_collision=False,
    )
    drop = -float(simulation.positions[points[:, 0] > length - 1e-9, 2].mean())
    assert drop == pytest.approx(drop_of_linear_beam(length, ends, DENSITY * GRAVITY), rel=0.02)


@pytest.mark.parametrize("segments", [10, 20, 40])
def test_a_painted_wire_drops_as_a_beam(segments: int) -> None:
    length, ends, weight = 0.2, (2e-3, 5e-4), 0.01  # m, N·m², kg/m
    step = length / segments
    x = step * np.arange(-1, segments + 1)
    points = np.stack([x, np.zeros_like(x), np.zeros_like(x)], axis=1)
    model = core.Model()
    model.add_strands(
        points,
        np.stack([np.arange(segments + 1), np.arange(1, segments + 2)], axis=1),
        pins=[0, 1],
        density=weight,
        stretch_compliance=0.0,
        bend_compliance=1.0 / np.interp(x, (0.0, length), ends),
        drag=6.0,
    )
    simulation = rested(model, 2.5, substeps=40)
    expected = drop_of_linear_beam(length, ends, weight * GRAVITY)
    assert -simulation.positions[-1, 2] == pytest.approx(expected, rel=0.03)


MATERIAL: dict[str, Any] = {
    "density": 0.3,
    "stretch_compliance": 1e-3,
    "shear_compliance": 5e-3,
    "bend_compliance": 1e4,
    "stretch_damping": 0.01,
    "shear_damping": 0.01,
    "bend_damping": 0.02,
}


@pytest.mark.parametrize("kind", ["quads", "irregular"])
def test_one_number_everywhere_is_that_number(kind: Any) -> None:
    points, faces = bent_sheets.strip(kind, 6, 0.3)
    surface: dict[str, Any] = {"thickness": 0.002, "friction": 0.4, "restitution": 0.1, "drag": 0.2}
    alike, painted = core.Model(), core.Model()
    alike.add_cloth(points, faces, **MATERIAL, **surface)
    spread: dict[str, Any] = {
        name: np.full(len(points), value) for name, value in (MATERIAL | surface).items()
    }
    painted.add_cloth(points, faces, **spread)
    _assert_same(alike, painted)


def test_one_number_everywhere_is_that_number_of_strands() -> None:
    points = np.random.default_rng(0).normal(size=(6, 3))
    edges = [(i, i + 1) for i in range(5)]
    material: dict[str, Any] = {k: v for k, v in MATERIAL.items() if "shear" not in k}
    spread: dict[str, Any] = {name: np.full(6, value) for name, value in material.items()}
    alike, painted = core.Model(), core.Model()
    alike.add_strands(points, edges, **material)
    painted.add_strands(points, edges, **spread)
    _assert_same(alike, painted)


def _assert_same(one: core.Model, other: core.Model) -> None:
    np.testing.assert_allclose(other.masses, one.masses, rtol=1e-12)
    assert [g.constraint.kind for g in other.groups] == [g.constraint.kind for g in one.groups]
    for painted, alike in zip(other.groups, one.groups, strict=True):
        np.testing.assert_array_equal(painted.indices, alike.indices)
        largest = np.abs(alike.compliance).max(initial=0.0)
        np.testing.assert_allclose(painted.compliance, alike.compliance, atol=1e-10 * largest)
        np.testing.assert_allclose(painted.damping, alike.damping, rtol=1e-12)
    positions = [core.Simulation(model) for model in (one, other)]
    for simulation in positions:
        simulation.advance(1 / 24)
    np.testing.assert_allclose(positions[1].positions, positions[0].positions, atol=1e-6)


def test_edges_take_the_mean_of_the_stiffness_at_both_ends() -> None:
    """Blender's law: value + mean of both weights × (max - value)."""
    model = core.Model()
    points = np.array([(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)], float)
    stiffness = np.array([1.0, 3.0, 3.0, 2.0])
    model.add_strands(
        points,
        [(0, 1), (1, 2), (2, 3)],
        stretch_compliance=1.0 / stiffness,
        stretch_damping=np.array([0.0, 0.2, 0.4, 0.4]),
        bend_compliance=None,
    )
    (links,) = model.groups
    np.testing.assert_allclose(1.0 / links.compliance[:, 0], [2.0, 3.0, 2.5])
    np.testing.assert_allclose(links.damping[:, 0], [0.1, 0.3, 0.4])


def test_a_vertex_without_give_makes_its_edges_rigid() -> None:
    model = core.Model()
    model.add_strands(
        np.eye(3), [(0, 1), (1, 2)], stretch_compliance=[0.0, 1e-3, 1e-3], bend_compliance=None
    )
    np.testing.assert_allclose(model.groups[0].compliance[:, 0], [0.0, 1e-3 * np.sqrt(2.0)])


@pytest.mark.parametrize("cells", [4, 16])
def test_painted_density_weighs_the_same_at_any_resolution(cells: int) -> None:
    points, quads = naive.quad_grid(cells + 1, cells + 1, 1.0, 1.0)
    density = 0.1 + 0.4 * points[:, 0]
    model = core.Model()
    model.add_cloth(points, quads, density=density)
    assert model.masses.sum() == pytest.approx(0.3, rel=1e-3)
    moment = float(model.masses @ points[:, 0])  # ∫ (0.1 + 0.4 x) x dx
    assert moment == pytest.approx(0.05 + 0.4 / 3.0, rel=0.02)


def test_painted_thickness_keeps_each_vertex_at_its_own_distance() -> None:
    points, quads = naive.quad_grid(9, 9, 0.4, 0.4)
    thickness = np.where(points[:, 0] < 0.2, 0.004, 0.02)
    model = core.Model()
    sheet = model.add_cloth(
        points + np.array([0.0, 0.0, 0.05]), quads, thickness=thickness, friction=0.9, drag=3.0
    )
    floor = np.array([(-2, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)], float)
    model.add_collider(floor, [(0, 1, 2), (0, 2, 3)], thickness=0.0)
    simulation = rested(model, 2.0, substeps=20)
    height = simulation.positions[sheet.particles, 2]
    assert height[points[:, 0] < 0.01].max() == pytest.approx(0.004, abs=5e-4)
    assert height[points[:, 0] > 0.39].min() == pytest.approx(0.02, abs=5e-4)


@pytest.mark.parametrize(
    ("quantity", "values", "said"),
    [
        ("stretch_compliance", np.ones(3), "The stretch compliance of 'flag' must be one number"),
        (
            "density",
            [0.1] * 5,
            "The density of 'flag' must be one number, or one for each of its 4",
        ),
        ("bend_compliance", [1.0, 1.0, -2.0, 1.0], "The bend compliance can't be -2"),
        ("density", [0.1, 0.0, 0.1, 0.1], "The density must be positive, not 0"),
        ("shear_damping", [0.0, np.nan, 0.0, 0.0], "The shear damping can't be nan"),
        ("friction", [0.1, 0.2], "The friction must fit"),
        ("restitution", [0.1, 0.2, 0.3, 1.4], "between 0 and 1"),
    ],
)
def test_what_is_not_one_number_a_vertex_is_refused(quantity: str, values: Any, said: str) -> None:
    points, quads = naive.quad_grid(1, 1, 1.0, 1.0)
    with pytest.raises(core.ModelError, match=said):
        core.Model().add_cloth(points, quads, name="flag", **{quantity: values})
