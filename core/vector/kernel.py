# SPDX-License-Identifier: GPL-3.0-or-later
"""From a constraint body and an update rule to a native loop over blocks of W constraints.

Data layout, one block being W constraints that share no particle:

- positions, previous: (n, 4), a particle's x, y, z and inverse mass in one aligned row;
- offsets: [block][vertex][lane], byte offset of a particle's row, uint32;
- parameters: [block][parameter][lane]: rest state, compliance, damping;
- multipliers: [block][component][lane]: λ;
- outputs: depends on what the kernel writes, see :class:`.KernelSpecification`.

A kernel loads the W particles of each vertex (one row each, then a transpose), runs the traced
body, stores, and goes on to the next block. Its signature is ``void(positions, previous, offsets,
parameters, multipliers, outputs, inverse_time_step, blocks)``.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from .emitter import Emitter, Loop, begin_kernel
from .specification import KernelSpecification
from .trace import Lane


def emit(specification: KernelSpecification, lanes: int, double: bool) -> ir.Module:
    """The LLVM module that holds the kernel under the specification's name."""
    function, emitter = begin_kernel(specification.name, lanes, double)
    *arrays, rate, blocks = function.args
    inverse_time_step = emitter.splat(rate)
    loop = Loop(emitter.builder, "blocks", blocks)
    _emit_block(emitter, specification, arrays, loop.index, inverse_time_step)
    loop.close()
    emitter.builder.ret_void()
    return function.module


def _emit_block(
    emitter: Emitter,
    specification: KernelSpecification,
    arrays: Sequence[ir.Value],
    block: ir.Value,
    inverse_time_step: Lane,
) -> None:
    """Load a block of W constraints, let the body compute with them, store what it returns."""
    positions, previous, offsets, parameters, multipliers, outputs = arrays
    corners = range(specification.vertices)
    rows = [emitter.row_offsets(offsets, block, v, specification.vertices) for v in corners]
    particles = [emitter.load_particles(positions, row) for row in rows]
    start = (
        [emitter.load_particles(previous, row)[:3] for row in rows]
        if specification.reads_previous
        else []
    )
    values = [
        emitter.load(pointer)
        for pointer in emitter.pointers(parameters, block, specification.parameters)
    ]
    own = list(emitter.pointers(multipliers, block, specification.components))
    written, updated = specification.update(
        [particle[:3] for particle in particles],
        [particle[3] for particle in particles],
        start,
        values,
        [emitter.load(pointer) for pointer in own],
        inverse_time_step,
    )
    emitter.store_all(own, updated)
    if specification.writes == "values":
        emitter.store_all(list(emitter.pointers(outputs, block, specification.outputs)), written)
        return
    # Addresses are read again: through a long body they would fill the registers.
    for vertex, corner, particle in zip(corners, written, particles, strict=True):
        row = emitter.row_offsets(offsets, block, vertex, specification.vertices, again=True)
        if specification.writes == "rows":
            held = emitter.load_particles(outputs, row)
            sums = [a + b for a, b in zip(held, corner, strict=True)]
            emitter.store_particles(outputs, row, [component.value for component in sums])
        else:
            columns = [component.value for component in corner] + [particle[3].value]
            emitter.store_particles(positions, row, columns)
