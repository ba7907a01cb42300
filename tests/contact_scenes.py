# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes and a tiny integrator for the tests of contact: free particles in gravity."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from contact_parts import apply_friction, begin_substep, move_colliders, project
from numpy.typing import ArrayLike, DTypeLike, NDArray

from core.contact import Collider, ColliderSet

Mesh = tuple[NDArray[np.float64], NDArray[np.int64]]
"""Vertices, shape (v, 3), and triangles, shape (t, 3)."""

UNIT_CUBE = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)
_SIDES = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (1, 3, 7, 5), (3, 2, 6, 7), (2, 0, 4, 6)]
CUBE_TRIANGLES = np.array([t for a, b, c, d in _SIDES for t in ((a, b, c), (a, c, d))])


def box(low: ArrayLike, high: ArrayLike) -> Mesh:
    corner = np.asarray(low, float)
    return corner + UNIT_CUBE * (np.asarray(high, float) - corner), CUBE_TRIANGLES


def quad(size: float = 1.0, height: float = 0.0) -> Mesh:
    corners = [(-size, -size), (size, -size), (size, size), (-size, size)]
    vertices = np.array([(x, y, height) for x, y in corners], float)
    return vertices, np.array([(0, 1, 2), (0, 2, 3)])


def ball(rings: int = 24) -> Mesh:
    """A closed unit sphere of longitudes and latitudes, with triangles at the poles."""
    latitude = np.linspace(0, np.pi, rings + 1)[1:-1]
    longitude = np.linspace(0, 2 * np.pi, 2 * rings, endpoint=False)
    rows = [
        np.stack([np.sin(a) * np.cos(longitude), np.sin(a) * np.sin(longitude)], axis=1)
        for a in latitude
    ]
    points = [
        np.c_[row, np.full(len(row), np.cos(a))] for row, a in zip(rows, latitude, strict=True)
    ]
    vertices = np.concatenate([[(0, 0, 1)], *points, [(0, 0, -1)]])
    n = 2 * rings
    faces: list[tuple[int, int, int]] = []
    for k in range(n):
        after = (k + 1) % n
        faces.append((0, 1 + k, 1 + after))
        last = 1 + (rings - 2) * n
        faces.append((len(vertices) - 1, last + after, last + k))
        for ring in range(rings - 2):
            a, b = 1 + ring * n + k, 1 + ring * n + after
            faces += [(a, a + n, b + n), (a, b + n, b)]
    return vertices, np.array(faces)


def rotation(axis: Sequence[float], angle: float) -> NDArray[np.float64]:
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    cross = np.array([(0, -z, y), (z, 0, -x), (-y, x, 0)])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


class Particles:
    """Free particles among colliders; a frame is 1/24 s.

    ``parts`` ranges of particles are treated as several threads would, one after the other.
    """

    frame = 1 / 24

    def __init__(
        self,
        points: Sequence[Sequence[float]] | NDArray[Any],
        colliders: Sequence[Collider],
        *,
        velocities: ArrayLike = 0.0,
        thickness: float = 0.0,
        friction: float = 0.5,
        gravity: ArrayLike = (0, 0, -9.81),
        substeps: int = 20,
        iterations: int = 1,
        dtype: DTypeLike = np.float64,
        parts: int = 1,
    ) -> None:
        count = len(points)
        self.rows = np.ones((count + 4, 4), dtype)
        self.rows[:count, :3] = points
        self.previous = self.rows.copy()
        self.led_out = np.zeros_like(self.rows)
        """How far particles are led out of something in each substep [m]."""
        self.velocity = np.zeros((count, 3), dtype) + np.asarray(velocities, dtype)
        self.gravity = np.asarray(gravity, dtype)
        self.substeps, self.iterations, self.count = substeps, iterations, count
        bounds = np.linspace(0, count, parts + 1).astype(int)
        self.ranges = list(enumerate(pairwise(bounds)))
        self.set = ColliderSet(
            colliders, np.full(count, thickness), np.full(count, friction), threads=parts
        )

    @property
    def positions(self) -> NDArray[Any]:
        return self.rows[: self.count, :3]

    def advance(self, frames: int = 1) -> None:
        h = self.rows.dtype.type(self.frame / self.substeps)
        for _ in range(frames):
            self.set.begin_frame(self.frame)
            for substep in range(self.substeps):
                self.substep(h, substep)
            self.set.end_frame()

    def substep(self, h: float, substep: int) -> None:
        contacts, rows, previous = self.set.contacts, self.rows, self.previous
        for _, (first, last) in self.ranges:
            begin_substep(contacts, first, last)
        move_colliders(contacts, substep / self.substeps, (substep + 1) / self.substeps)
        previous[:] = rows
        free = rows[: self.count, 3:] > 0
        self.velocity += h * self.gravity
        rows[: self.count, :3] += np.where(free, h * self.velocity, 0)
        for _ in range(self.iterations):
            for thread, (first, last) in self.ranges:
                project(contacts, rows, previous, first, last, thread)
        for _, (first, last) in self.ranges:
            rows[first:last, :3] += self.led_out[first:last, :3]
            apply_friction(contacts, rows, previous, self.led_out, first, last)
        self.velocity[:] = (rows - previous)[: self.count, :3] / h


def collider(mesh: Mesh, **settings: Any) -> Collider:
    return Collider(*mesh, **{"thickness": 0.02, **settings})
