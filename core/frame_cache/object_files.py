# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames of one object: a file of positions, and one of what was measured."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .frame_file import FrameFile, pc2_file


class ObjectFiles:
    """Files that have as many frames as the shorter one holds.

    Args:
        folder: where they lie.
        object_id: what they are called.
        points: number of points of a frame.
        frame_start: number of the first frame.
        measures: how many numbers come with each frame; without there is no file of them.

    Attributes:
        positions: file of points, shape (points, 3).
        measures: file of numbers, shape (measures,), or None.
        frames: how many there are.

    Raises:
        OSError: of all methods, where a file can't be read or written.
    """

    def __init__(
        self, folder: Path, object_id: str, points: int, frame_start: int, measures: int
    ) -> None:
        positions, numbers, _inputs = paths(folder, object_id)
        self.positions = pc2_file(positions, points, frame_start)
        self.measures = FrameFile(numbers, (measures,)) if measures else None
        self.frames = min(file.count() for file in self)

    def __iter__(self) -> Iterator[FrameFile]:
        yield self.positions
        if self.measures is not None:
            yield self.measures

    def create(self) -> None:
        """Begin anew, without frames."""
        self.frames = 0
        for file in self:
            file.create()

    def write(self, points: NDArray[np.float32], row: NDArray[np.float32]) -> None:
        """Put a frame behind the last one; it counts when `frames` says so."""
        self.positions.write(self.frames, points)
        if self.measures is not None:
            self.measures.write(self.frames, row)

    def cut(self) -> None:
        """Make the files end after the last frame that counts."""
        for file in self:
            file.cut(self.frames)


def paths(folder: Path, object_id: str) -> tuple[Path, Path, Path]:
    """Where positions and measures of an object lie, and what they were simulated from."""
    return (
        folder / f"{object_id}.pc2",
        folder / f"{object_id}.f32",
        folder / f"{object_id}.inputs",
    )
