# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may write into a folder: one at a time, as long as it lives.

The lock is the operating system's, on an empty file. It ends with the process that holds it,
however that dies, and a file that was left over blocks nobody.
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import BinaryIO

from . import plain_file
from .errors import CacheError

_OCCUPIED = (errno.EACCES, errno.EAGAIN)
_UNKNOWN = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)


class FolderLock:
    """The lock of one folder. Raises OSError, of all methods."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "cache.lock"
        self._file: BinaryIO | None = None

    def take(self) -> None:
        """Hold the lock from now on; where the file system knows no locks, everybody does.

        Raises:
            CacheError: somebody else holds it.
        """
        while self._file is None or not self._is_there(self._file):
            self.release()
            self._file = plain_file.opened(self.path, "a+b")
            try:
                _lock(self._file)
            except OSError as error:
                if error.errno not in _UNKNOWN:
                    self.release()
                    raise (self._occupied() if error.errno in _OCCUPIED else error) from error

    def release(self) -> None:
        """Let others have it."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def remove(self) -> None:
        """Let others have it, and leave no file behind."""
        if sys.platform == "win32":
            self.release()  # what is open can't be deleted there
        if plain_file.is_plain(self.path) and self.path.stat().st_size == 0:
            plain_file.remove(self.path)
        self.release()

    def _is_there(self, file: BinaryIO) -> bool:
        """Whether the file that is held is still the one of that name."""
        if not plain_file.exists(self.path):
            return False
        return os.path.samestat(os.fstat(file.fileno()), os.stat(self.path, follow_symlinks=False))

    def _occupied(self) -> CacheError:
        return CacheError(
            f"Another Blender simulates into the cache folder '{self.folder}': close the file "
            "there, or choose another cache folder here"
        )


if sys.platform == "win32":
    import msvcrt

    def _lock(file: BinaryIO) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: BinaryIO) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
