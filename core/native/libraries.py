# SPDX-License-Identifier: GPL-3.0-or-later
"""What LLVM does with functions: it optimises once what belongs together.

numba optimises every function as a whole, makes machine code of it, and does both again in each of
its callers. Rests on numba's internals: :mod:`.fence` tries it out before it is used.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from llvmlite import binding
from numba.core.codegen import JITCodeLibrary


class PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of one part, without that of the parts it calls, and without machine code."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Nothing more comes."""
        self._raise_if_finalized()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """The code, whether or not something has called it so far."""
        _set_linkage(self._final_module, binding.Linkage.external, "weak_odr")
        return self._final_module


class NativeLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function with all of its parts, optimised as a whole."""

    _linking_libraries: list[Any]

    def finalize(self) -> None:
        """Fetch all parts, optimise, and make machine code."""
        self._linking_libraries = _with_parts_of_parts(self._linking_libraries)
        super().finalize()

    def _optimize_final_module(self) -> None:
        # What is not called, or only where it was put into its caller, is dropped.
        _set_linkage(self._final_module, binding.Linkage.weak_odr, "linkonce_odr")
        # numba does so twice: counting references, which parts don't do, comes between.
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


def _set_linkage(module: Any, before: Any, linkage: str) -> None:
    for function in module.functions:
        if not function.is_declaration and function.linkage == before:
            function.linkage = linkage


def _with_parts_of_parts(libraries: Iterable[Any]) -> list[Any]:
    """Libraries, and those that parts among them call; parts first, as others are taken along only
    where something has called them.
    """
    found: dict[Any, None] = {}
    waiting = list(libraries)
    while waiting:
        library = waiting.pop()
        if library not in found:
            found[library] = None
            if isinstance(library, PartLibrary):
                waiting += library._linking_libraries
    return sorted(found, key=lambda library: not isinstance(library, PartLibrary))
