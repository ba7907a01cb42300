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

from .crossings import SUB, Crossings, Found
from .lattice import Lattice
from .refined import LONGEST, Refined, refined

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


class Touching(NamedTuple):
    """A surface of small faces.

    Attributes:
        surface: its triangles; the first vertices are those of the surface that it stands for.
        corners: nodes of the tetrahedron that carries each, shape (n + k, 4).
        weights: of these nodes, none below zero, of sum 1, shape (n + k, 4).
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
    owner = np.empty(len(points), np.int64)
    owner[parts.triangles] = parts.origins[:, None]
    new = points[count:]
    error = np.full(len(new), np.inf)
    # What no tetrahedron nearby carries is carried with a vertex that there was.
    near = parts.shown(count)[count:]
    carrier, weight = corners[near], weights[near]
    triangle, voxels = crossings.triangle[found.crossings], crossings.points[found.crossings]
    keys = _keys(triangle, np.floor(SUB * voxels).astype(np.int64), lattice)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    for step in product((0, -1, 1), repeat=3):
        wanted = _keys(owner[count:], np.floor(SUB * new).astype(np.int64) + step, lattice)
        place = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
        hit = np.flatnonzero(ordered[place] == wanted)
        one = order[place[hit]]
        own = lattice.weights_of(new[hit], found.tetrahedra[one])
        nodes = 0.5 * lattice.places_of(lattice.nodes_of(found.tetrahedra[one]).ravel())
        nodes = nodes.reshape(-1, 4, 3)
        off = np.linalg.norm(np.einsum("pk,pkd->pd", own, nodes) - new[hit], axis=1)
        better = off < error[hit]
        hit, one = hit[better], one[better]
        carrier[hit], weight[hit], error[hit] = found.nodes[one], own[better], off[better]
    return Touching(parts, np.concatenate([corners, carrier]), np.concatenate([weights, weight]))


def _keys(triangles: Indices, voxels: Indices, lattice: Lattice) -> Indices:
    """One number for a triangle and a voxel, by their places along each axis."""
    shape = SUB * np.asarray(lattice.shape, np.int64) + 2
    x, y, z = voxels.T + 1
    return np.asarray(((triangles * shape[0] + x) * shape[1] + y) * shape[2] + z)
