# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs along the edges of triangles that carry a part of a continuum."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core
from core.bodies.edge_springs import CARRIED, split_stiffness

pytestmark = pytest.mark.jit_off

FABRIC: dict[str, Any] = {
    "stretch_compliance": 1 / 2000,
    "shear_compliance": 1 / 150,
    "poisson_ratio": 0.25,
}
COMPLIANCE = np.array([[1.0, -0.25, 0.0], [-0.25, 1.0, 0.0], [0.0, 0.0, 0.25 * 2000 / 150]]) / 2000


def random_sides(count: int) -> np.ndarray:
    corners = np.random.default_rng(3).uniform(-1, 1, (count, 3, 2))
    return np.roll(corners, -1, axis=1) - corners


def test_springs_and_the_rest_are_the_fabric() -> None:
    """The springs' share by its definition: the stiffness against each of the three strains."""
    sides = random_sides(50)
    carried, left = split_stiffness(sides, COMPLIANCE)
    for triangle, springs, rest in zip(sides, carried, left, strict=True):
        total = rest.copy()
        for side, stiffness in zip(triangle, springs, strict=True):
            x, y = side / np.linalg.norm(side)
            total += stiffness * np.outer([x * x, y * y, 2 * x * y], [x * x, y * y, 2 * x * y])
        np.testing.assert_allclose(total, np.linalg.inv(COMPLIANCE), rtol=1e-9, atol=1e-6)


def test_springs_carry_as_much_as_leaves_the_rest_positive() -> None:
    carried, left = split_stiffness(random_sides(50), COMPLIANCE)
    assert (carried > 0.0).all()
    root = np.linalg.cholesky(COMPLIANCE)
    least = np.linalg.eigvalsh(root.T @ left @ root)[:, 0]
    np.testing.assert_allclose(least, 1.0 - CARRIED, rtol=1e-8)


def test_springs_of_equal_sides_carry_nine_tenths_of_what_they_can() -> None:
    """K = diag(1000, 1000, 2000) N/m, against which each spring alone could carry c = 1000 N/m.

    Together, c (9/8, 3/8; 3/8, 9/8) resists (ε_x, ε_y) and 3/2 c resists ε_xy. Of K that is most
    for ε_x = ε_y: 3/2 c of 1000 N/m, so that c is at most 2000/3 N/m.
    """
    corners = np.array([(0.0, 0.0), (1.0, 0.0), (0.5, 0.75**0.5)])
    sides = np.roll(corners, -1, axis=0) - corners
    carried, left = split_stiffness(sides[None], np.diag([1e-3, 1e-3, 5e-4]))
    np.testing.assert_allclose(carried, 600.0, rtol=1e-12)
    expected = [(325.0, -225.0, 0.0), (-225.0, 325.0, 0.0), (0.0, 0.0, 1100.0)]
    np.testing.assert_allclose(left[0], expected, rtol=1e-12, atol=1e-9)


def elastic_energy(model: core.Model, positions: np.ndarray) -> float:
    """½ Cᵀ α⁻¹ C over all constraints that resist stretch, from the naive functions."""
    energy = 0.0
    for group in model.groups:
        function = naive.FUNCTIONS[group.constraint.kind]
        if group.constraint.stretch is None:
            continue
        for indices, rest, lower in zip(group.indices, group.rest, group.compliance, strict=True):
            strain = np.atleast_1d(function(positions[indices], rest))
            energy += 0.5 * float(strain @ np.linalg.solve(naive.block_of(lower), strain))
    return energy


@pytest.mark.parametrize(
    "stretch", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.6, -0.4, 0.8)]
)
def test_any_small_strain_takes_the_energy_of_the_fabric(
    stretch: tuple[float, float, float],
) -> None:
    """Area times ½ εᵀ K ε on irregular triangles, with braces as without."""
    positions, triangles = naive.irregular_triangles(4, 4, 1.0, 1.0)
    positions[:, 0] += 0.5 * positions[:, 1]
    x, y, shear = 1e-5 * np.array(stretch)
    moved = positions.copy()
    moved[:, :2] += positions[:, :2] @ np.array([[x, shear], [shear, y]])
    strain = np.array([x, y, shear])
    expected = 0.5 * strain @ np.linalg.solve(COMPLIANCE, strain)
    for membrane in ("automatic", "continuum"):
        model = core.Model(np.float64)
        model.add_cloth(positions, triangles, membrane=membrane, **FABRIC)
        springs = [len(g.indices) for g in model.groups if g.constraint.kind == "distance"]
        assert (sum(springs) > 0) == (membrane == "automatic")
        assert elastic_energy(model, moved) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    "options", [{"stretch_compliance": 0.0}, {"shear_compliance": 0.0}, {"shear_damping": 0.01}]
)
def test_what_springs_cannot_share_stays_a_continuum(options: dict[str, Any]) -> None:
    """Stiffness without bounds, or a damping for shear alone."""
    positions, triangles = naive.irregular_triangles(3, 3, 1.0, 1.0)
    positions[:, 0] += 0.5 * positions[:, 1]
    model = core.Model(np.float64)
    model.add_cloth(positions, triangles, **options)
    assert all(
        group.constraint.kind != "distance" or len(group.indices) == 0 for group in model.groups
    )
