# SPDX-License-Identifier: GPL-3.0-or-later
"""Implicit Euler for thousands of springs: Newton's method, its linear systems by conjugate
gradients. The reference where the dense one of ``tests/naive`` would take days.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Springs:
    """Springs of energy Σ (|x_j - x_i| - L)² / 2α between particles.

    Attributes:
        pairs: shape (m, 2).
        rest: L [m], shape (m,).
        compliance: α [m/N].
        masses: [kg], shape (n,); infinite for fixed particles.
        gravity: [m/s²], shape (3,).
    """

    pairs: NDArray[np.int64]
    rest: Array
    compliance: float
    masses: Array
    gravity: Array

    def step(self, x: Array, v: Array, dt: float, tolerance: float = 1e-9) -> tuple[Array, Array]:
        """Solve M (y - x - Δt v - Δt² g) = -Δt² ∇U(y) for y, to a last change below the tolerance.

        Raises:
            ArithmeticError: it does not converge.
        """
        free = np.isfinite(self.masses)[:, None]
        masses = np.where(free, np.where(free, self.masses[:, None], 1.0), 1.0)
        inertial = x + np.where(free, dt * v + dt**2 * self.gravity, 0.0)
        y = inertial
        for _ in range(60):
            residual = np.where(free, masses * (inertial - y) + dt**2 * self._forces(y), 0.0)
            stiffness = self._stiffness(y)

            def matrix(u: Array, stiffness: Callable[[Array], Array] = stiffness) -> Array:
                return np.where(free, masses * u + dt**2 * stiffness(u), u)

            change = conjugate_gradients(matrix, residual, 0.01 * tolerance)
            y = y + change
            if np.abs(change).max() < tolerance:
                return y, (y - x) / dt
        raise ArithmeticError("Newton's method did not converge")

    def _forces(self, x: Array) -> Array:
        lengths, directions = self._measure(x)
        return self._scatter(((lengths - self.rest) / self.compliance)[:, None] * directions)

    def _stiffness(self, x: Array) -> Callable[[Array], Array]:
        """∂²U/∂x² as a function of a displacement, geometric stiffness included."""
        lengths, directions = self._measure(x)
        sideways = (1.0 - self.rest / lengths)[:, None]

        def stiffness(u: Array) -> Array:
            stretch = u[self.pairs[:, 1]] - u[self.pairs[:, 0]]
            along = np.einsum("ij,ij->i", stretch, directions)[:, None] * directions
            return -self._scatter((along + sideways * (stretch - along)) / self.compliance)

        return stiffness

    def _measure(self, x: Array) -> tuple[Array, Array]:
        edges = x[self.pairs[:, 1]] - x[self.pairs[:, 0]]
        lengths = np.linalg.norm(edges, axis=1)
        return lengths, edges / lengths[:, None]

    def _scatter(self, pulls: Array) -> Array:
        """Pulls of the springs on their first particles, and opposite ones on the second."""
        count = len(self.masses)
        columns = [
            np.bincount(self.pairs[:, 0], pulls[:, k], count)
            - np.bincount(self.pairs[:, 1], pulls[:, k], count)
            for k in range(3)
        ]
        return np.stack(columns, axis=1)


def conjugate_gradients(matrix: Callable[[Array], Array], right: Array, tolerance: float) -> Array:
    """Solve a symmetric positive definite system until the largest residual is that small.

    Raises:
        ArithmeticError: the matrix is not positive definite, or it takes too long.
    """
    x, residual = np.zeros_like(right), right.copy()
    direction, size = residual.copy(), float((residual**2).sum())
    for _ in range(10_000):
        if np.abs(residual).max() <= tolerance:
            return x
        image = matrix(direction)
        curvature = float((direction * image).sum())
        if curvature <= 0.0:
            raise ArithmeticError("The matrix is not positive definite.")
        x += size / curvature * direction
        residual -= size / curvature * image
        size, last = float((residual**2).sum()), size
        direction = residual + size / last * direction
    raise ArithmeticError("Conjugate gradients did not converge.")
