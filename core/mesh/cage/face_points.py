# SPDX-License-Identifier: GPL-3.0-or-later
"""Points spread evenly over the faces of a surface, each in a tetrahedron of its cage.

They stand for the faces where something acts all over these, as pins do, however large faces are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .crossings import SUB, Crossings, Found
from .lattice import Lattice

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]

EVERY = 3
"""Lines of the grid from one that counts to the next: half a cell."""


class FacePoints(NamedTuple):
    """Where steepest lines of the grid cross a surface.

    Attributes:
        vertices: of the triangle on which each is, shape (p, 3); shares: of these, of sum 1.
        nodes: of the tetrahedron in which it is, shape (p, 4); weights: of these, of sum 1.
        areas: of the surface that each stands for [m²], shape (p,).
    """

    vertices: Indices
    shares: Numbers
    nodes: Indices
    weights: Numbers
    areas: Numbers


def face_points_of(
    scaled: Numbers,
    triangles: Indices,
    normals: Numbers,
    crossings: Crossings,
    found: Found,
    lattice: Lattice,
    every: int,
) -> FacePoints:
    """Those of a surface.

    Args:
        scaled: its vertices in cubes from the lattice's origin, shape (n, 3).
        triangles: shape (t, 3).
        normals: of these, of any length, shape (t, 3).
        crossings: of these triangles.
        found: those that count.
        every: lines of the grid from one that counts to the next.
    """
    steepest = _steepest(crossings, normals, lattice, every)
    own = np.flatnonzero(np.isin(found.crossings, steepest, assume_unique=True))
    chosen = found.crossings[own]
    points, triangle = crossings.points[chosen], crossings.triangle[chosen]
    return FacePoints(
        vertices=triangles[triangle],
        shares=_shares_of(points, scaled[triangles[triangle]]),
        nodes=found.nodes[own],
        weights=lattice.weights_of(points, found.tetrahedra[own]),
        areas=_areas_of(crossings.axis[chosen], normals[triangle], lattice, every),
    )


def _steepest(crossings: Crossings, normals: Numbers, lattice: Lattice, every: int) -> Indices:
    """Numbers of crossings by lines that are steepest to the surface, one line of every²."""
    shape = tuple(SUB * lattice.shape)
    places = np.stack(np.unravel_index(crossings.upper, shape), axis=1) % every
    own = crossings.axis[:, None]
    places[np.arange(len(places))[:, None], own] = every // 2
    sizes = np.abs(normals[crossings.triangle])
    steepest = np.take_along_axis(sizes, own, axis=1)[:, 0] >= sizes.max(axis=1, initial=0.0)
    return np.flatnonzero(steepest & (places == every // 2).all(axis=1))


def _shares_of(points: Numbers, corners: Numbers) -> Numbers:
    """Weights of a triangle's corners, shape (p, 3, 3), at points of it, shape (p, 3)."""
    away = corners - points[:, None]
    parts = np.cross(np.roll(away, -1, axis=1), np.roll(away, -2, axis=1))
    normals = parts.sum(axis=1, keepdims=True)
    shares = np.maximum((parts * normals).sum(axis=2), 0.0)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _areas_of(axes: Indices, normals: Numbers, lattice: Lattice, every: int) -> Numbers:
    """Of the surface between the lines that count [m²]."""
    along = np.abs(np.take_along_axis(normals, axes[:, None], axis=1)[:, 0])
    side = lattice.size * every / SUB
    return np.asarray(side**2 * np.linalg.norm(normals, axis=1) / along)
