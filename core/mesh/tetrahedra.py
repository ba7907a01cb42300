# SPDX-License-Identifier: GPL-3.0-or-later
"""Topology and measures of a tetrahedral mesh, on whole arrays."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import finite
from ..errors import ModelError
from .simplices import inverses
from .surface import Indices, Positions

FLATTEST = 1e-9
"""The least volume of a tetrahedron over the cube of its longest edge: beyond, rounding decides
what its shape is."""

_EVEN_CELL = ((0, 6, 5, 3), (4, 0, 6, 5), (2, 0, 6, 3), (1, 0, 5, 3), (7, 6, 5, 3))
"""A cube in five tetrahedra; bits of a corner are x, y, z from high to low. The odd cell is its
mirror image."""

SIDES = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
"""Ends of a tetrahedron's edges."""

_FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
"""Corners of a tetrahedron's faces, counter-clockwise seen from outside."""


@dataclass(frozen=True)
class TetrahedralBody:
    """A tetrahedral mesh at rest.

    Attributes:
        positions: vertices [m], shape (n, 3).
        tetrahedra: corners, shape (m, 4), with positive volume.
        volumes: [m³], shape (m,).
        inverse_edges: Dm⁻¹ [1/m], shape (m, 3, 3): the inverse of the matrix with the columns
            x₁ - x₀, x₂ - x₀, x₃ - x₀, so that F = Ds Dm⁻¹.
    """

    positions: Positions
    tetrahedra: Indices
    volumes: NDArray[np.float64]
    inverse_edges: NDArray[np.float64]

    @staticmethod
    def of(positions: ArrayLike, tetrahedra: ArrayLike) -> TetrahedralBody:
        """Measure a mesh.

        Raises:
            ModelError: shapes don't fit, an index is out of range, a vertex belongs to no
                tetrahedron, a tetrahedron is flat, inverted or names a vertex twice.
        """
        points = finite("Positions of a soft body", positions, columns=3)
        corners = _corners_of(tetrahedra, len(points))
        volumes = signed_volumes(points, corners)
        _check_shapes(points, corners, volumes)
        inverse = inverses(edge_matrices(points, corners))
        return TetrahedralBody(points, corners, volumes, inverse)

    @property
    def gradients(self) -> NDArray[np.float64]:
        """The derivatives g of the deformation gradient F = Σ x ⊗ g [1/m], shape (m, 4, 3).

        They are the gradients of the linear shape functions as well.
        """
        first = -self.inverse_edges.sum(axis=1, keepdims=True)
        return np.concatenate([first, self.inverse_edges], axis=1)

    @property
    def centroids(self) -> Positions:
        """Centres [m], shape (m, 3)."""
        return np.asarray(self.positions[self.tetrahedra].mean(axis=1))

    def lumped_masses(self, density: ArrayLike) -> NDArray[np.float64]:
        """Vertex masses [kg], shape (n,): a quarter of each tetrahedron's mass to every corner.

        Args:
            density: [kg/m³], one number or shape (m,).
        """
        return self.lumped(np.asarray(density, np.float64) * self.volumes)

    def lumped(self, amounts: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each vertex has of amounts of tetrahedra, shape (m,): a quarter of those around."""
        shares = np.repeat(amounts / 4.0, 4)
        count = len(self.positions)
        return np.asarray(np.bincount(self.tetrahedra.ravel(), shares, count), np.float64)


def edge_matrices(positions: Positions, tetrahedra: Indices) -> NDArray[np.float64]:
    """Matrices with the columns x₁ - x₀, x₂ - x₀, x₃ - x₀ [m], shape (m, 3, 3)."""
    corners = positions[tetrahedra]
    return np.asarray((corners[:, 1:] - corners[:, :1]).transpose(0, 2, 1))


def signed_volumes(positions: Positions, tetrahedra: Indices) -> NDArray[np.float64]:
    """Volumes [m³], shape (m,), negative for inverted tetrahedra."""
    a, b, c = np.moveaxis(edge_matrices(positions, tetrahedra), 2, 0)
    return np.asarray(np.einsum("mi,mi->m", np.cross(a, b), c) / 6.0)


def edges_of(tetrahedra: Indices) -> Indices:
    """Unique edges, shape (e, 2), the smaller vertex first, sorted."""
    ends = np.sort(tetrahedra[:, SIDES].reshape(-1, 2), axis=1)
    count = int(ends.max()) + 1
    return np.stack(np.divmod(np.unique(ends[:, 0] * count + ends[:, 1]), count), axis=1)


def surface_triangles(tetrahedra: Indices) -> Indices:
    """The faces that belong to one tetrahedron only, shape (t, 3).

    Their corners run counter-clockwise seen from outside, for tetrahedra of positive volume.
    """
    faces = tetrahedra[:, _FACES].reshape(-1, 3)
    _, first, shared = np.unique(
        np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True
    )
    return np.asarray(faces[np.sort(first[shared == 1])])


def shared_faces(tetrahedra: Indices) -> tuple[Indices, Indices]:
    """Faces between tetrahedra.

    Where more than two share a face, each has it in common with the next.

    Returns:
        Corners of the faces, shape (f, 3), and the two tetrahedra of each, shape (f, 2).
    """
    faces = np.sort(tetrahedra[:, _FACES].reshape(-1, 3), axis=1)
    owner = np.repeat(np.arange(len(tetrahedra)), 4)
    order = np.lexsort(faces.T)
    faces, owner = faces[order], owner[order]
    same = (faces[1:] == faces[:-1]).all(axis=1)
    return faces[1:][same], np.stack([owner[:-1][same], owner[1:][same]], axis=1)


def axes_of_box(
    cells: tuple[int, int, int], size: tuple[float, float, float]
) -> list[NDArray[np.float64]]:
    """Where cells of a box from the origin begin and end along x, y, z [m].

    Raises:
        ModelError: no cells, or a size that is not positive.
    """
    if min(cells) < 1 or not all(0.0 < edge < np.inf for edge in size):
        raise ModelError(f"A box needs cells and a size, not {cells} cells of {size} m.")
    return [np.linspace(0.0, edge, count + 1) for count, edge in zip(cells, size, strict=True)]


def box_of_tetrahedra(
    cells: tuple[int, int, int], size: tuple[float, float, float]
) -> tuple[Positions, Indices]:
    """A box from the origin in regular cells of five tetrahedra each.

    Neighbouring cells are mirror images, so that the faces of their tetrahedra match.

    Args:
        cells: along x, y, z.
        size: edges [m].

    Returns:
        Positions, shape (n, 3), x slowest; corners of tetrahedra, shape (5 · cells, 4), all of
        positive volume.

    Raises:
        ModelError: no cells, or a size that is not positive.
    """
    axes = axes_of_box(cells, size)
    positions = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    cell = np.array(list(itertools.product(*(range(count) for count in cells))))
    odd = cell.sum(axis=1) % 2
    bits = np.array(list(itertools.product((0, 1), repeat=3)))
    local = np.array(_EVEN_CELL)
    corner_bits = bits[np.stack([local, local ^ 4])][odd]
    grid = cell[:, None, None, :] + corner_bits
    strides = np.array([(cells[1] + 1) * (cells[2] + 1), cells[2] + 1, 1])
    tetrahedra = (grid @ strides).reshape(-1, 4)
    inverted = signed_volumes(positions, tetrahedra) < 0.0
    tetrahedra[inverted] = tetrahedra[inverted][:, [0, 1, 3, 2]]
    return positions, tetrahedra


def _corners_of(tetrahedra: ArrayLike, count: int) -> Indices:
    corners = np.array(tetrahedra, np.int64)
    if corners.ndim != 2 or corners.shape[1] != 4 or len(corners) == 0:
        raise ModelError(f"Tetrahedra must have shape (m, 4), not {corners.shape}.")
    outside = np.flatnonzero(((corners < 0) | (corners >= count)).any(axis=1))
    if len(outside):
        raise ModelError(
            f"Tetrahedron {outside[0]} refers to a vertex that doesn't exist: there are {count}."
        )
    ordered = np.sort(corners, axis=1)
    twice = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    if len(twice):
        raise ModelError(f"Tetrahedron {twice[0]} names the same vertex twice.")
    loose = np.flatnonzero(np.bincount(corners.ravel(), minlength=count) == 0)
    if len(loose):
        raise ModelError(f"Vertex {loose[0]} belongs to no tetrahedron ({len(loose)} in all).")
    return corners


def _check_shapes(positions: Positions, corners: Indices, volumes: NDArray[np.float64]) -> None:
    ends = positions[corners]
    longest = np.linalg.norm(ends[:, :, None] - ends[:, None], axis=3).max(axis=(1, 2))
    flat = np.flatnonzero(np.abs(volumes) <= FLATTEST * longest**3)
    if len(flat):
        raise ModelError(f"Tetrahedron {flat[0]} is flat ({len(flat)} in all): remesh the body.")
    inverted = np.flatnonzero(volumes < 0.0)
    if len(inverted):
        raise ModelError(
            f"Tetrahedron {inverted[0]} is inverted ({len(inverted)} in all): swap two of its "
            "corners."
        )
