# SPDX-License-Identifier: GPL-3.0-or-later
"""Topology and measures against slow loops and formulas."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest

from core.mesh import surface
from core.mesh.surface import Polygons

pytestmark = pytest.mark.jit_off


def mixed() -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """A flat patch of quads, triangles and a hexagon that covers 3 + hexagon square metres."""
    positions, quads = naive.quad_grid(3, 1, 3.0, 1.0)
    faces: list[tuple[int, ...]] = [*quads[:2], (2, 3, 7), (2, 7, 6)]
    ring = [(10 + math.cos(a), math.sin(a), 0.0) for a in np.arange(6) * math.pi / 3]
    return np.concatenate([positions, ring]), [*faces, tuple(range(8, 14))]


def test_polygons_are_grouped_by_size_in_their_order() -> None:
    _, faces = mixed()
    corners = Polygons.of(faces).corners
    assert {size: len(group) for size, group in corners.items()} == {3: 2, 4: 2, 6: 1}
    assert corners[3].tolist() == [[2, 3, 7], [2, 7, 6]]
    array = np.array(faces[:2])
    np.testing.assert_array_equal(Polygons.of(array).corners[4], array)
    assert Polygons.of([]).corners == {}
    assert Polygons.of(np.empty((0, 4), int)).corners == {}


def test_edges_are_unique_and_sorted() -> None:
    _, faces = mixed()
    edges = surface.edges(Polygons.of(faces))
    assert [tuple(edge) for edge in edges.tolist()] == sorted(naive.unique_edges(faces))
    assert surface.edges(Polygons.of([])).shape == (0, 2)


@pytest.mark.parametrize(("nx", "ny"), [(1, 1), (3, 2), (10, 7)])
def test_counts_of_a_grid(nx: int, ny: int) -> None:
    positions, quads = naive.quad_grid(nx, ny, 1.0, 1.0)
    polygons = Polygons.of(quads)
    assert len(surface.edges(polygons)) == nx * (ny + 1) + ny * (nx + 1)
    triangles = surface.triangulate(positions, polygons)
    assert len(triangles) == 2 * nx * ny
    hinges, _ = surface.hinges(triangles)
    assert len(hinges) == nx * ny + (nx - 1) * ny + nx * (ny - 1)


def test_triangles_cover_each_face_once() -> None:
    positions, faces = mixed()
    triangles = surface.triangulate(positions, Polygons.of(faces))
    assert len(triangles) == sum(len(face) - 2 for face in faces)
    total = surface.triangle_areas(positions, triangles).sum()
    assert total == pytest.approx(3.0 + 1.5 * math.sqrt(3.0), rel=1e-12)
    covered = dict.fromkeys(faces, 0)
    for triangle in triangles.tolist():
        owners = [face for face in faces if set(triangle) <= set(face)]
        assert len(owners) == 1
        covered[owners[0]] += 1
    assert all(covered[face] == len(face) - 2 for face in faces)


def test_triangles_keep_the_orientation_of_their_face() -> None:
    positions, faces = mixed()
    a, b, c = positions[surface.triangulate(positions, Polygons.of(faces))].transpose(1, 0, 2)
    assert (np.cross(b - a, c - a)[:, 2] > 0.0).all()


def test_a_quad_is_cut_along_its_shorter_diagonal() -> None:
    for order in ((0, 1, 2, 3), (1, 2, 3, 0)):
        positions = np.array([(0, 0, 0), (2, 0, 0), (3, 1, 0), (1, 1, 0)], float)
        triangles = surface.triangulate(positions, Polygons.of([order]))
        shared = set(triangles[0].tolist()) & set(triangles[1].tolist())
        assert shared == {1, 3}


@pytest.mark.parametrize("roll", [0, 1])
def test_the_diagonals_of_squares_alternate(roll: int) -> None:
    """Each inner vertex has either all four of its quads' diagonals or none."""
    positions, quads = naive.quad_grid(6, 5, 6.0, 5.0)
    rolled = [tuple(np.roll(q, roll * (i % 3))) for i, q in enumerate(quads)]
    triangles = surface.triangulate(positions, Polygons.of(rolled))
    diagonals = naive.unique_edges(triangles.tolist()) - naive.unique_edges(quads)
    count = np.bincount(np.array(sorted(diagonals)).ravel(), minlength=len(positions))
    inner = [p for p, (x, y, _) in enumerate(positions) if 0 < x < 6 and 0 < y < 5]
    assert set(count[inner]) == {0, 4}


