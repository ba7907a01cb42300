# SPDX-License-Identifier: GPL-3.0-or-later
"""Running the kernels of a program over its batches: blocks, chains, and sums over elements."""

from __future__ import annotations

from ...layout.sums import ADD, CORRECT, MOVE, WARM
from ...native.compiled import native, native_part
from ...native.rows import numbers_of
from ...native.team import meet, own_share, share_of
from ...vector.arithmetic import SMALLEST
from ...vector.call import call_kernel


@native_part
def sweep_blocks(program, number, rows, previous, outputs, rate, first, last):  # type: ignore[no-untyped-def]
    """Run the kernel of a batch, of which the number is given, over its blocks [first, last)."""
    batch = program.batches[number]
    start = first * batch.lanes
    places = (
        batch.offsets + start * batch.vertices,
        batch.parameters + start * batch.values,
        batch.multipliers + start * batch.components,
        batch.outputs + start * batch.output_values,
    )
    call_kernel(
        batch.address, rows, previous, program.offsets, program.parameters, program.multipliers,
        outputs, places, rate, last - first,
    )  # fmt: skip


@native_part
def sweep_chains(program, number, rows, previous, outputs, rate, first, last, thread):  # type: ignore[no-untyped-def]
    """Run the kernel of a batch along its runs of chains [first, last).

    Kernels that solve chains as a whole find room for it in the thread's scratch.
    """
    batch = program.batches[number]
    scratch = program.scratch[thread]
    for run in range(batch.first_run + first, batch.first_run + last):
        start, end = program.runs[run, 0], program.runs[run, 1]
        target = scratch if len(scratch) > 0 else outputs
        sweep_blocks(program, number, rows, previous, target, rate, start, end)


# --- constraints that are sums over elements; one thread does them, always in the same order -----


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
        residual = value + sums.left[number] + compliance * multiplier + gamma * moved
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


@native_part
def lead_sums(sums, settings, substep, team):  # type: ignore[no-untyped-def]
    """Let rest states of sums be as far on their way as the substep's end is in the step."""
    if team.thread == 0:
        part = 1.0 - (substep + 1.0) / settings.substeps
        for number in range(len(sums.ways)):
            sums.left[number] = part * sums.ways[number]


# --- sweeps --------------------------------------------------------------------------------------


@native_part
def sweep_batch(program, number, rows, previous, outputs, rate, backward, thread, threads):  # type: ignore[no-untyped-def]
    """Run the kernel of a batch over one thread's share of its blocks.

    A batch in given order has blocks of one constraint that wait for each other: the first thread
    sweeps them all, from the last to the first where the sweep goes backward. So it does with a
    constraint that is a sum over elements.
    """
    batch = program.batches[number]
    if batch.lanes == 0:
        if thread == 0:
            sweep_sum(program, batch, rows, previous, outputs, rate)
    elif batch.runs > 0:
        first, last = share_of(batch.runs, thread, threads)
        sweep_chains(program, number, rows, previous, outputs, rate, first, last, thread)
    elif batch.lanes > 1:
        first, last = share_of(batch.blocks, thread, threads)
        sweep_blocks(program, number, rows, previous, outputs, rate, first, last)
    elif thread == 0 and not backward:
        sweep_blocks(program, number, rows, previous, outputs, rate, 0, batch.blocks)
    elif thread == 0:
        for block in range(batch.blocks - 1, -1, -1):
            sweep_blocks(program, number, rows, previous, outputs, rate, block, block + 1)


@native
def sweep(program, rows, previous, outputs, rate):  # type: ignore[no-untyped-def]
    """Run all kernels once, batch after batch.

    Args:
        program: a :class:`.Program`.
        rows, previous: particles now and at the substep's start, shape (n + PADDING, 4).
        outputs: ``program.outputs`` for kernels that write values; for kernels that write rows
            the array they add to, flat; for others anything.
        rate: 1/Δt [1/s] in the precision of the rows.
    """
    for number in range(len(program.batches)):
        sweep_batch(program, number, rows, previous, outputs, rate, False, 0, 1)


@native_part
def sweep_all(arrays, program, outputs, rate, team):  # type: ignore[no-untyped-def]
    """Lines 6 to 11 of Algorithm 1: one sweep over all batches, as one of several threads."""
    for number in range(len(program.batches)):
        _sweep_together(arrays, program, number, outputs, rate, False, team)


@native_part
def sweep_back_and_forth(arrays, program, outputs, rate, team):  # type: ignore[no-untyped-def]
    """A symmetric sweep: over the batches of cloth and strands from the last to the first, then
    over all but that, which still holds unless its constraints share particles.

    What one sweep leaves of an error is turned besides, a complex part of it, where more than two
    batches share particles, as in narrow folds: motion of second order gains energy by that. What a
    symmetric one leaves is real. In soft bodies the turn is less than a degree.
    """
    first = -1
    for place in range(len(program.batches)):
        number = len(program.batches) - 1 - place
        if program.batches[number].twice:
            _sweep_together(arrays, program, number, outputs, rate, True, team)
            first = number
    for number in range(len(program.batches)):
        if number != first or program.batches[number].lanes == 1:
            _sweep_together(arrays, program, number, outputs, rate, False, team)


@native_part
def _sweep_together(arrays, program, number, outputs, rate, backward, team):  # type: ignore[no-untyped-def]
    """Run the kernel of a batch, as one of several threads, which then meet."""
    sweep_batch(
        program, number, arrays.rows, arrays.previous, outputs, rate, backward,
        team.thread, team.threads,
    )  # fmt: skip
    meet(team)


@native_part
def keep_multipliers(multipliers, kept, team):  # type: ignore[no-untyped-def]
    """Line 4: λ₀ = 0, or a fraction of the last λ; for one thread's share."""
    first, last = own_share(len(multipliers), team)
    own = numbers_of(multipliers, first, last)
    if kept > 0.0:
        for i in range(len(own)):
            own[i] *= kept
    else:
        for i in range(len(own)):
            own[i] = own.dtype.type(0.0)
