# SPDX-License-Identifier: GPL-3.0-or-later
"""The type of an array that goes by its address: of one in such a named tuple, or from Python.

numba passes an array as seven numbers and more, unpacks them at every access, and lets negative
places count from the end. Of such an array native code has one pointer, and reads through it what
an access needs. Places must not be negative.

Rests on numba's internals: :mod:`.fence` tries it out before it is used.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel.models import OpaqueModel
from numba.core.imputils import lower_builtin, lower_cast, lower_getattr
from numba.core.typing import signature
from numba.extending import register_model
from numba.np.arrayobj import load_item, store_item

INDEX, PLACE = ir.IntType(64), ir.IntType(32)


class MemberArray(types.Array):  # type: ignore[misc]
    """An array that goes by its address.

    Attributes:
        plain: numba's type of it.
    """

    def __init__(self, plain: types.Array) -> None:
        self.plain = plain
        super().__init__(
            plain.dtype,
            plain.ndim,
            plain.layout,
            readonly=not plain.mutable,
            aligned=plain.aligned,
            name=f"member {plain.name}",
        )

    def whole(self, context: Any, builder: Any, address: Any) -> Any:
        """All that is known of the array at an address, as numba knows it of others."""
        pointer = context.get_value_type(self.plain).as_pointer()
        return _constant(builder, builder.bitcast(address, pointer))


register_model(MemberArray)(OpaqueModel)


def by_its_address(kind: types.Type) -> types.Type:
    """The type of a member or argument of this type."""
    return MemberArray(kind) if type(kind) is types.Array else kind


def _constant(builder: Any, place: Any) -> Any:
    """Nobody changes members while native code runs: LLVM need not read them twice."""
    value = builder.load(place)
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


def _field(
    context: Any, builder: Any, kind: MemberArray, address: Any, name: str, *axis: int
) -> Any:
    """What is known of an array by this name; of one axis."""
    pointer = context.get_value_type(kind.plain).as_pointer()
    number = context.data_model_manager[kind.plain].get_field_position(name)
    path = [ir.Constant(PLACE, each) for each in (0, number, *axis)]
    return _constant(builder, builder.gep(builder.bitcast(address, pointer), path, inbounds=True))


def _element(
    context: Any, builder: Any, kind: MemberArray, address: Any, places: Sequence[Any]
) -> Any:
    """Pointer to the element at these places."""
    data = _field(context, builder, kind, address, "data")
    if kind.layout == "C":
        place = places[0]
        for axis in range(1, kind.ndim):
            width = _field(context, builder, kind, address, "shape", axis)
            place = builder.add(builder.mul(place, width), places[axis])
        return builder.gep(data, [place], inbounds=True)
    offset = ir.Constant(INDEX, 0)
    for axis in range(kind.ndim):
        stride = _field(context, builder, kind, address, "strides", axis)
        offset = builder.add(offset, builder.mul(places[axis], stride))
    return cgutils.pointer_add(builder, data, offset)


def _places(context: Any, builder: Any, kind: Any, index: Any) -> list[Any] | None:
    """Numbers of an index; none where it is a slice or the like."""
    kinds = kind.types if isinstance(kind, types.BaseTuple) else (kind,)
    values = cgutils.unpack_tuple(builder, index) if isinstance(kind, types.BaseTuple) else (index,)
    if not all(isinstance(each, types.Integer) for each in kinds):
        return None
    return [
        context.cast(builder, value, each, types.intp)
        for value, each in zip(values, kinds, strict=True)
    ]


@lower_builtin(operator.getitem, MemberArray, types.Integer)
@lower_builtin(operator.getitem, MemberArray, types.BaseTuple)
@lower_builtin(operator.getitem, MemberArray, types.SliceType)
def _read(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    kind, index = sig.args
    places = _places(context, builder, index, arguments[1])
    if places is None or len(places) < kind.ndim:
        return _as_plain(operator.getitem, context, builder, sig, arguments)
    element = _element(context, builder, kind, arguments[0], places)
    return load_item(context, builder, kind.plain, element)


@lower_builtin(operator.setitem, MemberArray, types.Any, types.Any)
def _write(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    kind, index, given = sig.args
    places = _places(context, builder, index, arguments[1])
    if places is None or len(places) < kind.ndim:
        return _as_plain(operator.setitem, context, builder, sig, arguments)
    value = context.cast(builder, arguments[2], given, kind.dtype)
    element = _element(context, builder, kind, arguments[0], places)
    return store_item(context, builder, kind.plain, value, element)


def _as_plain(function: Any, context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    """What numba does with an array that is no member."""
    plain = signature(sig.return_type, sig.args[0].plain, *sig.args[1:])
    whole = sig.args[0].whole(context, builder, arguments[0])
    return context.get_function(function, plain)(builder, (whole, *arguments[1:]))


@lower_builtin(len, MemberArray)
def _length(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return _field(context, builder, sig.args[0], arguments[0], "shape", 0)


@lower_getattr(MemberArray, "shape")
def _shape(context: Any, builder: Any, kind: MemberArray, address: Any) -> Any:
    return _field(context, builder, kind, address, "shape")


@lower_cast(MemberArray, types.Array)
def _cast(context: Any, builder: Any, kind: MemberArray, other: Any, address: Any) -> Any:
    whole = kind.whole(context, builder, address)
    return context.cast(builder, whole, kind.plain, other)
