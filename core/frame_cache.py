# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated frames on disk: one PC2 file for each object and one ``cache.json``.

PC2 is what Blender's Mesh Cache modifier and most other programs read: a header of 32 bytes, then
for each frame the positions of all points as float32 triples. How many frames are valid follows
from the sizes of the files, so a program that dies while it writes loses at most one frame.
"""

from __future__ import annotations

import json
import math
import os
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

FORMAT = 1
_HEADER = struct.Struct("<12siiffi")
_MAGIC = b"POINTCACHE2\0"
_BYTES_PER_POINT = 12


class CacheError(OSError):
    """The folder of the cache can't be written; the message names it and the cure."""


@dataclass(frozen=True)
class _Description:
    """What ``cache.json`` holds."""

    format: int
    fingerprint: str
    source: str
    frame_start: int
    point_counts: dict[str, int]


class FrameCache:
    """Positions of objects over consecutive frames.

    Args:
        folder: where the files lie or shall lie; frames that are there already are found again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self._description = _read_description(self._json)
        self._frames = self._count_frames()
        self._newest: dict[str, NDArray[np.float32]] = {}

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
        self, fingerprint: str, point_counts: Mapping[str, int], frame_start: int, source: str
    ) -> None:
        """Begin anew, without frames.

        Args:
            fingerprint: identifies what the frames are simulated from.
            point_counts: number of points of each object, by its id (used as file name).
            frame_start: number of the first frame that will be appended.
            source: who makes the frames.

        Raises:
            CacheError: the folder can't be written.
        """
        self.clear()
        description = _Description(FORMAT, fingerprint, source, frame_start, dict(point_counts))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for object_id, points in description.point_counts.items():
                self._path(object_id).write_bytes(_header(points, frame_start, 0))
        except OSError as error:
            raise _cache_error(self.folder, error) from error
        self._describe(description)

    def set_source(self, source: str) -> None:
        """Say that someone else goes on with the frames. Raises CacheError."""
        if self._description is not None and self._description.source != source:
            self._describe(replace(self._description, source=source))

    def append(self, frame: int, positions: Mapping[str, ArrayLike]) -> None:
        """Add the frame after the last.

        Args:
            frame: its number.
            positions: for each object, shape (n, 3).

        Raises:
            CacheError: the disk is full or can't be written; earlier frames are kept.
            ValueError: not the next frame, or other objects or points than at :meth:`create`.
        """
        arrays = self._checked(frame, positions)
        try:
            for object_id, points in arrays.items():
                self._write_frame(object_id, points)
        except OSError as error:
            self._cut_files()
            raise _cache_error(self.folder, error) from error
        self._frames += 1
        self._newest = {object_id: points.copy() for object_id, points in arrays.items()}
        for points in self._newest.values():
            points.setflags(write=False)

    def read(self, object_id: str, frame: float) -> NDArray[np.float32] | None:
        """Positions of an object at a frame, linear between whole frames.

        Returns:
            Shape (n, 3), not to be written to; None where the frame or the object is not held.
        """
        first, last = self.first_frame, self.last_frame
        if first is None or last is None or not first <= frame <= last:
            return None
        below = math.floor(frame)
        start = self._read_frame(object_id, below - first)
        fraction = np.float32(frame - below)
        if start is None or fraction == 0.0:
            return start
        end = self._read_frame(object_id, below - first + 1)
        return None if end is None else start + fraction * (end - start)

    def truncate(self, frame: int) -> None:
        """Drop all frames after the given one. Raises CacheError."""
        if self._description is None:
            return
        self._frames = min(self._frames, max(0, frame - self._description.frame_start + 1))
        self._newest = {}
        self._cut_files()

    def clear(self) -> None:
        """Delete the files of this cache, and its folder where nothing else lies in it.

        Raises:
            CacheError: the files can't be deleted.
        """
        ids = self._description.point_counts if self._description else {}
        self._newest = {}
        try:
            self._json.unlink(missing_ok=True)
            for object_id in ids:
                self._path(object_id).unlink(missing_ok=True)
            if self.folder.is_dir() and not any(self.folder.iterdir()):
                self.folder.rmdir()
        except OSError as error:
            raise _cache_error(self.folder, error) from error
        self._description, self._frames = None, 0

    def _describe(self, description: _Description) -> None:
        try:
            _write_json(self._json, asdict(description))
        except OSError as error:
            raise _cache_error(self.folder, error) from error
        self._description = description

    @property
    def _json(self) -> Path:
        return self.folder / "cache.json"

    def _path(self, object_id: str) -> Path:
        return self.folder / f"{object_id}.pc2"

    def _count_frames(self) -> int:
        if self._description is None:
            return 0
        return min(
            (
                _frames_in(self._path(object_id), points)
                for object_id, points in self._description.point_counts.items()
            ),
            default=0,
        )

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

    def _write_frame(self, object_id: str, points: NDArray[np.float32]) -> None:
        assert self._description is not None
        with self._path(object_id).open("r+b") as file:
            file.seek(_HEADER.size + self._frames * points.nbytes)
            file.write(points.data)
            file.seek(0)
            file.write(_header(len(points), self._description.frame_start, self._frames + 1))

    def _read_frame(self, object_id: str, index: int) -> NDArray[np.float32] | None:
        assert self._description is not None
        if index == self._frames - 1 and object_id in self._newest:
            return self._newest[object_id]
        points = self._description.point_counts.get(object_id)
        path = self._path(object_id)
        if points is None or not path.is_file():
            return None
        offset = _HEADER.size + index * points * _BYTES_PER_POINT
        values = np.fromfile(path, "<f4", count=3 * points, offset=offset)
        if values.size != 3 * points:
            return None
        return values.reshape(-1, 3).astype(np.float32, copy=False)

    def _cut_files(self) -> None:
        """Make every file end after the last valid frame, whatever was half written."""
        if self._description is None:
            return
        try:
            for object_id, points in self._description.point_counts.items():
                with self._path(object_id).open("r+b") as file:
                    file.write(_header(points, self._description.frame_start, self._frames))
                    file.truncate(_HEADER.size + self._frames * points * _BYTES_PER_POINT)
        except OSError as error:
            raise _cache_error(self.folder, error) from error


def _header(points: int, frame_start: int, frames: int) -> bytes:
    return _HEADER.pack(_MAGIC, 1, points, float(frame_start), 1.0, frames)


def _frames_in(path: Path, points: int) -> int:
    """Whole frames in a file; 0 where it is missing or holds another number of points."""
    if not path.is_file():
        return 0
    with path.open("rb") as file:
        head = file.read(_HEADER.size)
    if len(head) < _HEADER.size:
        return 0
    magic, _version, found, *_rest = _HEADER.unpack(head)
    if magic != _MAGIC or found != points:
        return 0
    size = path.stat().st_size - _HEADER.size
    return size // max(1, points * _BYTES_PER_POINT)


def _read_description(path: Path) -> _Description | None:
    """None where there is no cache, or one that this version can't read."""
    if not path.is_file():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        return None
    return _Description(**content)


def _write_json(path: Path, content: Mapping[str, object]) -> None:
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(content, indent=1), encoding="utf-8")
    os.replace(temporary, path)


def _cache_error(folder: Path, error: OSError) -> CacheError:
    reason = error.strerror or str(error)
    return CacheError(
        f"The cache folder '{folder}' can't be written ({reason}): "
        "make room there, or choose another cache folder"
    )
