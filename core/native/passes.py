# SPDX-License-Identifier: GPL-3.0-or-later
"""numba's passes over a function, as ours go through them.

Rests on numba's internals: :mod:`.fence` tries it out before it is used.
"""

from __future__ import annotations

from typing import Any

from numba import _dynfunc
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import InlineOverloads, NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from .libraries import NativeLibrary, PartLibrary
from .lowering import NativeLower, PartLower, call_of_part


@register_pass(mutates_CFG=True, analysis_only=False)
class WholeLowering(NativeLowering):  # type: ignore[misc]
    """numba's last pass: machine code of a function and all of its parts."""

    _name = "whole_lowering"
    lowering_class = NativeLower

    def run_pass(self, state: Any) -> bool:
        """Lower to LLVM's language, and compile that."""
        state.library = NativeLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):  # type: ignore[misc]
    """The same without machine code."""

    _name = "part_lowering"
    lowering_class = PartLower

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
        call = call_of_part(descriptor, library)
        state.targetctx._defns[handle].append(call, call.signature)
        state.cr = state.cr._replace(cfunc=handle)
        return True


NOT_NEEDED = (InlineClosureLikes, InlineOverloads, NopythonRewrites)
"""Passes for what parts do not have: closures, comprehensions, expressions of whole arrays."""


class PlainPasses(PassManager):  # type: ignore[misc]
    """Passes one after the other; numba tells listeners of each, and describes it in text."""

    def _runPass(self, index: int, each: Any, state: Any) -> None:
        each.analysis = self._analysis
        each.run_initialization(state)
        each.run_pass(state)
        each.run_finalizer(state)


class NativeCompiler(CompilerBase):  # type: ignore[misc]
    """numba's pipeline with :class:`WholeLowering`."""

    def define_pipelines(self) -> list[PassManager]:
        """The passes in order."""
        return [_pipeline(self.state, WholeLowering, ())]


class PartCompiler(CompilerBase):  # type: ignore[misc]
    """numba's pipeline with :class:`PartLowering`."""

    def define_pipelines(self) -> list[PassManager]:
        """The passes in order."""
        return [_pipeline(self.state, PartLowering, NOT_NEEDED)]


_known: dict[Any, PassManager] = {}


def _pipeline(state: Any, lowering: Any, left_out: tuple[Any, ...]) -> PassManager:
    """numba's passes, those left out aside; the same for all functions, whose flags are alike."""
    if lowering not in _known:
        passes = PlainPasses(lowering._name)
        passes.passes = [
            (lowering, lowering._name) if each is NativeLowering else (each, description)
            for each, description in DefaultPassBuilder.define_nopython_pipeline(state).passes
            if each not in left_out
        ]
        passes.finalize()
        _known[lowering] = passes
    return _known[lowering]
