# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes that are measured; needs numpy only, so that every Blender's Python can import it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.float64]
Indices = NDArray[np.int64]

Faces = Literal["quads", "triangles", "irregular"]
"""``triangles``: quads cut along alternating diagonals; ``irregular``: inner vertices moved, and
each quad cut along its shorter diagonal, so that there are no threads to find."""


def square(side: int, size: float = 2.0) -> tuple[Positions, Indices]:
    """Return vertices [m], shape (side², 3), and quads of a level square around the origin."""
    row, column = np.divmod(np.arange(side * side), side)
    place = np.stack([row, column], axis=1) * (size / (side - 1)) - size / 2
    positions = np.column_stack([place, np.zeros(side * side)])
    first = np.arange(side * side).reshape(side, side)[:-1, :-1].ravel()
    return positions, np.stack([first, first + side, first + side + 1, first + 1], axis=1)


def square_corners(side: int) -> list[int]:
    """Return the two vertices by which a square hangs: the ends of its last column."""
    return [side - 1, side * side - 1]


def square_corner_patches(side: int, size: float = 2.0, reach: float = 0.14) -> list[int]:
    """Return the vertices within ``reach`` [m] of the two corners by which a square hangs."""
    positions, _ = square(side, size)
    corners = positions[square_corners(side)]
    away = np.linalg.norm(positions[:, None] - corners, axis=2).min(axis=1)
    return list(np.flatnonzero(away <= reach * (1.0 + 1e-9)))


def sheet(side: int, faces: Faces) -> tuple[Positions, Indices]:
    """Return vertices [m] and faces of the square, cut up as :data:`Faces` says."""
    positions, quads = square(side)
    if faces == "quads":
        return positions, quads
    if faces == "irregular":
        positions = _shaken(positions, side)
        return positions, _cut(quads, _first_diagonal_is_shorter(positions, quads))
    row, column = np.divmod(np.arange(len(quads)), side - 1)
    return positions, _cut(quads, (row + column) % 2 == 0)


def _shaken(positions: Positions, side: int) -> Positions:
    """Move the inner vertices in the plane, each by up to 0.3 of their distance."""
    spacing = positions[1, 1] - positions[0, 1]
    inner = np.zeros((side, side, 1))
    inner[1:-1, 1:-1] = 0.3 * spacing
    ways = np.random.default_rng(0).uniform(-1.0, 1.0, (side * side, 2))
    moved = positions.copy()
    moved[:, :2] += inner.reshape(-1, 1) * ways
    return moved


def _first_diagonal_is_shorter(positions: Positions, quads: Indices) -> Any:
    return lengths(positions, quads[:, [0, 2]]) < lengths(positions, quads[:, [1, 3]])


def _cut(quads: Indices, first: Any) -> Indices:
    """Return two triangles of each quad, shape (2 f, 3), cut along its first or other diagonal."""
    turned = np.where(np.asarray(first)[:, None], quads, np.roll(quads, 1, axis=1))
    return np.concatenate([turned[:, [0, 1, 2]], turned[:, [0, 2, 3]]])


def face_edges(faces: Indices) -> Indices:
    """Return the unique edges of faces of one size, shape (e, 2)."""
    sides = np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2)
    return np.unique(np.sort(sides, axis=1), axis=0)


def lengths(positions: NDArray[Any], edges: Indices) -> NDArray[np.float64]:
    """Return the lengths of edges [m], shape (e,)."""
    ends = np.asarray(positions, np.float64)[edges]
    return np.asarray(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1))


def paper_pairs(side: int) -> Indices:
    """Return pairs of vertices of a square: neighbours, diagonals, and next but one in a line.

    23,938 of them at 64 × 64, which is the cloth of the XPBD paper's table 1.
    """
    vertex = np.arange(side * side).reshape(side, side)
    pairs = [
        (vertex[:-1], vertex[1:]),
        (vertex[:, :-1], vertex[:, 1:]),
        (vertex[:-1, :-1], vertex[1:, 1:]),
        (vertex[:-1, 1:], vertex[1:, :-1]),
        (vertex[:-2], vertex[2:]),
        (vertex[:, :-2], vertex[:, 2:]),
    ]
    return np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])


def sphere(divisions: int) -> tuple[Positions, Indices]:
    """Return vertices and triangles of an octahedron divided so often, on the unit sphere."""
    positions = np.concatenate([np.eye(3), -np.eye(3)])
    triangles = np.array(
        [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]]
    )
    for _ in range(divisions):
        positions, triangles = _divided(positions, triangles)
    return positions, triangles


def _divided(positions: Positions, triangles: Indices) -> tuple[Positions, Indices]:
    """Cut each triangle into four."""
    sides = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1), axis=-1)
    edges, place = np.unique(sides.reshape(-1, 2), axis=0, return_inverse=True)
    middle = positions[edges].sum(axis=1)
    middle /= np.linalg.norm(middle, axis=1, keepdims=True)
    ab, bc, ca = (place.reshape(-1, 3) + len(positions)).T
    a, b, c = triangles.T
    parts = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    cut = np.concatenate([np.stack(part, axis=1) for part in parts])
    return np.concatenate([positions, middle]), cut
