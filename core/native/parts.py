# SPDX-License-Identifier: GPL-3.0-or-later
"""How numba compiles the functions of core.

Rests on numba's internals: :mod:`.fence` tries it out before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numba.core import sigutils, types
from numba.core.registry import CPUDispatcher

from .cache import cache_folder, numba_cache
from .calls import remembered_calls
from .checked_cache import CheckedCache
from .member_array import by_its_address
from .passes import NativeCompiler, PartCompiler


class NativeFunction(CPUDispatcher):  # type: ignore[misc]
    """A function that is compiled once for each type of its arguments, whatever constants they are.

    Left alone, numba compiles a function again for every call with another ``True`` or ``0``.
    """

    def compile(self, sig: Any) -> Any:
        """Machine code for types of arguments; what numba looks up for it is remembered."""
        with remembered_calls():
            return super().compile(sig)

    def _compile_for_args(self, *arguments: Any) -> Any:
        """What Python calls; arrays go by their address, too."""
        return self.compile(tuple(by_its_address(self.typeof_pyval(each)) for each in arguments))

    def add_overload(self, result: Any) -> None:
        """Keep what was compiled, and let Python find it by the types that it sees."""
        super().add_overload(result)
        kinds = result.signature.args
        seen = [getattr(kind, "plain", kind)._code for kind in kinds]
        if seen != [kind._code for kind in kinds]:
            self._insert(seen, result.entry_point, result.objectmode)

    def get_call_template(self, args: Sequence[types.Type], kws: dict[str, types.Type]) -> Any:
        """What a call from compiled code refers to."""
        varying = [types.unliteral(kind) for kind in args]
        named = {name: types.unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template(varying, named)


class NativePart(NativeFunction):
    """A function that runs only as a part of others, in whose files on disk it is."""

    def compile(self, sig: Any) -> Any:
        """The part for types of arguments; it has no address, and so zero is returned."""
        arguments, returned = sigutils.normalize_signature(sig)
        if tuple(arguments) not in self.overloads:
            with self._compiling_counter:
                self.add_overload(self._compiler.compile(arguments, returned))
        return self.overloads[tuple(arguments)].entry_point


OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
OPTIONS_OF_PARTS = OPTIONS | {"no_cpython_wrapper": True, "_nrt": False}


def declare(function: Callable[..., Any]) -> NativeFunction:
    """A function that Python and other native functions call; cached."""
    compiled = NativeFunction(function, targetoptions=OPTIONS, pipeline_class=NativeCompiler)
    with numba_cache(cache_folder()):
        compiled._cache = CheckedCache(function)
    return compiled


def declare_part(function: Callable[..., Any]) -> NativePart:
    """A function that only native functions call."""
    return NativePart(function, targetoptions=OPTIONS_OF_PARTS, pipeline_class=PartCompiler)
