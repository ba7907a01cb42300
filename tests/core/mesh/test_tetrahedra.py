# SPDX-License-Identifier: GPL-3.0-or-later
"""Tetrahedral meshes: measures, boxes, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from deformations import deformation_gradients

from core import ModelError
from core.mesh.tetrahedra import (
    TetrahedralBody,
    box_of_tetrahedra,
    shared_faces,
    signed_volumes,
    surface_triangles,
)

pytestmark = pytest.mark.jit_off

CORNER = np.array([(0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 4)], float)


def test_the_volume_of_a_corner_of_a_box() -> None:
    assert signed_volumes(CORNER, np.array([[0, 1, 2, 3]])) == pytest.approx([4.0])
    assert signed_volumes(CORNER, np.array([[0, 2, 1, 3]])) == pytest.approx([-4.0])


@pytest.mark.parametrize("cells", [(1, 1, 1), (2, 1, 3), (3, 2, 2)])
def test_a_box_is_filled_without_gaps(cells: tuple[int, int, int]) -> None:
    size = (0.5, 1.0, 1.5)
    positions, tetrahedra = box_of_tetrahedra(cells, size)
    nx, ny, nz = cells
    assert len(positions) == (nx + 1) * (ny + 1) * (nz + 1)
    assert len(tetrahedra) == 5 * nx * ny * nz
    volumes = signed_volumes(positions, tetrahedra)
    assert volumes.min() > 0.0
    assert volumes.sum() == pytest.approx(np.prod(size))
    np.testing.assert_allclose(positions.max(axis=0), size)
    # Faces match: each belongs to two tetrahedra, except two triangles a square of the surface.
    faces = np.sort(tetrahedra[:, [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]].reshape(-1, 3))
    _, shared = np.unique(faces, axis=0, return_counts=True)
    assert shared.max() <= 2
    assert np.count_nonzero(shared == 1) == 2 * 2 * (nx * ny + ny * nz + nz * nx)


def test_the_surface_encloses_the_volume() -> None:
    """Counter-clockwise triangles: Σ det(a, b, c) / 6 is the volume, and no edge is open."""
    positions, tetrahedra = box_of_tetrahedra((2, 3, 1), (1.0, 1.5, 0.4))
    triangles = surface_triangles(tetrahedra)
    assert triangles.shape == (2 * 2 * (6 + 3 + 2), 3)
    assert np.linalg.det(positions[triangles] + 7.0).sum() / 6.0 == pytest.approx(0.6)
    ways = {tuple(way) for a, b, c in triangles for way in ((a, b), (b, c), (c, a))}
    assert len(ways) == 3 * len(triangles)
    assert all((b, a) in ways for a, b in ways)


def test_shared_faces_are_those_that_are_not_outside() -> None:
    _, tetrahedra = box_of_tetrahedra((2, 1, 3), (1.0, 1.0, 1.0))
    faces, pairs = shared_faces(tetrahedra)
    assert 2 * len(faces) + len(surface_triangles(tetrahedra)) == 4 * len(tetrahedra)
    for face, (a, b) in zip(faces, pairs, strict=True):
        assert set(face) == set(tetrahedra[a]) & set(tetrahedra[b])


def test_the_bar_of_the_paper_has_2375_tetrahedra() -> None:
    positions, tetrahedra = box_of_tetrahedra((5, 5, 19), (1.0, 1.0, 3.8))
    assert tetrahedra.shape == (2375, 4)
    assert positions.shape == (720, 3)


def test_deformation_gradients_of_an_affine_motion() -> None:
    positions, tetrahedra = box_of_tetrahedra((2, 1, 1), (1.0, 0.5, 0.4))
    body = TetrahedralBody.of(positions, tetrahedra)
    F = np.array([(1.2, 0.3, -0.1), (0.0, 0.8, 0.2), (0.4, -0.2, 1.1)])
    moved = positions @ F.T + (3.0, -1.0, 2.0)
    np.testing.assert_allclose(
        deformation_gradients(body, moved), np.broadcast_to(F, (10, 3, 3)), atol=1e-13
    )
    # F = Σ x ⊗ g, the same by the gradients of the shape functions.
    again = np.einsum("mai,maj->mij", moved[tetrahedra], body.gradients)
    np.testing.assert_allclose(again, np.broadcast_to(F, (10, 3, 3)), atol=1e-13)


def test_masses_add_up_and_keep_the_centre() -> None:
    positions, tetrahedra = box_of_tetrahedra((3, 2, 2), (3.0, 2.0, 1.0))
    masses = TetrahedralBody.of(positions, tetrahedra).lumped_masses(500.0)
    assert masses.min() > 0.0
    assert masses.sum() == pytest.approx(3000.0)
    np.testing.assert_allclose(masses @ positions / masses.sum(), (1.5, 1.0, 0.5))
    heavier = TetrahedralBody.of(CORNER, [[0, 1, 2, 3]]).lumped_masses([2.0])
    np.testing.assert_allclose(heavier, 2.0)


@pytest.mark.parametrize(
    ("tetrahedra", "message"),
    [
        ([[0, 1, 2]], r"shape \(m, 4\)"),
        (np.empty((0, 4)), r"shape \(m, 4\)"),
        ([[0, 1, 2, 4]], "Tetrahedron 0 refers to a vertex that doesn't exist: there are 4"),
        ([[0, 1, 2, -1]], "doesn't exist"),
        ([[0, 1, 2, 3], [0, 1, 1, 3]], "Tetrahedron 1 names the same vertex twice"),
        ([[0, 1, 2, 3], [0, 2, 1, 3]], "Tetrahedron 1 is inverted"),
    ],
)
def test_what_is_not_a_mesh_is_refused(tetrahedra: list[list[int]], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        TetrahedralBody.of(CORNER, tetrahedra)


def test_flat_tetrahedra_and_loose_vertices_are_refused() -> None:
    flat = CORNER.copy()
    flat[3] = (1.0, 1.0, 1e-12)
    with pytest.raises(ModelError, match="Tetrahedron 0 is flat"):
        TetrahedralBody.of(flat, [[0, 1, 2, 3]])
    with pytest.raises(ModelError, match="Vertex 4 belongs to no tetrahedron"):
        TetrahedralBody.of([*CORNER, (5.0, 5.0, 5.0)], [[0, 1, 2, 3]])
    with pytest.raises(ModelError, match="not a finite number"):
        TetrahedralBody.of([*CORNER[:3], (np.nan, 0.0, 0.0)], [[0, 1, 2, 3]])


def test_a_small_body_is_not_flat() -> None:
    assert TetrahedralBody.of(CORNER * 1e-6, [[0, 1, 2, 3]]).volumes == pytest.approx([4e-18])


@pytest.mark.parametrize(("cells", "size"), [((0, 1, 1), (1, 1, 1)), ((1, 1, 1), (1, 0, 1))])
def test_a_box_without_cells_or_size_is_refused(
    cells: tuple[int, int, int], size: tuple[float, float, float]
) -> None:
    with pytest.raises(ModelError, match="A box needs cells and a size"):
        box_of_tetrahedra(cells, size)
