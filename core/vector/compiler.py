# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels as machine code: compiled by LLVM once for a processor, then loaded from disk.

The file name holds a hash of everything the code depends on: the intermediate code, the processor
and its features, LLVM's version. A stale file is therefore never found.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm
from llvmlite import ir

from ..native.cache import cache_folder
from .chain import emit_chain
from .kernel import emit
from .recurrence import emit_recurrence
from .specification import ChainSpecification, KernelSpecification, RecurrenceSpecification

Specification = KernelSpecification | ChainSpecification | RecurrenceSpecification

_lock = threading.Lock()
_engines: list[llvm.ExecutionEngine] = []


@cache
def processor() -> tuple[str, str]:
    """LLVM's name for this processor, and its features."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def native_lanes() -> int:
    """Single-precision numbers in the processor's widest vector register: 16, 8 or 4."""
    features = set(processor()[1].split(","))
    if "+avx512f" in features:
        return 16
    return 8 if "+avx" in features else 4


@cache
def _target_machine() -> llvm.TargetMachine:
    name, features = processor()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=name, features=features, opt=3, jit=True)


def _machine_code(module_text: str) -> bytes:
    machine = _target_machine()
    module = llvm.parse_assembly(module_text)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    return bytes(machine.emit_object(module))


def _load(code: bytes, symbol: str) -> int:
    empty = llvm.parse_assembly("")
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(empty, machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    return int(engine.get_function_address(symbol))


def _cached(path: Path, produce: Callable[[], bytes]) -> bytes:
    """The file's content, checked against its hash; produced and written where it is missing."""
    if path.is_file():
        digest, code = path.read_bytes()[:32], path.read_bytes()[32:]
        if hashlib.sha256(code).digest() == digest:
            return code
    code = produce()
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
    partial.write_bytes(hashlib.sha256(code).digest() + code)
    partial.replace(path)
    return code


def _file_name(name: str, module_text: str) -> str:
    parts = (module_text, *processor(), llvmlite.__version__)
    return f"{name}-{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:24]}.o"


_addresses: dict[tuple[Specification, int, bool], int] = {}


def _module_of(specification: Specification, lanes: int, double: bool) -> ir.Module:
    if isinstance(specification, ChainSpecification):
        return emit_chain(specification, lanes, double)
    if isinstance(specification, RecurrenceSpecification):
        return emit_recurrence(specification, lanes, double)
    return emit(specification, lanes, double)


def address(specification: Specification, lanes: int, double: bool) -> int:
    """Address of the kernel's machine code; compiled at first use, else loaded from disk."""
    key = (specification, lanes, double)
    with _lock:
        if key not in _addresses:
            text = str(_module_of(specification, lanes, double))
            path = cache_folder() / _file_name(specification.name, text)
            code = _cached(path, lambda: _machine_code(text))
            _addresses[key] = _load(code, specification.name)
        return _addresses[key]
