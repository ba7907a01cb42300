# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces per metre in cloth of which they are known."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core

WARP, SHEAR, POISSON = 500.0, 80.0, 0.3
FABRIC: dict[str, Any] = {
    "stretch_compliance": 1 / WARP,
    "shear_compliance": 1 / SHEAR,
    "poisson_ratio": POISSON,
}
jit_off = pytest.mark.jit_off


def tension(points: np.ndarray, mesh: Any, **material: Any) -> Any:
    fabric = core.ClothMaterial(**FABRIC | material)
    return core.tension_of("Sheet", points, mesh[0], mesh[1], fabric)


@jit_off
@pytest.mark.parametrize("turn", [0.0, 40.0])
@pytest.mark.parametrize("weft", [1.0, 0.3])
def test_a_strip_under_a_weight(weft: float, turn: float) -> None:
    """Pulled to 1% along the weft, free to narrow: the force is that of its stiffness."""
    mesh = naive.irregular_triangles(6, 3, 1.5, 0.5)
    angle = np.radians(turn)
    R = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    strain = 0.01
    green = strain + 0.5 * strain**2
    narrow = np.sqrt(1.0 - 2.0 * POISSON * np.sqrt(weft) * green)
    points = (mesh[0] * (narrow, 1.0 + strain, 1.0)) @ R.T
    found = tension(points, mesh, weft_stretch=weft)
    expected = weft * WARP * green * (1.0 + strain)
    np.testing.assert_allclose(found.largest, expected, rtol=1e-9)
    np.testing.assert_allclose(found.weft, expected, rtol=1e-9)
    np.testing.assert_allclose(found.warp, 0.0, atol=1e-9)


@jit_off
def test_at_an_angle_to_the_yarns_both_carry() -> None:
    """Along the bias of 45° each yarn has half of the tension, whose largest is all of it."""
    mesh = naive.irregular_triangles(6, 3, 1.5, 0.5)
    warp = np.tile((1.0, 1.0, 0.0), (len(mesh[1]), 1))
    tiny = 1e-6
    S = np.full((2, 2), 0.5)  # a tension of 1 N/m along the strip, in the axes of the yarns
    strain = np.array([[(S[0, 0] - POISSON * S[1, 1]) / WARP, S[0, 1] / (2.0 * SHEAR)], [0.0, 0.0]])
    strain[1, 1], strain[1, 0] = strain[0, 0], strain[0, 1]
    turn = np.array([[1.0, -1.0], [1.0, 1.0]]) / np.sqrt(2.0)
    points = mesh[0].copy()
    points[:, :2] = points[:, :2] @ (np.eye(2) + tiny * turn @ strain @ turn.T)
    found = tension(points, mesh, warp=warp)
    np.testing.assert_allclose(found.largest / tiny, 1.0, rtol=1e-3)
    np.testing.assert_allclose(found.warp / tiny, 0.5, rtol=1e-3)
    np.testing.assert_allclose(found.weft / tiny, 0.5, rtol=1e-3)


@jit_off
def test_what_is_pushed_together_is_softer() -> None:
    mesh = naive.quad_grid(4, 4, 1.0, 1.0)
    free = {"poisson_ratio": 0.0, "compression": 0.25}
    found = tension(mesh[0] * (0.99, 1.0, 1.0), mesh, **free)
    expected = -0.25 * WARP * (0.01 - 0.5 * 0.01**2) * 0.99
    np.testing.assert_allclose(found.warp, expected, rtol=1e-9)
    np.testing.assert_allclose(found.largest, 0.0, atol=1e-9)


@jit_off
def test_shrunk_cloth_is_under_tension() -> None:
    mesh = naive.quad_grid(4, 4, 1.0, 1.0)
    for shrinkage in (0.02, np.full(25, 0.02)):
        found = tension(mesh[0], mesh, shrinkage=shrinkage, poisson_ratio=0.0)
        stretch = 1.0 / 0.98
        expected = WARP * 0.5 * (stretch**2 - 1.0) * stretch
        np.testing.assert_allclose(found.warp, expected, rtol=1e-9)


@pytest.mark.parametrize("membrane", ["automatic", "continuum"])
def test_a_hanging_strip_carries_what_is_below(membrane: Any) -> None:
    """ρ g (L - s), and a weight of 2 N/m at its end, as its constraints do."""
    length, width, density = 1.0, 0.25, 0.3
    points, faces = naive.quad_grid(3, 12, width, length)
    points = points[:, [0, 2, 1]].astype(float)
    heavy = points[:, 2] < 1e-9
    model = core.Model(np.float64)
    fabric = FABRIC | {"poisson_ratio": 0.0, "bend_compliance": None, "membrane": membrane}
    sheet = model.add_cloth(
        points, faces, pins=np.flatnonzero(points[:, 2] > length - 1e-9), density=density,
        drag=12.0, self_collision=False, **fabric,
    )  # fmt: skip
    shares = np.where(np.isclose(points[heavy, 0] % width, 0.0), 0.5, 1.0) / 3.0
    model.masses[np.flatnonzero(heavy)] += shares * 2.0 * width / 9.81
    simulation = core.Simulation(model, core.XPBD(substeps=40, iterations=4))
    for _ in range(48):
        simulation.advance(1 / 24)
    found = core.tension_of(
        sheet.name, simulation.positions, points, faces, core.ClothMaterial(**fabric)
    )
    inner = (points[:, 2] > 0.1) & (points[:, 2] < 0.9)
    expected = 2.0 + density * 9.81 * points[inner, 2]
    np.testing.assert_allclose(found.largest[inner], expected, rtol=0.03)
    np.testing.assert_allclose(found.weft[inner], expected, rtol=0.03)


@jit_off
def test_what_can_not_be_told_is_refused_by_name() -> None:
    mesh = naive.quad_grid(1, 1, 1.0, 1.0)
    with pytest.raises(core.ModelError, match="forces in 'Sheet' can't be told"):
        tension(mesh[0], mesh, stretch_compliance=0.0)
