# SPDX-License-Identifier: GPL-3.0-or-later
"""Constrained dynamics, GAMES103 lecture 6, by dense solves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .constraints import NaiveConstraint
from .functions import Array


def schur_system(
    x: Array,
    start: Array,
    w: Array,
    multipliers: Sequence[Array],
    constraints: Sequence[NaiveConstraint],
    dt: float,
) -> tuple[Array, Array, Array]:
    """Dense S and h of equations 16 and 25, and ∇C, shape (rows, 3n).

    Where constraints are damped, their rows are divided by 1 + γ: S is symmetric.
    """
    rows = sum(len(c.compliance) for c in constraints)
    J, h, compliance = np.zeros((rows, x.size)), np.zeros(rows), np.zeros((rows, rows))
    first = 0
    for constraint, multiplier in zip(constraints, multipliers, strict=True):
        C, gradient = constraint.evaluate(x[constraint.indices])
        part = slice(first, first := first + len(C))
        place = (3 * np.array(constraint.indices)[:, None] + np.arange(3)).ravel()
        J[part, place] = gradient.reshape(len(C), -1)
        gamma = constraint.damping / dt
        alpha = constraint.compliance / dt**2
        h[part] = (C + alpha @ multiplier + gamma * (J[part] @ (x - start).ravel())) / (1 + gamma)
        compliance[part, part] = alpha / (1 + gamma)[:, None]
    return (J * np.repeat(w, 3)) @ J.T + compliance, h, J


def constrained_step(
    x: Array,
    v: Array,
    w: Array,
    constraints: Sequence[NaiveConstraint],
    dt: float,
    *,
    gravity: ArrayLike = (0.0, 0.0, 0.0),
    iterations: int = 1,
    refined: bool = True,
) -> tuple[Array, Array, list[Array]]:
    """One step with dense solves at the level of positions.

    Args:
        refined: let each matrix serve twice (Shamanskii), as the core does.
    """
    start, x = x, x.copy()
    x[w > 0.0] += (dt * v + dt**2 * np.asarray(gravity))[w > 0.0]
    multipliers = [np.zeros(len(c.compliance)) for c in constraints]
    for _ in range(iterations):
        S, h, J = schur_system(x, start, w, multipliers, constraints, dt)
        for again in range(1 + refined):
            if again:
                _, h, J = schur_system(x, start, w, multipliers, constraints, dt)
            change = np.linalg.lstsq(S, -h, rcond=1e-12)[0]
            x = x + (np.repeat(w, 3) * (J.T @ change)).reshape(-1, 3)
            ends = np.cumsum([len(c.compliance) for c in constraints])
            parts = np.split(change, ends[:-1])
            multipliers = [a + b for a, b in zip(multipliers, parts, strict=True)]
    return x, (x - start) / dt, multipliers


def velocity_level_step(
    x: Array,
    v: Array,
    w: Array,
    constraints: Sequence[NaiveConstraint],
    dt: float,
    *,
    gravity: ArrayLike = (0.0, 0.0, 0.0),
) -> tuple[Array, Array]:
    """The system that the lecture prints (its second row with J for Jᵀ), eliminated for λ.

    M v' - Δt Jᵀ λ = M v and Δt J v' + C λ = -φ, with φ, J at the start of the step.
    """
    rows = [np.zeros(len(c.compliance)) for c in constraints]
    S, phi, J = schur_system(x, x, w, rows, constraints, dt)
    v = v.copy()
    v[w > 0.0] += dt * np.asarray(gravity)
    impulse = np.linalg.solve(S, -(phi / dt + J @ v.ravel()))
    v += (np.repeat(w, 3) * (J.T @ impulse)).reshape(-1, 3)
    return x + dt * v, v
