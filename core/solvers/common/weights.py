# SPDX-License-Identifier: GPL-3.0-or-later
"""How much a constraint gives way to an impulse: w = ∇C M⁻¹ ∇Cᵀ, before anything moves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...constraints import Constraint
from ...layout.group import Group
from ...layout.layout import Layout
from ...native.rows import aligned_rows
from ...vector.arithmetic import Scalar, Vector
from ...vector.elements import ElementKernel
from ...vector.specification import KernelSpecification, measuring
from .projection import inner
from .sweep import measure_sum

Array = NDArray[np.float64]

NUDGE = 1e-3
"""Of a constraint's size: its gradient is measured this far from rest, where it may vanish."""


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
    size[size == 0.0] = 1.0
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
