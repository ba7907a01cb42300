# SPDX-License-Identifier: GPL-3.0-or-later
"""Calling a kernel from numba code, by its address."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from .emitter import ARRAYS, BYTE_POINTER, INDEX, kernel_type

PYTHON_KERNELS: list[Any] = []
"""With the JIT switched off an "address" is an index into this list of Python functions."""

BEGINNING = (0, 0, 0, 0)
"""Places in arrays of which a kernel runs over all blocks from the first on."""


def _call_in_python(
    address: int,
    positions: Any,
    previous: Any,
    offsets: Any,
    parameters: Any,
    multipliers: Any,
    outputs: Any,
    places: tuple[int, int, int, int],
    inverse_time_step: float,
    blocks: int,
) -> None:
    kernel = PYTHON_KERNELS[address]
    flat = (offsets, parameters, multipliers, outputs)
    parts = [array[place:] for array, place in zip(flat, places, strict=True)]
    kernel(positions, previous, *parts, inverse_time_step, blocks)


@intrinsic
def _call_native(  # type: ignore[no-untyped-def]
    typing_context,
    address,
    positions,
    previous,
    offsets,
    parameters,
    multipliers,
    outputs,
    places,
    inverse_time_step,
    blocks,
):
    real = positions.dtype
    arrays = (positions, previous, offsets, parameters, multipliers, outputs)
    starts = types.UniTuple(types.int64, len(places))
    signature = types.void(types.int64, *arrays, starts, real, types.int64)

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        address, *values, places, rate, blocks = arguments
        whole = [ir.Constant(INDEX, 0)] * (ARRAYS - len(starts))
        firsts = [*whole, *cgutils.unpack_tuple(builder, places, len(starts))]
        pointers = []
        for kind, value, first in zip(arrays, values, firsts, strict=True):
            data = context.make_array(kind)(context, builder, value).data
            pointers.append(builder.bitcast(builder.gep(data, [first]), BYTE_POINTER))
        kernel = builder.inttoptr(address, kernel_type(rate.type).as_pointer())
        builder.call(kernel, [*pointers, rate, blocks])
        return context.get_dummy_value()

    return signature, generate


call_kernel = _call_in_python if numba.config.DISABLE_JIT else _call_native
"""Run the kernel at an address over some blocks.

Of offsets, parameters, multipliers and outputs ``places`` tells the first element of the first
block. Arrays of particles (positions, previous, and the outputs of a kernel that writes rows) are
whole.
"""
