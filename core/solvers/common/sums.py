# SPDX-License-Identifier: GPL-3.0-or-later
"""The update of a constraint that is a sum over elements; see :mod:`core.layout.sums`.

One thread does it, so that sums are always added up in the same order.
"""

from __future__ import annotations

from ...layout.sums import ADD, CORRECT, MOVE, WARM
from ...native.compiled import native, native_part
from ...native.rows import numbers_of
from ...vector.arithmetic import SMALLEST
from .blocks import sweep_blocks


@native
def measure_sum(sums, number, rows, previous, split):  # type: ignore[no-untyped-def]
    """C, ∇C M⁻¹ ∇Cᵀ and ∇C (x - xⁿ) of a summed group; leaves ∇C in ``sums.gradients``.

    Args:
        sums: a :class:`core.layout.sums.Sums`.
        number: of the group.
        rows, previous: particles now and at the substep's start, shape (n or more, 4).
        split: whether particles are divided among their constraints.
    """
    group = sums.groups[number]
    first, last = group.first_particle, group.last_particle
    if first == last:
        return 0.0, 0.0, 0.0
    # Relative to one of them: single precision has no digits to spare for a volume far from zero.
    base = rows[sums.particles[first]]
    for place in range(first, last):
        particle = sums.particles[place]
        for k in range(3):
            sums.rows[place, k] = rows[particle, k] - base[k]
            sums.gradients[place, k] = 0.0
        sums.gradients[place, 3] = 0.0
    gradients = numbers_of(sums.gradients, 0, len(sums.gradients))
    for batch in range(group.first_batch, group.last_batch):
        sweep_blocks(
            sums, batch, sums.rows, sums.rows, gradients, rows[0, 0], 0,
            sums.batches[batch].blocks,
        )  # fmt: skip
    # Added up in one order, in double precision, from the gradients that all elements have left.
    value, weight, moved = 0.0, 0.0, 0.0
    for place in range(first, last):
        particle = sums.particles[place]
        square = 0.0
        for k in range(3):
            gradient = sums.gradients[place, k]
            square += gradient * gradient
            moved += gradient * (rows[particle, k] - previous[particle, k])
        # The fourth column is the particle's share of C.
        value += sums.gradients[place, 3]
        weight += rows[particle, 3] * square * (sums.splits[place] if split else 1.0)
    return value, weight, moved


@native_part
def sweep_sum(program, batch, rows, previous, outputs, rate):  # type: ignore[no-untyped-def]
    """Equation 25 for one summed group, in the way that its batch tells."""
    sums, number, use = program.sums, batch.summed, batch.use
    group = sums.groups[number]
    place, real = group.multiplier, rows.dtype.type
    multiplier = program.multipliers[place]
    value, weight, moved = measure_sum(sums, number, rows, previous, use == ADD)
    compliance = group.compliance * rate * rate
    gamma = group.damping * rate
    whole = (1.0 + gamma) * weight + compliance
    change = 0.0
    if use == WARM:
        change = multiplier
    elif weight > SMALLEST:
        residual = value + compliance * multiplier + gamma * moved
        change = -group.stiffness * residual / whole
    if use in (MOVE, ADD):
        program.multipliers[place] = multiplier + change
    for index in range(group.first_particle, group.last_particle):
        particle = sums.particles[index]
        for k in range(3):
            step = real(change * rows[particle, 3] * sums.gradients[index, k])
            if use in (MOVE, WARM):
                rows[particle, k] += step
            else:
                outputs[4 * particle + k] += step
        if use == CORRECT:
            outputs[4 * particle + 3] += 1.0
