# SPDX-License-Identifier: GPL-3.0-or-later
"""A file of frames: arrays of one shape behind a header, one a frame.

With the right header it is a PC2 file, which Blender's Mesh Cache modifier and most other programs
read: 32 bytes, then for each frame the positions of all points as float32 triples.
"""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from . import plain_file

_HEADER = struct.Struct("<12siiffi")
_MAGIC = b"POINTCACHE2\0"
_COUNT_BYTES = 4  # of the number of frames, at the end of the header


class FrameFile:
    """Arrays of one shape, one a frame, behind a header, as little-endian float32.

    Args:
        shape: of the array of a frame.
        header: makes the header for a number of frames, of which only its last four bytes tell;
            by default there is none.

    Raises:
        OSError: of all methods, where the file can't be read or written.
    """

    def __init__(
        self, path: Path, shape: tuple[int, ...], header: Callable[[int], bytes] = lambda _: b""
    ) -> None:
        self.path = path
        self.shape = shape
        self._header = header
        self._start = len(header(0))
        self._frame_bytes = 4 * math.prod(shape)
        self._newest: tuple[int, NDArray[np.float32]] | None = None

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
        return (size - self._start) // max(1, self._frame_bytes)

    def write(self, index: int, values: NDArray[np.float32]) -> None:
        """Write a frame, which is then the last of the file, and keep it in memory."""
        with plain_file.opened(self.path, "r+b") as file:
            file.seek(self._offset(index))
            file.write(values.data)
            file.truncate()
            file.seek(0)
            file.write(self._header(index + 1))
        newest = values.copy()
        newest.setflags(write=False)
        self._newest = (index, newest)

    def read(self, index: int) -> NDArray[np.float32] | None:
        """A frame, not to be written to; None where the file lacks it."""
        newest = self._newest  # another thread may be writing the next one
        if newest is not None and newest[0] == index:
            return newest[1]
        try:
            with plain_file.opened(self.path, "rb") as file:
                if os.fstat(file.fileno()).st_size < self._offset(index + 1):
                    return None  # before memory is taken for it
                file.seek(self._offset(index))
                content = file.read(self._frame_bytes)
        except FileNotFoundError:
            return None
        if len(content) < self._frame_bytes:
            return None
        return np.frombuffer(content, "<f4").reshape(self.shape).astype(np.float32, copy=False)

    def cut(self, frames: int) -> None:
        """Make the file end after so many frames, whatever was half written."""
        self._newest = None
        with plain_file.opened(self.path, "r+b") as file:
            file.write(self._header(frames))
            file.truncate(self._offset(frames))

    def _offset(self, index: int) -> int:
        return self._start + index * self._frame_bytes


def pc2_file(path: Path, points: int, frame_start: int) -> FrameFile:
    """A PC2 file of positions, shape (points, 3), from a frame on."""
    return FrameFile(path, (points, 3), partial(_pc2_header, points, frame_start))


def is_pc2(path: Path) -> bool:
    """Whether a file begins as a PC2 file does; not so where it can't be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def _pc2_header(points: int, frame_start: int, frames: int) -> bytes:
    return _HEADER.pack(_MAGIC, 1, points, float(frame_start), 1.0, frames)
