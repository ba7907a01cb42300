# SPDX-License-Identifier: GPL-3.0-or-later
"""Checksums of an object's frames: they tell what was written from what only seems to be there.

A mark of 16 bytes, a token of 8 that is drawn when the file is begun, then for each frame 12 bytes:
its number (int32), the CRC-32 of its positions and that of its measures (uint32), as these are
stored. Each CRC begins with the token and the number, so that frames of another writer, another
object or another moment don't match either.
"""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import numpy as np

from . import plain_file

_MARK = b"XPBD checksums\0\1"
_TOKEN_BYTES = 8
_RECORD = np.dtype([("number", "<i4"), ("sums", "<u4", 2)])
COLUMNS = POSITIONS, MEASURES = 0, 1
"""Which of a frame's two checksums."""


class Checksums:
    """The file of them, and what it holds.

    Args:
        frame_start: number of the first frame.

    Raises:
        OSError: of all methods, where the file can't be read or written.
    """

    def __init__(self, path: Path, frame_start: int) -> None:
        self.path = path
        self._frame_start = frame_start
        self._token = b""
        self._sums = np.empty((0, 2), np.uint32)

    def create(self) -> None:
        """Begin the file anew, without frames."""
        self._token = os.urandom(_TOKEN_BYTES)
        self._sums = np.empty((0, 2), np.uint32)
        with plain_file.opened(self.path, "wb") as file:
            file.write(_MARK + self._token)

    def count(self) -> int:
        """Frames that follow one another from the first on; 0 where the file is none of these."""
        try:
            with plain_file.opened(self.path, "rb") as file:
                mark, self._token = file.read(len(_MARK)), file.read(_TOKEN_BYTES)
                content = file.read()
        except FileNotFoundError:
            return 0
        if mark != _MARK or len(self._token) != _TOKEN_BYTES:
            return 0
        records = np.frombuffer(content, _RECORD, len(content) // _RECORD.itemsize)
        wrong = records["number"] != self._frame_start + np.arange(len(records))
        self._sums = records["sums"][: int(wrong.argmax()) if wrong.any() else len(records)]
        return len(self._sums)

    def write(self, index: int, points: bytes, row: bytes) -> None:
        """Put a frame behind as many others, and drop what was there."""
        sums = np.array([[self._sum(index, content) for content in (points, row)]], np.uint32)
        record = np.array([(self._frame_start + index, sums[0])], _RECORD)
        with plain_file.opened(self.path, "r+b") as file:
            file.seek(self._offset(index))
            file.write(record.tobytes())
            file.truncate()
        self._sums = np.concatenate([self._sums[:index], sums])

    def cut(self, frames: int) -> None:
        """Make the file end after so many frames."""
        self._sums = self._sums[:frames]
        with plain_file.opened(self.path, "r+b") as file:
            file.truncate(self._offset(frames))

    def mark(self, index: int) -> str:
        """Which of all frames that ever had this place a frame is."""
        return f"{self._token.hex()} {self._sums[index].tobytes().hex()}"

    def match(self, index: int, column: int, content: bytes) -> bool:
        """Whether the bytes of a frame's positions or measures are those that were written."""
        return index < len(self._sums) and self._sums[index, column] == self._sum(index, content)

    def _sum(self, index: int, content: bytes) -> int:
        which = self._token + struct.pack("<q", self._frame_start + index)
        return zlib.crc32(content, zlib.crc32(which))

    def _offset(self, index: int) -> int:
        return len(_MARK) + _TOKEN_BYTES + index * _RECORD.itemsize


def has_mark(path: Path) -> bool:
    """Whether a file is one of these. Raises OSError."""
    if not plain_file.is_plain(path):
        return False
    with plain_file.opened(path, "rb") as file:
        return file.read(len(_MARK)) == _MARK
