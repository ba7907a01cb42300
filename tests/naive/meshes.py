# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes for tests and validation, and their topology by brute force."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from .functions import Array


def is_conflict_free(batch: Iterable[int], indices: NDArray[np.integer]) -> bool:
    """Whether no particle occurs twice in a batch."""
    particles = [int(p) for constraint in batch for p in set(indices[constraint].tolist())]
    return len(particles) == len(set(particles))


def unique_edges(faces: Iterable[Sequence[int]]) -> set[tuple[int, int]]:
    """Edges of faces, the smaller vertex first."""
    return {
        (min(a, b), max(a, b))
        for face in faces
        for a, b in zip(face, (*face[1:], face[0]), strict=True)
    }


def triangles_at_edges(triangles: Iterable[Sequence[int]]) -> dict[tuple[int, int], list[int]]:
    """For each edge the triangles that have it."""
    found: dict[tuple[int, int], list[int]] = {}
    for number, triangle in enumerate(triangles):
        for edge in unique_edges([tuple(triangle)]):
            found.setdefault(edge, []).append(number)
    return found


def quad_grid(nx: int, ny: int, width: float, height: float) -> tuple[Array, list[tuple[int, ...]]]:
    """A flat grid of nx × ny quads in the plane z = 0: positions and faces."""
    x, y = np.linspace(0.0, width, nx + 1), np.linspace(0.0, height, ny + 1)
    positions = np.array([(a, b, 0.0) for b in y for a in x])
    faces: list[tuple[int, ...]] = []
    for j, i in itertools.product(range(ny), range(nx)):
        a = j * (nx + 1) + i
        faces.append((a, a + 1, a + nx + 2, a + nx + 1))
    return positions, faces


def spring_grid(n: int, side: float) -> tuple[Array, NDArray[np.int64]]:
    """A square of n × n particles in the plane z = 0, and pairs for springs.

    Each particle is tied to its neighbours, to those across the diagonals, and to the next but one.
    """
    steps = np.linspace(0.0, side, n)
    positions = np.array([(x, y, 0.0) for y in steps for x in steps])
    grid, pairs = np.arange(n * n).reshape(n, n), []
    for i, j in ((0, 1), (1, 0), (1, 1), (0, 2), (2, 0)):
        pairs.append((grid[: n - i, : n - j], grid[i:, j:]))
    pairs.append((grid[1:, :-1], grid[:-1, 1:]))
    return positions, np.concatenate([np.stack(pair, -1).reshape(-1, 2) for pair in pairs])


def irregular_triangles(
    nx: int, ny: int, width: float, height: float, seed: int = 1, keep_columns: int = 0
) -> tuple[Array, list[tuple[int, ...]]]:
    """The grid with moved inner vertices (by up to 0.25 cells) and diagonals at random."""
    positions, quads = quad_grid(nx, ny, width, height)
    random = np.random.default_rng(seed)
    cell = np.array([width / nx, height / ny])
    for p in positions:
        left = (keep_columns - 0.5) * cell[0]
        if left < p[0] < width - 0.5 * cell[0] and 0.0 < p[0] and 0.0 < p[1] < height:
            p[:2] += random.uniform(-0.25, 0.25, 2) * cell
    faces: list[tuple[int, ...]] = []
    for a, b, c, d in quads:
        cut = [(a, b, c), (a, c, d)] if random.random() < 0.5 else [(a, b, d), (b, c, d)]
        faces.extend(tuple(int(v) for v in np.roll(t, random.integers(3))) for t in cut)
    return positions, faces
