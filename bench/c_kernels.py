# SPDX-License-Identifier: GPL-3.0-or-later
"""The C files of this folder, compiled for this processor: what hand-written kernels reach."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).with_name("c")
OPTIONS = ("-std=gnu11", "-O3", "-march=native", "-ffast-math", "-fPIC")


class CError(Exception):
    """No C kernels can be had; the message says why."""


@cache
def compiler() -> str:
    """Return the path of a C compiler that knows gcc's vectors. Raises CError."""
    for name in ("gcc", "clang"):
        if found := shutil.which(name):
            return found
    raise CError("no gcc or clang was found")


def compiler_version() -> str | None:
    """Return the first line of what the compiler says of itself; None without one."""
    try:
        command = [compiler(), "--version"]
    except CError:
        return None
    return subprocess.run(command, capture_output=True, text=True).stdout.partition("\n")[0]


@cache
def function(name: str, lanes: int) -> Any:
    """Return the function of c/<name>.c, compiled for blocks of so many lanes. Raises CError."""
    with tempfile.TemporaryDirectory(prefix="xpbd-bench-") as folder:
        part, library = Path(folder, "part.o"), Path(folder, "part.so")
        source = SOURCES / f"{name}.c"
        _run([compiler(), *OPTIONS, f"-DLANES={lanes}", "-c", str(source), "-o", str(part)])
        # Linked without -ffast-math, which would change how the whole process rounds.
        _run([compiler(), "-shared", str(part), "-o", str(library), "-lm"])
        return getattr(ctypes.CDLL(str(library)), name)


def address(name: str, lanes: int) -> int:
    """Return where the function of c/<name>.c lies. Raises CError."""
    return ctypes.cast(function(name, lanes), ctypes.c_void_p).value or 0


def _run(command: Sequence[str]) -> None:
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise CError(f"{' '.join(command)} failed: {ended.stderr.strip()[:500]}")
