# SPDX-License-Identifier: GPL-3.0-or-later
"""Running a kernel over blocks of a batch."""

from __future__ import annotations

from ...native.compiled import native_part
from ...vector.call import call_kernel


@native_part
def sweep_blocks(program, batch, rows, previous, outputs, rate, first, last):  # type: ignore[no-untyped-def]
    """Run the kernel of a batch over its blocks [first, last)."""
    row = program.batches[batch]
    start = first * row.lanes
    places = (
        row.offsets + start * row.vertices,
        row.parameters + start * row.values,
        row.multipliers + start * row.components,
        row.outputs + start * row.output_values,
    )
    call_kernel(
        row.address, rows, previous, program.offsets, program.parameters, program.multipliers,
        outputs, places, rate, last - first,
    )  # fmt: skip


@native_part
def sweep_chains(program, batch, rows, previous, outputs, rate, first, last, thread):  # type: ignore[no-untyped-def]
    """Run the kernel of a batch along its chains [first, last).

    Kernels that solve chains as a whole find room for it in the thread's scratch.
    """
    row = program.batches[batch]
    scratch = program.scratch[thread]
    for chain in range(row.first_run + first, row.first_run + last):
        start, end = program.chains[chain, 0], program.chains[chain, 1]
        target = scratch if len(scratch) > 0 else outputs
        sweep_blocks(program, batch, rows, previous, target, rate, start, end)
