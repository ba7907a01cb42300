# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames of one object: files of positions, of what was measured, and of their checksums.

Beside them lies what they were simulated from, which is another one's affair.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from . import checksums, plain_file
from .checksums import Checksums
from .description import CachedObject, is_plain_name
from .encodings import FULL, LATTICE, Full
from .errors import in_the_way
from .frame_file import FrameFile, lattice_file, pc2_file

_POSITIONS = {FULL: (".pc2", pc2_file), LATTICE: (".lattice", lattice_file)}
_SUFFIXES = (".pc2", ".lattice", ".f32", ".inputs", ".checksums")


class ObjectFiles:
    """Files that have as many frames as the shortest holds, up to one that is damaged.

    Args:
        folder: where they lie.
        object_id: what they are called.
        known: how many points a frame has, and how it is stored.
        frame_start: number of the first frame.
        measures: how many numbers come with each frame; without there is no file of them.

    Attributes:
        positions: file of arrays of shape (points, 3).
        measures: file of arrays of shape (measures,), or None.
        frames: how many there are.
        damaged: index of one that turned out to be none, None as long as all are good.

    Raises:
        OSError: of all methods, where a file can't be read or written.
    """

    def __init__(
        self, folder: Path, object_id: str, known: CachedObject, frame_start: int, measures: int
    ) -> None:
        suffix, positions_file = _POSITIONS[known.encoding]
        positions, numbers, sums = (
            folder / f"{object_id}{each}" for each in (suffix, ".f32", ".checksums")
        )
        self._paths = positions, numbers, sums
        self.positions = positions_file(positions, known.points, frame_start)
        self.measures = FrameFile(numbers, Full((measures,))) if measures else None
        self._checksums = Checksums(sums, frame_start)
        self.damaged: int | None = None
        self._good: set[tuple[int, int]] = set()
        self._find()

    def __iter__(self) -> Iterator[FrameFile]:
        yield self.positions
        if self.measures is not None:
            yield self.measures

    def refresh(self) -> None:
        """Count anew where another program has changed the files."""
        if self._look() != self._seen:
            self._find()

    def create(self) -> None:
        """Begin anew, without frames."""
        self.frames, self.damaged = 0, None
        self._good.clear()
        self._checksums.create()
        for file in self:
            file.create()
        self._seen = self._look()

    def read(self, file: FrameFile, index: int) -> NDArray[np.float32] | None:
        """A frame of one of the files, not to be written to; None where it is not held.

        One that is not what was written is held no more, and none of those after it. As long as
        nobody changes the files one look is enough.
        """
        if not 0 <= index < self.frames:
            return None
        content = file.read(index)
        column = checksums.POSITIONS if file is self.positions else checksums.MEASURES
        if content is not None:
            if (column, index) in self._good:
                return file.encoding.decode(content)
            if self._checksums.match(index, column, content):
                self._good.add((column, index))
                return file.encoding.decode(content)
        self.frames = self.damaged = index
        self._seen = self._look()
        return None

    def mark(self, index: int) -> str:
        """Which of all frames that ever had this place a frame is; empty where it is not held."""
        return self._checksums.mark(index) if 0 <= index < self.frames else ""

    def write(self, points: NDArray[np.float32], row: NDArray[np.float32]) -> None:
        """Put a frame behind the last one; it counts when `frames` says so."""
        positions = self.positions.write(self.frames, points)
        numbers = self.measures.write(self.frames, row) if self.measures is not None else b""
        self._checksums.write(self.frames, positions, numbers)
        self._good -= {(column, self.frames) for column in checksums.COLUMNS}
        self._seen, self.damaged = self._look(), None

    def cut(self) -> None:
        """Make the files end after the last frame that counts."""
        for file in self:
            file.cut(self.frames)
        self._checksums.cut(self.frames)
        self._seen = self._look()

    def _find(self) -> None:
        self._seen = self._look()
        self._good.clear()
        self.frames = min(self._checksums.count(), *(file.count() for file in self))
        self.damaged = None

    def _look(self) -> list[tuple[int, ...] | None]:
        return [plain_file.seen(path) for path in self._paths]


def paths(folder: Path, object_id: str) -> list[Path]:
    """All files that an object may have, in one order, that of checksums last."""
    return [folder / f"{object_id}{suffix}" for suffix in _SUFFIXES]


def written_here(folder: Path) -> set[str]:
    """Ids of the objects whose files lie in a folder, which begin with the one of checksums."""
    found = folder.glob("*.checksums")
    return {path.stem for path in found if is_plain_name(path.stem) and checksums.has_mark(path)}


def check(folder: Path, object_id: str, *, is_known: bool) -> None:
    """Raise CacheError where a file of another program would be overwritten.

    Args:
        is_known: whether the files of the object were written here.
    """
    for path in paths(folder, object_id):
        if plain_file.exists(path) and not (is_known and plain_file.is_plain(path)):
            raise in_the_way(path)


def remove(folder: Path, object_id: str) -> None:
    """Delete the files of an object, that of checksums last: it tells whose the others are."""
    for path in paths(folder, object_id):
        plain_file.remove(path)
