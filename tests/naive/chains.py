# SPDX-License-Identifier: GPL-3.0-or-later
"""Slow and obvious reference for what multipliers along a chain do to its particles."""

from __future__ import annotations

import numpy as np

from .functions import Array


def chain_steps(points: Array, w: Array, forces: Array, multipliers: Array) -> Array:
    """Δx of equation 12, first row, for the particles along a chain of links.

    Along the chain Δx = M⁻¹ f. Across it (M - Σ λ ∇²C) Δx = f, where ∇²C of a straight chain's link
    is 1/ℓ times the Laplacian of two points. The direction at a particle is that of the link that
    ends there. A ring is a chain that ends where it begins; both ends are moved apart.

    Args:
        points: where ∇C was taken, shape (k, 3).
        w: inverse masses, shape (k,).
        forces: ∇CᵀΔλ, shape (k, 3).
        multipliers: λ with Δλ in it, one a link, shape (k - 1,).
    """
    ways = np.diff(points, axis=0)
    lengths = np.linalg.norm(ways, axis=1)
    along = forces.copy()
    for i, (way, length) in enumerate(zip(ways, lengths, strict=True), start=1):
        along[i] = way * (way @ forces[i]) / length**2
    laplacian = np.zeros((len(points), len(points)))
    for i, (length, multiplier) in enumerate(zip(lengths, multipliers, strict=True)):
        tension = max(-multiplier, 0.0) / length
        laplacian[i : i + 2, i : i + 2] += tension * np.array([[1.0, -1.0], [-1.0, 1.0]])
    matrix = np.eye(len(points)) + w[:, None] * laplacian
    return w[:, None] * along + np.linalg.solve(matrix, w[:, None] * (forces - along))
