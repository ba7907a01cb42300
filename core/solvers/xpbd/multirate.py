# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeping soft constraints in some of the substeps only.

Small substeps are for what is stiff. A force F that hardly changes meanwhile, as that of cloth
against bending, may as well act as an impulse of r h F every r substeps: multiple time stepping
(Tuckerman, Berne, Martyna 1992, "Reversible multiple time scale molecular dynamics"). In equations
17 and 18 that is a constraint with the compliance α / r, and λ = r h² F. Damping stays as it is in
equation 26: γ = α̃ β̃ / h holds no r, as x - xⁿ is still the way of a single substep.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...layout.group import Group
from ...layout.layout import Layout
from ...layout.program import Program
from ...native.compiled import native_part
from ...native.rows import numbers_of
from ...native.team import meet, own_share
from ..common.sweep import sweep_batch
from ..common.weights import weights_of

MOST = 8
TOLERANCE = 0.1
"""How much softer an impulse may make a constraint: r h² ∇C M⁻¹ ∇Cᵀ / α.

Where (r h)² ∇C M⁻¹ ∇Cᵀ / α exceeds 1, impulses make the folds of undamped cloth grow, since
neighbouring constraints add up. MOST times TOLERANCE stays below.
"""

DAMPING_TOLERANCE = 0.5
"""How much weaker it may make damping: r h times the damping time times ∇C M⁻¹ ∇Cᵀ / α.

Damping is implicit and thus always stable; but what a sweep leaves undone makes cotton that
hangs by its stiffness sag by about 0.08 of this more.
"""

TYPICAL = 99.0
"""Percentile of a group's constraints that stands for all; slivers are stiffer by far."""


class Rates(NamedTuple):
    """How fast constraints act by themselves, for each group.

    Infinite for those that each substep has to sweep.

    Attributes:
        stiffness: ∇C M⁻¹ ∇Cᵀ / α, a frequency squared [1/s²].
        damping: the same times the damping time, by which ∇C v decays [1/s].
    """

    stiffness: NDArray[np.float64]
    damping: NDArray[np.float64]


def unknown_rates(count: int) -> Rates:
    """Rates of groups of which all have to be swept in each substep."""
    return Rates(np.full(count, np.inf), np.full(count, np.inf))


def rates_of(
    groups: Sequence[Group], positions: NDArray[np.float64], masses: NDArray[np.float64]
) -> Rates:
    """Rates of soft constraints, and infinity for those that hold lengths and for limits."""
    rates = unknown_rates(len(groups))
    for number, group in enumerate(groups):
        stiffness = stiffness_of(group, positions, masses)
        if len(stiffness):
            rates.stiffness[number] = np.percentile(stiffness, TYPICAL)
            rates.damping[number] = np.percentile(stiffness * group.damping, TYPICAL)
    return rates


def stiffness_of(
    group: Group, positions: NDArray[np.float64], masses: NDArray[np.float64]
) -> NDArray[np.float64]:
    """∇C M⁻¹ ∇Cᵀ / α of each constraint [1/s²], shape (count, 1).

    Empty for those that each substep has to sweep: what holds lengths, and limits.
    """
    constraint = group.constraint
    always = constraint.stretch is not None or constraint.inequality or constraint.summed
    if always or constraint.components > 1 or not group.compliance.all():
        return np.empty((0, 1))
    return weights_of(group, positions, masses) / group.compliance


def sweeps_of(rates: Rates, substeps: int, h: float) -> NDArray[np.int64]:
    """For each group how often it is swept in a step, at most once in each substep.

    Args:
        h: length of a substep [s].
    """
    needed = np.maximum(rates.stiffness * h**2 / TOLERANCE, rates.damping * h / DAMPING_TOLERANCE)
    return np.ceil(substeps * np.clip(needed, 1.0 / MOST, 1.0)).astype(np.int64)


@native_part
def sweep_multirate(arrays, program, sweeps, settings, substep, rate, backward, team):  # type: ignore[no-untyped-def]
    """One Gauss–Seidel sweep over the batches of this substep, as one of several threads.

    The sweeps of a batch are spread evenly; the last substep sweeps everything.

    Args:
        sweeps: how often each batch is swept in a step, from 1 to the number of substeps.
    """
    batches, substeps = len(program.batches), settings.substeps
    for place in range(batches):
        number = batches - 1 - place if backward else place
        if (substep + 1) * sweeps[number] // substeps > substep * sweeps[number] // substeps:
            sweep_batch(
                program, number, arrays.rows, arrays.previous, program.outputs, rate, backward,
                team.thread, team.threads,
            )  # fmt: skip
            meet(team)


def soften(
    layout: Layout,
    owners: NDArray[np.int64],
    program: Program,
    original: NDArray[np.floating],
    before: NDArray[np.float64],
    periods: NDArray[np.float64],
) -> None:
    """Let the program's parameters have the compliance α / r, r being a batch's period.

    Args:
        owners: for each batch of the program the number of its group.
        original: parameters with α.
        before, periods: every how many substeps each batch was swept until now, and is from now
            on, on average; shape (batches,).
    """
    table = program.batches[["parameters", "blocks", "values", "lanes"]]
    for number in np.flatnonzero(periods != before):
        constraint = layout.groups[owners[number]].constraint
        first, *shape = table[number].item()
        here = slice(first, first + math.prod(shape))
        columns = slice(constraint.rest_size, constraint.rest_size + constraint.compliance_size)
        compliance = original[here].reshape(shape)[:, columns]
        program.parameters[here].reshape(shape)[:, columns] = compliance / periods[number]


@native_part
def as_if_every_substep(program, sweeps, substeps, team):  # type: ignore[no-untyped-def]
    """Make λ a force times h² again, one thread's share."""
    for number in range(len(program.batches)):
        if sweeps[number] < substeps:
            batch = program.batches[number]
            first, last = own_share(batch.blocks * batch.lanes * batch.components, team)
            start = batch.multipliers
            own = numbers_of(program.multipliers, start + first, start + last)
            fraction = own.dtype.type(sweeps[number] / substeps)
            for i in range(len(own)):
                own[i] *= fraction
