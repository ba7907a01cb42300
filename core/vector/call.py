# SPDX-License-Identifier: GPL-3.0-or-later
"""Calling a kernel from numba code, by its address."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from .kernel import ARRAYS, BYTE_POINTER, INDEX

PYTHON_KERNELS: list[Any] = []
"""With the JIT switched off an "address" is an index into this list of Python functions."""


def _call_in_python(
    address: int,
    positions: Any,
    previous: Any,
    offsets: Any,
    parameters: Any,
    multipliers: Any,
    outputs: Any,
    inverse_time_step: float,
    blocks: int,
) -> None:
    kernel = PYTHON_KERNELS[address]
    arrays = (positions, previous, offsets, parameters, multipliers, outputs)
    kernel(*arrays, inverse_time_step, blocks)


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
    inverse_time_step,
    blocks,
):
    real = positions.dtype
    arrays = (positions, previous, offsets, parameters, multipliers, outputs)
    signature = types.void(types.int64, *arrays, real, types.int64)

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        pointers = []
        for kind, argument in zip(signature.args[1:-2], arguments[1:-2], strict=True):
            data = context.make_array(kind)(context, builder, argument).data
            pointers.append(builder.bitcast(data, BYTE_POINTER))
        real_type = context.get_value_type(real)
        function_type = ir.FunctionType(
            ir.VoidType(), [BYTE_POINTER] * ARRAYS + [real_type, INDEX]
        ).as_pointer()
        function = builder.inttoptr(arguments[0], function_type)
        builder.call(function, [*pointers, *arguments[-2:]])
        return context.get_dummy_value()

    return signature, generate


call_kernel = _call_in_python if numba.config.DISABLE_JIT else _call_native
"""Run the kernel at an address over some blocks; arrays start at the first block.

Those of particles (positions, previous, and the outputs of a kernel that writes rows) are whole.
"""
