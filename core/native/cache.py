# SPDX-License-Identifier: GPL-3.0-or-later
"""Where compiled code is kept.

Imports neither numba nor numpy, so that an add-on can choose the folder before either is loaded.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

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


@contextmanager
def numba_cache(folder: Path) -> Iterator[None]:
    """The folder is numba's only while a function is being declared.

    Other add-ons that use numba in the same process keep theirs.
    """
    import numba

    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before
