# SPDX-License-Identifier: GPL-3.0-or-later
"""Strain limits of springs and triangles, alone and on cloth and strands, with each solver."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core
from core.constraints import REGISTRY

pytestmark = pytest.mark.long

SOLVERS: dict[str, Any] = {
    "gauss-seidel": core.XPBD,
    "jacobi": lambda **options: core.XPBD(method="jacobi", **options),
    "pbd": core.PBD,
    "projective": core.ProjectiveDynamics,
    "constrained": core.ConstrainedDynamics,
}
TRIANGLE = np.array([(0, 0, 0), (1, 0, 0), (0.3, 0.8, 0)])
KINDS = {"stretch_limit": 2, "strain_limit": 3}


def limited(
    kind: str,
    points: np.ndarray,
    limits: tuple[float, float],
    masses: Any,
    *,
    dtype: type = np.float64,
    solver: Any = None,
    compliance: float | None = None,
) -> core.Simulation:
    """One spring or triangle, deformed, without gravity; with compliance elastic, too."""
    model = core.Model(dtype)
    constraint = REGISTRY[kind]
    corners = [tuple(range(constraint.vertices))]
    shape = constraint.measure_rest(TRIANGLE[None, : constraint.vertices])[0]
    model.add_particles(points, masses)
    if compliance is not None:
        plain = {"stretch_limit": "distance", "strain_limit": "strain"}[kind]
        model.add_constraints(plain, corners, rest=[shape[:-2]], compliance=compliance)
    model.add_constraints(kind, corners, rest=[[*shape[:-2], *limits]])
    solver = solver or core.XPBD(substeps=1, iterations=1)
    return core.Simulation(model, solver, gravity=(0, 0, 0))


def stretches(kind: str, points: np.ndarray) -> np.ndarray:
    """L / L₀, or the singular values of F."""
    constraint = REGISTRY[kind]
    rest = constraint.measure_rest(TRIANGLE[None, : constraint.vertices])[0]
    if kind == "stretch_limit":
        return np.array([np.linalg.norm(points[1] - points[0]) / rest[0]])
    edges = np.stack([points[1] - points[0], points[2] - points[0]], axis=1)
    return np.linalg.svd(edges @ rest[:4].reshape(2, 2), compute_uv=False)


@pytest.mark.jit_off
@pytest.mark.parametrize("method", SOLVERS)
@pytest.mark.parametrize("masses", [[1.0, 1.0], [1.0, 3.0], [np.inf, 2.0]])
@pytest.mark.parametrize(("length", "kept"), [(1.7, 1.2), (0.5, 0.9), (1.1, 1.1)])
def test_a_spring_is_clamped_at_once(
    method: str, masses: list[float], length: float, kept: float
) -> None:
    points = np.array([(0.2, 0.1, 0), (0.2, 0.1, length)])
    solver = SOLVERS[method](substeps=1, iterations=1)
    simulation = limited("stretch_limit", points, (0.9, 1.2), masses, solver=solver)
    simulation.advance(0.01)
    ends = simulation.positions
    assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(kept, rel=1e-12)
    # GAMES103: the mass centre stays, and so does the direction.
    w = 1.0 / np.array(masses)
    expected = points + np.outer([-w[0], w[1]], (0, 0, kept - length)) / w.sum()
    np.testing.assert_allclose(ends, expected, atol=1e-13)


@pytest.mark.jit_off
@pytest.mark.parametrize("method", SOLVERS)
@pytest.mark.parametrize("masses", [[1.0, 1.0, 1.0], [1.0, 3.0, 0.5], [np.inf, 2.0, 1.0]])
@pytest.mark.parametrize("scale", [(2.0, 1.0), (0.4, 1.6), (1.3, 1.3), (0.05, 1.0)])
def test_a_triangle_is_clamped(
    method: str, masses: list[float], scale: tuple[float, float]
) -> None:
    """One projection is a step of Newton's method: a few are exact."""
    R = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    shear = np.array([(1.0, 0.3, 0), (0, 1.0, 0), (0, 0, 1)])
    points = TRIANGLE @ shear * (*scale, 1.0) @ R.T + 0.3
    solver = SOLVERS[method](substeps=1, iterations=12)
    simulation = limited("strain_limit", points, (0.9, 1.2), masses, solver=solver)
    simulation.advance(0.01)
    found = stretches("strain_limit", simulation.positions)
    assert found.max() < 1.2 + 1e-10
    assert found.min() > 0.9 - 1e-10


