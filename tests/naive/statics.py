# SPDX-License-Identifier: GPL-3.0-or-later
"""Elastic energy, and what small loads do."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .constraints import NaiveConstraint
from .functions import Array


def elastic_energy(constraints: Iterable[NaiveConstraint], x: Array) -> float:
    """Σ ½ Cᵀ α⁻¹ C (equation 5)."""
    energy = 0.0
    for constraint in constraints:
        C, _ = constraint.evaluate(x[constraint.indices])
        energy += 0.5 * float(C @ np.linalg.solve(constraint.compliance, C))
    return energy


def stiffness(constraints: Iterable[NaiveConstraint], x: Array) -> Array:
    """∂²U/∂x² at rest, where C = 0 and so only ∇Cᵀ α⁻¹ ∇C is left; dense (3n, 3n)."""
    K = np.zeros((x.size, x.size))
    for constraint in constraints:
        C, gradient = constraint.evaluate(x[constraint.indices])
        J = gradient.reshape(len(C), -1)
        place = (3 * np.array(constraint.indices)[:, None] + np.arange(3)).ravel()
        K[np.ix_(place, place)] += J.T @ np.linalg.solve(constraint.compliance, J)
    return K


def deflection(K: Array, forces: Array, held: NDArray[np.bool_]) -> Array:
    """Small displacements (n, 3) under forces (n, 3); ``held`` (n, 3) marks what can't move."""
    free = ~held.ravel()
    u = np.zeros(K.shape[0])
    u[free] = np.linalg.solve(K[np.ix_(free, free)], forces.ravel()[free])
    return u.reshape(-1, 3)
