# SPDX-License-Identifier: GPL-3.0-or-later
"""How numba compiles the functions of core.

Rests on numba's internals: :mod:`.fence` tries it out before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numba import _dynfunc
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import InlineOverloads, NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from .cache import cache_folder, numba_cache
from .calls import remembered_calls


class NativeFunction(CPUDispatcher):  # type: ignore[misc]
    """A function that is compiled once for each type of its arguments, whatever constants they are.

    Left alone, numba compiles a function again for every call with another ``True`` or ``0``.
    """

    def compile(self, sig: Any) -> Any:
        """Machine code for types of arguments; what numba looks up for it is remembered."""
        with remembered_calls():
            return super().compile(sig)

    def get_call_template(self, args: Sequence[types.Type], kws: dict[str, types.Type]) -> Any:
        """What a call from compiled code refers to."""
        varying = [types.unliteral(kind) for kind in args]
        named = {name: types.unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template(varying, named)


class PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function that runs only as a part of others.

    It is left as it is and becomes part of theirs, which is optimised, and turned into machine
    code, as a whole. numba does both with every function, and again in each of its callers.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def serialize_using_object_code(self) -> Any:
        """What the disk cache keeps."""
        return self.serialize_using_bitcode()


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):  # type: ignore[misc]
    """numba's last pass, without machine code."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower to LLVM's language and make it known to callers."""
        # Without `no_compile` the pass would ask for the address of machine code.
        state.flags.no_compile = True
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        super().run_pass(state)
        descriptor, library = state.cr.fndesc, state.library
        # Callers find the part by this object, whose address 0 is never called.
        handle = _dynfunc.make_function(
            descriptor.lookup_module(), descriptor.qualname, "", 0, state.cr.env, (library,)
        )
        state.targetctx.insert_user_function(handle, descriptor, [library])
        state.cr = state.cr._replace(cfunc=handle)
        return True


NOT_NEEDED = (InlineClosureLikes, InlineOverloads, NopythonRewrites)
"""Passes for what parts do not have: closures, comprehensions, expressions of whole arrays."""


class PartCompiler(CompilerBase):  # type: ignore[misc]
    """numba's pipeline with :class:`PartLowering`."""

    def define_pipelines(self) -> list[PassManager]:
        """The passes in order."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [
            (PartLowering, "part lowering") if each is NativeLowering else (each, description)
            for each, description in manager.passes
            if each not in NOT_NEEDED
        ]
        manager.finalize()
        return [manager]


OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
OPTIONS_OF_PARTS = OPTIONS | {"no_cpython_wrapper": True, "_nrt": False}


def declare(function: Callable[..., Any]) -> NativeFunction:
    """A function that Python and other native functions call; cached."""
    return _cached(NativeFunction(function, targetoptions=OPTIONS))


def declare_part(function: Callable[..., Any]) -> NativeFunction:
    """A function that only native functions call; cached."""
    part = NativeFunction(function, targetoptions=OPTIONS_OF_PARTS, pipeline_class=PartCompiler)
    return _cached(part)


def _cached(compiled: NativeFunction) -> NativeFunction:
    with numba_cache(cache_folder()):
        compiled.enable_caching()
    return compiled
