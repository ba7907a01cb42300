# SPDX-License-Identifier: GPL-3.0-or-later
"""The quadratic energy of bending, by itself."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from bent_sheets import KINDS, Kind, held, strip
from numpy.typing import NDArray
from written_out import dense

import core
from core.solvers.xpbd.bending.curvatures import curvatures, triangles_of
from core.solvers.xpbd.bending.plates import Plates, hinge_coefficients, plates_of

RIGIDITY, DENSITY = 2e-3, 0.3


def plates(points: Any, faces: Any, pins: Any = None) -> tuple[Plates, core.Model]:
    model = core.Model()
    model.add_cloth(
        points, faces, pins=pins, density=DENSITY, bend_compliance=1.0 / RIGIDITY, thickness=1e-5
    )
    hinges = [group for group in model.groups if group.constraint.kind == "bending"]
    return plates_of(hinges, model.positions, model.masses), model


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("cells", "across"), [(6, 3), (12, 6), (24, 6), (24, 48)])
def test_a_clamped_strip_sinks_as_a_beam(kind: Kind, cells: int, across: int) -> None:
    """Under a small load, by w L⁴ / 8 D."""
    length = 0.1
    points, faces = strip(kind, cells, length, across)
    found, model = plates(points, faces, held(points))
    free = np.isfinite(model.masses)
    sunk = np.zeros(len(points))
    sunk[free] = np.linalg.solve(
        dense(found.stiffness)[np.ix_(free, free)], model.masses[free] * 9.81
    )
    tip = sunk[points[:, 0] > length - 1e-9].mean()
    bound = 0.05 if kind == "irregular" else 0.01
    assert tip == pytest.approx(DENSITY * 9.81 * length**4 / (8.0 * RIGIDITY), rel=bound)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("angle", [0.0, 20.0, 45.0, 70.0, 90.0, 135.0])
@pytest.mark.parametrize("shape", ["rolled", "twisted"])
def test_bending_costs_the_same_in_every_direction(kind: Kind, angle: float, shape: str) -> None:
    """½ D κ:κ per area, within 2 %, away from the rim, whose neighbours are missing."""
    points, faces = strip(kind, 26, 0.1, 26)
    turn = np.radians(angle)
    along, across = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    x, y = points[:, :2] @ along, points[:, :2] @ across
    heights = 0.5 * x**2 if shape == "rolled" else x * y
    expected = 0.5 * RIGIDITY * (1.0 if shape == "rolled" else 2.0)
    assert energy_inside(points, faces, heights) == pytest.approx(expected, rel=0.02)


def energy_inside(points: Any, faces: Any, heights: NDArray[np.float64]) -> float:
    """Of what is away from the rim, per area [J/m²]."""
    model = core.Model()
    model.add_cloth(points, faces, bend_compliance=1.0 / RIGIDITY, thickness=1e-5)
    (group,) = (each for each in model.groups if each.constraint.kind == "bending")
    corners, compliance = group.indices, group.compliance[:, 0]
    coefficients = hinge_coefficients(points[corners])
    angles = np.sum(coefficients * heights[corners], axis=1)
    found = curvatures(corners, compliance, points, np.zeros(len(points), np.bool_))
    squares = np.sum((found @ angles).reshape(-1, 3) ** 2, axis=1)
    a, b, c = points[triangles_of(corners, len(points))[0]].transpose(1, 0, 2)
    low, high = np.quantile(points[:, :2], [0.15, 0.85], axis=0)
    middle = ((a + b + c) / 3.0)[:, :2]
    inside = ((middle > low) & (middle < high)).all(axis=1)
    areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return float(0.5 * squares[inside].sum() / areas[inside].sum())


@pytest.mark.parametrize("kind", KINDS)
def test_what_stays_flat_costs_nothing(kind: Kind) -> None:
    points, faces = strip(kind, 8, 0.1)
    found, _ = plates(points, faces)
    matrix = dense(found.stiffness)
    for field in (np.ones(len(points)), points[:, 0], points[:, 1]):
        assert np.abs(matrix @ field).max() < 1e-9 * np.abs(matrix).max() * np.abs(field).max()


def test_a_single_hinge_has_the_energy_of_its_constraint() -> None:
    """θ² / 2 α for small θ, whatever the triangles."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0.3, 0.9, 0], [0.6, -0.4, 0]], float)
    model = core.Model()
    model.add_particles(points, 1.0)
    group = model.add_constraints("bending", [(0, 1, 2, 3)], compliance=0.5)
    found = plates_of([group], model.positions, model.masses)
    bent = points.copy()
    bent[2, 2] = 1e-4
    angle = naive.bending(bent, np.zeros(1))[0]
    energy = 0.5 * bent[:, 2] @ (dense(found.stiffness) @ bent[:, 2])
    assert energy == pytest.approx(0.5 * angle**2 / 0.5, rel=1e-6)


