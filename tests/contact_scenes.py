# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes and a tiny integrator for the tests of contact: free particles in gravity."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from core.contact import Collider, ColliderSet, apply_friction, begin_substep, project

UNIT_CUBE = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)
_SIDES = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (1, 3, 7, 5), (3, 2, 6, 7), (2, 0, 4, 6)]
CUBE_TRIANGLES = np.array([t for a, b, c, d in _SIDES for t in ((a, b, c), (a, c, d))])


def box(low, high):
    low, high = np.asarray(low, float), np.asarray(high, float)
    return low + UNIT_CUBE * (high - low), CUBE_TRIANGLES


def quad(size=1.0, height=0.0):
    corners = [(-size, -size), (size, -size), (size, size), (-size, size)]
    vertices = np.array([(x, y, height) for x, y in corners], float)
    return vertices, np.array([(0, 1, 2), (0, 2, 3)])


def ball(rings=24):
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
    n, faces = 2 * rings, []
    for k in range(n):
        after = (k + 1) % n
        faces.append((0, 1 + k, 1 + after))
        last = 1 + (rings - 2) * n
        faces.append((len(vertices) - 1, last + after, last + k))
        for ring in range(rings - 2):
            a, b = 1 + ring * n + k, 1 + ring * n + after
            faces += [(a, a + n, b + n), (a, b + n, b)]
    return vertices, np.array(faces)


def rotation(axis, angle):
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    cross = np.array([(0, -z, y), (z, 0, -x), (-y, x, 0)])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


class Particles:
    """Free particles among colliders; a frame is 1/24 s.

    ``parts`` ranges of particles are treated as several threads would, one after the other.
    """

    frame = 1 / 24

    def __init__(
        self, points, colliders, *, velocities=0.0, thickness=0.0, friction=0.5,
        gravity=(0, 0, -9.81), substeps=20, iterations=1, dtype=np.float64, parts=1,
    ):  # fmt: skip
        count = len(points)
        self.rows = np.ones((count + 4, 4), dtype)
        self.rows[:count, :3] = points
        self.previous = self.rows.copy()
        self.velocity = np.zeros((count, 3), dtype) + np.asarray(velocities, dtype)
        self.gravity = np.asarray(gravity, dtype)
        self.substeps, self.iterations, self.count = substeps, iterations, count
        bounds = np.linspace(0, count, parts + 1).astype(int)
        self.ranges = list(enumerate(pairwise(bounds)))
        self.set = ColliderSet(
            colliders, np.full(count, thickness), np.full(count, friction), threads=parts
        )

    @property
    def positions(self):
        return self.rows[: self.count, :3]

    def advance(self, frames=1):
        h = self.rows.dtype.type(self.frame / self.substeps)
        for _ in range(frames):
            self.set.begin_frame(self.frame)
            for substep in range(self.substeps):
                self.substep(h, substep)
            self.set.end_frame()

    def substep(self, h, substep):
        contacts, rows, previous = self.set.contacts, self.rows, self.previous
        begin_substep(contacts, substep / self.substeps, (substep + 1) / self.substeps)
        previous[:] = rows
        free = rows[: self.count, 3:] > 0
        self.velocity += h * self.gravity
        rows[: self.count, :3] += np.where(free, h * self.velocity, 0)
        for _ in range(self.iterations):
            for thread, (first, last) in self.ranges:
                project(contacts, rows, previous, first, last, thread)
        for _, (first, last) in self.ranges:
            apply_friction(contacts, rows, previous, first, last)
        self.velocity[:] = (rows - previous)[: self.count, :3] / h


def collider(mesh, **settings):
    return Collider(*mesh, **{"thickness": 0.02, **settings})
