# SPDX-License-Identifier: GPL-3.0-or-later
"""The linear system of all constraints of a model at once: its numbers, and what evaluates them.

S = ∇C M⁻¹ ∇Cᵀ + α̃ couples two constraints where they share a particle that can move. Parts of the
model that don't hang together have ranges of rows of their own. :mod:`.schur_layout` finds who
stands where in it, :mod:`.schur_step` solves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...constraints import Constraint
from ...native.by_address import by_address
from ...native.team import SPACING
from ...native.threads import MOST_THREADS
from ...vector.arithmetic import Scalar
from ...vector.specification import KernelSpecification
from ..common.projection import kernel_of, linearised

Integers = NDArray[np.int64]


@by_address
class Schur(NamedTuple):
    """Where the numbers of S are. There are k parts, p particles and n rows.

    Attributes:
        row_starts, particle_starts, compliance_starts: ranges of the parts, shape (k + 1,).
        particles: those that move, part after part, shape (p,).
        incidence_starts: for each particle a range of the following, shape (p + 1,).
        incidence_rows: rows whose constraint the particle belongs to, ascending.
        incidence_places: where ∂C/∂x of this row and particle lies in the kernels' outputs.
        incidence_strides: how far ∂C/∂y and ∂C/∂z lie behind each other there.
        incidence_bends: 2/ℓ of the constraint [1/m], ℓ being the mean distance of its vertices.
        starts: of the rows of S in its envelope, shape (n + 1,); see :mod:`core.linear.envelope`.
        residuals: where the residual of each row lies in the outputs, shape (n,).
        multipliers: where its λ is, shape (n,).
        compliance_targets: places of the numbers of α̃ in the envelope.
        compliance_places: their places in the outputs.
    """

    row_starts: Integers
    particle_starts: Integers
    compliance_starts: Integers
    particles: Integers
    incidence_starts: Integers
    incidence_rows: Integers
    incidence_places: Integers
    incidence_strides: Integers
    incidence_bends: NDArray[np.float64]
    starts: Integers
    residuals: Integers
    multipliers: Integers
    compliance_targets: Integers
    compliance_places: Integers


@by_address
class SchurMemory(NamedTuple):
    """What is worked with; shapes with k, p, n as in :class:`Schur`.

    Attributes:
        values: the envelope of S, then of its factor.
        diagonal: of S, shape (n,).
        slopes: |∇C|² of each row, shape (n,).
        change: Δλ, shape (n,).
        damping: Marquardt's μ of each part, shape (k,).
        misfit, expected: of each part before a step and after it if C were linear, shape (k,).
        worst: the largest misfit of the substep, shape (k,).
        extents: the largest coordinate [m] in each part, shape (k,).
        pending: 1 for parts whose step has not been taken, shape (k,).
        swings: the largest of ω² [1/s²] in a step, of each part, shape (k,); see
            :func:`core.solvers.constrained.schur_step.swing`.
        predicted: x̃ [m], shape (p, 3).
        positions: before the step [m], shape (p, 3).
        multipliers: λ before the step, shape (n,).
        counts: of parts that need more work, one for each thread, a cache line apart.
    """

    values: NDArray[np.float64]
    diagonal: NDArray[np.float64]
    slopes: NDArray[np.float64]
    change: NDArray[np.float64]
    damping: NDArray[np.float64]
    misfit: NDArray[np.float64]
    expected: NDArray[np.float64]
    worst: NDArray[np.float64]
    extents: NDArray[np.float64]
    pending: NDArray[np.uint8]
    swings: NDArray[np.float64]
    predicted: NDArray[Any]
    positions: NDArray[Any]
    multipliers: NDArray[Any]
    counts: Integers


@cache
def specification(constraint: Constraint, damped: bool) -> KernelSpecification:
    """The kernel that puts out the residual, ∇C and α̃'s lower triangle; see :func:`linearised`."""
    count = constraint.components

    def update(
        x: Sequence[Any],
        _inverse_mass: Sequence[Scalar],
        previous: Sequence[Any],
        parameters: Sequence[Scalar],
        multipliers: Sequence[Scalar],
        inverse_time_step: Scalar,
    ) -> tuple[list[Scalar], list[Scalar]]:
        residual, gradients, compliance = linearised(
            constraint, x, previous, parameters, multipliers, inverse_time_step
        )
        slopes = [slope for row in gradients for vector in row for slope in vector]
        softness = [compliance[i][j] for i in range(count) for j in range(i + 1)]
        return [*residual, *slopes, *softness], list(multipliers)

    return kernel_of(constraint, damped, "linearised", update, "values", output_count(constraint))


def output_count(constraint: Constraint) -> int:
    """Numbers that the kernel puts out for one constraint."""
    slopes = 3 * constraint.vertices * constraint.components
    return constraint.components + slopes + constraint.compliance_size


def new_memory(schur: Schur, dtype: DTypeLike, damping: float) -> SchurMemory:
    """The memory for a system."""
    rows, parts = len(schur.residuals), len(schur.row_starts) - 1
    return SchurMemory(
        np.zeros(schur.starts[-1]),
        np.zeros(rows),
        np.zeros(rows),
        np.zeros(rows),
        np.full(parts, damping),
        np.zeros(parts),
        np.zeros(parts),
        np.zeros(parts),
        np.zeros(parts),
        np.zeros(parts, np.uint8),
        np.zeros(parts),
        np.zeros((len(schur.particles), 3), dtype),
        np.zeros((len(schur.particles), 3), dtype),
        np.zeros(rows, dtype),
        np.zeros(MOST_THREADS * SPACING, np.int64),
    )
