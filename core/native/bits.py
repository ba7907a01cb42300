# SPDX-License-Identifier: GPL-3.0-or-later
"""Bits that several threads add to one number, none of which gets lost."""

from __future__ import annotations

from typing import Any

import numba
from numba.core import types
from numba.extending import intrinsic


@intrinsic
def _add_native(typing_context: Any, numbers: Any, place: Any, bits: Any) -> Any:
    signature = types.void(numbers, types.int64, numbers.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, index, added = arguments
        data = context.make_array(signature.args[0])(context, builder, array).data
        builder.atomic_rmw("or", builder.gep(data, [index]), added, "monotonic")
        return context.get_dummy_value()

    return signature, generate


def _add_in_python(numbers: Any, place: int, bits: Any) -> None:
    numbers[place] |= bits


add_bits = _add_in_python if numba.config.DISABLE_JIT else _add_native
"""``add_bits(numbers, i, bits)``: let a number of a flat array of integers have these bits, too."""
