# SPDX-License-Identifier: GPL-3.0-or-later
"""The XPBD update of one constraint, equations 17, 18, 25 and 26 of Macklin et al. 2016.

Written on scalars for any constraint type; :mod:`core.vector` turns it into machine code.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ...constraints import Constraint
from ...constraints.base import Gradients
from ...vector.arithmetic import (
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
from ...vector.specification import KernelSpecification, Update, Writes

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
    change, gradients = multiplier_change(
        constraint, x, inverse_mass, previous, parameters, multipliers, inverse_time_step
    )
    if constraint.pull is not None:
        pulls = constraint.pull(x, parameters[: constraint.rest_size], change)
        steps = weighted(inverse_mass, pulls)
    else:
        steps = moves(change, gradients, inverse_mass)
    moved = [add(position, step) for position, step in zip(x, steps, strict=True)]
    return moved, [old + step for old, step in zip(multipliers, change, strict=True)]


def multiplier_change(
    constraint: Constraint,
    x: Sequence[Vector],
    inverse_mass: Sequence[Scalar],
    previous: Sequence[Vector],
    parameters: Sequence[Scalar],
    multipliers: Sequence[Scalar],
    inverse_time_step: Scalar,
    split: Sequence[Scalar] | None = None,
) -> tuple[list[Scalar], Gradients]:
    """Equation 25: Δλ of one constraint, and its ∇C.

    Args:
        split: into how many parts each particle is divided where constraints are solved at the
            same time; each then has a part of the mass. By default particles are whole.
    """
    components = range(constraint.components)
    residual, gradients, compliance = linearised(
        constraint, x, previous, parameters, multipliers, inverse_time_step
    )
    if split is not None:
        inverse_mass = [w * count for w, count in zip(inverse_mass, split, strict=True)]
    rest = parameters[: constraint.rest_size]
    matrix, least = weight_matrix(constraint, x, rest, gradients, inverse_mass)
    matrix = [[matrix[i][j] + compliance[i][j] for j in range(i + 1)] for i in components]
    return [-step for step in solve_symmetric(matrix, residual, least)], gradients


def weight_matrix(
    constraint: Constraint,
    x: Sequence[Vector],
    rest: Sequence[Scalar],
    gradients: Gradients,
    inverse_mass: Sequence[Scalar],
) -> tuple[list[list[Scalar]], Scalar]:
    """∇C M⁻¹ ∇Cᵀ, lower triangle, and the pivot below which it is singular."""
    components = range(constraint.components)
    if constraint.products is not None:
        matrix = constraint.products(x, rest, inverse_mass)
    else:
        matrix = [
            [inner(gradients[i], gradients[j], inverse_mass) for j in range(i + 1)]
            for i in components
        ]
    if len(matrix) == 1:
        return matrix, SMALLEST
    return matrix, ROUNDING * total([matrix[i][i] for i in components])


def linearised(
    constraint: Constraint,
    x: Sequence[Vector],
    previous: Sequence[Vector],
    parameters: Sequence[Scalar],
    multipliers: Sequence[Scalar],
    inverse_time_step: Scalar,
) -> tuple[list[Scalar], Gradients, list[list[Scalar]]]:
    """What equation 25 needs of one constraint: the residual C + α̃ λ (equation 9), ∇C and α̃.

    With damping the first and the last are divided by 1 + γ, as is the whole equation, which stays
    symmetric:
    (∇C M⁻¹ ∇Cᵀ + α̃ / (1 + γ)) Δλ = -(C + α̃ λ + γ ∇C (x - xⁿ)) / (1 + γ).
    """
    components = range(constraint.components)
    squared = inverse_time_step * inverse_time_step
    alpha = parameters[constraint.rest_size :][: constraint.compliance_size]
    compliance = symmetric([squared * value for value in alpha])
    values, gradients = constraint.evaluate(x, parameters[: constraint.rest_size])
    residual = [
        values[i] + total([compliance[i][j] * multipliers[j] for j in components])
        for i in components
    ]
    if previous:
        moved = [subtract(a, b) for a, b in zip(x, previous, strict=True)]
        times = parameters[constraint.rest_size + constraint.compliance_size :]
        for i in components:
            gamma = inverse_time_step * times[i]
            factor = 1.0 / (1.0 + gamma)
            residual[i] = factor * (residual[i] + gamma * inner(gradients[i], moved))
            compliance[i] = [factor * value for value in compliance[i]]
    return residual, gradients, compliance


def moves(
    multipliers: Sequence[Scalar], gradients: Gradients, inverse_mass: Sequence[Scalar]
) -> list[list[Scalar]]:
    """Equation 17: Δx = M⁻¹ ∇Cᵀ Δλ, one vector a vertex."""
    if len(multipliers) == 1:
        return weighted([w * multipliers[0] for w in inverse_mass], gradients[0])
    return weighted(inverse_mass, combined(multipliers, gradients))


def combined(multipliers: Sequence[Scalar], gradients: Gradients) -> list[list[Scalar]]:
    """∇Cᵀ λ, one vector a vertex."""
    pulls = [scale(multipliers[0], vector) for vector in gradients[0]]
    for multiplier, row in zip(multipliers[1:], gradients[1:], strict=True):
        pulls = [
            add(pull, scale(multiplier, vector)) for pull, vector in zip(pulls, row, strict=True)
        ]
    return pulls


def weighted(factors: Sequence[Scalar], vectors: Sequence[Vector]) -> list[list[Scalar]]:
    """Each vector times the factor of its vertex."""
    return [scale(factor, vector) for factor, vector in zip(factors, vectors, strict=True)]


def inner(
    a: Sequence[Vector], b: Sequence[Vector], factors: Sequence[Scalar] | None = None
) -> Scalar:
    """The sum over the vertices of a · b, each times the factor of its vertex."""
    products = [dot(p, q) for p, q in zip(a, b, strict=True)]
    if factors is None:
        return total(products)
    return total([factor * product for factor, product in zip(factors, products, strict=True)])


def symmetric(triangle: Sequence[Scalar]) -> list[list[Scalar]]:
    """A full symmetric matrix from its lower triangle, row by row."""
    size = int((2 * len(triangle)) ** 0.5)
    return [
        [triangle[max(i, j) * (max(i, j) + 1) // 2 + min(i, j)] for j in range(size)]
        for i in range(size)
    ]


def parameter_count(constraint: Constraint, damped: bool) -> int:
    """Numbers that describe one constraint to a kernel."""
    times = constraint.components if damped else 0
    return constraint.rest_size + constraint.compliance_size + times


@cache
def specification(constraint: Constraint, damped: bool) -> KernelSpecification:
    """The kernel that projects this constraint type."""

    def update(*arguments: Sequence[Scalar]) -> tuple[list[list[Scalar]], list[Scalar]]:
        return project(constraint, *arguments)

    return kernel_of(constraint, damped, "xpbd", update)


def kernel_of(
    constraint: Constraint,
    damped: bool,
    purpose: str,
    update: Update,
    writes: Writes = "positions",
    outputs: int = 0,
    *,
    further: int = 0,
    reads_previous: bool | None = None,
) -> KernelSpecification:
    """A kernel over constraints with their rest state, compliance and, if damped, times.

    Args:
        purpose: what it does with them, for its name.
        update, writes, outputs: as in :class:`.KernelSpecification`.
        further: parameters of each constraint after these.
        reads_previous: as there; by default where there is damping.
    """
    return KernelSpecification(
        name=f"{purpose}_{constraint.kind}{'_damped' if damped else ''}",
        update=update,
        vertices=constraint.vertices,
        parameters=parameter_count(constraint, damped) + further,
        components=constraint.components,
        reads_previous=damped if reads_previous is None else reads_previous,
        writes=writes,
        outputs=outputs,
    )
