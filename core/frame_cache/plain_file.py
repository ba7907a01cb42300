# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are nothing else: no symbolic link is followed, no pipe or device is opened."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path
from typing import BinaryIO, Literal

_NO_LINK, _NO_WAIT = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_NONBLOCK", 0)  # 0 on Windows


def opened(path: Path, mode: Literal["rb", "r+b", "wb", "a+b"]) -> BinaryIO:
    """As the built-in `open`. Raises OSError also where the file is something else."""
    return open(path, mode, opener=_open)


def exists(path: Path) -> bool:
    """Whether anything is called so, be it a link that leads nowhere. Raises OSError."""
    return _stat(path) is not None


def is_plain(path: Path) -> bool:
    """Whether a file is called so, and nothing else. Raises OSError."""
    found = _stat(path)
    return found is not None and stat.S_ISREG(found.st_mode)


def seen(path: Path) -> tuple[int, ...] | None:
    """What changes when a file is written; None where there is none. Raises OSError."""
    found = _stat(path)
    return None if found is None else (found.st_mtime_ns, found.st_size, found.st_ino)


def remove(path: Path) -> None:
    """Delete a file, unless it is missing or something else. Raises OSError."""
    if is_plain(path):
        path.unlink(missing_ok=True)


def copy(source: Path, target: Path) -> None:
    """Write a file's content into another one. Raises OSError."""
    with opened(source, "rb") as read, opened(target, "wb") as written:
        shutil.copyfileobj(read, written, 1 << 20)


def _stat(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _open(path: str, flags: int) -> int:
    if not _NO_LINK and os.path.islink(path):
        raise OSError(errno.ELOOP, "a symbolic link", path)
    descriptor = os.open(path, flags | _NO_LINK | _NO_WAIT, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.ELOOP, "not an ordinary file", path)
    return descriptor
