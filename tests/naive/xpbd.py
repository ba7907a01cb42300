# SPDX-License-Identifier: GPL-3.0-or-later
"""XPBD, Algorithm 1 of Macklin, Müller, Chentanez 2016."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from .chains import chain_steps
from .constraints import NaiveConstraint
from .functions import Array


def project(
    constraint: NaiveConstraint, x: Array, start: Array, w: Array, multiplier: Array, dt: float
) -> None:
    """Equations 17 and 25: changes x and λ in place."""
    C, gradient = constraint.evaluate(x[constraint.indices])
    size = len(C)
    J = gradient.reshape(size, -1)
    W = np.repeat(w[constraint.indices], 3)
    gamma = np.diag(constraint.damping / dt)
    alpha = constraint.compliance / dt**2
    moved = (x[constraint.indices] - start[constraint.indices]).ravel()
    matrix = (np.eye(size) + gamma) @ (J * W) @ J.T + alpha
    residual = C + alpha @ multiplier + gamma @ J @ moved
    change = np.linalg.lstsq(matrix, -residual, rcond=1e-12)[0]
    multiplier += change
    if constraint.chain:
        along = constraint.chain
        order = [constraint.indices.index(particle) for particle in along]
        forces = np.zeros((len(along), 3))  # of a ring's first particle from either side apart
        for link in range(size):
            for end in (link, link + 1):
                forces[end] += gradient[link, order[end]] * change[link]
        np.add.at(x, along, chain_steps(x[along], w[along], forces, multiplier))
    else:
        forces = (J.T @ change).reshape(-1, 3)
        x[constraint.indices] += w[constraint.indices][:, None] * forces


def xpbd_step(
    x: Array,
    v: Array,
    w: Array,
    constraints: Iterable[NaiveConstraint],
    dt: float,
    *,
    gravity: ArrayLike = (0.0, 0.0, 0.0),
    iterations: int = 1,
    kinematic: dict[int, Array] | None = None,
) -> tuple[Array, Array, list[Array]]:
    """One step of Algorithm 1; ``kinematic`` gives where particles with w = 0 are afterwards."""
    constraints = list(constraints)
    start = x.copy()
    free = w > 0.0
    x = x.copy()
    x[free] += dt * v[free] + dt**2 * np.asarray(gravity)
    for particle, target in (kinematic or {}).items():
        x[particle] = target
    multipliers = [np.zeros(len(c.compliance)) for c in constraints]
    for _ in range(iterations):
        for constraint, multiplier in zip(constraints, multipliers, strict=True):
            project(constraint, x, start, w, multiplier, dt)
    return x, (x - start) / dt, multipliers
