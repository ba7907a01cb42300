# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of eight boxes overlap another, as the bits of a number: a comparison for each bound."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

WIDTH = 8
"""Boxes in a row: their lower x, lower y, lower z, upper x, upper y, upper z, eight of each."""

INDEX, SINGLE = ir.IntType(64), ir.FloatType()


def _overlap_in_python(
    boxes: Any, row: int, x0: float, y0: float, z0: float, x1: float, y1: float, z1: float
) -> int:
    box = boxes[row].reshape(6, WIDTH)
    hits = (box[0] <= x1) & (box[1] <= y1) & (box[2] <= z1)
    hits &= (box[3] >= x0) & (box[4] >= y0) & (box[5] >= z0)
    return sum(1 << lane for lane in range(WIDTH) if hits[lane])


@intrinsic
def _overlap_native(  # type: ignore[no-untyped-def]
    typing_context, boxes, row, x0, y0, z0, x1, y1, z1
):
    signature = types.int64(boxes, types.int64, *[types.float32] * 6)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, row, *bounds = arguments
        data = context.make_array(signature.args[0])(context, builder, array).data
        first = builder.mul(row, ir.Constant(INDEX, 6 * WIDTH))
        vector = ir.VectorType(SINGLE, WIDTH)
        hits = None
        for number, bound in enumerate(bounds[3:] + bounds[:3]):
            place = builder.gep(data, [builder.add(first, ir.Constant(INDEX, number * WIDTH))])
            values = builder.load(builder.bitcast(place, vector.as_pointer()), align=4)
            single = builder.insert_element(
                ir.Constant(vector, ir.Undefined), bound, ir.Constant(ir.IntType(32), 0)
            )
            spread = builder.shuffle_vector(
                single,
                ir.Constant(vector, ir.Undefined),
                ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH),
            )
            within = builder.fcmp_ordered("<=" if number < 3 else ">=", values, spread)
            hits = within if hits is None else builder.and_(hits, within)
        return builder.zext(builder.bitcast(hits, ir.IntType(WIDTH)), INDEX)

    return signature, generate


def _lowest_in_python(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


@intrinsic
def _lowest_native(typing_context, bits):  # type: ignore[no-untyped-def]
    signature = types.int64(types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return signature, generate


overlap = _overlap_in_python if numba.config.DISABLE_JIT else _overlap_native
"""``overlap(boxes, row, x0, y0, z0, x1, y1, z1)``: a bit for each box of a row that overlaps the
box with these bounds, single precision all of it; ``boxes`` has shape (rows, 48)."""

lowest = _lowest_in_python if numba.config.DISABLE_JIT else _lowest_native
"""``lowest(bits)``: the number of the lowest bit that is set; there must be one."""
