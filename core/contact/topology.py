# SPDX-License-Identifier: GPL-3.0-or-later
"""What is prepared once for a collider's triangles: their order, neighbours, and insides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..mesh.connected import connected
from ..mesh.incidence import across_edges, grouped
from ..remembered import remembered
from .halving import along_longest_sides

Points = NDArray[np.float64]
Indices = NDArray[np.int64]

LEAF_SIZE = 4

FLAT = 1e-5
"""A closed part has no inside if its volume is below this times its area to the power of 3/2."""

SMALL_HOLES = 0.05
"""A part with holes is taken as closed if they are below this fraction of its area."""


def leaf_count(triangles: int) -> int:
    """Leaves of a balanced box tree, a power of two."""
    leaves = 1
    while leaves * LEAF_SIZE < triangles:
        leaves *= 2
    return leaves


@remembered
def tree_order(vertices: Points, triangles: Indices) -> Indices:
    """Order of triangles by halving the longest extent again and again, shape (t,)."""
    middles = vertices[triangles].mean(axis=1)
    count, leaves = len(triangles), leaf_count(len(triangles))
    order = np.arange(count)
    ranges = 1
    while ranges < leaves:
        bounds = np.arange(ranges + 1) * count // ranges
        order = along_longest_sides(middles, order, bounds)
        ranges *= 2
    return order


@dataclass(frozen=True)
class Adjacency:
    """What meets what; see ``data.Meshes`` and ``data.AROUND``; indices are local."""

    neighbours: Indices
    welded: Indices
    fan_start: Indices
    fan: Indices
    border: NDArray[np.bool_]
    solid: NDArray[np.bool_]


@remembered
def adjacency(vertices: Points, triangles: Indices) -> Adjacency:
    """Neighbours across edges and around vertices; vertices at the same place count as one."""
    welded = _welded(vertices)
    corners = welded[triangles]
    neighbours, uses = across_edges(corners)
    ends = np.roll(corners, -1, axis=1)
    open_edges = (uses == 1) & (corners != ends)
    border = np.zeros(len(vertices), np.bool_)
    border[corners[open_edges]] = border[ends[open_edges]] = True
    fan_start, fan = grouped(corners.reshape(-1), np.arange(corners.size), len(vertices))
    solid = _solid(vertices, corners, open_edges)
    return Adjacency(neighbours, welded, fan_start, fan, border, solid)


@remembered
def is_flat(vertices: Points, triangles: Indices) -> bool:
    """Whether triangles are closed, but have no inside: something folded upon itself."""
    volume, area = volume_and_area(vertices[triangles], np.zeros(len(triangles), np.int64))
    if abs(volume[0]) > FLAT * area[0] ** 1.5:
        return False
    corners = _welded(vertices)[triangles]
    low, high = np.sort(np.stack([corners, np.roll(corners, -1, axis=1)], -1).reshape(-1, 2)).T
    _, uses = np.unique(((low << 32) + high)[low != high], return_counts=True)
    return bool((uses > 1).all())


def _welded(vertices: Points) -> Indices:
    """Of each vertex the first one at the same place, shape (v,)."""
    order = np.lexsort(vertices.T)
    ordered = vertices[order]
    new = np.ones(len(vertices), np.bool_)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    welded = np.empty(len(vertices), np.int64)
    welded[order] = order[new][np.cumsum(new) - 1]
    return welded


def volume_and_area(corners: Points, part: Indices) -> tuple[Points, Points]:
    """Volume [m³] and area [m²] of each part.

    Args:
        corners: of triangles [m], shape (t, 3, 3).
        part: of each, shape (t,).
    """
    points = corners - corners.reshape(-1, 3).mean(axis=0)
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    volumes = np.einsum("ij,ij->i", points[:, 0], normals) / 6.0
    areas = 0.5 * np.linalg.norm(normals, axis=1)
    volume, area = (np.bincount(part, values) for values in (volumes, areas))
    return volume.astype(np.float64), area.astype(np.float64)


def _solid(vertices: Points, corners: Indices, open_edges: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which triangles bound a volume from outside: closed but for small holes, shape (t,)."""
    first = connected([corners], np.ones(len(vertices), np.bool_))
    _, part = np.unique(first[corners[:, 0]], return_inverse=True)
    part = part.reshape(-1)
    points = vertices[corners]
    lengths = np.linalg.norm(points - np.roll(points, -1, axis=1), axis=2)
    volume, area = volume_and_area(points, part)
    rim = np.bincount(part, (lengths * open_edges).sum(axis=1))
    closed = (rim**2 / (4.0 * np.pi) <= SMALL_HOLES * area) & (volume > FLAT * area**1.5)
    return np.asarray(closed[part])
