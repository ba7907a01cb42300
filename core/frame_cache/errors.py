# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong with a folder of frames, as a sentence that names it and the cure."""

from __future__ import annotations

import errno
from pathlib import Path

_ANOTHER = "or choose another cache folder"
_CURES = {
    errno.ENOSPC: f"make room there, {_ANOTHER}",
    errno.EDQUOT: f"make room there, {_ANOTHER}",
    errno.EACCES: f"allow reading and writing there, {_ANOTHER}",
    errno.EPERM: f"allow reading and writing there, {_ANOTHER}",
    errno.EROFS: f"allow writing there, {_ANOTHER}",
    errno.ENOENT: f"something has removed it; simulate again, {_ANOTHER}",
    errno.ENAMETOOLONG: "choose a cache folder with a shorter name",
    errno.ELOOP: f"remove the link or pipe that lies there, {_ANOTHER}",
    errno.EMFILE: "too many files are open; save your work and start Blender again",
    errno.ENFILE: "too many files are open; close other programs",
}


class CacheError(OSError):
    """The folder of the cache can't be used; the message names it and the cure."""


def of_reading(folder: Path, error: OSError) -> CacheError:
    """The error of a folder that can't be read."""
    return _of(folder, "read", error)


def of_writing(folder: Path, error: OSError) -> CacheError:
    """The error of a folder that can't be written."""
    return _of(folder, "written", error)


def _of(folder: Path, what: str, error: OSError) -> CacheError:
    reason = error.strerror or str(error)
    cure = _CURES.get(error.errno or 0, "choose another cache folder")
    return CacheError(f"The cache folder '{folder}' can't be {what} ({reason}): {cure}")


def in_the_way(path: Path) -> CacheError:
    """The error of a file that would be overwritten though nobody here wrote it."""
    return CacheError(
        f"'{path}' was not written by this extension, and is left alone: "
        "move it away, or choose another cache folder"
    )
