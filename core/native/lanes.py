# SPDX-License-Identifier: GPL-3.0-or-later
"""The four numbers of a row as one vector, in native code.

LLVM makes vectors of loops over many numbers, not of what is done to four of them at a time.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, models, register_model

from .compiled import native_part

WIDTH = 4
FAST = ("contract",)
"""Let a product and a sum be rounded once, where the processor can."""


class LanesType(types.Type):  # type: ignore[misc]
    """Four numbers of one type."""

    def __init__(self, number: types.Float) -> None:
        self.number = number
        super().__init__(f"lanes of {number}")


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: LanesType) -> None:
        number = manager.lookup(kind.number).get_value_type()
        super().__init__(manager, kind, ir.VectorType(number, WIDTH))


def _address(context: Any, builder: Any, rows: types.Array, values: Any, row: Any) -> Any:
    data = context.make_array(rows)(context, builder, values).data
    place = builder.gep(data, [builder.mul(row, ir.Constant(row.type, WIDTH))])
    number = context.get_value_type(rows.dtype)
    return builder.bitcast(place, ir.VectorType(number, WIDTH).as_pointer())


@intrinsic
def _load_native(typing_context: Any, rows: Any, row: Any) -> Any:
    signature = LanesType(rows.dtype)(rows, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, rows, *arguments)
        return builder.load(address, align=rows.dtype.bitwidth // 8)

    return signature, generate


@intrinsic
def _store_native(typing_context: Any, rows: Any, row: Any, lanes: Any) -> Any:
    signature = types.void(rows, types.int64, lanes)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, rows, *arguments[:2])
        builder.store(arguments[2], address, align=rows.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return signature, generate


def _every(builder: Any, number: Any) -> Any:
    undefined = ir.Constant(ir.VectorType(number.type, WIDTH), ir.Undefined)
    one = builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(one, undefined, mask)


@intrinsic
def _every_native(typing_context: Any, number: Any) -> Any:
    signature = LanesType(number)(number)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _every(builder, arguments[0])

    return signature, generate


def _each_with_each(instruction: str) -> Any:
    """An intrinsic that does one LLVM instruction to both lanes' numbers."""

    @intrinsic
    def combined(typing_context: Any, lanes: Any, other: Any) -> Any:
        signature = lanes(lanes, lanes)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, instruction)(*arguments)

        return signature, generate

    return combined


_plus_native, _minus_native = _each_with_each("fadd"), _each_with_each("fsub")


def _nearer_to(operator: str) -> Any:
    """An intrinsic that takes of each two numbers the one that is so beside the other."""

    @intrinsic
    def chosen(typing_context: Any, lanes: Any, other: Any) -> Any:
        signature = lanes(lanes, lanes)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            is_so = builder.fcmp_ordered(operator, *arguments)
            return builder.select(is_so, *arguments)

        return signature, generate

    return chosen


_lower_native, _upper_native = _nearer_to("<"), _nearer_to(">")


@intrinsic
def _add_scaled_native(typing_context: Any, lanes: Any, factor: Any, other: Any) -> Any:
    signature = lanes(lanes, lanes.number, lanes)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        total, factor, other = arguments
        product = builder.fmul(_every(builder, factor), other, flags=FAST)
        return builder.fadd(total, product, flags=FAST)

    return signature, generate


@intrinsic
def _widened_native(typing_context: Any, lanes: Any) -> Any:
    signature = LanesType(types.float64)(lanes)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if signature.args[0].number == types.float64:
            return arguments[0]
        return builder.fpext(arguments[0], ir.VectorType(ir.DoubleType(), WIDTH))

    return signature, generate


def _number(builder: Any, lanes: Any, place: int) -> Any:
    return builder.extract_element(lanes, ir.Constant(ir.IntType(32), place))


@intrinsic
def _flat_native(typing_context: Any, x: Any, y: Any, z: Any) -> Any:
    signature = LanesType(x)(x, x, x)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = ir.Constant(ir.VectorType(arguments[0].type, WIDTH), None)
        for place, number in enumerate(arguments):
            lanes = builder.insert_element(lanes, number, ir.Constant(ir.IntType(32), place))
        return lanes

    return signature, generate


