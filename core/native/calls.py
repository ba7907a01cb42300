# SPDX-License-Identifier: GPL-3.0-or-later
"""What numba has found out about calls of its own functions, remembered while ours are compiled.

For each ``a * b`` and ``max(a, b)`` it tries out everything that might be meant. A sixth of the
time that compiling takes goes into finding the same again.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.typing import signature

_signatures: dict[Any, Any] = {}


@contextmanager
def remembered_calls() -> Iterator[None]:
    """Let numba look calls up that it has resolved before, in this block only."""
    with global_compiler_lock:
        find = types.BaseFunction.get_call_type
        types.BaseFunction.get_call_type = _remembering(find)
        try:
            yield
        finally:
            types.BaseFunction.get_call_type = find


def _remembering(find: Any) -> Any:
    def get_call_type(function: Any, context: Any, arguments: Any, named: Any) -> Any:
        if function.typing_key not in OF_ADDRESSES:
            arguments = tuple(getattr(kind, "plain", kind) for kind in arguments)
        key = function, tuple(arguments), tuple(named.items())
        if key not in _signatures:
            _signatures[key] = _of_extremes(function, context, arguments) or find(
                function, context, arguments, named
            )
        return _signatures[key]

    return get_call_type


OF_ADDRESSES = (operator.getitem, operator.setitem, len)
"""What is done with arrays that go by their address as they are; all else gets them in full."""

EXTREMES = {min: operator.lt, max: operator.gt}
"""Functions of several numbers, and how to compare two of them: see :mod:`.lowering`."""


def _of_extremes(function: Any, context: Any, arguments: Any) -> Any:
    """Signature of min and max of numbers; numba compiles functions for each."""
    numbers = all(isinstance(kind, types.Number) for kind in arguments)
    if numbers and len(arguments) > 1 and function.typing_key in EXTREMES:
        return signature(context.unify_types(*arguments), *arguments)
    return None
