# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames on disk: PC2 files of positions, a table of measures, and ``cache.json``.

Each object has a PC2 file. ``measures.f32`` holds what was measured: for each frame a float32 for
each of the columns that ``cache.json`` names. How many frames are valid follows from the sizes of
all these files, so a program that dies while it writes loses at most one frame.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import description as cache_json
from .description import FORMAT, Description
from .frame_file import FrameFile, pc2_file


class CacheError(OSError):
    """The folder of the cache can't be written; the message names it and the cure."""


class FrameCache:
    """Positions of objects, and what was measured, over consecutive frames.

    Args:
        folder: where the files lie or shall lie; frames that are there already are found again.
            A cache of an earlier format counts as none, but its files are known and deleted.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self._frames = 0
        found = cache_json.read(self._json)
        self._object_ids = list(found.point_counts) if found else []
        self._open(found if found and found.format == FORMAT else None)
        self._frames = min((file.count() for file in self._every_file()), default=0)

    @property
    def fingerprint(self) -> str:
        """What the frames were simulated from; empty where there is no cache."""
        return self._description.fingerprint if self._description else ""

    @property
    def source(self) -> str:
        """Who made the frames, as given to :meth:`create`; empty where there is no cache."""
        return self._description.source if self._description else ""

    @property
    def point_counts(self) -> dict[str, int]:
        """Number of points of each object."""
        return dict(self._description.point_counts) if self._description else {}

    @property
    def first_frame(self) -> int | None:
        """First frame held, None where there is none."""
        return self._description.frame_start if self._description and self._frames else None

    @property
    def last_frame(self) -> int | None:
        """Last frame held, None where there is none."""
        first = self.first_frame
        return None if first is None else first + self._frames - 1

    def create(
        self,
        fingerprint: str,
        point_counts: Mapping[str, int],
        frame_start: int,
        source: str,
        measures: Sequence[str] = (),
    ) -> None:
        """Begin anew, without frames.

        Args:
            fingerprint: identifies what the frames are simulated from.
            point_counts: number of points of each object, by its id (used as file name).
            frame_start: number of the first frame that will be appended.
            source: who makes the frames.
            measures: names of the numbers that come with each frame, each once.

        Raises:
            CacheError: the folder can't be written.
            ValueError: an id is no plain file name, or two measures have the same name.
        """
        for object_id in point_counts:
            if not cache_json.is_plain_name(object_id):
                raise ValueError(
                    f"{object_id!r} can't name a file: use letters, digits, _ and - only."
                )
        if len(set(measures)) != len(measures):
            raise ValueError(f"Two measures have the same name: {sorted(measures)}.")
        self.clear()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _cache_error(self.folder, error) from error
        description = Description(
            FORMAT, fingerprint, source, frame_start, dict(point_counts), list(measures)
        )
        self._describe(description)
        self._object_ids = list(description.point_counts)
        self._open(description)
        try:
            for file in self._every_file():
                file.create()
        except OSError as error:
            raise _cache_error(self.folder, error) from error

    def set_source(self, source: str) -> None:
        """Say that someone else goes on with the frames. Raises CacheError."""
        if self._description is not None and self._description.source != source:
            self._describe(replace(self._description, source=source))

    def append(
        self,
        frame: int,
        positions: Mapping[str, ArrayLike],
        measures: Mapping[str, float] | None = None,
    ) -> None:
        """Add the frame after the last.

        Args:
            frame: its number.
            positions: for each object, shape (n, 3).
            measures: each measure by its name; single precision is kept.

        Raises:
            CacheError: the disk is full or can't be written; earlier frames are kept.
            ValueError: not the next frame, or other objects, points or measures than at
                :meth:`create`.
        """
        arrays = self._checked(frame, positions)
        row = self._row(measures or {})
        try:
            for object_id, points in arrays.items():
                self._files[object_id].write(self._frames, points)
            if self._table is not None:
                self._table.write(self._frames, row)
        except OSError as error:
            self._cut_files()
            raise _cache_error(self.folder, error) from error
        self._frames += 1

    def read(self, object_id: str, frame: float) -> NDArray[np.float32] | None:
        """Positions of an object at a frame, linear between whole frames.

        Returns:
            Shape (n, 3), not to be written to; None where the frame or the object is not held.
        """
        return self._between(self._files.get(object_id), frame)

    def read_measures(self, frame: float) -> dict[str, float] | None:
        """Each measure of a frame by its name, linear between whole frames.

        Returns:
            None where the frame is not held, or nothing is measured.
        """
        row = self._between(self._table, frame)
        if row is None or self._description is None:
            return None
        return dict(zip(self._description.measures, row.tolist(), strict=True))

    def truncate(self, frame: int) -> None:
        """Drop all frames after the given one. Raises CacheError."""
        if self._description is None:
            return
        self._frames = min(self._frames, max(0, frame - self._description.frame_start + 1))
        self._cut_files()

    def clear(self) -> None:
        """Delete the files of this cache, and its folder where nothing else lies in it.

        Raises:
            CacheError: the files can't be deleted.
        """
        self._open(None)
        self._frames = 0
        try:
            for object_id in self._object_ids:
                self._path(object_id).unlink(missing_ok=True)
            for path in (self._measures, cache_json.temporary(self._json), self._json):
                path.unlink(missing_ok=True)
            if self.folder.is_dir() and not any(self.folder.iterdir()):
                self.folder.rmdir()
        except OSError as error:
            raise _cache_error(self.folder, error) from error
        self._object_ids = []

    def _open(self, description: Description | None) -> None:
        """Know the files that belong to a description, which need not exist."""
        self._description = description
        self._files: dict[str, FrameFile] = {}
        self._table: FrameFile | None = None
        if description is None:
            return
        for object_id, points in description.point_counts.items():
            path = self._path(object_id)
            self._files[object_id] = pc2_file(path, points, description.frame_start)
        if description.measures:
            self._table = FrameFile(self._measures, (len(description.measures),))

    def _every_file(self) -> list[FrameFile]:
        return [*self._files.values(), *([self._table] if self._table else [])]

    def _describe(self, description: Description) -> None:
        try:
            cache_json.write(self._json, description)
        except OSError as error:
            raise _cache_error(self.folder, error) from error
        self._description = description

    @property
    def _json(self) -> Path:
        return self.folder / "cache.json"

    @property
    def _measures(self) -> Path:
        return self.folder / "measures.f32"

    def _path(self, object_id: str) -> Path:
        return self.folder / f"{object_id}.pc2"

    def _checked(
        self, frame: int, positions: Mapping[str, ArrayLike]
    ) -> dict[str, NDArray[np.float32]]:
        if self._description is None:
            raise ValueError("The cache has not been created.")
        expected = self._description.frame_start + self._frames
        if frame != expected:
            raise ValueError(f"Frame {frame} can't be appended: frame {expected} comes next.")
        counts = self._description.point_counts
        if positions.keys() != counts.keys():
            raise ValueError(f"Positions of {sorted(counts)} expected, not {sorted(positions)}.")
        arrays = {key: np.ascontiguousarray(p, "<f4") for key, p in positions.items()}
        for object_id, points in arrays.items():
            if points.shape != (counts[object_id], 3):
                raise ValueError(
                    f"{object_id}: shape {points.shape} instead of {(counts[object_id], 3)}."
                )
        return arrays

    def _row(self, measures: Mapping[str, float]) -> NDArray[np.float32]:
        """The measures in the order of the table's columns."""
        names = self._description.measures if self._description else []
        if measures.keys() != set(names):
            raise ValueError(f"Measures {sorted(names)} expected, not {sorted(measures)}.")
        return np.array([measures[name] for name in names], "<f4")

    def _between(self, file: FrameFile | None, frame: float) -> NDArray[np.float32] | None:
        """What a file holds of a frame, or of a moment between two."""
        first, last = self.first_frame, self.last_frame
        if file is None or first is None or last is None or not first <= frame <= last:
            return None
        below = math.floor(frame)
        start = file.read(below - first)
        fraction = np.float32(frame - below)
        if start is None or fraction == 0.0:
            return start
        end = file.read(below - first + 1)
        return None if end is None else start + fraction * (end - start)

    def _cut_files(self) -> None:
        """Make every file end after the last valid frame."""
        try:
            for file in self._every_file():
                file.cut(self._frames)
        except OSError as error:
            raise _cache_error(self.folder, error) from error


def _cache_error(folder: Path, error: OSError) -> CacheError:
    reason = error.strerror or str(error)
    return CacheError(
        f"The cache folder '{folder}' can't be written ({reason}): "
        "make room there, or choose another cache folder"
    )
