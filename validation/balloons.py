# SPDX-License-Identifier: GPL-3.0-or-later
"""The balloon of the XPBD paper's section 6.5: its model, and its static equilibrium.

The equilibrium minimises Σ (l - L)² / 2α_s + Σ (θ - θ₀)² / 2α_b + (V - kV₀)² / 2α_V over the
vertices. With the pressure p = (kV₀ - V) / α_V this is ∇U = p ∇V, which stays good for α_V = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import naive
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Energy = Callable[[Array], Array]
"""Corners (m, k, 3) → the energy of each element (m,)."""


@dataclass(frozen=True)
class Balloon:
    """A closed surface around the origin.

    Attributes:
        divisions: how often each triangle of the icosahedron is cut into four.
        radius: [m].
        mass: of each vertex [kg].
        stretch: α of an edge [m/N].
        bend: α of a hinge [1/(N·m)].
        inflation: k, the volume aimed at over the volume V₀ at rest.
        volume_compliance: α_V [m³/Pa].
    """

    divisions: int = 2
    radius: float = 1.0
    mass: float = 1.0
    stretch: float = 0.02
    bend: float = 1.0
    inflation: float = 1.5
    volume_compliance: float = 0.0

    @cached_property
    def surface(self) -> tuple[Array, Indices]:
        """Vertices at rest [m], shape (n, 3), and triangles, counter-clockwise from outside."""
        positions, triangles = icosphere(self.divisions)
        return self.radius * positions, triangles

    @cached_property
    def edges(self) -> Indices:
        """Shape (e, 2)."""
        return np.array(sorted(naive.unique_edges(self.surface[1].tolist())))

    @cached_property
    def hinges(self) -> Indices:
        """For each edge x₀ x₁ of triangle (x₀, x₁, x₂) that of (x₁, x₀, x₃), shape (h, 4)."""
        triangles = self.surface[1].tolist()
        opposite = {}
        for triangle in triangles:
            for k in range(3):
                opposite[triangle[k], triangle[(k + 1) % 3]] = triangle[(k + 2) % 3]
        return np.array([(a, b, opposite[a, b], opposite[b, a]) for a, b in self.edges.tolist()])

    @property
    def volume_at_rest(self) -> float:
        """V₀ [m³]."""
        return self.volume(self.surface[0])

    @property
    def volume_aimed_at(self) -> float:
        """k V₀ [m³]."""
        return self.inflation * self.volume_at_rest

    def volume(self, x: Array) -> float:
        """Volume inside [m³]."""
        return float(tetrahedra(x[self.surface[1]]).sum())

    def strain(self, x: Array) -> float:
        """Mean stretch of the edges over their lengths."""
        lengths, rest = distances(x[self.edges]), distances(self.surface[0][self.edges])
        return float((lengths / rest - 1.0).mean())

    def with_compliance(self, volume_compliance: float) -> Balloon:
        """The same with another α_V."""
        return replace(self, volume_compliance=volume_compliance)

    def equilibrium(self, tolerance: float = 1e-8) -> tuple[Array, float]:
        """Positions [m] and pressure [Pa] at rest, by Newton's method on ∇U = p ∇V.

        Derivatives are differences of the energies of single elements. Raises ArithmeticError
        where the last change does not fall below the tolerance.
        """
        rest, triangles = self.surface
        lengths, folds = distances(rest[self.edges]), angles(rest[self.hinges])

        def stretching(corners: Array) -> Array:
            return (distances(corners) - lengths) ** 2 / (2.0 * self.stretch)

        def bending(corners: Array) -> Array:
            return (angles(corners) - folds) ** 2 / (2.0 * self.bend)

        n = rest.size
        x, pressure = self.inflation ** (1.0 / 3.0) * rest, 0.0
        for _ in range(50):
            volumes = differentiated(tetrahedra, x, triangles)
            energies = [
                differentiated(stretching, x, self.edges),
                differentiated(bending, x, self.hinges),
            ]
            outward, force = volumes[0], energies[0][0] + energies[1][0] - pressure * volumes[0]
            matrix = np.zeros((n + 1, n + 1))
            matrix[:n, :n] = energies[0][1] + energies[1][1] - pressure * volumes[1]
            matrix[:n, n], matrix[n, :n] = -outward, outward
            matrix[n, n] = self.volume_compliance
            missing = self.volume(x) - self.volume_aimed_at + self.volume_compliance * pressure
            # Moving and turning a balloon is free; springs against that alone change nothing else.
            motions = rigid_motions(x)
            matrix[:n, :n] += np.abs(matrix).max() * motions @ motions.T
            change = np.linalg.solve(matrix, -np.r_[force, missing])
            x, pressure = x + change[:n].reshape(-1, 3), pressure + change[n]
            if np.abs(change[:n]).max() < tolerance:
                return x, float(pressure)
        raise ArithmeticError("Newton's method did not converge")


def rigid_motions(x: Array) -> Array:
    """An orthonormal basis of translations and small rotations, shape (3n, 6)."""
    turns = [np.cross(axis, x).ravel() for axis in np.eye(3)]
    shifts = [np.tile(axis, len(x)) for axis in np.eye(3)]
    return np.asarray(np.linalg.qr(np.stack([*shifts, *turns], axis=1))[0])


def distances(corners: Array) -> Array:
    """Lengths of edges, corners (m, 2, 3)."""
    return np.asarray(np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1))


def angles(corners: Array) -> Array:
    """Angles between the normals of the two triangles of hinges, corners (m, 4, 3)."""
    x0, x1, x2, x3 = np.moveaxis(corners, 1, 0)
    a, b = np.cross(x1 - x0, x2 - x0), np.cross(x3 - x0, x1 - x0)
    axis = (x1 - x0) / np.linalg.norm(x1 - x0, axis=1)[:, None]
    sine, cosine = (np.cross(a, b) * axis).sum(axis=1), (a * b).sum(axis=1)
    return np.arctan2(sine, cosine)


def tetrahedra(corners: Array) -> Array:
    """Volumes between the origin and triangles, corners (m, 3, 3)."""
    return np.asarray(np.linalg.det(corners) / 6.0)


def differentiated(energy: Energy, x: Array, indices: Indices) -> tuple[Array, Array]:
    """Gradient (3n,) and Hessian (3n, 3n) of the sum over elements, by central differences."""
    corners = x[indices]
    size = corners[0].size
    places = (3 * indices[:, :, None] + np.arange(3)).reshape(len(indices), size)
    step, wide = 1e-5, 1e-4
    gradient, hessian = np.zeros(x.size), np.zeros((x.size, x.size))
    units = np.eye(size).reshape(size, *corners.shape[1:])
    for i in range(size):
        slope = energy(corners + step * units[i]) - energy(corners - step * units[i])
        np.add.at(gradient, places[:, i], slope / (2.0 * step))
        for j in range(size):
            a, b = wide * units[i], wide * units[j]
            bend = energy(corners + a + b) - energy(corners + a - b)
            bend += energy(corners - a - b) - energy(corners - a + b)
            np.add.at(hessian, (places[:, i], places[:, j]), bend / (4.0 * wide**2))
    return gradient, hessian


def icosphere(divisions: int) -> tuple[Array, Indices]:
    """Vertices on the unit sphere and triangles, counter-clockwise from outside."""
    golden = (1.0 + np.sqrt(5.0)) / 2.0
    corners = [(0.0, i, j * golden) for i in (-1.0, 1.0) for j in (-1.0, 1.0)]
    positions = np.array([np.roll(corner, k) for k in range(3) for corner in corners])
    near = np.linalg.norm(positions[:, None] - positions, axis=2) < 2.1
    count = len(positions)
    triangles = [
        (a, b, c) if np.linalg.det(positions[[a, b, c]]) > 0.0 else (a, c, b)
        for a in range(count)
        for b in range(a + 1, count)
        for c in range(b + 1, count)
        if near[a, b] and near[b, c] and near[a, c]
    ]
    points = [position / np.linalg.norm(position) for position in positions]
    for _ in range(divisions):
        triangles = _divided(points, triangles)
    return np.array(points), np.array(triangles)


def _divided(
    points: list[Array], triangles: list[tuple[int, int, int]]
) -> list[tuple[int, int, int]]:
    """Cut each triangle into four; appends the middles of edges to the points."""
    middles: dict[tuple[int, int], int] = {}

    def middle(a: int, b: int) -> int:
        key = (min(a, b), max(a, b))
        if key not in middles:
            middles[key] = len(points)
            points.append((points[a] + points[b]) / np.linalg.norm(points[a] + points[b]))
        return middles[key]

    cut = []
    for a, b, c in triangles:
        ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
        cut += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    return cut
