# SPDX-License-Identifier: GPL-3.0-or-later
"""The decorators for functions that numba compiles; it is imported when the first is declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from .cache import cache_folder, numba_cache

Function = TypeVar("Function", bound=Callable[..., Any])


def native(function: Function) -> Function:
    """Compile with numba at first use, without the interpreter lock, cached on disk."""
    return _declared(function, part=False)


def native_part(function: Function) -> Function:
    """As :func:`native`, for a part of native functions that Python never calls itself.

    It becomes part of their machine code and has none of its own. It makes no arrays and raises
    nothing.
    """
    return _declared(function, part=True)


def _declared(function: Function, part: bool) -> Function:
    import numba

    if numba.config.DISABLE_JIT:
        return function
    from .fence import internals_work

    if not internals_work():
        return _plain(function)
    from .parts import declare, declare_part

    return cast(Function, (declare_part if part else declare)(function))


def _plain(function: Function) -> Function:
    """Either of them by what numba offers publicly. Code that calls the other way's is no use."""
    import numba

    with numba_cache(cache_folder() / "plain"):
        return cast(Function, numba.njit(nogil=True, error_model="numpy", cache=True)(function))
