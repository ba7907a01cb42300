# SPDX-License-Identifier: GPL-3.0-or-later
"""What is inside of a surface, on a grid of voxels.

The winding number of a closed surface, also of one that cuts itself, is how often any ray goes out
rather than in: sums along the grid's lines are exact. An open surface is closed by lids first, and
then the winding numbers of these are taken off again. They are harmonic but for the lids
themselves: in cubes that no lid touches they are interpolated from the corners, and only in the
others each voxel is asked.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...native.compiled import native
from .crossings import ASIDE, SUB, Crossings, crossings_along
from .lattice import Lattice
from .lids import lids_of
from .winding import tree_of, winding_numbers

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]

WHOLE = 240
"""A winding number of 1; they are kept as whole numbers."""

HALF = WHOLE // 2
"""What is above, either way round, is inside: normals may point inwards."""

AXIS = 2
"""Along which lines are summed up; all give the same."""

AT_ONCE = 4096
"""Points that are asked without a break."""


def winding_of_voxels(
    points: Numbers,
    triangles: Indices,
    crossings: Crossings,
    lattice: Lattice,
    progress: Callable[[float], None],
) -> NDArray[np.int16]:
    """Winding numbers at the centres of voxels times WHOLE, as the grid is shaped.

    Args:
        points: vertices in cubes from the lattice's origin, shape (n, 3).
        triangles: shape (t, 3).
        crossings: of the same.
        lattice: in whose cubes the voxels are.
        progress: called with the share that is done; what it raises ends the work.
    """
    lids = lids_of(triangles, len(points))
    of_lids = crossings_along(AXIS, points, lids, lattice)
    own = crossings.axis == AXIS
    winding = np.zeros(SUB * lattice.shape, np.int16)
    for upper, sign in ((crossings.upper[own], crossings.sign[own]), (of_lids.upper, of_lids.sign)):
        np.subtract.at(winding.reshape(-1), upper, (WHOLE * sign).astype(np.int16))
    np.cumsum(winding, axis=AXIS, out=winding)
    progress(0.2)
    if len(lids):
        _take_off(points, lids, lattice, winding, progress)
        _empty_outside(points, winding)
    return winding


def _take_off(
    points: Numbers,
    lids: Indices,
    lattice: Lattice,
    winding: NDArray[np.int16],
    progress: Callable[[float], None],
) -> None:
    """Take the winding numbers of lids from those of the closed surface."""
    tree = tree_of(points, lids)
    touched = np.zeros(lattice.shape, np.bool_)
    _touch(points, lids, touched)

    def ask(places: Numbers, start: float, end: float) -> Numbers:
        found = np.empty(len(places))
        for first in range(0, len(places), AT_ONCE):
            progress(start + (end - start) * first / len(places))
            part = slice(first, first + AT_ONCE)
            winding_numbers(tree, np.ascontiguousarray(places[part]), found[part])
        return found

    corners = np.stack(np.meshgrid(*(np.arange(n + 1.0) for n in lattice.shape), indexing="ij"), -1)
    at_corners = ask(corners.reshape(-1, 3), 0.2, 0.6).reshape(corners.shape[:3])
    of_cubes = _by_cube(winding, lattice)
    for layer in range(lattice.shape[0]):
        values = _interpolated(at_corners[layer : layer + 2])
        free = ~touched[layer]
        of_cubes[layer][free] -= np.rint(WHOLE * values[free]).astype(np.int16)
    near = np.argwhere(_in_voxels(touched))
    values = ask((near + 0.5 + ASIDE) / SUB, 0.6, 1.0)
    winding[tuple(near.T)] -= np.rint(WHOLE * values).astype(np.int16)


def _empty_outside(points: Numbers, winding: NDArray[np.int16]) -> None:
    """Nothing is inside beyond the surface's box: beside faces that are turned against the others
    winding numbers come near to 1 on the wrong side.
    """
    for axis, count in enumerate(winding.shape):
        centres = (np.arange(count) + 0.5 + ASIDE[axis]) / SUB
        beyond = (centres < points[:, axis].min()) | (centres > points[:, axis].max())
        np.moveaxis(winding, axis, 0)[beyond] = 0


def _by_cube(voxels: NDArray[np.int16], lattice: Lattice) -> NDArray[np.int16]:
    """A view of voxels with those of each cube behind the cube's three places."""
    x, y, z = lattice.shape
    return voxels.reshape(x, SUB, y, SUB, z, SUB).transpose(0, 2, 4, 1, 3, 5)


def _in_voxels(cubes: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """For each voxel that of its cube."""
    for axis in range(3):
        cubes = np.repeat(cubes, SUB, axis=axis)
    return cubes


def _interpolated(corners: Numbers) -> Numbers:
    """Values of voxels from those at the corners of a layer of cubes, shape (2, y + 1, z + 1).

    Returns:
        Shape (y, z, SUB, SUB, SUB).
    """
    share = (np.arange(SUB) + 0.5) / SUB
    weights = np.stack([1.0 - share, share])
    windows = np.lib.stride_tricks.sliding_window_view(corners, (2, 2, 2))[0]
    return np.einsum("yzabc,ai,bj,ck->yzijk", windows, weights, weights, weights, optimize=True)


@native
def _touch(points, triangles, touched):  # type: ignore[no-untyped-def]
    """Mark the cubes that triangles pass through, and some more beside large ones.

    A cube counts where it reaches the triangle's box and its plane.
    """
    low, high, normal = np.empty(3), np.empty(3), np.empty(3)
    for t in range(len(triangles)):
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        height, reach = 0.0, 0.0
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            low[a] = np.floor(min(points[i, a], points[j, a], points[k, a]))
            high[a] = np.floor(max(points[i, a], points[j, a], points[k, a]))
            normal[a] = (points[j, b] - points[i, b]) * (points[k, c] - points[i, c])
            normal[a] -= (points[j, c] - points[i, c]) * (points[k, b] - points[i, b])
            height += normal[a] * points[i, a]
            reach += 0.5 * abs(normal[a])
        for x in range(int(low[0]), int(high[0]) + 1):
            for y in range(int(low[1]), int(high[1]) + 1):
                for z in range(int(low[2]), int(high[2]) + 1):
                    middle = normal[0] * (x + 0.5) + normal[1] * (y + 0.5) + normal[2] * (z + 0.5)
                    if abs(middle - height) <= 1.001 * reach:
                        touched[x, y, z] = True
