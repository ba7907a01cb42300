# SPDX-License-Identifier: GPL-3.0-or-later
"""XPBD by Gauss–Seidel as one writes it first: one distance constraint after the other.

The same in C is c/plain.c.
"""

from __future__ import annotations

import numba
import numpy as np


@numba.njit(fastmath=True, error_model="numpy")
def project(x, inverse_mass, pairs, rest, compliance, multipliers, rate):  # type: ignore[no-untyped-def]
    """One sweep over distance constraints in the order given.

    Args:
        x: positions [m], shape (n, 3), changed.
        inverse_mass: [1/kg], shape (n,).
        pairs: shape (m, 2); rest [m], compliance [m/N] and multipliers: shape (m,).
        rate: 1/Δt [1/s].
    """
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
        length = np.sqrt(dx * dx + dy * dy + dz * dz)
        alpha = compliance[k] * rate * rate
        weight = inverse_mass[i] + inverse_mass[j] + alpha
        if length == 0.0 or weight == 0.0:
            continue
        change = (rest[k] - length - alpha * multipliers[k]) / weight
        scale = change / length
        multipliers[k] += change
        x[i, 0] -= inverse_mass[i] * scale * dx
        x[i, 1] -= inverse_mass[i] * scale * dy
        x[i, 2] -= inverse_mass[i] * scale * dz
        x[j, 0] += inverse_mass[j] * scale * dx
        x[j, 1] += inverse_mass[j] * scale * dy
        x[j, 2] += inverse_mass[j] * scale * dz
