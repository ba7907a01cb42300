# SPDX-License-Identifier: GPL-3.0-or-later
"""What touches of a soft body: its surface, of faces no larger than the cells that carry it.

New vertices are carried by tetrahedra in which their face was found, so that what hangs together is
as without them: the cage does not change.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..incidence import grouped
from .crossings import SUB, Crossings, Found
from .lattice import Lattice
from .refined import LONGEST, Refined, refined

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


FARTHEST = -0.5
"""Least weight of a node that a point outside of its tetrahedron may have."""

LOOSE = 0.02
"""Cubes by which a point may be carried off its place before tetrahedra beside are tried, too."""


class Touching(NamedTuple):
    """A surface of small faces.

    Attributes:
        surface: its triangles; the first vertices are those of the surface that it stands for.
        corners: nodes of the tetrahedron that carries each, shape (n + k, 4).
        weights: of these nodes, none below FARTHEST, of sum 1, shape (n + k, 4).
    """

    surface: Refined
    corners: Indices
    weights: Numbers


def touching_of(
    scaled: Numbers,
    triangles: Indices,
    corners: Indices,
    weights: Numbers,
    crossings: Crossings,
    found: Found,
    lattice: Lattice,
) -> Touching | None:
    """The surface that touches; None where its own faces are small enough.

    Args:
        scaled: its vertices in cubes from the lattice's origin, shape (n, 3).
        triangles: shape (t, 3).
        corners, weights: of its vertices, shape (n, 4).
        crossings: of these triangles.
    """
    points, parts = refined(scaled, triangles, LONGEST)
    if not parts.halved:
        return None
    count = len(scaled)
    # What no tetrahedron nearby carries is carried with a vertex that there was.
    near = parts.shown(count)[count:]
    search = _Search(crossings, found, lattice, points[count:], corners[near], weights[near])
    owned = np.stack([parts.triangles.ravel() - count, np.repeat(parts.origins, 3)], axis=1)
    owned = np.unique(owned[owned[:, 0] >= 0], axis=0)
    search.among(owned)
    # Narrow faces may cross no line of the grid, but those beside them do.
    search.among(_beside(owned, triangles, search.error > LOOSE))
    return Touching(
        parts,
        np.concatenate([corners, search.carrier]),
        np.concatenate([weights, search.weight]),
    )


class _Search:
    """For points the tetrahedra that carry them, among those in which faces were found.

    Attributes:
        carrier, weight: the best so far, shape (p, 4) each.
        error: how far off it carries each, in cubes, shape (p,).
    """

    def __init__(
        self,
        crossings: Crossings,
        found: Found,
        lattice: Lattice,
        points: Numbers,
        carrier: Indices,
        weight: Numbers,
    ) -> None:
        self.carrier, self.weight = carrier, weight
        self.error = np.full(len(points), np.inf)
        self._found, self._lattice, self._points = found, lattice, points
        triangle, voxels = crossings.triangle[found.crossings], crossings.points[found.crossings]
        keys = _keys(triangle, np.floor(SUB * voxels).astype(np.int64), lattice)
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]

    def among(self, owned: Indices) -> None:
        """Look at points in triangles, rows of both, ascending, shape (k, 2)."""
        first = np.searchsorted(owned[:, 0], owned[:, 0])
        turn = np.arange(len(owned)) - first
        for each in range(int(turn.max(initial=-1)) + 1):
            self._look(*owned[turn == each].T)

    def _look(self, chosen: Indices, triangles: Indices) -> None:
        """Look at each of some points in one triangle."""
        found, lattice = self._found, self._lattice
        voxels = np.floor(SUB * self._points[chosen]).astype(np.int64)
        for step in product((0, -1, 1), repeat=3):
            wanted = _keys(triangles, voxels + step, lattice)
            place = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
            hits = self._keys[place] == wanted
            point, one = chosen[hits], self._order[place[hits]]
            own = lattice.weights_of(self._points[point], found.tetrahedra[one])
            nodes = 0.5 * lattice.places_of(lattice.nodes_of(found.tetrahedra[one]).ravel())
            nodes = nodes.reshape(-1, 4, 3)
            carried = np.einsum("pk,pkd->pd", own, nodes)
            off = np.linalg.norm(carried - self._points[point], axis=1)
            better = off < self.error[point]
            point, one = point[better], one[better]
            self.carrier[point], self.error[point] = found.nodes[one], off[better]
            self.weight[point] = _beyond(nodes[better], self._points[point], own[better])


def _beyond(nodes: Numbers, points: Numbers, within: Numbers) -> Numbers:
    """Weights of tetrahedra at points a little outside as well, which they carry just there.

    Args:
        nodes: shape (p, 4, 3).
        within: weights of the nearest points inside, shape (p, 4).
    """
    sides = (nodes[:, 1:] - nodes[:, :1]).transpose(0, 2, 1)
    behind = np.linalg.solve(sides, (points - nodes[:, 0])[..., None])[..., 0]
    exact = np.concatenate([1.0 - behind.sum(axis=1, keepdims=True), behind], axis=1)
    return np.where((exact >= FARTHEST).all(axis=1)[:, None], exact, within)


def _beside(owned: Indices, triangles: Indices, chosen: NDArray[np.bool_]) -> Indices:
    """Chosen points and the triangles that share a vertex with one that they are in.

    Args:
        owned: points and triangles that they are in, shape (k, 2).
    """
    numbers = np.repeat(np.arange(len(triangles)), 3)
    starts, members = grouped(triangles.ravel(), numbers, int(triangles.max()) + 1)
    point, owner = owned[chosen[owned[:, 0]]].T
    vertices = triangles[owner].ravel()
    sizes = (starts[1:] - starts[:-1])[vertices]
    shifts = starts[vertices] - np.cumsum(sizes) + sizes
    places = np.arange(int(sizes.sum())) + np.repeat(shifts, sizes)
    return np.unique(np.stack([np.repeat(np.repeat(point, 3), sizes), members[places]], 1), axis=0)


def _keys(triangles: Indices, voxels: Indices, lattice: Lattice) -> Indices:
    """One number for a triangle and a voxel, by their places along each axis."""
    shape = SUB * np.asarray(lattice.shape, np.int64) + 2
    x, y, z = voxels.T + 1
    return np.asarray(((triangles * shape[0] + x) * shape[1] + y) * shape[2] + z)
