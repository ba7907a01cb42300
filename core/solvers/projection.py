# SPDX-License-Identifier: GPL-3.0-or-later
"""The XPBD update of one constraint, equations 17, 18, 25 and 26 of Macklin et al. 2016.

Written on scalars for any constraint type; :mod:`core.vector` turns it into machine code.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ..constraints import Constraint
from ..vector.kernel import KernelSpecification
from ..vector.lanes import (
    SMALLEST,
    Scalar,
    Vector,
    add,
    dot,
    scale,
    solve_symmetric,
    subtract,
    total,
)

ROUNDING = 1e-5
"""Of the sum of the diagonal of ∇C M⁻¹ ∇Cᵀ: what single precision leaves where it is singular."""


def project(
    constraint: Constraint,
    x: Sequence[Vector],
    inverse_mass: Sequence[Scalar],
    previous: Sequence[Vector],
    parameters: Sequence[Scalar],
    multipliers: Sequence[Scalar],
    inverse_time_step: Scalar,
) -> tuple[list[list[Scalar]], list[Scalar]]:
    """One Gauss–Seidel update; returns the new positions and multipliers.

    Args:
        x, inverse_mass: the particles of the constraint.
        previous: their positions xⁿ at the start of the substep; empty without damping.
        parameters: rest state, compliance α (lower triangle), and with damping the times [s] of
            the components.
        multipliers: λ, one a component.
        inverse_time_step: 1/Δt [1/s].
    """
    components = range(constraint.components)
    rest = parameters[: constraint.rest_size]
    squared = inverse_time_step * inverse_time_step
    alpha = parameters[constraint.rest_size :][: constraint.compliance_size]
    compliance = symmetric([squared * value for value in alpha])
    values, gradients = constraint.evaluate(x, rest)

    # h = C + α̃ λ, A = ∇C M⁻¹ ∇Cᵀ + α̃
    residual = [
        values[i] + total([compliance[i][j] * multipliers[j] for j in components])
        for i in components
    ]
    weighted = [
        [scale(w, gradient) for w, gradient in zip(inverse_mass, gradients[i], strict=True)]
        for i in components
    ]
    if previous:
        # (1 + γ) ∇C M⁻¹ ∇Cᵀ + α̃ and h + γ ∇C (x - xⁿ), both divided by 1 + γ: stays symmetric
        moved = [subtract(a, b) for a, b in zip(x, previous, strict=True)]
        times = parameters[-constraint.components :]
        for i in components:
            gamma = inverse_time_step * times[i]
            share = 1.0 / (1.0 + gamma)
            residual[i] = share * (residual[i] + gamma * inner(gradients[i], moved))
            compliance[i] = [share * value for value in compliance[i]]
    matrix = [[inner(weighted[i], gradients[j]) for j in range(i + 1)] for i in components]
    least = ROUNDING * total([matrix[i][i] for i in components]) if len(matrix) > 1 else SMALLEST
    matrix = [[matrix[i][j] + compliance[i][j] for j in range(i + 1)] for i in components]
    change = [-step for step in solve_symmetric(matrix, residual, least)]
    corrected = [list(position) for position in x]
    for i in components:
        corrected = [
            add(position, scale(change[i], direction))
            for position, direction in zip(corrected, weighted[i], strict=True)
        ]
    return corrected, [old + step for old, step in zip(multipliers, change, strict=True)]


def inner(a: Sequence[Vector], b: Sequence[Vector]) -> Scalar:
    """The sum over the vertices of a · b."""
    return total([dot(p, q) for p, q in zip(a, b, strict=True)])


def symmetric(triangle: Sequence[Scalar]) -> list[list[Scalar]]:
    """A full symmetric matrix from its lower triangle, row by row."""
    size = int((2 * len(triangle)) ** 0.5)
    return [
        [triangle[max(i, j) * (max(i, j) + 1) // 2 + min(i, j)] for j in range(size)]
        for i in range(size)
    ]


@cache
def specification(constraint: Constraint, damped: bool) -> KernelSpecification:
    """The kernel that projects this constraint type."""

    def update(*arguments: Sequence[Scalar]) -> tuple[list[list[Scalar]], list[Scalar]]:
        return project(constraint, *arguments)

    times = constraint.components if damped else 0
    return KernelSpecification(
        name=f"xpbd_{constraint.kind}{'_damped' if damped else ''}",
        update=update,
        vertices=constraint.vertices,
        parameters=constraint.rest_size + constraint.compliance_size + times,
        components=constraint.components,
        reads_previous=damped,
    )