def test_areas() -> None:
    positions = np.array([(0, 0, 0), (3, 0, 0), (0, 4, 0), (0, 0, 5), (6, 0, 0)], float)
    areas = surface.triangle_areas(positions, np.array([(0, 1, 2), (0, 1, 3), (0, 1, 4)]))
    np.testing.assert_allclose(areas, [6.0, 7.5, 0.0], atol=1e-15)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_needle_has_no_area_but_a_sliver_has(scale: float) -> None:
    heights = np.array([0.0, 1e-9, 0.9e-4, 1.1e-4, 1e-2])
    corners = [scale * np.array([(0, 0, 0), (1, 0, 0), (0.4, height, 0)]) for height in heights]
    areas = surface.triangle_areas(np.concatenate(corners), np.arange(15).reshape(5, 3))
    np.testing.assert_allclose(areas, scale**2 * np.array([0, 0, 0, 0.55e-4, 0.5e-2]))


def test_hinges_are_the_inner_edges() -> None:
    positions, quads = naive.quad_grid(4, 3, 1.0, 1.0)
    triangles = surface.triangulate(positions, Polygons.of(quads))
    hinges, sides = surface.hinges(triangles)
    expected = {
        edge: owners
        for edge, owners in naive.triangles_at_edges(triangles.tolist()).items()
        if len(owners) == 2
    }
    found = {}
    for (a, b, p, q), (first, second) in zip(hinges.tolist(), sides.tolist(), strict=True):
        found[min(a, b), max(a, b)] = sorted((first, second))
        assert {a, b, p} == set(triangles[first].tolist())
        assert {a, b, q} == set(triangles[second].tolist())
        # The orientation is that of the first triangle.
        assert (a, b, p) in [tuple(np.roll(triangles[first], k)) for k in range(3)]
    assert found == expected


def test_three_triangles_at_an_edge_make_two_hinges() -> None:
    triangles = np.array([(0, 1, 2), (1, 0, 3), (0, 1, 4)])
    hinges, sides = surface.hinges(triangles)
    assert len(hinges) == 2
    assert {frozenset(h[2:]) for h in hinges.tolist()} == {frozenset({2, 3}), frozenset({3, 4})}
    assert all(a != b for a, b in sides.tolist())


def test_no_hinge_without_shared_edges() -> None:
    for triangles in (
        np.empty((0, 3), int),
        np.array([(0, 1, 2)]),
        np.array([(0, 1, 2), (2, 3, 4)]),
    ):
        hinges, sides = surface.hinges(triangles)
        assert hinges.shape == (0, 4)
        assert sides.shape == (0, 2)


def test_lumped_masses_share_each_triangle_evenly() -> None:
    masses = surface.lumped_masses(5, np.array([(0, 1, 2), (2, 1, 3)]), np.array([3.0, 6.0]))
    np.testing.assert_allclose(masses, [1.0, 3.0, 3.0, 2.0, 0.0])


def test_edge_strain() -> None:
    positions = [(0, 0, 0), (1.1, 0, 0), (0, 0.5, 0), (0, 0.5, 0)]
    strain = surface.edge_strain(positions, np.array([(0, 1), (0, 2), (2, 3)]), [1.0, 1.0, 0.0])
    np.testing.assert_allclose(strain[:2], [0.1, -0.5])
    assert np.isfinite(strain).all()
