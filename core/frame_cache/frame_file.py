# SPDX-License-Identifier: GPL-3.0-or-later
"""A file of frames: as many bytes for each, behind a header.

With the right header it is a PC2 file, which Blender's Mesh Cache modifier and most other programs
read: 32 bytes, then for each frame the positions of all points as float32 triples. A lattice file
has a header of the same fields under a name of its own.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from . import plain_file
from .encodings import Encoding, Full, Lattice

_HEADER = struct.Struct("<12siiffi")
_PC2, _LATTICE = b"POINTCACHE2\0", b"XPBD lattice"
_COUNT_BYTES = 4  # of the number of frames, at the end of the header


class FrameFile:
    """Arrays of one shape, one a frame, behind a header.

    Args:
        encoding: how the bytes of a frame stand for its array.
        header: makes the header for a number of frames, of which only its last four bytes tell;
            by default there is none.

    Raises:
        OSError: of all methods, where the file can't be read or written.
    """

    def __init__(
        self, path: Path, encoding: Encoding, header: Callable[[int], bytes] = lambda _: b""
    ) -> None:
        self.path = path
        self.encoding = encoding
        self._header = header
        self._start = len(header(0))
        self._newest: tuple[int, bytes] | None = None

    def create(self) -> None:
        """Begin the file anew, without frames."""
        self._newest = None
        with plain_file.opened(self.path, "wb") as file:
            file.write(self._header(0))

    def count(self) -> int:
        """Whole frames in the file; 0 where it is missing or begins otherwise."""
        self._newest = None
        try:
            with plain_file.opened(self.path, "rb") as file:
                head, size = file.read(self._start), os.fstat(file.fileno()).st_size
        except FileNotFoundError:
            return 0
        if head[:-_COUNT_BYTES] != self._header(0)[:-_COUNT_BYTES]:
            return 0
        return (size - self._start) // max(1, self.encoding.frame_bytes)

    def write(self, index: int, values: NDArray[np.float32]) -> bytes:
        """Write a frame, which is then the last of the file, and keep it in memory.

        Returns:
            Its bytes, as the file has them.
        """
        content = self.encoding.encode(values)
        with plain_file.opened(self.path, "r+b") as file:
            file.seek(self._offset(index))
            file.write(content)
            file.truncate()
            file.seek(0)
            file.write(self._header(index + 1))
        self._newest = (index, content)
        return content

    def read(self, index: int) -> bytes | None:
        """The bytes of a frame; None where the file lacks it."""
        newest = self._newest  # another thread may be writing the next one
        if newest is not None and newest[0] == index:
            return newest[1]
        try:
            with plain_file.opened(self.path, "rb") as file:
                if os.fstat(file.fileno()).st_size < self._offset(index + 1):
                    return None  # before memory is taken for it
                file.seek(self._offset(index))
                content = file.read(self.encoding.frame_bytes)
        except FileNotFoundError:
            return None
        return content if len(content) == self.encoding.frame_bytes else None

    def cut(self, frames: int) -> None:
        """Make the file end after so many frames, whatever was half written."""
        self._newest = None
        with plain_file.opened(self.path, "r+b") as file:
            file.write(self._header(frames))
            file.truncate(self._offset(frames))

    def _offset(self, index: int) -> int:
        return self._start + index * self.encoding.frame_bytes


def pc2_file(path: Path, points: int, frame_start: int) -> FrameFile:
    """A PC2 file of positions, shape (points, 3), from a frame on."""
    return FrameFile(path, Full((points, 3)), partial(_head, _PC2, points, frame_start))


def lattice_file(path: Path, points: int, frame_start: int) -> FrameFile:
    """A file of positions on a lattice, from a frame on."""
    return FrameFile(path, Lattice(points), partial(_head, _LATTICE, points, frame_start))


def is_pc2(path: Path) -> bool:
    """Whether a file begins as a PC2 file does; not so where it can't be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(_PC2)) == _PC2
    except OSError:
        return False


def _head(name: bytes, points: int, frame_start: int, frames: int) -> bytes:
    return _HEADER.pack(name, 1, points, float(frame_start), 1.0, frames)
