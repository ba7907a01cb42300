# SPDX-License-Identifier: GPL-3.0-or-later
"""Implicit Euler of constraints, by Newton's method with everything that belongs to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .constraints import NaiveConstraint
from .functions import Array, differentiate


def implicit_euler_step(
    x: Array,
    v: Array,
    w: Array,
    constraints: Sequence[NaiveConstraint],
    dt: float,
    *,
    gravity: ArrayLike = (0.0, 0.0, 0.0),
    tolerance: float = 1e-12,
) -> tuple[Array, Array, list[Array]]:
    """Solve equations 8 and 24 exactly (9 without damping), geometric stiffness included."""
    free = np.repeat(w > 0.0, 3)
    masses = np.repeat(np.where(w > 0.0, 1.0 / np.where(w > 0.0, w, 1.0), 1.0), 3)
    inertial = (x + dt * v + dt**2 * np.asarray(gravity)).ravel()
    inertial[~free] = x.ravel()[~free]
    sizes = [len(c.compliance) for c in constraints]
    ends = np.cumsum(sizes)
    y, multipliers = inertial.copy(), np.zeros(sum(sizes))
    unknown = np.concatenate([free, np.ones(sum(sizes), bool)])
    for _ in range(60):
        g, h, matrix = _newton_system(y, x, masses, inertial, multipliers, constraints, ends, dt)
        change = np.zeros(len(unknown))
        residual = np.concatenate([g, h])[unknown]
        change[unknown] = np.linalg.solve(matrix[np.ix_(unknown, unknown)], -residual)
        y += change[: len(y)]
        multipliers += change[len(y) :]
        if np.abs(change[: len(y)]).max() < tolerance:
            end = y.reshape(-1, 3)
            return end, (end - x) / dt, np.split(multipliers, ends[:-1])
    raise ArithmeticError("Newton's method did not converge")


def _newton_system(
    y: Array,
    x: Array,
    masses: Array,
    inertial: Array,
    multipliers: Array,
    constraints: Sequence[NaiveConstraint],
    ends: NDArray[np.int64],
    dt: float,
) -> tuple[Array, Array, Array]:
    """g, h and their Jacobian (equation 12 with the full K) at positions y, flat."""
    points, n = y.reshape(-1, 3), len(y)
    g, h = masses * (y - inertial), np.empty(len(multipliers))
    matrix = np.zeros((n + len(multipliers), n + len(multipliers)))
    matrix[:n, :n] = np.diag(masses)
    for constraint, end in zip(constraints, ends, strict=True):
        rows = slice(end - len(constraint.compliance), end)
        place = (3 * np.array(constraint.indices)[:, None] + np.arange(3)).ravel()
        alpha, gamma = constraint.compliance / dt**2, constraint.damping / dt
        start = x[constraint.indices]
        force = multipliers[rows]

        def local(flat: Array, c: Any = constraint, s: Array = start, l: Array = force) -> Array:
            """∇Cᵀ λ and C + γ ∇C (x - xⁿ), one after the other."""
            C, gradient = c.evaluate(flat.reshape(-1, 3))
            J = gradient.reshape(len(C), -1)
            return np.concatenate([J.T @ l, C + c.damping / dt * (J @ (flat - s.ravel()))])

        here = points[constraint.indices].ravel()
        C, gradient = constraint.evaluate(here.reshape(-1, 3))
        J = gradient.reshape(len(C), -1)
        slope = differentiate(local, here).reshape(-1, len(here))
        g[place] -= J.T @ force
        h[rows] = C + alpha @ force + gamma * (J @ (here - start.ravel()))
        matrix[np.ix_(place, place)] -= slope[: len(here)]
        matrix[place, n + rows.start : n + rows.stop] -= J.T
        matrix[n + rows.start : n + rows.stop, place] += slope[len(here) :]
        matrix[n + rows.start : n + rows.stop, n + rows.start : n + rows.stop] += alpha
    return g, h, matrix
