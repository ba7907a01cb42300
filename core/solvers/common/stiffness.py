# SPDX-License-Identifier: GPL-3.0-or-later
"""The stiffness k of PBD's constraints (Müller et al. 2007, section 3.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...constraints import REGISTRY, Constraint
from ...layout.group import Group
from ...layout.layout import Layout
from ...state import aligned_rows
from ...vector.arithmetic import Scalar, Vector
from ...vector.elements import ElementKernel
from ...vector.specification import KernelSpecification, measuring
from .projection import inner
from .sums import measure_sum

Array = NDArray[np.float64]

Stiffness = float | Mapping[str, float] | None
"""k of all constraints, k by kind, or (also for kinds that are not named) that of the material."""

NUDGE = 1e-3
"""Of a constraint's size: its gradient is measured this far from rest, where it may vanish."""


def checked_stiffness(stiffness: Stiffness) -> Stiffness:
    """The stiffness, or a ValueError: k outside [0, 1], a kind that does not exist."""
    named = stiffness if isinstance(stiffness, Mapping) else {}
    for kind in named:
        if kind not in REGISTRY:
            known = ", ".join(sorted(REGISTRY))
            raise ValueError(f"There is no constraint kind '{kind}'; there are: {known}.")
    for k in named.values() if isinstance(stiffness, Mapping) else [stiffness]:
        if k is not None and not 0.0 <= k <= 1.0:
            raise ValueError(f"A stiffness lies between 0 and 1, unlike {k}.")
    return dict(named) if isinstance(stiffness, Mapping) else stiffness


def given_stiffness(stiffness: Stiffness, constraint: Constraint) -> float | None:
    """The k that a kind of constraints is given, if any; limits hold whatever is asked for."""
    if constraint.inequality:
        return 1.0
    return stiffness.get(constraint.kind) if isinstance(stiffness, Mapping) else stiffness


def material_stiffness(group: Group, weights: Array, time_step: float) -> Array:
    """K = w / (w + α̃), the part of C that the first iteration of XPBD takes away.

    Args:
        weights: of :func:`weights_of`.
        time_step: of a substep [s], in α̃ = α / Δt².

    Returns:
        Of each component, shape (count, components).
    """
    diagonal = [i * (i + 3) // 2 for i in range(group.constraint.components)]
    compliance = group.compliance[:, diagonal] / time_step**2
    whole = weights + compliance
    return np.asarray(np.where(whole > 0.0, weights / np.where(whole > 0.0, whole, 1.0), 1.0))


def per_iteration(k: Array, iterations: int) -> Array:
    """k' = 1 - (1 - k)^(1/n): n iterations of a constraint leave the part 1 - k of its error."""
    return np.asarray(1.0 - (1.0 - k) ** (1.0 / iterations))


def weights_of(group: Group, positions: Array, masses: Array) -> Array:
    """w = ∇C M⁻¹ ∇Cᵀ of the components of constraints, shape (count, components).

    Args:
        positions, masses: of all particles, shapes (n, 3) and (n,).
    """
    constraint, (count, corners) = group.constraint, group.indices.shape
    if count == 0:
        return np.empty((0, constraint.components))
    if constraint.summed:
        return _weight_of_sum(group, positions, masses)
    points = positions[group.indices]
    # Corners and axes first: numpy takes ten times longer along short last axes.
    size = np.ptp(points.transpose(1, 2, 0).copy(), axis=0).max(axis=0)
    nudges = np.random.default_rng(0).uniform(-NUDGE, NUDGE, points.shape)
    rows = aligned_rows(count * corners, np.float64)
    rows[:, :3] = (points + size[:, None, None] * nudges).reshape(-1, 3)
    rows[:, 3] = 1.0 / masses[group.indices].ravel()
    elements = np.arange(count * corners).reshape(count, corners)
    kernel = ElementKernel(_specification(constraint), elements, group.rest, np.float64)
    kernel.run(rows)
    return np.asarray(kernel.values)


def _weight_of_sum(group: Group, positions: Array, masses: Array) -> Array:
    """The same of a summed group, shape (1, 1)."""
    rows = aligned_rows(len(positions), np.float64)
    rows[:, :3], rows[:, 3] = positions, 1.0 / masses
    sums = Layout([group], len(positions), np.float64).sums
    _, weight, _ = measure_sum(sums, 0, rows, rows, False)
    return np.array([[weight]])


@cache
def _specification(constraint: Constraint) -> KernelSpecification:
    """The kernel that puts out the diagonal of ∇C M⁻¹ ∇Cᵀ."""

    def diagonal(
        x: Sequence[Vector], inverse_mass: Sequence[Scalar], rest: Sequence[Scalar]
    ) -> list[Scalar]:
        _, gradients = constraint.evaluate(x, rest)
        return [inner(row, row, inverse_mass) for row in gradients]

    return measuring(
        f"weight_{constraint.kind}",
        diagonal,
        vertices=constraint.vertices,
        parameters=constraint.rest_size,
        outputs=constraint.components,
    )
