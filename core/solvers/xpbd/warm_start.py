# SPDX-License-Identifier: GPL-3.0-or-later
"""Starting from the multipliers of the last substep (section 7 of the XPBD paper).

Forces change little from one substep to the next, so λ of the last one is a good first guess. For
equation 8 to hold the particles must feel it: x = x̃ + M⁻¹∇Cᵀ λ₀.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ...constraints import Constraint
from ...native.compiled import native_part
from ...vector.arithmetic import Scalar, Vector, add
from ...vector.specification import KernelSpecification
from ..common.integration import begin_substep
from ..common.projection import kernel_of, moves
from ..common.sweep import keep_multipliers, lead_sums, sweep_all


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

    return kernel_of(constraint, damped, "warm", update, reads_previous=False)


@native_part
def predict(arrays, contact, settings, substep, program, warm, rule, team):  # type: ignore[no-untyped-def]
    """Lines 1 to 4 of Algorithm 1, with λ₀ a fraction of the last λ.

    Args:
        warm: the sweep by which particles feel λ₀.
        rule: ``SweepRule``, whose ``kept`` and ``first`` are these fractions.
    """
    kept = rule.first if substep == 0 else rule.kept
    keep_multipliers(program.multipliers, kept, team)
    lead_sums(program.sums, settings, substep, team)
    begin_substep(arrays, contact, settings, substep, False, team)
    if rule.kept > 0.0:
        rate = arrays.rows.dtype.type(1.0) / settings.span
        sweep_all(arrays, warm, warm.outputs, rate, team)
