# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeping soft constraints in every second, fourth or eighth substep only.

Small substeps are for what is stiff. A force that hardly changes meanwhile, as that of cloth
against bending, may as well act as an impulse of r h F every r substeps: multiple time stepping
(Tuckerman, Berne, Martyna 1992, "Reversible multiple time scale molecular dynamics"). In equations
17 and 18 that is a constraint with α̃ = α / (r h²), and λ = r h² F.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..compiled import native_part
from ..program import BLOCKS, COMPONENTS, LANES, MULTIPLIERS, Group, Program
from ..vector.barrier import wait
from .stiffness import weights_of
from .sweep import sweep_batch

MOST = 8
TOLERANCE = 0.1
"""How much softer an impulse may make a constraint: r h² ∇C M⁻¹ ∇Cᵀ / α."""

TYPICAL = 99.0
"""Percentile of a group's constraints that stands for all; slivers are stiffer by far."""


def stiffness_rates(
    groups: Sequence[Group], positions: NDArray[np.float64], masses: NDArray[np.float64]
) -> NDArray[np.float64]:
    """∇C M⁻¹ ∇Cᵀ / α of each group [1/s²]; infinite for those that each substep has to sweep.

    These are constraints that hold lengths, limits, and whatever is damped.
    """
    rates = np.full(len(groups), np.inf)
    for number, group in enumerate(groups):
        constraint = group.constraint
        always = constraint.stretch is not None or constraint.inequality or constraint.summed
        if always or group.damped or constraint.components > 1 or not group.compliance.all():
            continue
        weights = weights_of(group, positions, masses)
        if len(weights):
            rates[number] = np.percentile(weights / group.compliance, TYPICAL)
    return rates


def periods_of(rates: NDArray[np.float64], substep: float) -> NDArray[np.int64]:
    """For each group r, a power of two: it is swept in every r-th substep of this length [s]."""
    allowed = TOLERANCE / np.maximum(rates * substep**2, TOLERANCE / MOST)
    return np.asarray(2 ** np.floor(np.log2(np.maximum(allowed, 1.0))).astype(np.int64))


@native_part
def sweep_due(  # type: ignore[no-untyped-def]
    arrays, program, periods, substep, substeps, rate, backward, barrier, thread, threads
):
    """One Gauss–Seidel sweep over the batches whose turn it is, as one of several threads.

    The last substep sweeps everything; the first sweep of a batch makes up for the substeps so far.

    Args:
        periods: of each batch.
    """
    batches = len(program.batches)
    real = arrays.rows.dtype.type
    for place in range(batches):
        batch = batches - 1 - place if backward else place
        if (substeps - 1 - substep) % periods[batch] == 0:
            slower = rate / real(np.sqrt(min(periods[batch], substep + 1)))
            sweep_batch(
                program, batch, arrays.rows, arrays.previous, program.outputs, slower, backward,
                thread, threads,
            )  # fmt: skip
            wait(barrier, threads)


def as_if_every_substep(program: Program, periods: NDArray[np.int64]) -> None:
    """Make λ a force times h² again."""
    for row, period in zip(program.batches, periods, strict=True):
        if period > 1:
            count = row[BLOCKS] * row[LANES] * row[COMPONENTS]
            program.multipliers[row[MULTIPLIERS] : row[MULTIPLIERS] + count] /= period
