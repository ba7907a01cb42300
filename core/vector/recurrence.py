# SPDX-License-Identifier: GPL-3.0-or-later
"""From a recurrence on scalars to a native loop along W rows at a time.

Signature as of :mod:`core.vector.kernel`: the first two arrays and the rate are not looked at, the
other four are those of the specification, and the number of rows is in the place of ``blocks``.
"""

from __future__ import annotations

from llvmlite import ir

from .emitter import ARRAYS, INDEX, Loop, begin_kernel
from .specification import RecurrenceSpecification


def emit_recurrence(specification: RecurrenceSpecification, lanes: int, double: bool) -> ir.Module:
    """The LLVM module that holds the kernel under the specification's name."""
    function, emitter = begin_kernel(specification.name, lanes, double)
    *_, count = function.args
    arrays = function.args[2:ARRAYS]
    builder = emitter.builder
    loop = Loop(builder, "rows", count, emitter.zeros(specification.carried))
    row = loop.index
    if specification.backward:
        row = builder.sub(builder.sub(count, row), ir.Constant(INDEX, 1))
    places = [
        list(emitter.pointers(array, row, size))
        for array, size in zip(arrays, specification.sizes, strict=True)
    ]
    numbers = [
        [emitter.load(place) for place in own] if read else []
        for own, read in zip(places, specification.reads, strict=True)
    ]
    written, carried = specification.step(numbers, loop.lanes())
    for own, values in zip(places, written, strict=True):
        emitter.store_all(own[: len(values)], values)
    loop.close(emitter.lanes_of(carried))
    builder.ret_void()
    return function.module
