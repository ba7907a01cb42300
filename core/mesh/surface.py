# SPDX-License-Identifier: GPL-3.0-or-later
"""Topology and measures of a surface mesh, on whole arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ModelError
from ..native.compiled import native
from ..remembered import remembered
from .incidence import grouped

Positions = NDArray[np.float64]
Indices = NDArray[np.int64]

LEAST_HEIGHT = 1e-4
"""Of its longest side: a triangle that is less high is a line, bent by the rounding of positions.

What is stiff per area would be stiffer across it than any precision can solve."""


@dataclass(frozen=True)
class Polygons:
    """Faces grouped by their number of corners: ``corners[k]`` has shape (count, k)."""

    corners: dict[int, Indices]

    @staticmethod
    def of(faces: Sequence[Sequence[int]] | NDArray[np.integer]) -> Polygons:
        """Group faces; ``faces`` is a list of index sequences or an array of shape (f, k)."""
        if isinstance(faces, np.ndarray) and faces.ndim == 2:
            return Polygons({faces.shape[1]: faces.astype(np.int64)} if len(faces) else {})
        sizes = face_sizes(faces)
        flat = np.fromiter(_flatten(faces), np.int64, int(sizes.sum()))
        starts = np.cumsum(sizes) - sizes
        return Polygons(
            {
                int(size): flat[starts[sizes == size][:, None] + np.arange(size)]
                for size in np.unique(sizes)
            }
        )


def checked_polygons(
    name: str, faces: Sequence[Sequence[int]] | NDArray[np.integer], count: int
) -> Polygons:
    """Faces of a body of so many vertices, grouped.

    Raises:
        ModelError: there are none, or one has too few corners or a vertex that doesn't exist.
    """
    polygons = Polygons.of(faces)
    if not polygons.corners:
        raise ModelError(f"'{name}' has no faces; it needs a surface.")
    for size, corners in polygons.corners.items():
        if size < 3:
            raise ModelError(f"'{name}' has a face of {size} corners; a face needs three or more.")
        if corners.min() < 0 or corners.max() >= count:
            raise ModelError(f"A face of '{name}' refers to a vertex that doesn't exist.")
    return polygons


def face_sizes(faces: Sequence[Sequence[int]] | NDArray[np.integer]) -> Indices:
    """Number of corners of each face, shape (f,)."""
    if isinstance(faces, np.ndarray) and faces.ndim == 2:
        return np.full(len(faces), faces.shape[1])
    return np.fromiter((len(face) for face in faces), np.int64, len(faces))


def _flatten(faces: Iterable[Sequence[int]]) -> Iterable[int]:
    return (index for face in faces for index in face)


@remembered
def edges(polygons: Polygons) -> Indices:
    """Unique edges of all faces, shape (e, 2), the smaller index first, sorted."""
    pairs = [
        np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1).reshape(-1, 2)
        for corners in polygons.corners.values()
    ]
    if not pairs:
        return np.empty((0, 2), np.int64)
    ordered = np.sort(np.concatenate(pairs), axis=1)
    count = int(ordered.max()) + 1
    keys = np.unique(ordered[:, 0] * count + ordered[:, 1])
    return np.stack(np.divmod(keys, count), axis=1)


@remembered
def triangulate(positions: Positions, polygons: Polygons) -> Indices:
    """Triangles, shape (t, 3), that cover every face once.

    A quad is cut along its shorter diagonal; squares alternate so that no direction of the
    cloth is preferred. Faces with more corners are cut as a fan, which is right if convex.
    """
    parts = []
    for size, corners in polygons.corners.items():
        if size == 4:
            parts.append(_cut_quads(positions, corners))
        else:
            parts.append(fans(Polygons({size: corners})))
    return np.concatenate(parts) if parts else np.empty((0, 3), np.int64)


def drawn(positions: Positions, polygons: Polygons) -> Indices:
    """Triangles of all faces as Blender draws them, shape (t, 3): from the first corner on.

    Quads are cut through the second where both halves would lie on each other.
    """
    corners = dict(polygons.corners)
    if (quads := corners.get(4)) is not None:
        a, b, c, d = positions[quads].transpose(1, 0, 2)
        sides = np.cross(b - a, c - a), np.cross(d - a, c - a)
        folded = np.sum(sides[0] * sides[1], axis=1) > 0.0
        corners[4] = np.where(folded[:, None], np.roll(quads, -1, axis=1), quads)
    return fans(Polygons(corners))


def fans(polygons: Polygons) -> Indices:
    """Triangles around the first corner of each face, shape (t, 3)."""
    parts = [
        corners[:, [0, k, k + 1]]
        for size, corners in polygons.corners.items()
        for k in range(1, size - 1)
    ]
    return np.concatenate(parts) if parts else np.empty((0, 3), np.int64)


def _cut_quads(positions: Positions, quads: Indices) -> Indices:
    a, b, c, d = positions[quads].transpose(1, 0, 2)
    first, second = np.linalg.norm(c - a, axis=1), np.linalg.norm(d - b, axis=1)
    alike = np.abs(first - second) < 1e-3 * (first + second)
    turn = np.where(alike, _checkerboard(quads), second < first)
    turned = np.where(turn[:, None], np.roll(quads, -1, axis=1), quads)
    return np.concatenate([turned[:, [0, 1, 2]], turned[:, [0, 2, 3]]])


def _checkerboard(quads: Indices) -> NDArray[np.bool_]:
    """A choice for each quad such that the diagonals of a grid meet in every second vertex.

    Vertices get the parity of their distance along edges from the first vertex of their part;
    the diagonal joins the corners of even parity.
    """
    count = int(quads.max()) + 1 if len(quads) else 0
    parity = np.full(count, -1, np.int8)
    pairs = edges(Polygons({4: quads}))
    both = np.concatenate([pairs, pairs[:, ::-1]])
    starts, neighbours = grouped(both[:, 0], both[:, 1], count)
    _spread_parity(neighbours, starts, parity, np.empty(count, np.int64))
    return parity[quads[:, 0]] == 1


@native
def _spread_parity(neighbours, starts, parity, queue):  # type: ignore[no-untyped-def]
    for root in range(len(parity)):
        if parity[root] >= 0:
            continue
        parity[root] = 0
        queue[0] = root
        head, tail = 0, 1
        while head < tail:
            vertex = queue[head]
            head += 1
            for place in range(starts[vertex], starts[vertex + 1]):
                other = neighbours[place]
                if parity[other] < 0:
                    parity[other] = 1 - parity[vertex]
                    queue[tail] = other
                    tail += 1


@remembered
def triangle_areas(positions: Positions, triangles: Indices) -> NDArray[np.float64]:
    """Areas [m²], shape (t,); zero of what is so flat that it has none but by rounding."""
    a, b, c = positions[triangles].transpose(1, 0, 2)
    areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    sides = [np.sum(side**2, axis=1) for side in (b - a, c - b, a - c)]
    return np.where(areas > 0.5 * LEAST_HEIGHT * np.max(sides, axis=0), areas, 0.0)


def squared_lengths(positions: Positions, pairs: Indices) -> NDArray[np.float64]:
    """Squared distances [m²] of pairs of vertices, shape (p, 2) → (p,)."""
    return np.asarray(np.sum((positions[pairs[:, 1]] - positions[pairs[:, 0]]) ** 2, axis=1))


HINGE_SIDES = (0, 1, 2), (1, 0, 3)
"""The corners of a hinge that each of its triangles has."""


def hinges(triangles: Indices) -> tuple[Indices, Indices]:
    """Pairs of triangles at a shared edge.

    Where more than two triangles meet at an edge, each forms a hinge with the next.

    Returns:
        Hinges, shape (h, 4): the two vertices of the edge, then the opposite corner of either
        triangle; and the two triangles of each hinge, shape (h, 2).
    """
    corner = np.tile(np.arange(3), len(triangles))
    owner = np.repeat(np.arange(len(triangles)), 3)
    start = triangles[owner, corner]
    end = triangles[owner, (corner + 1) % 3]
    opposite = triangles[owner, (corner + 2) % 3]
    low, high = np.minimum(start, end), np.maximum(start, end)
    order = np.lexsort((high, low))
    first, second = order[:-1], order[1:]
    shared = (low[first] == low[second]) & (high[first] == high[second])
    first, second = first[shared], second[shared]
    corners = np.stack([start[first], end[first], opposite[first], opposite[second]], axis=1)
    return corners, np.stack([owner[first], owner[second]], axis=1)


def lumped_masses(count: int, triangles: Indices, masses: NDArray[np.float64]) -> Positions:
    """Vertex masses [kg], shape (count,): a third of each triangle's mass to every corner."""
    return np.bincount(
        triangles.ravel(), weights=np.repeat(masses / 3.0, 3), minlength=count
    ).astype(np.float64)


def edge_strain(
    positions: ArrayLike, edges: Indices, rest_lengths: ArrayLike
) -> NDArray[np.float64]:
    """Relative elongation of edges, shape (e,): zero at rest, 0.01 at one percent longer."""
    strain = np.empty(len(edges))
    rest = np.asarray(rest_lengths, np.float64)
    _fill_strain(np.asarray(positions), np.asarray(edges), rest, strain)
    return strain


@native
def _fill_strain(points, edges, rest_lengths, strain):  # type: ignore[no-untyped-def]
    for i in range(len(edges)):
        start, end, rest = edges[i, 0], edges[i, 1], rest_lengths[i]
        x = points[end, 0] - points[start, 0]
        y = points[end, 1] - points[start, 1]
        z = points[end, 2] - points[start, 2]
        strain[i] = np.sqrt(x * x + y * y + z * z) / (rest if rest > 0.0 else 1.0) - 1.0