@pytest.mark.jit_off
def test_an_equilateral_triangle_becomes_that_of_the_clamped_singular_values() -> None:
    """U Σ' Vᵀ about the mass centre, in one iteration: its masses are the same every way."""
    shape = np.array([(0, 0, 0), (1, 0, 0), (0.5, np.sqrt(0.75), 0)])
    random = np.random.default_rng(5)
    U, _, V = np.linalg.svd(random.normal(size=(3, 2)), full_matrices=False)
    F = U @ np.diag([1.5, 0.7]) @ V
    model = core.Model(np.float64)
    model.add_particles(shape[:, :2] @ F.T + 0.4, 1.0)
    inverse = np.linalg.inv((shape[1:, :2] - shape[0, :2]).T).ravel()
    model.add_constraints("strain_limit", [(0, 1, 2)], rest=[[*inverse, 0.9, 1.2]])
    simulation = core.Simulation(model, core.XPBD(substeps=1, iterations=1), gravity=(0, 0, 0))
    simulation.advance(0.01)
    centred = shape[:, :2] - shape[:, :2].mean(axis=0)
    centre = (shape[:, :2] @ F.T + 0.4).mean(axis=0)
    expected = centred @ (U @ np.diag([1.2, 0.9]) @ V).T + centre
    np.testing.assert_allclose(simulation.positions, expected, atol=1e-13)


@pytest.mark.jit_off
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", SOLVERS)
@pytest.mark.parametrize("kind", KINDS)
def test_inside_the_bounds_nothing_moves(kind: str, method: str, dtype: type) -> None:
    points = TRIANGLE[: KINDS[kind]] * (1.1, 0.95, 1.0) + 0.37
    solver = SOLVERS[method](substeps=2, iterations=3)
    simulation = limited(kind, points, (0.8, 1.2), 1.0, dtype=dtype, solver=solver)
    before = simulation.positions.tobytes()
    simulation.advance(0.01)
    assert simulation.positions.tobytes() == before
    np.testing.assert_array_equal(simulation.forces(kind), 0.0)
    assert simulation.residual() == 0.0


@pytest.mark.jit_off
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("factor", [0.5, 1.8])
def test_momentum_is_kept(kind: str, factor: float) -> None:
    random = np.random.default_rng(1)
    points = factor * TRIANGLE[: KINDS[kind]] + random.uniform(-0.1, 0.1, (KINDS[kind], 3))
    masses = np.linspace(0.5, 2.0, KINDS[kind])
    simulation = limited(kind, points, (0.9, 1.2), masses)
    simulation.advance(0.01)
    change = masses[:, None] * (simulation.positions - points)
    assert np.abs(change).max() > 0.01
    np.testing.assert_allclose(change.sum(axis=0), 0.0, atol=1e-13)
    np.testing.assert_allclose(np.cross(points, change).sum(axis=0), 0.0, atol=1e-13)


