# SPDX-License-Identifier: GPL-3.0-or-later
"""How the voxels of a cube lie in the tetrahedra around it.

A cube is cut into 24 halves of tetrahedra, four at each of its six faces. All cubes alike.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from .crossings import ASIDE, SUB
from .lattice import PER_CUBE

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]

HALVES = 24
"""A half is 8 · axis + 4 · (on the far side) + quarter."""

VOXELS = SUB**3 / PER_CUBE
"""In a tetrahedron."""

_FINE = 6
"""Points along a voxel by which its parts are measured."""


def offsets_of(shape: Indices) -> Indices:
    """What is added to 12 times the number of a cube to get the tetrahedron of each half."""
    strides = np.array([shape[1] * shape[2], shape[2], 1])
    axis, rest = np.divmod(np.arange(HALVES), 8)
    near = rest < 4
    return np.asarray(4 * axis + rest % 4 - PER_CUBE * np.where(near, strides[axis], 0))


@cache
def half_at_centres() -> Indices:
    """The half that holds the centre of each voxel of a cube, shape (SUB³,)."""
    return np.asarray(_portions(_grid(SUB) + ASIDE / SUB).argmax(axis=1))


@cache
def shares() -> tuple[Indices, Numbers]:
    """The halves among which each voxel of a cube is divided, and its part in each.

    Returns:
        Both of shape (SUB³, k); where there are fewer the part is zero.
    """
    places = _grid(SUB * _FINE).reshape(SUB, _FINE, SUB, _FINE, SUB, _FINE, 3)
    places = places.transpose(0, 2, 4, 1, 3, 5, 6).reshape(-1, 3)
    parts = _portions(places).reshape(SUB**3, -1, HALVES).mean(axis=1)
    count = int((parts > 0.0).sum(axis=1).max())
    halves = np.argsort(-parts, axis=1, kind="stable")[:, :count]
    return halves, np.take_along_axis(parts, halves, axis=1)


def _grid(count: int) -> Numbers:
    """Centres of so many parts along each edge of a cube, from the cube's centre."""
    steps = (np.arange(count) + 0.5) / count - 0.5
    return np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)


def _portions(places: Numbers) -> Numbers:
    """How much of each place belongs to each half: what lies on a border, to both sides alike."""
    result = np.zeros((len(places), HALVES))
    sizes = np.abs(places)
    largest = sizes.max(axis=1)
    for axis in range(3):
        u, v = places[:, (axis + 1) % 3], places[:, (axis + 2) % 3]
        side = np.maximum(np.abs(u), np.abs(v))
        for far, quarter in np.ndindex(2, 4):
            own = (sizes[:, axis] >= largest - 1e-9) & ((places[:, axis] > 0.0) == far)
            own &= np.array([u, v, -u, -v])[quarter] >= side - 1e-9
            result[:, 8 * axis + 4 * far + quarter] = own
    return np.asarray(result / result.sum(axis=1, keepdims=True))
