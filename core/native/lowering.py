# SPDX-License-Identifier: GPL-3.0-or-later
"""From numba's statements to LLVM's language, in fewer words than numba's own.

Two thirds of what numba writes are loops over ranges, variables that it fills with zeros and
counts references of, and errors that each call might raise. LLVM finds all of it to be nothing,
but has to read it first.

Rests on numba's internals: :mod:`.fence` tries it out before it is used.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.lowering import Lower
from numba.cpython.builtins import do_minmax

from .calls import EXTREMES


class NativeLower(Lower):  # type: ignore[misc]
    """With ranges as two numbers in memory: the next one, and how many are left."""

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """The value of an expression."""
        if expr.op == "call" and isinstance(resty, types.RangeType) and len(expr.args) < 3:
            return self._range(resty, expr)
        if expr.op == "getiter" and isinstance(resty, types.RangeIteratorType):
            return self._iterator(resty, expr)
        if expr.op == "iternext" and self._is_range(expr):
            return self._next(resty, expr)
        if expr.op in ("pair_first", "pair_second") and not self._counted(resty):
            return self.builder.extract_value(
                self.loadvar(expr.value.name), int(expr.op == "pair_second")
            )
        return super().lower_expr(resty, expr)

    def _lower_call_normal(self, function: Any, expr: Any, signature: Any) -> Any:
        if getattr(function, "typing_key", None) in EXTREMES and len(signature.args) > 1:
            compare = EXTREMES[function.typing_key]
            values = [self.loadvar(each.name) for each in expr.args]
            return do_minmax(self.context, self.builder, signature.args, values, compare)
        return super()._lower_call_normal(function, expr, signature)

    def _counted(self, kind: Any) -> bool:
        return bool(self.context.data_model_manager[kind].contains_nrt_meminfo())

    def _is_range(self, expr: Any) -> bool:
        return isinstance(self.typeof(expr.value.name), types.RangeIteratorType)

    def _memory(self, kind: Any) -> Any:
        with self.builder.goto_entry_block():
            return self.builder.alloca(kind)

    def _struct(self, kind: types.Type, *members: Any) -> Any:
        value = ir.Constant(self.context.get_value_type(kind), ir.Undefined)
        for number, member in enumerate(members):
            value = self.builder.insert_value(value, member, number)
        return value

    def _range(self, resty: types.RangeType, expr: Any) -> Any:
        kind = resty.dtype
        given = [
            self.context.cast(self.builder, self.loadvar(each.name), self.typeof(each.name), kind)
            for each in expr.args
        ]
        zero, one = (self.context.get_constant(kind, each) for each in (0, 1))
        start, stop = given if len(given) == 2 else (zero, *given)
        return self._struct(resty, start, stop, one)

    def _iterator(self, resty: types.RangeIteratorType, expr: Any) -> Any:
        if not self._has_step_one(expr):
            return super().lower_expr(resty, expr)
        start, stop, step = (
            self.builder.extract_value(self.loadvar(expr.value.name), k) for k in range(3)
        )
        place, left = self._memory(start.type), self._memory(start.type)
        self.builder.store(start, place)
        self.builder.store(self.builder.sub(stop, start), left)
        return self._struct(resty, place, stop, step, left)

    def _has_step_one(self, expr: Any) -> bool:
        made = self.func_ir.get_definition(expr.value)
        return getattr(made, "op", "") == "call" and len(made.args) < 3

    def _next(self, resty: types.Pair, expr: Any) -> Any:
        iterator = self.loadvar(expr.value.name)
        place, _, step, left = (self.builder.extract_value(iterator, k) for k in range(4))
        value, count = self.builder.load(place), self.builder.load(left)
        one, zero = ir.Constant(count.type, 1), ir.Constant(count.type, 0)
        self.builder.store(self.builder.add(value, step), place)
        self.builder.store(self.builder.sub(count, one), left)
        return self._struct(resty, value, self.builder.icmp_signed(">", count, zero))


class PartLower(NativeLower):
    """Without references, which parts have none of that are counted."""

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Give a variable a value."""
        self._alloca_var(name, self.typeof(name))
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))

    def delvar(self, name: str) -> None:
        """A variable is needed no more."""
        if name not in self._blk_local_varmap:
            self._singly_assigned_vars.discard(name)
            self._alloca_var(name, self.typeof(name))

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
        """Memory of a variable."""
        return self._memory(lltype)


def call_of_part(descriptor: Any, library: Any) -> Any:
    """What calls a part, which raises nothing."""

    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = context.declare_function(builder.module, descriptor)
        convention = context.call_conv
        with builder.goto_entry_block():
            memory = builder.alloca(convention.get_return_type(descriptor.restype).pointee)
        packed = convention._get_arg_packer(descriptor.argtypes).as_arguments(builder, arguments)
        error = convention._get_excinfo_argument(builder.function)
        builder.call(function, [memory, error, *packed])
        returned = builder.load(memory)
        return context.get_returned_value(builder, descriptor.restype, returned)

    call.signature = descriptor.argtypes  # type: ignore[attr-defined]
    call.libs = (library,)  # type: ignore[attr-defined]
    return call
