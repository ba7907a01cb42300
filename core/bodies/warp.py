# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way the warp yarns of a fabric run in each face, and what that does to its stiffness.

The weft runs across the warp. Woven fabrics are orthotropic: of these two directions each has a
stiffness of its own, and there is one of the angle between them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ModelError
from ..mesh.surface import Polygons

Directions = NDArray[np.float64]
"""One of each element, shape (count, 3)."""

STRAIGHT = 0.05
"""Sine of the angle to the nearest side up to which yarns run along the sides of a quad."""


def check_warp(warp: ArrayLike) -> None:
    """Raise ModelError for what is neither a direction in space nor one of each face."""
    values = np.asarray(warp, np.float64)
    if values.shape == (3,):
        if not 0.0 < np.linalg.norm(values) < np.inf:
            raise ModelError(f"The warp must be a direction in space, not {values}.")
        return
    if values.ndim != 2 or values.shape[1:] != (3,):
        raise ModelError(
            "The warp must be a direction in space, or one of each face, shape (faces, 3), not an "
            f"array of shape {values.shape}."
        )
    length = np.linalg.norm(values, axis=1)
    fine = (length > 0.0) & (length < np.inf)
    if not fine.all():
        face = int(np.argmin(fine))
        raise ModelError(f"The warp of face {face} is no direction: {values[face]}.")


@dataclass(frozen=True)
class Woven(Polygons):
    """Faces grouped by their number of corners, with the way in which their warp runs.

    Attributes:
        warp: unit directions: ``warp[k]`` has shape (count, 3).
    """

    warp: dict[int, Directions]

    @staticmethod
    def like(name: str, warp: ArrayLike, sizes: NDArray[np.integer], polygons: Polygons) -> Woven:
        """Faces with their warp.

        Args:
            name: of the body. warp: one direction, or one of each face, shape (f, 3).
            sizes: number of corners of each face, shape (f,).

        Raises:
            ModelError: another number of directions than of faces; names the body.
        """
        given = np.asarray(warp, np.float64)
        unit = given / np.linalg.norm(given, axis=-1, keepdims=True)
        if given.ndim == 1:
            unit = np.broadcast_to(unit, (len(sizes), 3))
        if len(unit) != len(sizes):
            raise ModelError(
                f"The warp of '{name}' must be one direction, or one for each of its {len(sizes)} "
                f"faces, not for {len(unit)}."
            )
        return Woven(polygons.corners, {size: unit[sizes == size] for size in polygons.corners})

    @property
    def of_triangles(self) -> Directions:
        """Those of the triangles that :func:`.surface.triangulate` makes, in its order."""
        parts = [np.tile(self.warp[size], (size - 2, 1)) for size in self.corners]
        return np.concatenate(parts) if parts else np.empty((0, 3))


def in_plane(points: NDArray[np.float64], warp: Directions) -> Directions:
    """The warp for each triangle; where it pierces the sheet, the next axis in its stead.

    Args:
        points: corners, shape (count, 3, 3).
    """
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    along = np.linalg.norm(np.cross(normals, warp), axis=1)
    pierces = along < 0.5 * np.linalg.norm(normals, axis=1)
    return np.where(pierces[:, None], np.roll(warp, 1, axis=1), warp)


def shares_along(
    points: NDArray[np.float64], warp: Directions, ways: NDArray[np.float64]
) -> NDArray[np.float64]:
    """cos² of the angle between the warp and ways in the plane of faces, shape (count, …).

    Args:
        points: three corners of each face, shape (count, 3, 3).
        ways: shape (count, …, 3).
    """
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    warp = in_plane(points, warp)
    squares = np.sum(normals**2, axis=1, keepdims=True)
    above = np.sum(warp * normals, axis=1, keepdims=True)
    flat = warp - normals * above / np.where(squares > 0.0, squares, 1.0)
    flat = flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-300)
    flat = flat.reshape(len(flat), *(1,) * (ways.ndim - 2), 3)
    lengths = np.sum(ways**2, axis=-1)
    found = np.sum(ways * flat, axis=-1) ** 2
    return np.asarray(np.clip(found / np.where(lengths > 0.0, lengths, 1.0), 0.0, 1.0))
