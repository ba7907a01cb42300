# SPDX-License-Identifier: GPL-3.0-or-later
"""Starting from the multipliers of the last substep (section 7 of the XPBD paper).

Forces change little from one substep to the next, so λ of the last one is a good first guess. For
equation 8 to hold the particles must feel it: x = x̃ + M⁻¹∇Cᵀ λ₀.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ...constraints import Constraint
from ...vector.arithmetic import Scalar, Vector, add
from ...vector.specification import KernelSpecification
from ..common.projection import moves, parameter_count


@cache
def specification(constraint: Constraint, damped: bool) -> KernelSpecification:
    """The kernel that moves particles by the multipliers as they are.

    Limits start without: within its bounds one has no direction in which λ could act.
    """

    def update(
        x: Sequence[Vector],
        inverse_mass: Sequence[Scalar],
        _previous: Sequence[Vector],
        parameters: Sequence[Scalar],
        multipliers: Sequence[Scalar],
        _inverse_time_step: Scalar,
    ) -> tuple[list[list[Scalar]], list[Scalar]]:
        if constraint.inequality:
            return [list(position) for position in x], [0.0] * constraint.components
        _, gradients = constraint.evaluate(x, parameters[: constraint.rest_size])
        steps = moves(multipliers, gradients, inverse_mass)
        return [add(a, b) for a, b in zip(x, steps, strict=True)], list(multipliers)

    return KernelSpecification(
        name=f"warm_{constraint.kind}{'_damped' if damped else ''}",
        update=update,
        vertices=constraint.vertices,
        parameters=parameter_count(constraint, damped),
        components=constraint.components,
        reads_previous=False,
    )
