# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices that lie on one another are simulated as one, and the mesh stays as it is.

Other programs and formats split vertices where UV maps have seams or normals have edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bmesh
import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int32]
Faces = list[list[int]] | Indices


@dataclass(frozen=True)
class Weld:
    """Which vertices are one particle.

    Attributes:
        particles: of each vertex its particle, shape (n,).
        vertices: of each particle its first vertex, ascending, shape (m,).
    """

    particles: Indices
    vertices: Indices

    def of_particles(self, value: Any) -> Any:
        """What is an array of one entry a vertex, for particles; all else as it is."""
        if isinstance(value, np.ndarray) and len(value) == len(self.particles):
            return value[self.vertices]
        return value

    def left(self, elements: Faces) -> dict[tuple[int, ...], int]:
        """Faces or edges of particles, without those that vanish or are there already.

        Returns:
            Corners of each, and the number of the element that it was.
        """
        found: dict[frozenset[int], tuple[tuple[int, ...], int]] = {}
        for number, element in enumerate(elements):
            corners = tuple(dict.fromkeys(self.particles[np.asarray(element)].tolist()))
            if len(corners) >= min(len(element), 3):
                found.setdefault(frozenset(corners), (corners, number))
        return dict(found.values())

    def pins(self, pins: Indices, stiffness: NDArray[np.float64]) -> Indices:
        """Which of the pinned vertices lead a particle, ascending by it: the stiffest of each."""
        owners = self.particles[pins]
        order = np.lexsort((-stiffness, owners))
        _, first = np.unique(owners[order], return_index=True)
        return order[first].astype(np.int32)

    def pairs(self, pairs: NDArray[np.integer]) -> NDArray[np.int32]:
        """Pairs of particles, without those that are one."""
        found = self.particles[pairs]
        return found[found[:, 0] != found[:, 1]]

    def to_vertices(self, particles: NDArray[np.int64]) -> NDArray[np.int64]:
        """All vertices that are one of these particles."""
        return np.flatnonzero(np.isin(self.particles, particles))


def find(positions: NDArray[np.float64], distance: float) -> Weld | None:
    """Which vertices to weld, as Blender's *Merge by Distance* finds them; None without any.

    Args:
        positions: shape (n, 3).
        distance: up to which vertices are one; 0: none are.
    """
    if distance <= 0.0:
        return None
    mesh = bmesh.new()
    try:
        for point in (positions - positions.mean(axis=0)).tolist():
            mesh.verts.new(point)
        mesh.verts.index_update()
        found = bmesh.ops.find_doubles(mesh, verts=mesh.verts[:], dist=distance)["targetmap"]
        targets = np.arange(len(positions))
        for vertex, target in found.items():
            targets[vertex.index] = target.index
    finally:
        mesh.free()
    if not found:
        return None
    vertices, particles = np.unique(targets, return_inverse=True)
    return Weld(particles.astype(np.int32), vertices.astype(np.int32))
