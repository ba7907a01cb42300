# SPDX-License-Identifier: GPL-3.0-or-later
"""Where compiled code is kept, and the decorator for functions that numba compiles.

Imports neither numba nor numpy, so that an add-on can choose the folder before either is loaded.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

_chosen: Path | None = None


def use_cache(folder: Path) -> None:
    """Keep compiled code below ``folder``; to be called before the rest of core is imported."""
    global _chosen
    _chosen = Path(folder)


@cache
def source_hash() -> str:
    """A hash over the sources of core and the name it is imported by.

    numba stores module names and does not look at callees when it decides whether a file is
    stale; with the hash in the folder's name neither can go wrong.
    """
    root = Path(__file__).parents[1]
    digest = hashlib.sha256(
        f"{__package__.rpartition('.')[0]} {sys.implementation.cache_tag}".encode()
    )
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> Path:
    """Folder of compiled code for exactly these sources."""
    return (_chosen or _user_cache()) / f"kernels-{source_hash()}"


def _user_cache() -> Path:
    if "NUMBA_CACHE_DIR" in os.environ:
        return Path(os.environ["NUMBA_CACHE_DIR"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "xpbd"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "xpbd"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "xpbd"


def native(function: Function) -> Function:
    """Compile with numba at first use, without the interpreter lock, cached on disk."""
    return _compiled(function, part=False)


def native_part(function: Function) -> Function:
    """As :func:`native`, for a part of native functions that Python never calls itself.

    It becomes part of their machine code and has none of its own. It makes no arrays and raises
    nothing.
    """
    return _compiled(function, part=True)


def _compiled(function: Function, part: bool) -> Function:
    """The cache folder is numba's only while a function is being declared.

    Other add-ons that use numba in the same process keep theirs.
    """
    import numba

    if numba.config.DISABLE_JIT:
        return function
    from .parts import NativeFunction, PartCompiler

    options = {"nopython": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    if part:
        options |= {"no_cpython_wrapper": True, "_nrt": False}
        compiled = NativeFunction(function, targetoptions=options, pipeline_class=PartCompiler)
    else:
        compiled = NativeFunction(function, targetoptions=options)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:
        compiled.enable_caching()
    finally:
        numba.config.CACHE_DIR = before
    return cast(Function, compiled)