@pytest.mark.jit_off
@pytest.mark.parametrize("seed", range(20))
def test_the_closed_form_is_the_singular_value_decomposition(seed: int) -> None:
    """Also nearly equal, equal, and nearly flat; u vᵀ is the slope of σ."""
    random = np.random.default_rng(seed)
    spread = [1.0, 1e-3, 1e-7, 0.0][seed % 4]
    U = np.linalg.qr(random.normal(size=(3, 3)))[0][:, :2]
    V = np.linalg.qr(random.normal(size=(2, 2)))[0]
    sigma = np.array([1.0 + spread, 1.0]) if seed < 16 else np.array([1.0, spread * 1e-3])
    F = U @ np.diag(sigma) @ V.T
    points = np.stack([np.zeros(3), F[:, 0], F[:, 1]])
    constraint, rest = REGISTRY["strain_limit"], np.array([1, 0, 0, 1, 5.0, 6.0])
    values, gradients = naive.evaluate_body(constraint, points, rest)
    np.testing.assert_allclose(values + 5.0, np.sort(sigma)[::-1], atol=1e-12)
    slopes = gradients[:, 1:].transpose(0, 2, 1)
    for slope, value in zip(slopes, np.sort(sigma)[::-1], strict=True):
        if value > 0.0:
            assert np.sum(slope * F) == pytest.approx(value, abs=1e-12)
            # u = F v / σ has the digits that σ has.
            assert np.linalg.norm(slope) == pytest.approx(1.0, abs=1e-15 / value + 1e-9)
    if sigma.min() > 0.0:
        assert np.sum(slopes[0] * slopes[1]) == pytest.approx(0.0, abs=1e-15 / sigma.min() + 1e-9)


@pytest.mark.jit_off
@pytest.mark.parametrize("method", SOLVERS)
@pytest.mark.parametrize("kind", KINDS)
def test_collapsed_shapes_stay_finite(kind: str, method: str) -> None:
    count = KINDS[kind]
    line = np.outer(np.linspace(0, 1, count), (1.0, 2.0, -0.5))
    for points in (np.zeros((count, 3)), line, TRIANGLE[:count] * 1e-12):
        simulation = limited(
            kind, points, (0.9, 1.1), 1.0, dtype=np.float32,
            solver=SOLVERS[method](substeps=1, iterations=3),
        )  # fmt: skip
        simulation.advance(0.01)
        assert np.isfinite(simulation.positions).all()


@pytest.mark.jit_off
@pytest.mark.parametrize("kind", KINDS)
def test_limits_come_after_everything_else(kind: str) -> None:
    """Beside an elastic constraint that pulls beyond them, they hold after one iteration."""
    points = 1.1 * TRIANGLE[: KINDS[kind]]
    simulation = limited(kind, points, (1.05, 1.08), 1.0, compliance=1e-6)
    simulation.advance(0.01)
    np.testing.assert_allclose(stretches(kind, simulation.positions), 1.05, rtol=5e-3)


@pytest.mark.parametrize("warm", [0.0, 1.0])
def test_a_warm_start_leaves_limits_alone(warm: float) -> None:
    """A weight on a limited string jumps up and down; its λ must not pile up on the way."""
    model = core.Model(np.float64)
    model.add_particles([(0, 0, 0), (0, 0, -1)], [np.inf, 1.0], [(0, 0, 0), (0, 0, 4.0)])
    model.add_constraints("stretch_limit", [(0, 1)], rest=[[1.0, 0.0, 1.0]])
    solver = core.XPBD(substeps=10, iterations=2, warm_start=warm)
    simulation = core.Simulation(model, solver)
    heights = []
    for _ in range(40):
        simulation.advance(1 / 24)
        heights.append(simulation.positions[1, 2])
    assert max(heights) < 0.0
    assert heights[-1] == pytest.approx(-1.0, abs=1e-9)
    assert simulation.forces("stretch_limit") == pytest.approx([9.81], rel=1e-6)


@pytest.mark.jit_off
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("option", ["compliance", "damping"])
def test_limits_have_neither_compliance_nor_damping(kind: str, option: str) -> None:
    model = core.Model()
    model.add_particles(TRIANGLE, 1.0)
    options: dict[str, Any] = {option: 0.1}
    with pytest.raises(core.ModelError, match="limit"):
        model.add_constraints(kind, [range(KINDS[kind])], **options)


# --- materials ------------------------------------------------------------------------------------


