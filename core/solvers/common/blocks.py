# SPDX-License-Identifier: GPL-3.0-or-later
"""Running a kernel over blocks of a batch."""

from __future__ import annotations

from ...native.compiled import native_part
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
