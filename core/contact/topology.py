# SPDX-License-Identifier: GPL-3.0-or-later
"""What is prepared once for a collider's triangles: their order, neighbours, and insides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..mesh.connected import connected
from ..mesh.incidence import grouped

Points = NDArray[np.float64]
Indices = NDArray[np.int64]

LEAF_SIZE = 4

SMALL_HOLES = 0.05
"""A part with holes is taken as closed if they are below this fraction of its area."""


def leaf_count(triangles: int) -> int:
    """Leaves of a balanced box tree, a power of two."""
    leaves = 1
    while leaves * LEAF_SIZE < triangles:
        leaves *= 2
    return leaves


def tree_order(vertices: Points, triangles: Indices) -> Indices:
    """Order of triangles by halving the longest extent again and again, shape (t,)."""
    middles = vertices[triangles].mean(axis=1)
    count, leaves = len(triangles), leaf_count(len(triangles))
    order = np.arange(count)
    ranges = 1
    while ranges < leaves:
        bounds = np.arange(ranges + 1) * count // ranges
        owner = np.repeat(np.arange(ranges), np.diff(bounds))
        low = np.minimum.reduceat(middles[order], bounds[:-1])
        high = np.maximum.reduceat(middles[order], bounds[:-1])
        axis = np.argmax(high - low, axis=1)
        order = order[np.lexsort((middles[order, axis[owner]], owner))]
        ranges *= 2
    return order


@dataclass(frozen=True)
class Adjacency:
    """What meets what; see ``data.Surface`` and ``data.AROUND``; indices are local."""

    neighbours: Indices
    welded: Indices
    fan_start: Indices
    fan: Indices
    border: NDArray[np.bool_]
    solid: NDArray[np.bool_]


def adjacency(vertices: Points, triangles: Indices) -> Adjacency:
    """Neighbours across edges and around vertices; vertices at the same place count as one."""
    _, first, inverse = np.unique(vertices, axis=0, return_index=True, return_inverse=True)
    welded = first[inverse.reshape(-1)]
    corners = welded[triangles]
    edges = np.sort(np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1), axis=-1)
    _, edge, uses = np.unique(edges.reshape(-1, 2), axis=0, return_inverse=True, return_counts=True)
    edge = edge.reshape(-1)
    proper = (edges[..., 0] != edges[..., 1]).reshape(-1)
    neighbours = np.full(len(edge), -1)
    by_edge = np.argsort(edge, kind="stable")
    pairs = by_edge[uses[edge[by_edge]] == 2].reshape(-1, 2)
    neighbours[pairs[:, 0]], neighbours[pairs[:, 1]] = pairs[:, 1] // 3, pairs[:, 0] // 3
    open_edges = (uses[edge] == 1) & proper
    border = np.zeros(len(vertices), np.bool_)
    border[edges.reshape(-1, 2)[open_edges]] = True
    fan_start, fan = grouped(corners.reshape(-1), np.arange(corners.size), len(vertices))
    solid = _solid(vertices, corners, open_edges.reshape(-1, 3))
    return Adjacency(neighbours.reshape(-1, 3), welded, fan_start, fan, border, solid)


def _solid(vertices: Points, corners: Indices, open_edges: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which triangles bound a volume from outside: closed but for small holes, shape (t,)."""
    first = connected([corners], np.ones(len(vertices), np.bool_))
    _, part = np.unique(first[corners[:, 0]], return_inverse=True)
    part = part.reshape(-1)
    points = vertices[corners] - vertices[corners].reshape(-1, 3).mean(axis=0)
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    lengths = np.linalg.norm(points - np.roll(points, -1, axis=1), axis=2)
    area = np.bincount(part, 0.5 * np.linalg.norm(normals, axis=1))
    volume = np.bincount(part, np.einsum("ij,ij->i", points[:, 0], normals) / 6.0)
    rim = np.bincount(part, (lengths * open_edges).sum(axis=1))
    closed = (rim**2 / (4.0 * np.pi) <= SMALL_HOLES * area) & (volume > 0)
    return np.asarray(closed[part])
