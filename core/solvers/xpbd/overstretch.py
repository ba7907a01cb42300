# SPDX-License-Identifier: GPL-3.0-or-later
"""How much longer the solver has left the material than its stiffness allows.

At the solution of equation 8, C = -α̃ λ: the force λ stretches the material by just that. What
C + α̃ λ (equation 9) leaves is error: a constraint that is solved once a substep gives way as if it
were softer by its own share of ∇C M⁻¹ ∇Cᵀ h². It falls with the square of the substep h.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...constraints import Constraint
from ...layout.layout import Layout
from ...layout.program import Program
from ...state import State
from ...vector.arithmetic import Scalar
from ...vector.specification import KernelSpecification
from ..common.projection import kernel_of, linearised
from ..common.sweep import sweep

LEFT_OUT = 0.001
"""Fraction of an object's constraints that may be stretched more: a single pinned vertex carries a
point load, whose stretch has no bound as the mesh gets finer."""


@cache
def specification(constraint: Constraint, damped: bool) -> KernelSpecification:
    """The kernel that puts out the stretch that C + α̃ λ stands for."""

    def update(
        x: Sequence[Sequence[Scalar]],
        _inverse_mass: Sequence[Scalar],
        previous: Sequence[Sequence[Scalar]],
        parameters: Sequence[Scalar],
        multipliers: Sequence[Scalar],
        inverse_time_step: Scalar,
    ) -> tuple[list[Scalar], list[Scalar]]:
        assert constraint.stretch is not None
        error, _, _ = linearised(
            constraint, x, previous, parameters, multipliers, inverse_time_step
        )
        if damped:
            times = parameters[constraint.rest_size + constraint.compliance_size :]
            error = [
                (1.0 + inverse_time_step * time) * each
                for time, each in zip(times, error, strict=False)
            ]
        rest = parameters[: constraint.rest_size]
        return [constraint.stretch(error, rest)], list(multipliers)

    return kernel_of(constraint, damped, "overstretch", update, "values", 1)


class Gauge(NamedTuple):
    """What measures the overstretch of a model.

    Attributes:
        program: the sweep that measures every constraint that knows of lengths.
        places: for each group of them where its values are put, shape (count,).
    """

    program: Program
    places: list[NDArray[np.int64]]


def gauge_of(layout: Layout) -> Gauge:
    """The gauge for constraints laid out like this."""
    measured = [
        group.constraint.stretch is not None and len(group.indices) > 0 for group in layout.groups
    ]
    program = layout.program(specification, only=measured, sums="correct")
    places = layout.places([int(taken) for taken in measured])
    return Gauge(program, [p.ravel() for p, taken in zip(places, measured, strict=True) if taken])


def overstretch(gauge: Gauge, state: State) -> float:
    """The largest overstretch of any object, all but a thousandth of each considered.

    Args:
        state: after a step.

    Returns:
        A fraction of the rest length; 0 where nothing can be stretched.
    """
    if state.time_step == 0.0 or not gauge.places:
        return 0.0
    program, rate = gauge.program, state.rows.dtype.type(1.0 / state.time_step)
    sweep(program, state.rows, state.previous, program.outputs, rate)
    return max(0.0, *(_all_but_few(program.outputs[places]) for places in gauge.places))


def _all_but_few(values: NDArray[np.floating]) -> float:
    place = int((1.0 - LEFT_OUT) * (len(values) - 1))
    return float(np.partition(values, place)[place])
