# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes in the body-centred cubic lattice, which divides space into tetrahedra that are all alike.

Its vertices are the corners of cubes and their centres. The four tetrahedra around the line between
the centres of two cubes make up an octahedron; a cube's face at the boundary is the base of a
pyramid of two.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .surface import Indices, Positions
from .tetrahedra import axes_of_box, signed_volumes


def body_centred_box(
    cells: tuple[int, int, int], size: tuple[float, float, float]
) -> tuple[Positions, Indices]:
    """A box from the origin whose faces are those of cubes.

    Args:
        cells: cubes along x, y, z.
        size: edges [m].

    Returns:
        Positions, shape (n, 3), corners of cubes first; corners of tetrahedra, shape (m, 4), all of
        positive volume.

    Raises:
        ModelError: no cells, or a size that is not positive.
    """
    axes = axes_of_box(cells, size)
    corners = _grid(axes)
    positions = np.concatenate([corners, _grid([0.5 * (axis[1:] + axis[:-1]) for axis in axes])])
    corner_numbers = np.arange(len(corners)).reshape([count + 1 for count in cells])
    centre_numbers = len(corners) + np.arange(np.prod(cells)).reshape(cells)
    tetrahedra = np.concatenate(
        [
            _around_faces(
                np.moveaxis(corner_numbers, axis, 0), np.moveaxis(centre_numbers, axis, 0)
            )
            for axis in range(3)
        ]
    )
    inverted = signed_volumes(positions, tetrahedra) < 0.0
    tetrahedra[inverted] = tetrahedra[inverted][:, [0, 1, 3, 2]]
    return positions, tetrahedra


def _grid(axes: list[NDArray[np.float64]]) -> Positions:
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


def _around_faces(corners: Indices, centres: Indices) -> Indices:
    """The tetrahedra at the faces of cubes that are perpendicular to the first axis."""
    ring = [corners[:, :-1, :-1], corners[:, 1:, :-1], corners[:, 1:, 1:], corners[:, :-1, 1:]]
    faces = np.stack(ring, axis=-1)
    found = []
    for k in range(4):
        sides = [centres[:-1], centres[1:], faces[1:-1, ..., k], faces[1:-1, ..., (k + 1) % 4]]
        found.append(np.stack(sides, axis=-1).reshape(-1, 4))
    # Diagonals of neighbouring faces run either way, so that no direction is preferred.
    odd = np.indices(faces.shape[1:3]).sum(axis=0) % 2
    for layer, tips in ((0, centres[0]), (-1, centres[-1])):
        turned = np.where(odd[..., None] == 1, np.roll(faces[layer], 1, axis=-1), faces[layer])
        for half in ((0, 1, 2), (0, 2, 3)):
            base = [turned[..., k] for k in half]
            found.append(np.stack([tips, *base], axis=-1).reshape(-1, 4))
    return np.concatenate(found)
