# SPDX-License-Identifier: GPL-3.0-or-later
"""How far every vertex is from every face, and every edge from every other, one after the other."""

from __future__ import annotations

import numpy as np

from .functions import Array


def to_segments(points: Array, a: Array, b: Array) -> Array:
    """Distances of points from segments ab, all of shape (k, 3)."""
    along = b - a
    square = np.maximum((along * along).sum(axis=1), 1e-30)
    place = np.clip(((points - a) * along).sum(axis=1) / square, 0.0, 1.0)
    return np.asarray(np.linalg.norm(a + place[:, None] * along - points, axis=1))


def vertices_to_faces(points: Array, corners: Array) -> Array:
    """Distances of points, shape (k, 3), from triangles, shape (k, 3, 3)."""
    a, b, c = corners.transpose(1, 0, 2)
    distance = np.minimum.reduce([to_segments(points, p, q) for p, q in ((a, b), (b, c), (c, a))])
    normal = np.cross(b - a, c - a)
    sides = [
        (np.cross(q - p, points - p) * normal).sum(axis=1) for p, q in ((a, b), (b, c), (c, a))
    ]
    length = np.linalg.norm(normal, axis=1)
    above = (np.min(sides, axis=0) > 0.0) & (length > 0.0)
    height = np.abs(((points - a) * normal).sum(axis=1)) / np.maximum(length, 1e-30)
    return np.where(above, height, distance)


def edges_to_edges(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Distances of segments ab from segments cd, all of shape (k, 3)."""
    ends = [to_segments(a, c, d), to_segments(b, c, d), to_segments(c, a, b), to_segments(d, a, b)]
    normal = np.cross(b - a, d - c)
    square = (normal * normal).sum(axis=1)
    proper = np.maximum(square, 1e-30)
    u = (np.cross(c - a, d - c) * normal).sum(axis=1) / proper
    v = (np.cross(c - a, b - a) * normal).sum(axis=1) / proper
    crossed = (u > 0.0) & (u < 1.0) & (v > 0.0) & (v < 1.0) & (square > 1e-30)
    height = np.abs(((c - a) * normal).sum(axis=1)) / np.sqrt(proper)
    return np.where(crossed, height, np.minimum.reduce(ends))
