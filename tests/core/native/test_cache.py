# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled code is kept where it should be, and never trusted when it is damaged."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import fresh_process
import numba
import pytest

from core.native import cache
from core.native.checked_cache import CheckedFiles
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


LOAD = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from core.native.cache import use_cache
use_cache(Path(sys.argv[1]))
import numpy as np
from core.layout.coloring import color
colors = color(np.array([[0, 1], [1, 2], [2, 3]]), 4)
from core.layout.coloring import _color_window
print(sum(_color_window.stats.cache_misses.values()), colors)
"""


def damage_of(good: bytes) -> dict[str, bytes]:
    """What may become of a file."""
    flipped = bytearray(good)
    for place in (len(good) // 3, len(good) // 2, len(good) - 40):
        flipped[place] ^= 16
    half = len(good) // 2
    return {
        "emptied": b"",
        "cut": good[:half],
        "zeroed": bytes(len(good)),
        "zeroed in part": good[:half] + bytes(len(good) - half),
        "flipped": bytes(flipped),
        "longer": good + b"more",
    }


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", damage_of(bytes(99)))
def test_damaged_code_is_compiled_again(
    ending: str, damage: str, tmp_path: Path, compiled_once: Path
) -> None:
    folder = tmp_path / "cache"
    shutil.copytree(compiled_once, folder)
    assert load(folder).startswith("0 ")
    (file,) = folder.rglob(f"*_color_window*{ending}")
    file.write_bytes(damage_of(file.read_bytes())[damage])
    assert load(folder).startswith("1 "), "the damage is noticed"
    assert load(folder).startswith("0 "), "and mended"


@pytest.fixture(scope="module")
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with compiled code."""
    folder = tmp_path_factory.mktemp("compiled")
    assert load(folder).startswith("1 ")
    return folder


def test_of_two_that_compile_at_once_neither_gets_the_others_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one looks into the index before the first has written it, and is done sooner."""
    one, two = (CheckedFiles(str(tmp_path), "f", "stamp") for _ in range(2))
    write = one._save_data

    def write_late(name: str, data: Any) -> None:
        two.save("key of two", "code of two")
        write(name, data)

    monkeypatch.setattr(one, "_save_data", write_late)
    monkeypatch.setattr(two, "_load_index", dict)
    one.save("key of one", "code of one")
    afterwards = CheckedFiles(str(tmp_path), "f", "stamp")
    assert afterwards.load("key of one") == "code of one"
    assert afterwards.load("key of two") == "code of two"


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_another_blender_loads_what_the_first_has_compiled(
    tmp_path: Path, compiled_once: Path
) -> None:
    """Wherever the extension is installed."""
    installed = tmp_path / "installed"
    shutil.copytree(Path(cache.__file__).parents[1], installed / "core")
    assert load(compiled_once, installed).startswith("0 ")
    changed = installed / "core" / "layout" / "coloring.py"
    changed.write_text(changed.read_text("utf-8") + "# another one", "utf-8")
    assert load(compiled_once, installed).startswith("1 ")


def load(folder: Path, *installed: Path) -> str:
    """How often a fresh process had to compile a function, and what it computes."""
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    printed, _ = fresh_process.run(LOAD, str(folder), *map(str, installed), environment=environment)
    return printed


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
