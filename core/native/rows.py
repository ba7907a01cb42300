# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of four numbers; and the numbers of some rows of an array, as a flat array, for numba code.

What numba makes of slices and of ``reshape`` takes many times longer to compile; a loop from
``first`` to ``last`` it doesn't turn into vector instructions, as ``first`` might be negative.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic
from numpy.typing import DTypeLike, NDArray

INDEX = ir.IntType(64)

Rows = NDArray[Any]

PADDING = 8
"""Immovable particles after the last one; unused lanes of a block refer to them."""


def aligned_rows(count: int, dtype: DTypeLike) -> Rows:
    """Zeroed rows of four numbers, shape (count, 4), that start at a cache line."""
    kind = np.dtype(dtype)
    size = count * 4
    memory = np.zeros(size + 64 // kind.itemsize, kind)
    skip = -memory.ctypes.data % 64 // kind.itemsize
    return memory[skip : skip + size].reshape(count, 4)


def _numbers_in_python(rows: Any, first: int, last: int) -> Any:
    return rows[first:last].reshape(-1)


@intrinsic
def _numbers_native(typing_context: Any, rows: Any, first: Any, last: Any) -> Any:
    flat = types.Array(rows.dtype, 1, "C")
    signature = flat(rows, types.int64, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(rows)(context, builder, arguments[0])
        # From row numbers to places among all numbers: times the widths of what a row holds.
        begin, end = arguments[1:]
        for width in cgutils.unpack_tuple(builder, array.shape, rows.ndim)[1:]:
            begin, end = builder.mul(begin, width), builder.mul(end, width)
        count = builder.sub(end, begin)
        size = ir.Constant(INDEX, context.get_abi_sizeof(context.get_data_type(rows.dtype)))
        result = context.make_array(flat)(context, builder)
        result.data = builder.gep(array.data, [begin])
        result.shape = cgutils.pack_array(builder, [count])
        result.strides = cgutils.pack_array(builder, [size])
        result.itemsize, result.nitems = size, count
        result.parent = array.parent
        result.meminfo = array.meminfo
        return impl_ret_borrowed(context, builder, flat, result._getvalue())

    return signature, generate


numbers_of = _numbers_in_python if numba.config.DISABLE_JIT else _numbers_native
"""``numbers_of(rows, first, last)``: those of rows [first, last) of a C-contiguous array, (n, k) or
(n,)."""
