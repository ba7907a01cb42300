# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a state is from solving its constraints: the movement that one more iteration makes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from ...constraints import Constraint
from ...constraints.base import Gradients
from ...layout.layout import Layout
from ...layout.program import Program
from ...native.rows import PADDING, aligned_rows
from ...state import State
from ...vector.arithmetic import Scalar, select, total
from ...vector.specification import KernelSpecification
from .projection import inner, kernel_of, moves, multiplier_change
from .sweep import sweep


@cache
def specification(constraint: Constraint, damped: bool) -> KernelSpecification:
    """The kernel that adds up the :func:`corrections` of XPBD."""

    def update(*arguments: Sequence[Scalar]) -> tuple[list[list[Scalar]], list[Scalar]]:
        change, gradients = multiplier_change(constraint, *arguments)
        return corrections(change, gradients, arguments[1]), list(arguments[4])

    return kernel_of(constraint, damped, "correction", update, "rows")


def corrections(
    change: Sequence[Scalar], gradients: Gradients, inverse_mass: Sequence[Scalar]
) -> list[list[Scalar]]:
    """Δx of each vertex by Δλ, and in the fourth column how many constraints there are: one.

    One without a gradient, such as a limit that is kept or the filling of unused lanes, counts as
    none.
    """
    freedom = total([inner(gradient, gradient, inverse_mass) for gradient in gradients])
    count = select(freedom > 0.0, 1.0, 0.0)
    return [[*step, count] for step in moves(change, gradients, inverse_mass)]


def program_of(layout: Layout) -> Program:
    """The sweep that measures corrections."""
    unsewn = [group.stitching is None for group in layout.groups]
    return layout.program(specification, unsewn, sums="correct")


def largest_correction(program: Program, state: State) -> float:
    """The largest movement [m] of an averaged Jacobi iteration (GAMES103) from here.

    Args:
        program: of :func:`program_of`.
        state: after a step.
    """
    if state.span == 0.0 or len(program.batches) == 0:
        return 0.0
    sums = aligned_rows(state.count + PADDING, state.rows.dtype)
    rate = state.rows.dtype.type(1.0 / state.span)
    sweep(program, state.rows, state.previous, sums.reshape(-1), rate)
    x, y, z, counts = sums[: state.count].T
    squares = (x * x + y * y + z * z) / np.maximum(counts, 1.0) ** 2
    return float(np.sqrt(squares.max(initial=0.0)))
