# SPDX-License-Identifier: GPL-3.0-or-later
"""The force of a constraint's energy ½ Cᵀ α⁻¹ C, with Rayleigh damping, for any constraint type.

It is -∇Cᵀ α⁻¹ (C + Γ ∇C (x - xⁿ)), Γ the damping times over Δt: ∇Cᵀ λ / Δt² with the λ of equations
8 and 26 of the XPBD paper, here as a function of the positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ...constraints import Constraint
from ...vector.arithmetic import Scalar, Vector, solve_symmetric, subtract, total
from ...vector.specification import KernelSpecification
from ..common.projection import combined, inner, kernel_of, symmetric


def elastic_force(
    constraint: Constraint,
    x: Sequence[Vector],
    previous: Sequence[Vector],
    parameters: Sequence[Scalar],
    inverse_time_step: Scalar,
) -> tuple[list[list[Scalar]], list[Scalar], Scalar]:
    """Forces [N] on the vertices, λ / Δt² of the components, and the energy [J].

    Args:
        x, previous, parameters, inverse_time_step: as in :func:`.projection.project`.
    """
    values, gradients = constraint.evaluate(x, parameters[: constraint.rest_size])
    after_rest = parameters[constraint.rest_size :]
    strain = list(values)
    if previous:
        moved = [subtract(a, b) for a, b in zip(x, previous, strict=True)]
        times = after_rest[constraint.compliance_size :]
        for i, gradient in enumerate(gradients):
            strain[i] = strain[i] + inverse_time_step * times[i] * inner(gradient, moved)
    compliance = symmetric(after_rest[: constraint.compliance_size])
    pull = [-stress for stress in solve_symmetric(compliance, strain)]
    energy = -0.5 * total([a * b for a, b in zip(pull, strain, strict=True)])
    return combined(pull, gradients), pull, energy


@cache
def specification(constraint: Constraint, damped: bool) -> KernelSpecification:
    """The kernel that adds up each vertex's forces and its share of the energy, and leaves λ."""

    def update(
        x: Sequence[Vector],
        _inverse_mass: Sequence[Scalar],
        previous: Sequence[Vector],
        parameters: Sequence[Scalar],
        _multipliers: Sequence[Scalar],
        inverse_time_step: Scalar,
    ) -> tuple[list[list[Scalar]], list[Scalar]]:
        forces, pull, energy = elastic_force(constraint, x, previous, parameters, inverse_time_step)
        share = (1.0 / constraint.vertices) * energy
        square = 1.0 / (inverse_time_step * inverse_time_step)
        return [[*force, share] for force in forces], [square * part for part in pull]

    return kernel_of(constraint, damped, "elastic", update, "rows")
