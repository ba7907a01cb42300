# SPDX-License-Identifier: GPL-3.0-or-later
"""Implicit Euler of springs, by Newton's method on dense matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .functions import Array


def spring_step(
    x: Array,
    v: Array,
    masses: Array,
    springs: NDArray[np.integer],
    rest: Array,
    stiffness: Array,
    dt: float,
    *,
    gravity: ArrayLike = (0.0, 0.0, 0.0),
    tolerance: float = 1e-13,
) -> tuple[Array, list[float]]:
    """The end of a step: the minimum of ½ ‖y - x̃‖²_M / dt² + Σ ½ k (l - L)², by Newton's method.

    Without the part of the stiffness that is negative in compression until the gradient is small,
    and with backtracking. Returns the positions and E of each iteration.
    """
    free = np.isfinite(masses)
    inertia = np.where(free, masses, 0.0)[:, None] / dt**2
    y = np.where(free[:, None], x + dt * v + dt**2 * np.asarray(gravity), x)
    inertial, energies = y, []
    for _ in range(300):
        energies.append(spring_energy(y, inertial, inertia, springs, rest, stiffness))
        near = len(energies) > 1 and energies[-2] - energies[-1] < 1e-6 * energies[-1]
        force, H = spring_system(y, inertial, inertia, springs, rest, stiffness, exact=near)
        change = np.zeros_like(y)
        place = np.repeat(free, 3)
        change[free] = np.linalg.solve(H[np.ix_(place, place)], force[free].ravel()).reshape(-1, 3)
        if np.abs(change).max() < tolerance:
            return y, energies
        size = 1.0
        while size > 1e-9 and energies[-1] * (1 + 1e-14) < spring_energy(
            y + size * change, inertial, inertia, springs, rest, stiffness
        ):
            size *= 0.5
        y = y + size * change
    raise ArithmeticError("Newton's method did not converge")


def spring_energy(
    y: Array,
    inertial: Array,
    inertia: Array,
    springs: NDArray[np.integer],
    rest: Array,
    stiffness: Array,
) -> float:
    """½ ‖y - x̃‖² weighted by inertia (n, 1), and ½ k (l - L)² of all springs."""
    lengths = np.linalg.norm(y[springs[:, 1]] - y[springs[:, 0]], axis=1)
    kinetic = 0.5 * float((inertia * (y - inertial) ** 2).sum())
    return kinetic + 0.5 * float((stiffness * (lengths - rest) ** 2).sum())


def spring_system(
    y: Array,
    inertial: Array,
    inertia: Array,
    springs: NDArray[np.integer],
    rest: Array,
    stiffness: Array,
    exact: bool,
) -> tuple[Array, Array]:
    """-∇E (n, 3) and ∇²E (3n, 3n); if not exact without what is negative in compression."""
    n = len(y)
    apart = y[springs[:, 1]] - y[springs[:, 0]]
    lengths = np.linalg.norm(apart, axis=1)
    along = apart / lengths[:, None]
    pull = (stiffness * (lengths - rest))[:, None] * along
    force = -inertia * (y - inertial)
    np.add.at(force, springs[:, 0], pull)
    np.add.at(force, springs[:, 1], -pull)
    across = 1.0 - rest / lengths
    across = across if exact else np.maximum(across, 0.0)
    outer = along[:, :, None] * along[:, None, :]
    blocks = stiffness[:, None, None] * (outer + across[:, None, None] * (np.eye(3) - outer))
    H = np.zeros((n, n, 3, 3))
    for first, second, sign in ((0, 0, 1), (1, 1, 1), (0, 1, -1), (1, 0, -1)):
        np.add.at(H, (springs[:, first], springs[:, second]), sign * blocks)
    H[np.arange(n), np.arange(n)] += inertia[:, :, None] * np.eye(3)
    return force, H.transpose(0, 2, 1, 3).reshape(3 * n, 3 * n)
