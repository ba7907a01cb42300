# SPDX-License-Identifier: GPL-3.0-or-later
"""A body-centred cubic lattice of tetrahedra, all numbered in closed form.

Nodes are the corners and the centres of cubes. Each face between two cubes belongs to four
tetrahedra, which join the centres on both sides to one of the face's edges: twelve a cube, all of
the same shape. Lengths here are in cubes, from the lattice's origin.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...native.compiled import native, native_part

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]

PER_CUBE = 12
"""Tetrahedra a cube."""

VOLUME = 1.0 / PER_CUBE
"""Of a tetrahedron, in cubes."""

MARGIN = 1
"""Cubes around what lies in the lattice."""

_RING = np.array([[(1, -1), (1, 1)], [(1, 1), (-1, 1)], [(-1, 1), (-1, -1)], [(-1, -1), (1, -1)]])
"""Of the four tetrahedra at a face: both ends of its edge, seen from the face's centre, in halves
of an edge along the two axes that follow the face's own."""


@dataclass(frozen=True)
class Lattice:
    """Where a lattice is.

    Attributes:
        origin: corner of the first cube [m], shape (3,).
        size: edge of a cube [m].
        shape: cubes along x, y, z, shape (3,).
    """

    origin: Numbers
    size: float
    shape: Indices

    @staticmethod
    def around(positions: Numbers, size: float) -> Lattice:
        """A lattice about the middle of points, with cubes to spare on all sides."""
        low, high = positions.min(axis=0), positions.max(axis=0)
        # What is a whole number of cubes long by rounding gets no further cube.
        shape = np.ceil((high - low) / size - 1e-9).astype(np.int64) + 2 * MARGIN
        return Lattice(0.5 * (low + high) - 0.5 * size * shape, size, shape)

    @property
    def cubes(self) -> int:
        """How many there are."""
        return int(np.prod(self.shape))

    def scaled(self, positions: Numbers) -> Numbers:
        """Positions in cubes from the origin."""
        return (positions - self.origin) / self.size

    def nodes_of(self, tetrahedra: Indices) -> Indices:
        """Keys of the four nodes of each tetrahedron of these numbers, shape (t, 4).

        In this order volumes are positive. A key stands for a place in halves of a cube: see
        :meth:`places_of`.
        """
        cube, local = np.divmod(tetrahedra, PER_CUBE)
        places = np.stack(np.unravel_index(cube, tuple(self.shape)), axis=1)
        return self._keys(2 * places[:, None] + _CORNERS[local])

    def _keys(self, places: Indices) -> Indices:
        wide = 2 * self.shape + 1
        return np.asarray((places[..., 0] * wide[1] + places[..., 1]) * wide[2] + places[..., 2])

    @property
    def keys(self) -> int:
        """All keys are below."""
        return int(np.prod(2 * self.shape + 1))

    def places_of(self, keys: Indices) -> Indices:
        """Where nodes are, in halves of a cube, shape (m, 3): even at corners, odd at centres."""
        wide = tuple(2 * self.shape + 1)
        return np.stack(np.unravel_index(keys, wide), axis=1).astype(np.int64)

    def positions_of(self, keys: Indices) -> Numbers:
        """Positions of nodes [m], shape (m, 3)."""
        return np.asarray(self.origin + 0.5 * self.size * self.places_of(keys))

    def weights_of(self, points: Numbers, tetrahedra: Indices) -> Numbers:
        """Weights of the nodes of a tetrahedron at each point, none below zero, shape (n, 4).

        A point outside by rounding counts as on the border.

        Args:
            points: in cubes from the origin, shape (n, 3).
            tetrahedra: which, shape (n,).
        """
        weights = np.empty((len(points), 4))
        _barycentric(points, self.shape, tetrahedra, weights)
        return weights


def _corners() -> Indices:
    """Corners of a cube's own tetrahedra in halves of a cube, shape (PER_CUBE, 4, 3)."""
    corners = np.empty((PER_CUBE, 4, 3), np.int64)
    for axis, quarter in itertools.product(range(3), range(4)):
        own = corners[4 * axis + quarter]
        own[:] = 1
        own[1:, axis] += (2, 1, 1)
        own[2:, (axis + 1) % 3] += _RING[quarter, :, 0]
        own[2:, (axis + 2) % 3] += _RING[quarter, :, 1]
    return corners


_CORNERS = _corners()


@native_part
def quarter_of(u, v):  # type: ignore[no-untyped-def]
    """Which of a face's edges is nearest to a point that is so far from the face's centre."""
    if abs(u) > abs(v):
        return 0 if u > 0.0 else 2
    return 1 if v > 0.0 else 3


@native_part
def axis_of(x, y, z):  # type: ignore[no-untyped-def]
    """Through which pair of a cube's faces a way from its centre leads."""
    if abs(x) >= abs(y) and abs(x) >= abs(z):
        return 0
    return 1 if abs(y) >= abs(z) else 2


@native
def locate(points, shape, tetrahedra):  # type: ignore[no-untyped-def]
    """Find the tetrahedron that holds each point, in closed form.

    Args:
        points: in cubes from the origin, shape (n, 3).
        shape: of the lattice.
        tetrahedra: their numbers are written here, shape (n,).
    """
    cube, away = np.empty(3, np.int64), np.empty(3)
    for i in range(len(points)):
        for k in range(3):
            cube[k] = int(np.floor(points[i, k]))
            away[k] = points[i, k] - cube[k] - 0.5
        axis = axis_of(away[0], away[1], away[2])
        quarter = quarter_of(away[(axis + 1) % 3], away[(axis + 2) % 3])
        if away[axis] <= 0.0:
            cube[axis] -= 1
        number = (cube[0] * shape[1] + cube[1]) * shape[2] + cube[2]
        tetrahedra[i] = (number * 3 + axis) * 4 + quarter


@native_part
def _place(number, axis, shape):  # type: ignore[no-untyped-def]
    """How many cubes come before a cube along an axis."""
    if axis == 0:
        return number // (shape[1] * shape[2])
    return number // shape[2] % shape[1] if axis == 1 else number % shape[2]


@native_part
def _of_corner(corner, u, v):  # type: ignore[no-untyped-def]
    """The weight of one of a face's corners, in the order of the ring."""
    along = u if corner < 2 else -u
    return along + (v if corner in (1, 2) else -v)


@native
def _barycentric(points, shape, tetrahedra, weights):  # type: ignore[no-untyped-def]
    """Write weights in the order of :meth:`Lattice.nodes_of`; see :meth:`Lattice.weights_of`."""
    for i in range(len(points)):
        cube, local = tetrahedra[i] // 12, tetrahedra[i] % 12
        axis, quarter = local // 4, local % 4
        one, two = (axis + 1) % 3, (axis + 2) % 3
        u = points[i, one] - _place(cube, one, shape) - 0.5
        v = points[i, two] - _place(cube, two, shape) - 0.5
        first, second = _of_corner(quarter, u, v), _of_corner((quarter + 1) % 4, u, v)
        far = points[i, axis] - _place(cube, axis, shape) - 0.5 - 0.5 * (first + second)
        near = max(1.0 - far - first - second, 0.0)
        far, first, second = max(far, 0.0), max(first, 0.0), max(second, 0.0)
        total = near + far + first + second
        weights[i, 0], weights[i, 1] = near / total, far / total
        weights[i, 2], weights[i, 3] = first / total, second / total
