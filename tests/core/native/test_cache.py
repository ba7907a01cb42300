# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled code is kept where it should be, and never trusted when it is damaged."""

from __future__ import annotations

import os
from pathlib import Path

import fresh_process
import pytest

from core.native import cache
from core.native.compiled import native

COMPILE = """
import sys
from pathlib import Path
from core.native.cache import use_cache
use_cache(Path(sys.argv[1]))
import numpy as np
from core.layout.coloring import color
from core.constraints import REGISTRY
from core.solvers.common.projection import specification
from core.vector import compiler
produced = []
produce = compiler._machine_code
compiler._machine_code = lambda text: produced.append(1) or produce(text)
compiler.address(specification(REGISTRY["distance"], False), 4, False)
if len(sys.argv) > 2:
    color(np.array([[0, 1]]), 2)
print(len(produced))
"""


def compile_into(folder: Path, *more: str) -> int:
    """How many kernels a fresh process had to compile."""
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    environment["NUMBA_CACHE_DIR"] = str(folder.parent / "not this one")
    printed, _ = fresh_process.run(COMPILE, str(folder), *more, environment=environment)
    return int(printed)


def test_the_chosen_folder_is_used_for_all_compiled_code(tmp_path: Path) -> None:
    chosen = tmp_path / "chosen folder ü"
    assert compile_into(chosen, "with numba") == 1
    files = {path.suffix for path in chosen.rglob("*") if path.is_file()}
    assert files == {".o", ".nbi", ".nbc"}
    assert list(tmp_path.iterdir()) == [chosen], "nothing is written anywhere else"


def test_the_second_process_loads_and_a_damaged_file_is_compiled_again(tmp_path: Path) -> None:
    assert compile_into(tmp_path) == 1
    assert compile_into(tmp_path) == 0
    (file,) = tmp_path.rglob("*.o")
    good = file.read_bytes()
    for damaged in (good[:-100], b"", good[:200] + bytes([good[200] ^ 1]) + good[201:]):
        file.write_bytes(damaged)
        assert compile_into(tmp_path) == 1
        assert file.read_bytes() == good
    assert [path for path in file.parent.iterdir() if path.is_file()] == [file], "no leftovers"


@pytest.mark.jit_off
def test_the_hash_is_of_the_sources() -> None:
    assert cache.source_hash() in cache.cache_folder().name
    assert len(cache.source_hash()) == 16


@pytest.mark.jit_off
def test_declaring_leaves_the_cache_folder_of_others_alone() -> None:
    import numba

    before = numba.config.CACHE_DIR
    native(lambda x: x)
    assert before == numba.config.CACHE_DIR
