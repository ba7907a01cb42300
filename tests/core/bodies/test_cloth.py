# SPDX-License-Identifier: GPL-3.0-or-later
"""The discretisation of a fabric against the theory of membranes and plates.

Small deflections are solved exactly with the stiffness matrix Σ ∇Cᵀ α⁻¹ ∇C of the constraints that
a cloth made, so what is tested is the way from SI material and mesh to α, nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import naive
import numpy as np
import pytest

import core

Mesh = tuple[np.ndarray, list[tuple[int, ...]]]

pytestmark = pytest.mark.jit_off

STIFFNESS, POISSON = 800.0, 0.3
ISOTROPIC: dict[str, Any] = {
    "stretch_compliance": 1 / STIFFNESS,
    "poisson_ratio": POISSON,
    "shear_compliance": 2 * (1 + POISSON) / STIFFNESS,
}
WOVEN: dict[str, Any] = {
    "stretch_compliance": 1 / STIFFNESS,
    "poisson_ratio": POISSON,
    "shear_compliance": 1 / 100.0,
}


def constraints_of(model: core.Model, *kinds: str) -> list[Any]:
    slots = core.XPBD().prepare(model).slots
    listed = naive.constraints_of(model.groups, slots)
    kind_of = {2: "distance", 3: "strain", 4: "bending"}
    return [c for _, c in listed if kind_of[len(c.indices)] in kinds]


def cloth(mesh: Mesh, **material: Any) -> core.Model:
    model = core.Model(np.float64)
    model.add_cloth(*mesh, **material)
    return model


def same_diagonals(nx: int, ny: int, width: float, height: float) -> Mesh:
    positions, quads = naive.quad_grid(nx, ny, width, height)
    faces: list[tuple[int, ...]] = []
    for a, b, c, d in quads:
        faces += [(a, b, c), (a, c, d)]
    return positions, faces


def equilateral(nx: int, rows: int, length: float) -> Mesh:
    side = length / nx
    positions: list[tuple[float, ...]] = []
    faces: list[tuple[int, ...]] = []
    for j in range(rows + 1):
        positions += [
            ((i + 0.5 * (j % 2)) * side, j * side * math.sqrt(0.75), 0) for i in range(nx + 1)
        ]
    for j in range(rows):
        for i in range(nx):
            a, b = j * (nx + 1) + i, (j + 1) * (nx + 1) + i
            shift = j % 2
            faces += [(a, a + 1, b + shift), (b, a + 1 - shift, b + 1)]
    return np.array(positions, float), faces


MESHES: dict[str, Callable[[], Mesh]] = {
    "squares": lambda: naive.quad_grid(12, 4, 1.5, 0.5),
    "rectangles": lambda: naive.quad_grid(12, 6, 1.5, 0.5),
    "same diagonals": lambda: same_diagonals(12, 4, 1.5, 0.5),
    "irregular": lambda: naive.irregular_triangles(12, 4, 1.5, 0.5),
}


def tension(mesh: Mesh, model: core.Model) -> tuple[float, float]:
    """Elongation over length, and narrowing over width, times the stiffness over the traction.

    One for a strip of the stiffness k, and Poisson's ratio.
    """
    x = mesh[0]
    K = naive.stiffness(constraints_of(model, "distance", "strain"), x)
    left, right = np.isclose(x[:, 0], x[:, 0].min()), np.isclose(x[:, 0], x[:, 0].max())
    held = np.zeros(x.shape, bool)
    held[:, 2] = True
    held[left, 0] = True
    held[np.flatnonzero(left)[0], 1] = True
    forces = np.zeros(x.shape)
    forces[right, 0] = end_loads(x[right, 1])
    u = naive.deflection(K, forces, held)
    middle = np.abs(x[:, 0] - np.median(x[:, 0])) < 0.3 * np.ptp(x[:, 0])
    slope = np.polyfit(x[middle, 0], u[middle, 0], 1)[0]
    narrowing = -np.polyfit(x[middle, 1], u[middle, 1], 1)[0]
    return slope * STIFFNESS, narrowing / slope


def end_loads(y: np.ndarray) -> np.ndarray:
    """A uniform traction of 1 N/m on a straight end, shared by its vertices."""
    order = np.argsort(y)
    lengths = np.diff(y[order])
    loads = np.zeros(len(y))
    loads[order[:-1]] += 0.5 * lengths
    loads[order[1:]] += 0.5 * lengths
    return loads


def energy_of(model: core.Model, mesh: Mesh, gradient: list[list[float]]) -> float:
    """Twice the energy per area of the homogeneous displacement u = gradient · x."""
    x = mesh[0]
    u = np.zeros(x.shape)
    u[:, :2] = x[:, :2] @ np.array(gradient).T
    K = naive.stiffness(constraints_of(model, "distance", "strain"), x)
    area = np.ptp(x[:, 0]) * np.ptp(x[:, 1])
    return float(u.ravel() @ K @ u.ravel()) / area


@pytest.mark.parametrize("name", ["same diagonals", "irregular", "squares", "rectangles"])
def test_a_strip_of_continuum_stretches_and_narrows(name: str) -> None:
    """Linear triangles hold a homogeneous state exactly, whatever the mesh."""
    mesh = MESHES[name]()
    stretch, poisson = tension(mesh, cloth(mesh, membrane="continuum", **ISOTROPIC))
    assert stretch == pytest.approx(1.0, rel=1e-9)
    assert poisson == pytest.approx(POISSON, rel=1e-9)


@pytest.mark.parametrize("name", ["same diagonals", "irregular", "squares"])
def test_a_woven_continuum_has_the_stiffness_of_its_yarns(name: str) -> None:
    """Shear much softer than in an isotropic sheet: yarns must run one way in all triangles."""
    mesh = MESHES[name]()
    stretch, poisson = tension(mesh, cloth(mesh, membrane="continuum", **WOVEN))
    assert stretch == pytest.approx(1.0, rel=0.01)
    assert poisson == pytest.approx(POISSON, rel=0.01)


@pytest.mark.parametrize(
    ("name", "shear", "tolerance"),
    [
        ("squares", 308.0, 1e-9),
        ("squares", 100.0, 1e-9),
        ("squares", 1600.0, 1e-9),
        ("rectangles", 308.0, 0.05),
        ("rectangles", 100.0, 0.05),
    ],
)
def test_a_strip_of_springs_stretches(name: str, shear: float, tolerance: float) -> None:
    """Exact on squares; on quads of aspect 1.5 within 5%."""
    mesh = MESHES[name]()
    material = {**WOVEN, "shear_compliance": 1 / shear}
    stretch, _ = tension(mesh, cloth(mesh, membrane="springs", **material))
    assert stretch == pytest.approx(1.0, rel=tolerance)


def test_springs_on_equilateral_triangles_stretch() -> None:
    """Interior energy of the triangular lattice: E = 2 k/√3 and a Poisson ratio of a third."""
    mesh = equilateral(40, 40, 1.0)
    model = cloth(mesh, membrane="springs", **ISOTROPIC)
    # ε_y = -ε_x / 3 frees the sides; the rim's shorter share costs a few percent.
    area = mesh_area(mesh)
    x = mesh[0]
    u = np.zeros(x.shape)
    u[:, 0], u[:, 1] = x[:, 0], -x[:, 1] / 3.0
    energy = sum(
        float(g.ravel() @ u[c.indices].ravel()) ** 2 / c.compliance[0, 0]
        for c in constraints_of(model, "distance")
        for _, g in [c.evaluate(x[c.indices])]
    )
    assert energy / area == pytest.approx(STIFFNESS, rel=0.01)


def mesh_area(mesh: Mesh) -> float:
    x = mesh[0]
    return sum(
        0.5 * float(np.linalg.norm(np.cross(x[b] - x[a], x[c] - x[a]))) for a, b, c in mesh[1]
    )


@pytest.mark.parametrize(
    ("name", "membrane", "tolerance"),
    [
        ("squares", "springs", 1e-9),
        ("rectangles", "springs", 0.02),
        ("same diagonals", "continuum", 1e-9),
        ("irregular", "continuum", 1e-9),
    ],
)
def test_simple_shear_meets_the_shear_stiffness(name: str, membrane: str, tolerance: float) -> None:
    mesh = MESHES[name]()
    model = cloth(mesh, membrane=membrane, **ISOTROPIC)
    shear = STIFFNESS / (2 * (1 + POISSON))
    assert energy_of(model, mesh, [[0, 1], [0, 0]]) == pytest.approx(shear, rel=tolerance)
    assert energy_of(model, mesh, [[0, 0], [1, 0]]) == pytest.approx(shear, rel=tolerance)


def test_bias_stretch_of_springs_on_squares() -> None:
    """Pulled at 45°, yarns of stiffness C₁₁ and C₁₂ and shear G meet C₁₁/2 + C₁₂/2 + G."""
    mesh = MESHES["squares"]()
    G = 100.0
    C11 = 0.5 * (STIFFNESS + math.hypot(STIFFNESS, 2 * G))
    model = cloth(mesh, membrane="springs", **WOVEN)
    measured = energy_of(model, mesh, [[0.5, 0.5], [0.5, 0.5]])
    assert measured == pytest.approx(C11 / 2 + G / 2 + G, rel=1e-9)
    assert energy_of(model, mesh, [[1, 0], [0, 0]]) == pytest.approx(C11, rel=1e-9)
    assert C11 - G**2 / C11 == pytest.approx(STIFFNESS)


def test_turning_costs_nothing() -> None:
    for name, build in MESHES.items():
        mesh = build()
        for membrane in ("springs", "continuum"):
            model = cloth(mesh, membrane=membrane, **WOVEN)
            assert energy_of(model, mesh, [[0, -1], [1, 0]]) < 1e-12 * STIFFNESS, name


@pytest.mark.parametrize("factor", [2, 4])
def test_refining_keeps_the_stiffness(factor: int) -> None:
    coarse = naive.quad_grid(4, 2, 1.0, 0.5)
    fine = naive.quad_grid(4 * factor, 2 * factor, 1.0, 0.5)
    for membrane in ("springs", "continuum"):
        energies = [
            energy_of(cloth(mesh, membrane=membrane, **ISOTROPIC), mesh, [[1, 0.3], [0.2, -0.5]])
            for mesh in (coarse, fine)
        ]
        assert energies[0] == pytest.approx(energies[1], rel=1e-9)


# --- bending --------------------------------------------------------------------------------------

RIGIDITY = 1e-3


@pytest.mark.parametrize(("nx", "ny"), [(16, 16), (16, 8), (8, 16)])
@pytest.mark.parametrize("along", [0, 1])
def test_rolling_a_grid_costs_the_flexural_rigidity(nx: int, ny: int, along: int) -> None:
    """½ D κ² per area for z = ½ κ x², counted over the area that the inner hinges stand for."""
    mesh = naive.quad_grid(nx, ny, 1.0, 1.0)
    model = cloth(mesh, bend_compliance=1 / RIGIDITY)
    u = np.zeros(mesh[0].shape)
    u[:, 2] = 0.5 * mesh[0][:, along] ** 2
    K = naive.stiffness(constraints_of(model, "bending"), mesh[0])
    cells = (nx, ny)[along]
    energy = float(u.ravel() @ K @ u.ravel())
    assert energy == pytest.approx(RIGIDITY * (cells - 1) / cells, rel=1e-6)


def tip_deflection(mesh: Mesh, length: float, cell: float) -> float:
    """Of a strip held at its first two columns, under gravity, over w l⁴ / (8 D).

    The clamp is effectively in the middle of the held cells, so l = length + cell / 2.
    """
    x = mesh[0]
    model = cloth(mesh, bend_compliance=1 / RIGIDITY, density=0.1)
    held = np.ones(x.shape, bool)
    held[x[:, 0] > 1.01 * cell, 2] = False
    forces = np.zeros(x.shape)
    forces[:, 2] = -9.81 * model.masses
    u = naive.deflection(naive.stiffness(constraints_of(model, "bending"), x), forces, held)
    tip = -u[np.isclose(x[:, 0], x[:, 0].max()), 2].mean()
    return float(tip / (0.981 * (length + 0.5 * cell) ** 4 / (8.0 * RIGIDITY)))


@pytest.mark.parametrize("kind", ["alternating", "irregular"])
def test_a_cantilever_bends_as_a_plate(kind: str) -> None:
    """Hinges know the curvature across their edge only, so the mesh shows: 25% are allowed.

    What must not show is the resolution: from 20 to 40 cells less than 8%.
    """
    found = []
    for cells in (20, 40):
        cell = 1.0 / cells
        size = (cells + 1, cells // 5, 1.0 + cell, 0.2)
        mesh = (
            naive.quad_grid(*size)
            if kind == "alternating"
            else naive.irregular_triangles(*size, keep_columns=2)
        )
        found.append(tip_deflection(mesh, 1.0, cell))
    assert found == pytest.approx([1.0, 1.0], abs=0.25)
    assert found[1] == pytest.approx(found[0], rel=0.08)


# --- mass and topology ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", MESHES)
def test_mass_is_density_times_area(name: str) -> None:
    model = cloth(MESHES[name](), density=0.4)
    assert model.masses.sum() == pytest.approx(0.4 * 1.5 * 0.5, rel=1e-12)


def test_the_handle_describes_the_mesh() -> None:
    model = core.Model()
    model.add_particles([(9, 9, 9)], 1.0)
    positions, quads = naive.quad_grid(3, 2, 3.0, 4.0)
    sheet = model.add_cloth(positions, quads, pins=[11, 0, 0], name="sheet")
    assert sheet.particles.tolist() == list(range(1, 13))
    assert sheet.pins.tolist() == [1, 12]
    edges = [(a + 1, b + 1) for a, b in sorted(naive.unique_edges(quads))]
    assert [tuple(edge) for edge in sheet.edges.tolist()] == edges
    assert set(np.round(sheet.rest_lengths, 12)) == {1.0, 2.0}
    assert np.isinf(model.masses[sheet.pins]).all()
    assert np.isfinite(np.delete(model.masses, sheet.pins)).all()


def test_automatic_takes_springs_for_quads_and_continuum_for_the_rest() -> None:
    positions, quads = naive.quad_grid(2, 1, 2.0, 1.0)
    positions[[2, 5], 0] += 1.0
    faces = [quads[0], quads[1][:3], (quads[1][0], *quads[1][2:])]
    model = cloth((positions, faces))
    assert len(constraints_of(model, "strain")) == 2
    braces = 5
    assert len(constraints_of(model, "distance")) == 4 + 2 + braces
    assert len(constraints_of(model, "bending")) == 3
    assert not constraints_of(cloth((positions, faces), membrane="continuum"), "distance")
    assert not constraints_of(cloth((positions, faces), membrane="springs"), "strain")


@pytest.mark.jit_off
def test_without_a_bending_compliance_nothing_bends_back() -> None:
    positions, faces = naive.quad_grid(2, 2, 1.0, 1.0)
    cloth, strands = core.Model(), core.Model()
    cloth.add_cloth(positions, faces, bend_compliance=None)
    strands.add_strands(positions[:3], [(0, 1), (1, 2)], bend_compliance=None)
    kinds = [group.constraint.kind for model in (cloth, strands) for group in model.groups]
    assert set(kinds) == {"distance"}