def test_a_sheet_that_is_bent_at_rest_is_in_balance_there() -> None:
    """K x = G b₀ with b₀ as it is at rest, up to a fold of 120°."""
    points, faces = strip("irregular", 12, 0.1)
    turned = np.radians(120.0) * (points[:, 0] / 0.1)
    radius = 0.1 / np.radians(120.0)
    rolled = np.stack([radius * np.sin(turned), points[:, 1], radius * np.cos(turned)], axis=1)
    found, model = plates(rolled, faces)
    corners = model.positions[found.corners]
    at_rest = np.einsum("hc,hck->hk", found.coefficients, corners)
    np.testing.assert_allclose(
        np.linalg.norm(at_rest, axis=1), 2.0 * np.sin(0.5 * np.abs(found.rest)), atol=1e-9
    )
    balance = dense(found.stiffness) @ model.positions - dense(found.moments) @ at_rest
    assert np.abs(balance).max() < 1e-9 * np.abs(dense(found.moments)).max()


@pytest.mark.parametrize("kind", KINDS)
def test_what_has_shrunk_is_what_is_as_small(kind: Kind) -> None:
    """Told by how it was before, so that no more than its rigidity changes while it shrinks."""
    points, faces = strip(kind, 6, 0.1, 3)
    points = points + np.random.default_rng(0).normal(0.0, 0.002, points.shape)
    model = core.Model()
    model.add_cloth(points, faces, pins=[0, 1], shrinkage=0.3)
    hinges = [group for group in model.groups if group.constraint.kind == "bending"]
    small = plates_of(hinges, model.rest_positions, model.masses)
    shrunk = plates_of(hinges, points, model.masses, np.full(len(points), 0.7))
    np.testing.assert_allclose(shrunk.coefficients, small.coefficients, rtol=1e-9, atol=1e-6)
    for one, other in ((shrunk.stiffness, small.stiffness), (shrunk.moments, small.moments)):
        largest = np.abs(other.values).max()
        np.testing.assert_allclose(dense(one), dense(other), atol=1e-9 * largest)


@pytest.mark.parametrize("opening", [60.0, 90.0])
def test_a_crease_bends_by_itself(opening: float) -> None:
    """Two halves of a sheet, turned about the crease between them, have the energy of its hinges
    alone: ½ (b - b₀)² / α cos² θ₀/2, with b = 2 sin θ/2 of each. What bends elsewhere adds its own.
    """
    points, faces = naive.quad_grid(6, 4, 0.06, 0.04)
    middle = 0.5 * (points[:, 0].min() + points[:, 0].max())

    def folded(degrees: float) -> NDArray[np.float64]:
        turn = np.radians(0.5 * degrees) * np.sign(points[:, 0] - middle)
        way = points[:, 0] - middle
        return np.stack([way * np.cos(turn), points[:, 1], way * np.sin(turn)], axis=1)

    found, model = plates(folded(opening + 30.0), faces)
    (group,) = (each for each in model.groups if each.constraint.kind == "bending")
    creases = np.abs(found.rest) > 0.1
    assert creases.sum() == 4
    rest, now = folded(opening + 30.0), folded(opening)
    angles = [2.0 * np.sin(0.5 * np.radians(each)) for each in (opening, opening + 30.0)]
    compliance = group.compliance[creases, 0] * np.cos(0.5 * found.rest[creases]) ** 2
    energy = np.sum(0.5 * (angles[0] - angles[1]) ** 2 / compliance)
    way = now - rest

    def energy_of(ways: NDArray[np.float64]) -> float:
        return float(0.5 * np.sum(ways * (dense(found.stiffness) @ ways)))

    assert energy_of(way) == pytest.approx(energy, rel=1e-9)
    elsewhere = np.random.default_rng(0).normal(0.0, 1e-3, way.shape)
    elsewhere[found.corners[creases]] = 0.0
    assert energy_of(way + elsewhere) == pytest.approx(energy + energy_of(elsewhere), rel=1e-9)
