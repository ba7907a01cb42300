# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a mesh is simulated, where that is less than it has: one particle for vertices that are
welded, and none for trims that are carried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import trims, welding
from .trims import Trims

Indices = NDArray[np.int32]
Faces = list[list[int]] | Indices


@dataclass(frozen=True)
class Reduction:
    """Which vertices are which particles.

    Attributes:
        particles: of each vertex its particle, -1 where it is carried, shape (n,).
        vertices: of each particle its first vertex, ascending, shape (m,).
        trims: what is carried; None where nothing is.
    """

    particles: Indices
    vertices: Indices
    trims: Trims | None = None

    def of_particles(self, value: Any) -> Any:
        """What is an array of one entry a vertex, for particles; all else as it is."""
        if isinstance(value, np.ndarray) and len(value) == len(self.particles):
            return value[self.vertices]
        return value

    def of_vertices(self, places: NDArray[Any]) -> NDArray[Any]:
        """Where all vertices are [m], shape (n, 3), with particles there, shape (m, 3)."""
        found = places[self.particles]
        if self.trims is not None:
            found[self.trims.vertices] = self.trims.places(found)
        return found

    def left(self, elements: Faces) -> tuple[Faces, list[int]]:
        """Faces or edges of particles, without those that vanish or are there already, and which
        they were.
        """
        if isinstance(elements, np.ndarray) and len(self.vertices) == (self.particles >= 0).sum():
            kept = (self.particles[elements] >= 0).all(axis=1)
            return self.particles[elements[kept]], np.flatnonzero(kept).tolist()
        found: dict[frozenset[int], tuple[list[int], int]] = {}
        for number, element in enumerate(elements):
            corners = list(dict.fromkeys(self.particles[np.asarray(element)].tolist()))
            if len(corners) >= min(len(element), 3) and min(corners) >= 0:
                found.setdefault(frozenset(corners), (corners, number))
        return [corners for corners, _ in found.values()], [each for _, each in found.values()]

    def pins(self, pins: Indices, stiffness: NDArray[np.float64]) -> Indices:
        """Which of the pinned vertices lead a particle, ascending by it: the stiffest of each."""
        owners = self.particles[pins]
        order = np.lexsort((-stiffness, owners))
        found, first = np.unique(owners[order], return_index=True)
        return order[first[found >= 0]].astype(np.int32)

    def pairs(self, pairs: NDArray[np.integer]) -> NDArray[np.int32]:
        """Pairs of particles, without those that are one."""
        found = self.particles[pairs]
        return found[found[:, 0] != found[:, 1]]

    def to_vertices(self, particles: NDArray[np.int64]) -> NDArray[np.int64]:
        """All vertices that are one of these particles."""
        return np.flatnonzero(np.isin(self.particles, particles))


def find(
    positions: NDArray[np.float64],
    weld: float,
    joined: list[NDArray[np.int64]] | None,
    pins: Indices,
) -> Reduction | None:
    """What of a mesh is simulated; None for all of it.

    Args:
        positions: of its vertices [m], shape (n, 3).
        weld: distance [m] up to which vertices are one; 0: none are.
        joined: vertices that hold together, a row each: small parts that nothing joins to the rest
            are carried; None: none are.
        pins: pinned vertices, whose parts are not carried.
    """
    targets = welding.targets(positions, weld)
    carried = None if joined is None else _trims(positions, joined, pins, targets)
    if targets is None and carried is None:
        return None
    if targets is None:
        targets = np.arange(len(positions))
    is_simulated = np.ones(len(targets), bool)
    if carried is not None:
        is_simulated[carried.vertices] = False
    particles = np.full(len(targets), -1, np.int32)
    vertices, particles[is_simulated] = np.unique(targets[is_simulated], return_inverse=True)
    return Reduction(particles, vertices.astype(np.int32), carried)


def _trims(
    positions: NDArray[np.float64],
    joined: list[NDArray[np.int64]],
    pins: Indices,
    targets: NDArray[np.int64] | None,
) -> Trims | None:
    count = len(positions)
    if targets is not None:
        joined = [*joined, np.stack([np.arange(count), targets], axis=1)]
    small, large = trims.parts_of(joined, count)
    small = [part for part in small if not np.isin(part, pins).any()]
    return trims.bind(positions, small, large) if small else None


def tables(elements: Faces) -> list[NDArray[np.int64]]:
    """Vertices that faces or edges join, as tables of as many columns as these have corners."""
    if isinstance(elements, np.ndarray):
        return [elements.astype(np.int64)]
    sizes = np.array([len(element) for element in elements])
    return [
        np.array([each for each in elements if len(each) == size], np.int64)
        for size in np.unique(sizes)
    ]
