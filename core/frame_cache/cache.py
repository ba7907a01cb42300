# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames on disk: files of positions and measures for each object, and ``cache.json``.

How many frames of an object are valid follows from the sizes of its files, so a program that dies
while it writes loses at most one.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import description as cache_json
from . import object_files
from .description import FORMAT, CachedObject, Description
from .frame_file import FrameFile
from .object_files import ObjectFiles


class CacheError(OSError):
    """The folder of the cache can't be written; the message names it and the cure."""


class FrameCache:
    """Positions of objects, and what was measured of them, over consecutive frames.

    All objects begin at the same frame. Some may have more frames than others.

    Args:
        folder: where the files lie or shall lie; frames that are there already are found again.
            A cache of an earlier format counts as none, but its files are known and deleted.

    Attributes:
        is_earlier: whether the folder holds a cache of an earlier format.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self._find()

    @property
    def fingerprint(self) -> str:
        """What all frames were simulated from; empty where there is no cache."""
        return self._description.fingerprint if self._description else ""

    @property
    def source(self) -> str:
        """Who made the frames, as given to :meth:`create`; empty where there is no cache."""
        return self._description.source if self._description else ""

    @property
    def objects(self) -> dict[str, CachedObject]:
        """What is known of each object, by its id."""
        return dict(self._description.objects) if self._description else {}

    @property
    def measures(self) -> list[str]:
        """Names of the numbers that come with each frame of an object."""
        return list(self._description.measures) if self._description else []

    @property
    def first_frame(self) -> int | None:
        """First frame held, None where there is none."""
        return None if self.last_frame is None else self._start

    @property
    def last_frame(self) -> int | None:
        """Last frame held of all objects that have any, None where there is none."""
        last = [self.last_frame_of(object_id) for object_id in self._files]
        return min((frame for frame in last if frame is not None), default=None)

    def last_frame_of(self, object_id: str) -> int | None:
        """Last frame held of an object, None where there is none."""
        files = self._files.get(object_id)
        return self._start + files.frames - 1 if files and files.frames else None

    def create(
        self,
        fingerprint: str,
        objects: Mapping[str, CachedObject],
        frame_start: int,
        source: str,
        measures: Sequence[str] = (),
        *,
        keep: Collection[str] = (),
    ) -> None:
        """Begin anew, without frames but those of objects that are kept.

        Args:
            fingerprint: identifies what all frames are simulated from.
            objects: what is known of each object, by its id (used as file name).
            frame_start: number of the first frame that will be appended.
            source: who makes the frames.
            measures: names of the numbers that come with each frame of an object, each once.
            keep: ids of those of these objects that stay with the frames that are held.

        Raises:
            CacheError: the folder can't be written.
            ValueError: an id is no plain file name, two measures have the same name, or what is to
                be kept is not held, of as many points, from that frame on and with these measures.
        """
        for object_id in objects:
            if not cache_json.is_plain_name(object_id):
                raise ValueError(
                    f"{object_id!r} can't name a file: use letters, digits, _ and - only."
                )
        if len(set(measures)) != len(measures):
            raise ValueError(f"Two measures have the same name: {sorted(measures)}.")
        description = Description(
            FORMAT, fingerprint, source, frame_start, list(measures), dict(objects)
        )
        for object_id in keep:
            if not self._can_keep(object_id, description):
                raise ValueError(f"{object_id!r} can't be kept: there are no such frames of it.")
        self._begin(description, anew=[each for each in objects if each not in keep])

    def _can_keep(self, object_id: str, description: Description) -> bool:
        """Whether an object's files, as they are, belong to a description."""
        before, objects = self._description, description.objects
        return (
            before is not None
            and object_id in before.objects.keys() & objects.keys()
            and before.objects[object_id].points == objects[object_id].points
            and before.frame_start == description.frame_start
            and before.measures == description.measures
        )

    def _begin(self, description: Description, anew: Collection[str]) -> None:
        """Have the files that belong to a description, and delete all others."""
        gone = set(self._object_ids) - set(description.objects) | set(anew)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._delete(gone)
            cache_json.write(self._json, description)
            self._find()
            for object_id in anew:
                self._files[object_id].create()
        except OSError as error:
            self._find()
            raise cache_error(self.folder, error) from error

    def set_source(self, source: str) -> None:
        """Say that someone else goes on with the frames. Raises CacheError."""
        if self._description is not None and self._description.source != source:
            self._describe(replace(self._description, source=source))

    def tell(self, objects: Mapping[str, CachedObject]) -> None:
        """Replace what is known of objects that are held, of as many points. Raises CacheError."""
        if self._description is not None and objects:
            known = self._description.objects | dict(objects)
            self._describe(replace(self._description, objects=known))

    def append(
        self,
        frame: int,
        positions: Mapping[str, ArrayLike],
        measures: Mapping[str, Mapping[str, float]] | None = None,
    ) -> None:
        """Add to some objects, or all, the frame after their last.

        Args:
            frame: its number.
            positions: for each of these objects, shape (n, 3).
            measures: for each of them each measure by its name; single precision is kept.

        Raises:
            CacheError: the disk is full or can't be written; earlier frames are kept.
            ValueError: not the next frame, or other objects, points or measures than at
                :meth:`create`.
        """
        arrays = self._checked(frame, positions)
        rows = {key: self._row((measures or {}).get(key, {})) for key in arrays}
        try:
            for object_id, points in arrays.items():
                self._files[object_id].write(points, rows[object_id])
        except OSError as error:
            self._cut_files()
            raise cache_error(self.folder, error) from error
        for object_id in arrays:
            self._files[object_id].frames += 1

    def read(self, object_id: str, frame: float) -> NDArray[np.float32] | None:
        """Positions of an object at a frame, linear between whole frames.

        Returns:
            Shape (n, 3), not to be written to; None where the frame or the object is not held.
        """
        files = self._files.get(object_id)
        return self._between(files, files.positions, frame) if files else None

    def read_measures(self, object_id: str, frame: float) -> dict[str, float] | None:
        """Each measure of a frame of an object by its name, linear between whole frames.

        Returns:
            None where the frame or the object is not held, or nothing is measured.
        """
        files = self._files.get(object_id)
        if files is None or files.measures is None or self._description is None:
            return None
        row = self._between(files, files.measures, frame)
        if row is None:
            return None
        return dict(zip(self._description.measures, row.tolist(), strict=True))

    def truncate(self, frame: int, object_ids: Collection[str]) -> None:
        """Drop all frames of some objects after the given one. Raises CacheError."""
        for object_id in object_ids:
            files = self._files[object_id]
            files.frames = min(files.frames, max(0, frame - self._start + 1))
        self._cut_files()

    def clear(self) -> None:
        """Delete the files of this cache, and its folder where nothing else lies in it.

        Raises:
            CacheError: the files can't be deleted.
        """
        self._open(None)
        try:
            self._delete(self._object_ids)
            for path in (cache_json.temporary(self._json), self._json):
                path.unlink(missing_ok=True)
            if self.folder.is_dir() and not any(self.folder.iterdir()):
                self.folder.rmdir()
        except OSError as error:
            raise cache_error(self.folder, error) from error
        self._find()

    def refresh(self) -> None:
        """Know what lies in the folder now."""
        self._find()

    def _delete(self, object_ids: Collection[str]) -> None:
        """The files of some objects, and that of an earlier format's measures."""
        for object_id in object_ids:
            for path in object_files.paths(self.folder, object_id):
                path.unlink(missing_ok=True)
        if self.is_earlier:
            (self.folder / "measures.f32").unlink(missing_ok=True)

    def _find(self) -> None:
        """Know what lies in the folder."""
        found = cache_json.read(self._json)
        self.is_earlier = found is not None and found.format != FORMAT
        self._object_ids = list(found.objects) if found else []
        self._open(found if found and not self.is_earlier else None)

    def _open(self, description: Description | None) -> None:
        """Know the files that belong to a description, which need not exist."""
        self._description = description
        self._start = description.frame_start if description else 0
        known = description.objects if description else {}
        count = len(description.measures) if description else 0
        self._files = {
            object_id: ObjectFiles(self.folder, object_id, each.points, self._start, count)
            for object_id, each in known.items()
        }

    def _describe(self, description: Description) -> None:
        try:
            cache_json.write(self._json, description)
        except OSError as error:
            raise cache_error(self.folder, error) from error
        self._description = description

    @property
    def _json(self) -> Path:
        return self.folder / "cache.json"

    def _checked(
        self, frame: int, positions: Mapping[str, ArrayLike]
    ) -> dict[str, NDArray[np.float32]]:
        if self._description is None:
            raise ValueError("The cache has not been created.")
        if not positions or not positions.keys() <= self._files.keys():
            raise ValueError(
                f"Positions of {sorted(self._files)} expected, not {sorted(positions)}."
            )
        arrays = {key: np.ascontiguousarray(p, "<f4") for key, p in positions.items()}
        for object_id, points in arrays.items():
            expected = self._start + self._files[object_id].frames
            if frame != expected:
                raise ValueError(f"Frame {frame} can't be appended: frame {expected} comes next.")
            shape = (self._description.objects[object_id].points, 3)
            if points.shape != shape:
                raise ValueError(f"{object_id}: shape {points.shape} instead of {shape}.")
        return arrays

    def _row(self, measures: Mapping[str, float]) -> NDArray[np.float32]:
        """The measures in the order in which they are kept."""
        names = self._description.measures if self._description else []
        if measures.keys() != set(names):
            raise ValueError(f"Measures {sorted(names)} expected, not {sorted(measures)}.")
        return np.array([measures[name] for name in names], "<f4")

    def _between(
        self, files: ObjectFiles, file: FrameFile, frame: float
    ) -> NDArray[np.float32] | None:
        """What one of an object's files holds of a frame, or of a moment between two."""
        index = frame - self._start
        if not 0 <= index <= files.frames - 1:
            return None
        below = math.floor(index)
        start = file.read(below)
        fraction = np.float32(index - below)
        if start is None or fraction == 0.0:
            return start
        end = file.read(below + 1)
        return None if end is None else start + fraction * (end - start)

    def _cut_files(self) -> None:
        """Make every file end after the last valid frame."""
        try:
            for files in self._files.values():
                files.cut()
        except OSError as error:
            raise cache_error(self.folder, error) from error


def cache_error(folder: Path, error: OSError) -> CacheError:
    """What is told of a folder that can't be written."""
    reason = error.strerror or str(error)
    return CacheError(
        f"The cache folder '{folder}' can't be written ({reason}): "
        "make room there, or choose another cache folder"
    )
