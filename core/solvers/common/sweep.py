# SPDX-License-Identifier: GPL-3.0-or-later
"""Running the kernels of a program over its batches."""

from __future__ import annotations

from ...native.compiled import native, native_part
from ...native.rows import numbers_of
from ...native.team import meet, own_share, share_of
from .blocks import sweep_blocks, sweep_chains
from .sums import sweep_sum


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
def sweep_all(arrays, program, outputs, rate, backward, team):  # type: ignore[no-untyped-def]
    """Lines 6 to 11 of Algorithm 1: one sweep over all batches, as one of several threads."""
    batches = len(program.batches)
    for place in range(batches):
        number = batches - 1 - place if backward else place
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
