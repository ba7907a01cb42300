# SPDX-License-Identifier: GPL-3.0-or-later
"""The type of a named tuple of which native code gets the address; see :mod:`.by_address`.

Rests on numba's internals: :mod:`.fence` tries it out before it is used.
"""

from __future__ import annotations

import hashlib
from typing import Any

from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.core.datamodel.models import OpaqueModel
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    register_model,
    typeof_impl,
    unbox,
)

from .member_array import MemberArray, by_its_address

WORD = 8
"""Bytes; members start at multiples of it."""

DESCRIBE = "numba_adapt_ndarray"
"""numba's function that fills in what native code knows of an array."""


class AddressType(types.Opaque):  # type: ignore[misc]
    """The type of a named tuple in native code.

    Attributes:
        members: type of each member, by name.
    """

    def __init__(self, kind: Any, members: tuple[types.Type, ...]) -> None:
        self.members = dict(zip(kind._fields, map(by_its_address, members), strict=True))
        self.offsets: dict[str, int] = {}
        digest = hashlib.sha256(repr(self.members).encode()).hexdigest()[:16]
        super().__init__(f"{kind.__module__}.{kind.__qualname__}.{digest}")


register_model(AddressType)(OpaqueModel)


def pass_by_address(kind: Any) -> None:
    """Give tuples of this class an :class:`AddressType`."""

    @typeof_impl.register(kind)
    def _type_of(value: Any, context: Any) -> AddressType:
        return AddressType(kind, tuple(typeof_impl(member, context) for member in value))


END = ""


def check_symbols() -> None:
    """Raise RuntimeError where numba has no such function: LLVM would end the process."""
    if binding.address_of_symbol(DESCRIBE) is None:
        raise RuntimeError(f"there is no {DESCRIBE}")


def _size(context: Any, kind: types.Type) -> int:
    if isinstance(kind, AddressType):
        return _offset(context, kind, END)
    held = kind.plain if isinstance(kind, MemberArray) else kind
    return -(-int(context.get_abi_sizeof(context.get_value_type(held))) // WORD) * WORD


def _offset(context: Any, kind: AddressType, name: str) -> int:
    """Where a member lies, in bytes; of END where the last one ends."""
    # Asking LLVM for sizes is slow.
    if not kind.offsets:
        place = 0
        for other, member in kind.members.items():
            kind.offsets[other] = place
            place += _size(context, member)
        kind.offsets[END] = place
    return kind.offsets[name]


@infer_getattr
class _Members(AttributeTemplate):  # type: ignore[misc]
    key = AddressType

    def generic_resolve(self, kind: AddressType, name: str) -> types.Type | None:
        return kind.members.get(name)


@lower_getattr_generic(AddressType)
def _read_member(context: Any, builder: Any, kind: AddressType, address: Any, name: str) -> Any:
    member = kind.members[name]
    place = cgutils.pointer_add(builder, address, _offset(context, kind, name))
    if isinstance(member, AddressType | MemberArray):
        return place
    value = builder.load(builder.bitcast(place, context.get_value_type(member).as_pointer()))
    # Nobody changes members while native code runs: LLVM need not read them twice.
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return impl_ret_borrowed(context, builder, member, value)


@unbox(AddressType)
def _from_python(kind: AddressType, value: Any, c: Any) -> NativeValue:
    """Members in memory of the caller's, which holds the tuple as long as native code runs."""
    size = ir.ArrayType(ir.IntType(8 * WORD), _size(c.context, kind) // WORD)
    memory = c.builder.bitcast(cgutils.alloca_once(c.builder, size), cgutils.voidptr_t)
    error = cgutils.false_bit
    for failed in _fill(kind, value, memory, c):
        error = c.builder.or_(error, failed)
    return NativeValue(memory, is_error=error)


def _fill(kind: AddressType, value: Any, memory: Any, c: Any) -> list[Any]:
    """Put all members where they belong; returns which of them failed."""
    errors = []
    for number, (name, member) in enumerate(kind.members.items()):
        item = c.pyapi.tuple_getitem(value, number)
        place = cgutils.pointer_add(c.builder, memory, _offset(c.context, kind, name))
        if isinstance(member, AddressType):
            errors += _fill(member, item, place, c)
        elif isinstance(member, types.Array):
            errors.append(cgutils.is_not_null(c.builder, _fill_array(item, place, c)))
        else:
            native = c.unbox(member, item)
            pointer = c.context.get_value_type(member).as_pointer()
            c.builder.store(native.value, c.builder.bitcast(place, pointer))
            errors.append(native.is_error)
    return errors


def _fill_array(array: Any, place: Any, c: Any) -> Any:
    """Describe a numpy array, without a reference to it; returns an error code."""
    kind = ir.FunctionType(ir.IntType(32), [cgutils.voidptr_t] * 2)
    adapt = cgutils.get_or_insert_function(c.builder.module, kind, DESCRIBE)
    return c.builder.call(adapt, [array, place])


@unbox(MemberArray)
def _array_from_python(kind: MemberArray, value: Any, c: Any) -> NativeValue:
    memory = cgutils.alloca_once(c.builder, c.context.get_value_type(kind.plain))
    place = c.builder.bitcast(memory, cgutils.voidptr_t)
    return NativeValue(place, is_error=cgutils.is_not_null(c.builder, _fill_array(value, place, c)))
