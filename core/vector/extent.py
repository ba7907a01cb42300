# SPDX-License-Identifier: GPL-3.0-or-later
"""The box around rows of x, y, z and something, four rows at a time."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from ..native.compiled import native_part
from .arithmetic import maximum, minimum
from .emitter import INDEX, Emitter, Loop
from .trace import Lane

AT_ONCE = 4
"""Rows in a vector."""


def _fours_in_python(rows: Any, first: int, count: int) -> Any:
    some = rows[first : first + AT_ONCE * count, :3]
    low, high = some.min(axis=0, initial=np.inf), some.max(axis=0, initial=-np.inf)
    return (*low, *high)


@intrinsic
def _fours_native(typing_context, rows, first, count):  # type: ignore[no-untyped-def]
    real = rows.dtype
    signature = types.UniTuple(real, 6)(rows, types.int64, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, first, count = arguments
        emitter = Emitter(builder, context.get_data_type(real), 4 * AT_ONCE)
        data = context.make_array(rows)(context, builder, array).data
        data = builder.gep(data, [builder.mul(first, ir.Constant(INDEX, 4))])
        ends = [emitter.splat(ir.Constant(emitter.real, end)) for end in (np.inf, -np.inf)]
        loop = Loop(builder, "fours", count, ends)
        place = builder.mul(loop.index, ir.Constant(INDEX, 4 * AT_ONCE))
        pointer = builder.bitcast(builder.gep(data, [place]), emitter.vector.as_pointer())
        four, (low, high) = emitter.load(pointer), loop.lanes()
        loop.close([minimum(four, low), maximum(four, high)])
        sides = []
        for lane, nearer in zip(loop.lanes(), (minimum, maximum), strict=True):
            rest, size = lane, 4 * AT_ONCE
            while size > 4:
                size //= 2
                halves = [
                    emitter.shuffle(rest.value, rest.value, range(begin, begin + size))
                    for begin in (0, size)
                ]
                rest = nearer(*(Lane(builder, half) for half in halves))
            sides += [builder.extract_element(rest.value, ir.Constant(INDEX, k)) for k in range(3)]
        return cgutils.pack_array(builder, sides)

    return signature, generate


_of_fours = _fours_in_python if numba.config.DISABLE_JIT else _fours_native


@native_part
def extent(rows, first, last):  # type: ignore[no-untyped-def]
    """Lower and upper x, y, z of rows [first, last) of an array, shape (n, 4); infinite the other
    way round where there are none.
    """
    fours = (last - first) // AT_ONCE
    x0, y0, z0, x1, y1, z1 = _of_fours(rows, first, fours)
    for row in range(first + AT_ONCE * fours, last):
        x0, y0, z0 = min(x0, rows[row, 0]), min(y0, rows[row, 1]), min(z0, rows[row, 2])
        x1, y1, z1 = max(x1, rows[row, 0]), max(y1, rows[row, 1]), max(z1, rows[row, 2])
    return x0, y0, z0, x1, y1, z1
