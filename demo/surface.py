# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth closed surfaces around bones: distances to them, and meshes of even quads on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Quads = NDArray[np.int64]
_BLEND = 0.014  # metres over which parts run into each other
_SMOOTHINGS = 12


@dataclass(frozen=True)
class Part:
    """Flesh around a bone: a cone with round ends, flattened from front to back.

    Attributes:
        bone: name of the bone that it follows.
        start, end: of its axis [m]. radii: of both ends, to the sides [m].
        depth: its extent along y as a part of that along x.
    """

    bone: str
    start: tuple[float, float, float]
    end: tuple[float, float, float]
    radii: tuple[float, float]
    depth: float = 1.0

    def distance(self, points: Points) -> Points:
        """How far points, shape (n, 3), lie outside of the part [m], below zero inside."""
        squeeze = np.array([1.0, 1.0 / self.depth, 1.0])
        start, axis = np.array(self.start) * squeeze, np.subtract(self.end, self.start) * squeeze
        away = points * squeeze - start
        along = np.clip(away @ axis / max(axis @ axis, 1e-12), 0.0, 1.0)
        radius = self.radii[0] + along * (self.radii[1] - self.radii[0])
        return np.linalg.norm(away - along[:, None] * axis, axis=1) - radius


def distance(parts: Sequence[Part], points: Points, *, blend: float = _BLEND) -> Points:
    """How far points, shape (n, 3), lie outside of the parts, which run into each other [m]."""
    every = np.array([part.distance(points) for part in parts])
    nearest = every.min(axis=0)
    return nearest - blend * np.log(np.exp((nearest - every) / blend).sum(axis=0))


def mesh(parts: Sequence[Part], size: float) -> tuple[Points, Quads]:
    """The surface of the parts as quads of about a size [m]; vertices (n, 3), quads (m, 4)."""
    points, quads = lattice(parts, size)
    return relaxed(points, quads, parts, np.ones_like(points)), quads


def lattice(parts: Sequence[Part], size: float) -> tuple[Points, Quads]:
    """The same with vertices at the middle of cubes, in steps."""
    ends = np.array([end for part in parts for end in (part.start, part.end)])
    room = max(max(part.radii) for part in parts) + 3.0 * size
    low, high = ends.min(axis=0) - room, ends.max(axis=0) + room
    counts = np.ceil((high - low) / size).astype(int)
    middle = 0.5 * (low + high)
    axes = [middle[k] + size * (np.arange(counts[k]) - 0.5 * (counts[k] - 1)) for k in range(3)]
    samples = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    inside = (distance(parts, samples.reshape(-1, 3)) < 0.0).reshape(samples.shape[:3])
    cells, quads = _crossed_cells(inside)
    return samples[tuple(cells.T)] + 0.5 * size, quads


def _crossed_cells(inside: NDArray[np.bool_]) -> tuple[Quads, Quads]:
    """Surface nets: cells between samples inside and outside, and a quad for each such edge."""
    number = np.cumsum(np.ones(inside.size, np.int64)).reshape(inside.shape) - 1
    quads = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        here = np.moveaxis(inside, (axis, u, v), (0, 1, 2))
        cell = np.moveaxis(number, (axis, u, v), (0, 1, 2))
        leaves = here[:-1, 1:, 1:] & ~here[1:, 1:, 1:]
        enters = ~here[:-1, 1:, 1:] & here[1:, 1:, 1:]
        around = np.stack(
            [cell[:-1, :-1, :-1], cell[:-1, 1:, :-1], cell[:-1, 1:, 1:], cell[:-1, :-1, 1:]],
            axis=-1,
        )
        quads += [around[leaves], around[enters][:, ::-1]]
    used, renumbered = np.unique(np.concatenate(quads), return_inverse=True)
    cells = np.stack(np.unravel_index(used, inside.shape), axis=1)
    return cells, renumbered.reshape(-1, 4)


def relaxed(points: Points, quads: Quads, parts: Sequence[Part], free: Points) -> Points:
    """Vertices evened out along the surface of parts.

    Args:
        free: shape (n, 3): 0 along axes in which a vertex stays; such follow only each other.
    """
    edges, _ = edges_of(quads)
    start, end = np.concatenate([edges, edges[:, ::-1]]).T
    held = (free == 0.0).any(axis=1)
    followed = held[end] | ~held[start]
    start, end = start[followed], end[followed]
    count = np.maximum(np.bincount(start, minlength=len(points)), 1)[:, None]
    for _ in range(_SMOOTHINGS):
        total = np.zeros_like(points)
        np.add.at(total, start, points[end] - points[start])
        points = points + 0.5 * free * total / count
        for _ in range(2):
            slope = free * gradient(parts, points)
            length = np.maximum((slope**2).sum(axis=1), 1e-6)
            points = points - (distance(parts, points) / length)[:, None] * slope
    return points


def edges_of(quads: Quads) -> tuple[Quads, Quads]:
    """Edges, shape (e, 2), and how many quads lie at each."""
    sides = np.stack([quads, np.roll(quads, -1, axis=1)], axis=-1).reshape(-1, 2)
    return np.unique(np.sort(sides, axis=1), axis=0, return_counts=True)


def gradient(parts: Sequence[Part], points: Points) -> Points:
    """The slope of the distance at points, shape (n, 3)."""
    step = 1e-4
    ways = [
        distance(parts, points + shift) - distance(parts, points - shift)
        for shift in step * np.eye(3)
    ]
    return np.stack(ways, axis=1) / (2.0 * step)
