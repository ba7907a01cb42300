# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of eight boxes overlap another, or are near it, and which of eight numbers are the same as
another, as the bits of a number.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from .arithmetic import maximum, total
from .emitter import Emitter
from .trace import Lane

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


def _near_in_python(
    boxes: Any,
    row: int,
    x0: float,
    y0: float,
    z0: float,
    x1: float,
    y1: float,
    z1: float,
    extended: float,
) -> int:
    box, square = boxes[row].reshape(6, WIDTH), np.zeros(WIDTH, np.float32)
    for k, (low, high) in enumerate([(x0, x1), (y0, y1), (z0, z1)]):
        gap = np.maximum(box[k] - high, low - box[3 + k]) + extended
        square += np.maximum(gap, 0.0) ** 2
    return sum(1 << lane for lane in range(WIDTH) if square[lane] < extended * extended)


class _Row:
    """The boxes of a row, and numbers that are compared with theirs, in LLVM's language."""

    def __init__(self, context: Any, builder: Any, kind: Any, array: Any, row: Any) -> None:
        self.builder, self.vector = builder, ir.VectorType(SINGLE, WIDTH)
        self._data = context.make_array(kind)(context, builder, array).data
        self._first = builder.mul(row, ir.Constant(INDEX, 6 * WIDTH))

    def side(self, number: int) -> Lane:
        """One bound of all boxes."""
        builder = self.builder
        place = builder.add(self._first, ir.Constant(INDEX, number * WIDTH))
        pointer = builder.bitcast(builder.gep(self._data, [place]), self.vector.as_pointer())
        return Lane(builder, builder.load(pointer, align=4))

    def spread(self, number: Any) -> Lane:
        """The same number for all."""
        return Emitter(self.builder, SINGLE, WIDTH).splat(number)

    def bits(self, mask: Any) -> Any:
        """A bit for each box."""
        return self.builder.zext(self.builder.bitcast(mask, ir.IntType(WIDTH)), INDEX)


@intrinsic
def _overlap_native(  # type: ignore[no-untyped-def]
    typing_context, boxes, row, x0, y0, z0, x1, y1, z1
):
    signature = types.int64(boxes, types.int64, *[types.float32] * 6)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, row, *bounds = arguments
        those, hits = _Row(context, builder, signature.args[0], array, row), None
        for number, bound in enumerate(bounds[3:] + bounds[:3]):
            side, other = those.side(number), those.spread(bound)
            operator = "<=" if number < 3 else ">="
            within = builder.fcmp_ordered(operator, side.value, other.value)
            hits = within if hits is None else builder.and_(hits, within)
        return those.bits(hits)

    return signature, generate


@intrinsic
def _near_native(  # type: ignore[no-untyped-def]
    typing_context, boxes, row, x0, y0, z0, x1, y1, z1, extended
):
    signature = types.int64(boxes, types.int64, *[types.float32] * 7)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, row, *bounds, extended = arguments
        those = _Row(context, builder, signature.args[0], array, row)
        far, squares = those.spread(extended), []
        for k in range(3):
            low, high = those.spread(bounds[k]), those.spread(bounds[3 + k])
            gap = maximum(maximum(those.side(k) - high, low - those.side(3 + k)) + far, 0.0)
            squares.append(gap * gap)
        return those.bits((total(squares) < far * far).value)

    return signature, generate


def _matching_in_python(numbers: Any, first: int, number: int) -> int:
    return sum(1 << lane for lane in range(WIDTH) if numbers[first + lane] == number)


@intrinsic
def _matching_native(typing_context, numbers, first, number):  # type: ignore[no-untyped-def]
    signature = types.int64(numbers, types.int64, types.int32)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, first, number = arguments
        data = context.make_array(signature.args[0])(context, builder, array).data
        kind = ir.IntType(32)
        pointer = builder.bitcast(
            builder.gep(data, [first]), ir.VectorType(kind, WIDTH).as_pointer()
        )
        others = Emitter(builder, kind, WIDTH).splat(number).value
        same = builder.icmp_signed("==", builder.load(pointer, align=4), others)
        return builder.zext(builder.bitcast(same, ir.IntType(WIDTH)), INDEX)

    return signature, generate


def _lowest_in_python(bits: int) -> int:
    return int(bits & -bits).bit_length() - 1


@intrinsic
def _lowest_native(typing_context, bits):  # type: ignore[no-untyped-def]
    signature = types.int64(types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return signature, generate


overlap = _overlap_in_python if numba.config.DISABLE_JIT else _overlap_native
"""``overlap(boxes, row, x0, y0, z0, x1, y1, z1)``: a bit for each box of a row that overlaps the
box with these bounds, single precision all of it; ``boxes`` has shape (rows, 48)."""

near = _near_in_python if numba.config.DISABLE_JIT else _near_native
"""``near(boxes, row, x0, y0, z0, x1, y1, z1, extended)``: a bit for each box of a row that would be
nearer than ``extended`` to the box with these bounds if not both had been extended, by that in all.
"""

matching = _matching_in_python if numba.config.DISABLE_JIT else _matching_native
"""``matching(numbers, first, number)``: a bit for each of eight int32, from place ``first`` on,
that is the same as a number."""

lowest = _lowest_in_python if numba.config.DISABLE_JIT else _lowest_native
"""``lowest(bits)``: the number of the lowest bit that is set; there must be one."""