@intrinsic
def _along_native(typing_context: Any, lanes: Any, other: Any) -> Any:
    signature = lanes.number(lanes, lanes)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        products = builder.fmul(*arguments, flags=FAST)
        total = _number(builder, products, 0)
        for place in (1, 2):
            total = builder.fadd(total, _number(builder, products, place), flags=FAST)
        return total

    return signature, generate


@intrinsic
def _fourth_native(typing_context: Any, lanes: Any) -> Any:
    signature = lanes.number(lanes)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _number(builder, arguments[0], 3)

    return signature, generate


def _load_in_python(rows: Any, row: int) -> Any:
    return rows[row].copy()


def _store_in_python(rows: Any, row: int, lanes: Any) -> None:
    rows[row] = lanes


def _every_in_python(number: Any) -> Any:
    return np.full(WIDTH, number, np.asarray(number).dtype)


def _plus_in_python(lanes: Any, other: Any) -> Any:
    return lanes + other


def _add_scaled_in_python(lanes: Any, factor: Any, other: Any) -> Any:
    return lanes + np.asarray(factor, lanes.dtype) * other


def _minus_in_python(lanes: Any, other: Any) -> Any:
    return lanes - other


def _widened_in_python(lanes: Any) -> Any:
    return lanes.astype(np.float64)


def _lower_in_python(lanes: Any, other: Any) -> Any:
    return np.where(lanes < other, lanes, other)


def _upper_in_python(lanes: Any, other: Any) -> Any:
    return np.where(lanes > other, lanes, other)


def _flat_in_python(x: Any, y: Any, z: Any) -> Any:
    return np.array([x, y, z, 0.0], np.asarray(x).dtype)


def _along_in_python(lanes: Any, other: Any) -> Any:
    return lanes[0] * other[0] + lanes[1] * other[1] + lanes[2] * other[2]


def _fourth_in_python(lanes: Any) -> Any:
    return lanes[3]


load = _load_in_python if numba.config.DISABLE_JIT else _load_native
"""``load(rows, i)``: row i of an array of shape (n, 4)."""

store = _store_in_python if numba.config.DISABLE_JIT else _store_native
"""``store(rows, i, lanes)``: let row i be these numbers."""

every = _every_in_python if numba.config.DISABLE_JIT else _every_native
"""``every(number)``: four times the same."""

plus = _plus_in_python if numba.config.DISABLE_JIT else _plus_native
"""``plus(lanes, other)``: lanes + other."""

add_scaled = _add_scaled_in_python if numba.config.DISABLE_JIT else _add_scaled_native
"""``add_scaled(lanes, factor, other)``: lanes + factor · other."""

minus = _minus_in_python if numba.config.DISABLE_JIT else _minus_native
"""``minus(lanes, other)``: lanes - other."""

widened = _widened_in_python if numba.config.DISABLE_JIT else _widened_native
"""``widened(lanes)``: the same in double precision."""

lower = _lower_in_python if numba.config.DISABLE_JIT else _lower_native
"""``lower(lanes, other)``: of each two numbers the lower one."""

upper = _upper_in_python if numba.config.DISABLE_JIT else _upper_native
"""``upper(lanes, other)``: of each two numbers the upper one."""

flat = _flat_in_python if numba.config.DISABLE_JIT else _flat_native
"""``flat(x, y, z)``: these three and a zero."""

along = _along_in_python if numba.config.DISABLE_JIT else _along_native
"""``along(lanes, other)``: the scalar product of the first three of both."""

fourth = _fourth_in_python if numba.config.DISABLE_JIT else _fourth_native
"""``fourth(lanes)``: the last of the numbers."""


@native_part
def no_lanes(rows):  # type: ignore[no-untyped-def]
    """Four zeros of the type of an array."""
    return every(rows.dtype.type(0.0))


@native_part
def cleared(lanes, size):  # type: ignore[no-untyped-def]
    """Numbers rounded to a ten-millionth of a size or finer, so that tiny ones are zero.

    Processors take a hundred times as long for numbers that are nearly zero.
    """
    return plus(plus(lanes, every(size)), every(-size))