def hanging_sheet(
    limits: tuple[float, float] | None, membrane: str, method: str, seconds: float = 1.5
) -> np.ndarray:
    """Stretches of a sheet that hangs from two corners, much too soft for its weight."""
    positions, faces = naive.quad_grid(8, 8, 1.0, 1.0)
    model = core.Model()
    sheet = model.add_cloth(
        positions,
        faces,
        pins=[72, 80],
        density=2.0,
        stretch_compliance=0.05,
        shear_compliance=0.1,
        bend_compliance=1e3,
        membrane=membrane,
        drag=2.0,
        strain_limits=limits,
    )
    solver = SOLVERS[method](substeps=20, iterations=20 if method == "jacobi" else 4)
    simulation = core.Simulation(model, solver)
    for _ in range(round(24 * seconds)):
        simulation.advance(1 / 24)
    if membrane == "springs":
        ends = simulation.positions[sheet.edges]
        return np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) / sheet.rest_lengths
    group = next(g for g in model.groups if g.constraint.kind == "strain")
    x = np.asarray(simulation.positions, np.float64)[group.indices]
    edges = np.stack([x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]], axis=2)
    F = edges @ group.rest.reshape(-1, 2, 2)
    return np.linalg.svd(F, compute_uv=False).ravel()


@pytest.mark.parametrize("membrane", ["springs", "continuum"])
def test_a_soft_sheet_stays_within_its_limits(membrane: str) -> None:
    free = hanging_sheet(None, membrane, "gauss-seidel")
    assert free.max() > 1.3
    for method in SOLVERS:
        held = hanging_sheet((0.0, 1.1), membrane, method)
        # What the iterations leave, where all of the weight hangs from one corner.
        assert held.max() < 1.13, method
        assert held.max() > 1.09, method


@pytest.mark.jit_off
def test_cloth_limits_edges_and_diagonals_or_triangles() -> None:
    positions, faces = naive.quad_grid(2, 2, 1.0, 1.0)
    limits = (0.8, 1.2)
    model = core.Model()
    model.add_cloth(positions, faces, membrane="springs", strain_limits=limits)
    counts = {"distance": 0, "stretch_limit": 0}
    for group in model.groups:
        if group.constraint.kind in counts:
            counts[group.constraint.kind] += len(group.indices)
        if group.constraint.kind == "stretch_limit":
            ends = positions[group.indices]
            lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
            np.testing.assert_allclose(group.rest[:, 0], lengths)
            np.testing.assert_array_equal(group.rest[:, 1:], np.tile(limits, (len(lengths), 1)))
    assert counts["stretch_limit"] == counts["distance"] == 12 + 8
    model = core.Model()
    model.add_cloth(positions, faces, membrane="continuum", strain_limits=limits)
    (group,) = [g for g in model.groups if g.constraint.kind == "strain_limit"]
    assert len(group.indices) == 8
    values, _ = naive.evaluate_body(group.constraint, 1.5 * positions[group.indices[3]],
                                    group.rest[3])  # fmt: skip
    np.testing.assert_allclose(values, 0.3, atol=1e-12)


def test_strands_are_limited_along_their_edges() -> None:
    """A rope twenty times too soft for the weight at its end."""
    positions = np.stack([np.zeros(6), np.zeros(6), -0.2 * np.arange(6)], axis=1)
    edges = [(i, i + 1) for i in range(5)]
    longest = {}
    for limits in (None, (0.0, 1.05)):
        model = core.Model()
        rope = model.add_strands(
            positions, edges, pins=[0], density=1.0, stretch_compliance=0.1, drag=2.0,
            strain_limits=limits,
        )  # fmt: skip
        simulation = core.Simulation(model, core.XPBD(substeps=20, iterations=4))
        for _ in range(48):
            simulation.advance(1 / 24)
        ends = simulation.positions[rope.edges]
        lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        longest[limits] = (lengths / rope.rest_lengths).max()
    assert longest[None] > 1.3
    assert longest[(0.0, 1.05)] == pytest.approx(1.05, abs=0.005)


@pytest.mark.jit_off
@pytest.mark.parametrize(
    "limits", [(1.1, 1.2), (0.5, 0.9), (-0.1, 1.1), (0.9, np.inf), (np.nan, 1.1), (1.0,), 1.1]
)
def test_limits_must_allow_the_shape_at_rest(limits: Any) -> None:
    with pytest.raises(core.ModelError, match="Strain limits"):
        core.ClothMaterial(strain_limits=limits)
    with pytest.raises(core.ModelError, match="Strain limits"):
        core.StrandMaterial(strain_limits=limits)
