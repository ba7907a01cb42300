# SPDX-License-Identifier: GPL-3.0-or-later
"""Automatic Quality: how much too long a step left the material, and what the next one needs.

At the solution of equation 8, C = -α̃ λ: the force λ stretches the material by just that. What
C + α̃ λ (equation 9) leaves is error: a constraint that is solved once a substep gives way as if it
were softer by its own share of ∇C M⁻¹ ∇Cᵀ h². It falls with the square of the substep h.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
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

LEAST = 20
"""Substeps below which fast movement and contact become coarse, however little is stretched."""

AIM = 0.5
"""Of the stretch allowed: what a step aims at, as the next one may need more."""

MOST_GROWTH, LEAST_GROWTH = 2.0, 0.95
"""Of the work from step to step; saving faster, it would time and again do too little."""


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


@dataclass(frozen=True)
class Effort:
    """What is spent on a step.

    Attributes:
        substeps, iterations: counts.
        overstretch: what is left after it, a fraction of the rest length.
    """

    substeps: int
    iterations: int
    overstretch: float = 0.0


def first_effort(most: Effort) -> Effort:
    """What to begin with, before anything has been measured."""
    return Effort(min(most.substeps, 2 * LEAST), 1)


def next_effort(last: Effort, allowed: float, most: Effort) -> Effort:
    """What the next step needs.

    The overstretch falls with the square of the number of substeps and with that of iterations.
    Substeps are better spent (Macklin et al. 2019, "Small steps in physics simulation"); iterations
    make up for those that are not allowed.

    Args:
        last: the step before, with what it left.
        allowed: stretch allowed.
        most: the limits.
    """
    spent = last.substeps * math.sqrt(last.iterations)
    growth = math.sqrt(last.overstretch / (AIM * allowed))
    wanted = spent * min(max(growth, LEAST_GROWTH), MOST_GROWTH)
    substeps = min(math.ceil(max(wanted, LEAST)), most.substeps)
    iterations = (math.floor if wanted < spent else round)((wanted / substeps) ** 2)
    return Effort(substeps, min(max(iterations, 1), most.iterations))
