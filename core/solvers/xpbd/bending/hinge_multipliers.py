# SPDX-License-Identifier: GPL-3.0-or-later
"""λ of hinges that nothing sweeps, by which forces and the residual are read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ....constraints import Constraint
from ....vector.arithmetic import Scalar, Vector, reciprocal_or_zero
from ....vector.specification import KernelSpecification
from ...common.projection import kernel_of


@cache
def specification(constraint: Constraint, damped: bool) -> KernelSpecification:
    """The kernel that lets λ be -C / α̃, and particles stay where they are."""

    def update(
        x: Sequence[Vector],
        _inverse_mass: Sequence[Scalar],
        _previous: Sequence[Vector],
        parameters: Sequence[Scalar],
        _multipliers: Sequence[Scalar],
        inverse_time_step: Scalar,
    ) -> tuple[list[list[Scalar]], list[Scalar]]:
        values, _ = constraint.evaluate(x, parameters[: constraint.rest_size])
        squared = inverse_time_step * inverse_time_step
        alpha = parameters[constraint.rest_size :][: constraint.compliance_size]
        found = [
            -1.0 * value * reciprocal_or_zero(squared * each)
            for value, each in zip(values, alpha, strict=True)
        ]
        return [list(position) for position in x], found

    return kernel_of(constraint, damped, "bend", update, reads_previous=False)
