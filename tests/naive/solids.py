# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed surfaces of known volume, for cages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Faces = list[Any]
Mesh = tuple[Any, Faces]


def box(low: Any, high: Any) -> Mesh:
    """A box of six quads, their normals outwards."""
    bits = np.array(list(np.ndindex(2, 2, 2)))
    faces = [
        (0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3),
    ]  # fmt: skip
    return np.where(bits, np.array(high, float), np.array(low, float)), faces


def bricks(low: Sequence[float], high: Sequence[float], counts: Sequence[int]) -> Mesh:
    """A box of so many boxes along each axis, which lie on each other."""
    first, side = np.array(low, float), (np.array(high, float) - low) / counts
    corners = [first + side * place for place in np.ndindex(*counts)]
    return joined(*(box(corner, corner + side) for corner in corners))


def prism(
    start: float, start_above: float, end: float, end_above: float, size: float = 0.2
) -> Mesh:
    """A box along x whose ends slant: where it begins and ends below and above."""
    points, faces = box((0.0, 0.0, 0.0), (1.0, size, size))
    above = points[:, 2] / size
    low, high = start + (start_above - start) * above, end + (end_above - end) * above
    points[:, 0] = low + (high - low) * points[:, 0]
    return points, faces


def swept(rings: NDArray[np.floating], closed: bool) -> Mesh:
    """Quads between rings of as many vertices, shape (r, k, 3); open ends are closed by a face."""
    count, around = rings.shape[:2]
    faces: Faces = []
    for i in range(count if closed else count - 1):
        for j in range(around):
            here, after = i * around, (i + 1) % count * around
            k = (j + 1) % around
            faces.append((here + j, here + k, after + k, after + j))
    if not closed:
        faces.append(tuple(range(around))[::-1])
        faces.append(tuple((count - 1) * around + j for j in range(around)))
    return rings.reshape(-1, 3), faces


def ball(around: int, radius: float = 1.0) -> Mesh:
    """A ball of quads, with polygons of small radius at its poles."""
    along = np.linspace(0.02, np.pi - 0.02, around // 2)[:, None]
    turn = np.arange(around) * 2.0 * np.pi / around
    x, y = np.sin(along) * np.cos(turn), np.sin(along) * np.sin(turn)
    rings = np.stack([x, y, -np.cos(along) + 0.0 * turn], axis=-1)
    return swept(radius * rings, closed=False)


def tube_along(path: NDArray[np.floating], radius: float, around: int = 12) -> Mesh:
    """A tube around a path in the plane y = 0, shape (r, 3), closed at its ends."""
    way = np.gradient(path, axis=0)
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    up = np.array([0.0, 1.0, 0.0])
    side = np.cross(way, up)
    turn = np.arange(around)[None, :, None] * 2.0 * np.pi / around
    rings = path[:, None] + radius * (np.cos(turn) * side[:, None] + np.sin(turn) * up)
    return swept(rings, closed=False)


def hairpin() -> Mesh:
    """A tube of 5 cm that comes back beside itself, as two legs do."""
    arc = np.linspace(0.0, np.pi, 13)
    turn = np.stack([0.06 * np.cos(arc), 0.0 * arc, -0.06 * np.sin(arc)], axis=1)
    up = np.linspace(0.5, 0.05, 10)[:, None] * [0.0, 0.0, 1.0]
    path = np.concatenate([up + turn[0], turn, up[::-1] + turn[-1]])
    return tube_along(path, 0.05)


def torus(large: float, small: float, along: int = 64, around: int = 24) -> Mesh:
    """A torus around z."""
    u = np.arange(along)[:, None] * 2.0 * np.pi / along
    v = np.arange(around) * 2.0 * np.pi / around
    far = large + small * np.cos(v)
    rings = np.stack([far * np.cos(u), far * np.sin(u), small * np.sin(v) + 0.0 * u], axis=-1)
    return reversed_faces(swept(rings, closed=True))


def joined(*meshes: Mesh) -> Mesh:
    """One mesh of several."""
    positions: list[Any] = []
    faces: Faces = []
    first = 0
    for points, own in meshes:
        positions.append(points)
        faces.extend(tuple(first + int(i) for i in face) for face in own)
        first += len(points)
    return np.concatenate(positions), faces


def reversed_faces(mesh: Mesh) -> Mesh:
    """The same with normals the other way."""
    return mesh[0], [face[::-1] for face in mesh[1]]


def turned(mesh: Mesh) -> Mesh:
    """The same, turned so that nothing lies along an axis."""
    rotation, _ = np.linalg.qr(np.array([[1.0, 0.4, -0.3], [-0.2, 1.0, 0.5], [0.6, -0.1, 1.0]]))
    return mesh[0] @ (rotation * np.linalg.det(rotation)).T, mesh[1]


def volume(mesh: Mesh) -> float:
    """What faces enclose, cut as fans from the mean of their corners."""
    positions, total = mesh[0], 0.0
    for face in mesh[1]:
        corners = positions[list(face)]
        middle = corners.mean(axis=0)
        after = np.roll(corners, -1, axis=0)
        total += (np.cross(corners, after) @ middle).sum()
    return total / 6.0


def winding_numbers(mesh: Mesh, points: Any) -> Any:
    """The solid angle of all faces around each point over 4π, shape (n,)."""
    total = np.zeros(len(points))
    for face in mesh[1]:
        for i in range(1, len(face) - 1):
            a, b, c = (mesh[0][face[k]] - points for k in (0, i, i + 1))
            x, y, z = (np.linalg.norm(v, axis=1) for v in (a, b, c))
            spanned = (a * np.cross(b, c)).sum(axis=1)
            below = x * y * z + (a * b).sum(axis=1) * z
            below += (b * c).sum(axis=1) * x + (c * a).sum(axis=1) * y
            total += 2.0 * np.arctan2(spanned, below)
    return total / (4.0 * np.pi)
