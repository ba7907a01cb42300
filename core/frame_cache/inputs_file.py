# SPDX-License-Identifier: GPL-3.0-or-later
"""What each frame of an object was simulated from: a hash of every source, one row a frame.

The file begins with the names of the sources. A row has its frame's number and a checksum, so that
one that was not written whole, or is not this frame's, counts as none.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from zlib import crc32

from . import plain_file

_HEAD = struct.Struct("<8sII")  # magic with the version, bytes of names, their checksum
_MAGIC = b"XPBDIN\0\1"
_MOST_BYTES_OF_NAMES = 2**20
_MOST_BYTES = 2**26


class InputsFile:
    """Hashes of the sources of an object's frames.

    Args:
        path: the file, which need not exist; rows that are there already are known again.
        frame_start: number of the first frame.

    Attributes:
        sources: their names.
        first_unknown: the first frame whose row is not known.

    Raises:
        OSError: of all methods that write, where the file can't be written.
    """

    def __init__(self, path: Path, frame_start: int) -> None:
        self.path = path
        self._frame_start = frame_start
        self._know([], 0)
        self._find()

    def row(self, frame: int) -> dict[str, int] | None:
        """The hash of each source of a frame, None where it is not known."""
        values = self._rows.get(frame)
        return None if values is None else dict(zip(self.sources, values, strict=True))

    def rows(self) -> Iterator[tuple[int, dict[str, int]]]:
        """Each frame whose row is known, and the hash of each source."""
        for frame, values in self._rows.items():
            yield frame, dict(zip(self.sources, values, strict=True))

    def add(self, source: str) -> None:
        """Know of one more source, which no row has yet."""
        rows = dict(self.rows())
        self.create([*self.sources, source])
        for frame, hashes in sorted(rows.items()):
            self.write(frame, hashes)

    def create(self, sources: Sequence[str]) -> None:
        """Begin anew, without rows, for these sources, each named once."""
        names = json.dumps(list(sources)).encode()
        with plain_file.opened(self.path, "wb") as file:
            file.write(_HEAD.pack(_MAGIC, len(names), crc32(names)) + names)
        self._know(sources, _HEAD.size + len(names))

    def write(self, frame: int, hashes: Mapping[str, int]) -> None:
        """Write a frame's row, whether it is there already or comes next.

        Args:
            frame: its number.
            hashes: of each source, 0 to 2⁶⁴ - 1; 0 for those that are not given, while what is not
                known as a source is left out.
        """
        values = tuple(hashes.get(source, 0) for source in self.sources)
        packed = self._row.pack(frame, *values)
        with plain_file.opened(self.path, "r+b") as file:
            file.seek(self._start + (frame - self._frame_start) * self._row_bytes)
            file.write(packed + struct.pack("<I", crc32(packed)))
        self._add(frame, values)

    def _know(self, sources: Sequence[str], start: int) -> None:
        self.sources, self._start = list(sources), start
        self._rows: dict[int, tuple[int, ...]] = {}
        self.first_unknown = self._frame_start
        self._row = struct.Struct(f"<i{len(sources)}Q")
        self._row_bytes = self._row.size + 4

    def _add(self, frame: int, values: tuple[int, ...]) -> None:
        self._rows[frame] = values
        while self.first_unknown in self._rows:
            self.first_unknown += 1

    def _find(self) -> None:
        """Know what lies in the file; nothing where it is missing, damaged or not ours."""
        try:
            with plain_file.opened(self.path, "rb") as file:
                content = file.read(min(os.fstat(file.fileno()).st_size, _MOST_BYTES))
        except OSError:
            return
        sources, start = _read_names(content)
        if sources is None:
            return
        self._know(sources, start)
        self._read_rows(memoryview(content)[start:])

    def _read_rows(self, content: memoryview) -> None:
        for index in range(len(content) // self._row_bytes):
            packed = content[index * self._row_bytes :][: self._row_bytes]
            if crc32(packed[:-4]) != int.from_bytes(packed[-4:], "little"):
                continue
            frame, *values = self._row.unpack(packed[:-4])
            if frame - self._frame_start == index:
                self._add(frame, tuple(values))


def _read_names(content: bytes) -> tuple[list[str] | None, int]:
    """The names of the sources, None where it is no such file; and where the rows begin."""
    if len(content) < _HEAD.size:
        return None, 0
    magic, size, checksum = _HEAD.unpack(content[: _HEAD.size])
    names = content[_HEAD.size : _HEAD.size + size]
    if magic != _MAGIC or size > _MOST_BYTES_OF_NAMES or crc32(names) != checksum:
        return None, 0
    try:
        sources = json.loads(names)
    except (ValueError, RecursionError):
        return None, 0
    if type(sources) is not list or not all(type(name) is str for name in sources):
        return None, 0
    return sources, _HEAD.size + size
