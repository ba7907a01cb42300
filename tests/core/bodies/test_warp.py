# SPDX-License-Identifier: GPL-3.0-or-later
"""Woven fabrics against the theory of orthotropic sheets, with the warp of each face."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core
from core.linear.compressed import Compressed
from core.solvers.xpbd.bending.plates import plates_of

pytestmark = pytest.mark.jit_off

WARP, WEFT, SHEAR, POISSON = 800.0, 300.0, 120.0, 0.25
RIGIDITY, WEFT_BEND = 1e-3, 0.25
FABRIC: dict[str, Any] = {
    "stretch_compliance": 1 / WARP,
    "weft_stretch": WEFT / WARP,
    "shear_compliance": 1 / SHEAR,
    "poisson_ratio": POISSON,
}
LENGTH, WIDTH = 1.5, 0.5


def cloth(mesh: Any, **material: Any) -> core.Model:
    model = core.Model(np.float64)
    model.add_cloth(*mesh, **material)
    return model


def matrix(model: core.Model, mesh: Any, *kinds: str) -> np.ndarray:
    """Σ ∇Cᵀ α⁻¹ ∇C of the constraints of these kinds."""
    slots = core.XPBD().prepare(model).slots
    wanted = {{"distance": 2, "strain": 3, "bending": 4}[kind] for kind in kinds}
    listed = naive.constraints_of(model.groups, slots)
    return naive.stiffness([c for _, c in listed if len(c.indices) in wanted], mesh[0])


def directions(degrees: float, count: int) -> np.ndarray:
    angle = np.radians(degrees)
    return np.tile([np.cos(angle), np.sin(angle), 0.0], (count, 1))


def stretched(mesh: Any, model: core.Model) -> tuple[float, float]:
    """Strain along and across a strip that is pulled by 1 N/m."""
    x = mesh[0]
    held = np.zeros(x.shape, bool)
    held[:, 2] = True
    held[np.isclose(x[:, 0], 0.0), 0] = True
    held[np.flatnonzero(held[:, 0])[0], 1] = True
    forces = np.zeros(x.shape)
    end = np.flatnonzero(np.isclose(x[:, 0], LENGTH))
    end = end[np.argsort(x[end, 1])]
    lengths = np.diff(x[end, 1])
    forces[end[:-1], 0] += 0.5 * lengths
    forces[end[1:], 0] += 0.5 * lengths
    u = naive.deflection(matrix(model, mesh, "distance", "strain"), forces, held)
    (along, _, _), (_, across, _) = np.linalg.lstsq(
        np.column_stack([x[:, :2], np.ones(len(x))]), u[:, :2], rcond=None
    )[0].T
    return along, across


def young(degrees: float) -> float:
    """Of an orthotropic sheet at an angle to its warp (Lekhnitskii 1968, section 5)."""
    c, s = np.cos(np.radians(degrees)) ** 2, np.sin(np.radians(degrees)) ** 2
    coupled = 1.0 / SHEAR - 2.0 * POISSON / np.sqrt(WARP * WEFT)
    return float(1.0 / (c * c / WARP + s * s / WEFT + coupled * c * s))


@pytest.mark.parametrize("membrane", ["continuum", "automatic"])
@pytest.mark.parametrize("degrees", [0.0, 30.0, 45.0, 90.0])
def test_a_strip_cut_at_an_angle_to_the_warp(degrees: float, membrane: str) -> None:
    mesh = naive.irregular_triangles(9, 3, LENGTH, WIDTH)
    warp = directions(degrees, len(mesh[1]))
    along, _ = stretched(mesh, cloth(mesh, warp=warp, membrane=membrane, **FABRIC))
    # Of the automatic one, what are nearly squares are springs where yarns run along their sides.
    tolerance = 0.01 if membrane == "automatic" else 1e-9
    assert 1.0 / along == pytest.approx(young(degrees), rel=tolerance)


@pytest.mark.parametrize("degrees", [0.0, 90.0])
def test_both_of_poissons_ratios(degrees: float) -> None:
    mesh = naive.irregular_triangles(9, 3, LENGTH, WIDTH)
    warp = directions(degrees, len(mesh[1]))
    along, across = stretched(mesh, cloth(mesh, warp=warp, membrane="continuum", **FABRIC))
    over = WARP / WEFT if degrees == 0.0 else WEFT / WARP
    assert -across / along == pytest.approx(POISSON * np.sqrt(over), rel=1e-9)


@pytest.mark.parametrize("degrees", [0.0, 90.0, 2.0, 45.0])
def test_squares_stretch_alike_as_springs_or_continuum(degrees: float) -> None:
    """Springs are taken where yarns run along their sides; elsewhere there are none."""
    mesh = naive.quad_grid(12, 4, LENGTH, WIDTH)
    model = cloth(mesh, warp=directions(degrees, len(mesh[1])), **FABRIC)
    along, _ = stretched(mesh, model)
    assert any(g.constraint.kind == "strain" for g in model.groups) == (degrees == 45.0)
    assert 1.0 / along == pytest.approx(young(degrees), rel=0.01)


def test_the_warp_of_each_face_counts_whatever_its_size() -> None:
    """Squares, a triangle and a pentagon in any order; half of them turned by 90°."""
    corners = [(0, 0), (1, 0), (1, 1), (0, 1), (2, 0), (2, 1), (3, 0)]
    corners += [(4, 0), (5, 0), (6, 1), (5, 2), (4, 1)]
    points = np.array([(*c, 0) for c in corners], float)
    faces = [(1, 4, 5, 2), (0, 1, 2, 3), (4, 6, 5), (7, 8, 9, 10, 11)]
    warp = np.array([(1, 0, 0), (0, 1, 0), (0, 2, 0), (1, 0, 0)], float)
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        mesh = points, [faces[k] for k in order]
        model = cloth(mesh, warp=warp[order], membrane="continuum", **FABRIC)
        (group,) = (g for g in model.groups if g.constraint.kind == "strain")
        for triangle, rest in zip(group.indices, group.rest, strict=True):
            (face,) = (k for k in range(4) if set(triangle) <= set(faces[k]))
            edges = points[triangle[1:]] - points[triangle[0]]
            along = np.linalg.inv(rest.reshape(2, 2))[0]
            np.testing.assert_allclose(along, edges @ warp[face] / np.linalg.norm(warp[face]))


def test_panels_with_the_warp_turned_stretch_as_their_weft() -> None:
    """Half of a strip has its warp along it, the other half across: springs in series."""
    mesh = naive.quad_grid(12, 4, LENGTH, WIDTH)
    middles = mesh[0][np.array(mesh[1])].mean(axis=1)
    near = middles[:, :1] < 0.5 * LENGTH
    warp = np.where(near, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    model = cloth(mesh, warp=warp, **FABRIC | {"poisson_ratio": 0.0, "membrane": "continuum"})
    x, held = mesh[0], np.zeros(mesh[0].shape, bool)
    held[:, 1:] = True
    held[np.isclose(x[:, 0], 0.0), 0] = True
    forces = np.zeros(x.shape)
    end = np.isclose(x[:, 0], LENGTH)
    forces[end, 0] = WIDTH / 4
    forces[end & (np.isclose(x[:, 1], 0.0) | np.isclose(x[:, 1], WIDTH)), 0] *= 0.5
    u = naive.deflection(matrix(model, mesh, "distance", "strain"), forces, held)
    expected = 0.5 * LENGTH * (1.0 / WARP + 1.0 / WEFT)
    np.testing.assert_allclose(u[end, 0], expected, rtol=1e-9)


@pytest.mark.parametrize("make", [naive.quad_grid, naive.irregular_triangles])
@pytest.mark.parametrize("along", [0, 1])
def test_rolling_along_the_warp_and_across(along: int, make: Any) -> None:
    """As XPBD bends sheets: ½ D κ² per area, counted over what the inner hinges stand for.

    Exact where edges run along yarns; what runs between them is as stiff as Huber has it, and
    triangles that lie anyhow mix a little of both.
    """
    cells = 16
    mesh = make(cells, cells, 1.0, 1.0)
    heights = 0.5 * mesh[0][:, along] ** 2
    energies = []
    for weft_bend in (1.0, WEFT_BEND):
        model = cloth(mesh, bend_compliance=1 / RIGIDITY, weft_bend=weft_bend)
        groups = [group for group in model.groups if group.constraint.kind == "bending"]
        forces = product_with(plates_of(groups, mesh[0], model.masses).stiffness, heights)
        energies.append(float(heights @ forces))
    expected = (1.0, WEFT_BEND)[along]
    tolerance = 1e-6 if make is naive.quad_grid else 0.13
    assert energies[1] / energies[0] == pytest.approx(expected, rel=tolerance)


def product_with(matrix: Compressed, values: np.ndarray) -> np.ndarray:
    return np.bincount(matrix.rows, matrix.values * values[matrix.columns], minlength=matrix.height)


def test_the_same_yarns_are_the_same_bytes_however_they_are_given() -> None:
    mesh = naive.irregular_triangles(9, 3, LENGTH, WIDTH)
    one, each = (
        cloth(mesh, warp=warp, membrane="continuum")
        for warp in ((0.6, 0.8, 0.0), np.tile([3.0, 4.0, 0.0], (len(mesh[1]), 1)))
    )
    for first, second in zip(one.groups, each.groups, strict=True):
        np.testing.assert_allclose(first.rest, second.rest, rtol=1e-12)
        np.testing.assert_array_equal(first.compliance, second.compliance)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"warp": np.ones((2, 3))}, "its 1 faces, not for 2"),
        ({"warp": np.zeros((1, 3))}, "warp of face 0 is no direction"),
        ({"warp": np.full((1, 3), np.nan)}, "warp of face 0 is no direction"),
        ({"warp": np.ones((1, 2))}, "one of each face, shape"),
        ({"weft_stretch": 0.0}, "weft stretch must be positive"),
        ({"weft_bend": np.inf}, "weft bend must be positive"),
    ],
)
def test_what_is_no_warp_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(core.ModelError, match=message):
        cloth(naive.quad_grid(1, 1, 1.0, 1.0), **options)
