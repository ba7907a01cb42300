# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames on disk: files of positions, measures and checksums for each object, and ``cache.json``.

A program that dies while it writes loses at most one frame. Who writes holds the folder's lock from
then on; everybody may read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import checkpoint_file, errors, object_files, plain_file
from . import description as cache_json
from .description import FORMAT, CachedObject, Description
from .errors import CacheError
from .found_frames import FoundFrames
from .lock import FolderLock


class FrameCache(FoundFrames):
    """Positions of objects, and what was measured of them, over consecutive frames.

    All objects begin at the same frame. Some may have more frames than others.

    Args:
        folder: where the files lie or shall lie; frames that are there already are found again.
            A cache of an earlier format counts as none, but its files are known and deleted.
        document: the user's file that frames are written for from now on.
    """

    def __init__(self, folder: Path, document: str = "") -> None:
        super().__init__(folder)
        self.document = document
        self._lock = FolderLock(self.folder)

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
            CacheError: the folder can't be written, somebody else writes there, or a file that
                nobody wrote here lies in the way.
            ValueError: an id is no plain file name, two measures have the same name, or what is to
                be kept is not held, of as many points, stored like that, from that frame on and
                with these measures.
        """
        for object_id in objects:
            if not cache_json.is_plain_name(object_id):
                raise ValueError(
                    f"{object_id!r} can't name a file: use letters, digits, _ and - only."
                )
        if len(set(measures)) != len(measures):
            raise ValueError(f"Two measures have the same name: {sorted(measures)}.")
        description = Description(
            FORMAT, fingerprint, source, frame_start, list(measures), dict(objects), self.document
        )
        for object_id in keep:
            if not self._can_keep(object_id, description):
                raise ValueError(f"{object_id!r} can't be kept: there are no such frames of it.")
        with self.writing(make=True, changes=not keep):
            self._begin(description, anew=[each for each in objects if each not in keep])

    def _can_keep(self, object_id: str, description: Description) -> bool:
        """Whether an object's files, as they are, belong to a description."""
        before, objects = self._description, description.objects
        if before is None or object_id not in before.objects.keys() & objects.keys():
            return False
        held, wanted = before.objects[object_id], objects[object_id]
        return (
            (held.points, held.encoding) == (wanted.points, wanted.encoding)
            and before.frame_start == description.frame_start
            and before.measures == description.measures
        )

    def _begin(self, description: Description, anew: Collection[str]) -> None:
        """Have the files that belong to a description, and delete all others."""
        ours = self._written_here()
        cache_json.check(self._json)
        for object_id in description.objects:
            object_files.check(self.folder, object_id, is_known=object_id in ours)
        try:
            for object_id in ours - set(description.objects) | ours & set(anew):
                object_files.remove(self.folder, object_id)
            self._remove_earlier()
            self._cut_files(description.objects.keys() - anew)
            cache_json.write(self._json, description)
            self._look()
            self._lost = False
            for object_id in anew:
                self._files[object_id].create()
        except OSError:
            self._find()
            raise

    def copy(self, other: FrameCache) -> None:
        """Begin anew with all that another cache holds, which stays as it is.

        Raises:
            CacheError: the folder can't be written, or the other one can't be read.
        """
        if other._description is None:
            return
        with self.writing(make=True, changes=True):
            self._begin(replace(other._description, document=self.document), anew=[])
            for object_id in other.objects:
                sources = object_files.paths(other.folder, object_id)
                for source, target in zip(sources, object_files.paths(self.folder, object_id)):
                    if plain_file.is_plain(source):
                        plain_file.copy(source, target)
            checkpoint_file.remove_all(self.folder)
            for source in filter(checkpoint_file.has_mark, checkpoint_file.files(other.folder)):
                plain_file.copy(source, self.folder / source.name)
            self._find()

    def set_document(self, document: str) -> None:
        """Say that the user's file is another one from now on. Raises CacheError."""
        self.document = document
        if self._description is not None and self._description.document != document:
            self._describe(document=document)

    def tell(self, objects: Mapping[str, CachedObject]) -> None:
        """Replace what is known of objects that are held, of as many points, stored like that.

        Raises CacheError.
        """
        if self._description is not None and objects:
            self._describe(objects=self._description.objects | dict(objects))

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
            CacheError: the disk is full or can't be written, or somebody else writes there or has
                changed the files; earlier frames are kept.
            ValueError: not the next frame, or other objects, points or measures than at
                :meth:`create`.
        """
        arrays = self._checked(frame, positions)
        rows = {key: self._row((measures or {}).get(key, {})) for key in arrays}
        with self.writing():
            try:
                for object_id, points in arrays.items():
                    self._files[object_id].write(points, rows[object_id])
            except OSError:
                self._cut_files(self._files)
                raise
            for object_id in arrays:
                self._files[object_id].frames += 1

    def truncate(self, frame: int, object_ids: Collection[str]) -> None:
        """Drop all frames of some objects after the given one. Raises CacheError."""
        with self.writing():
            for object_id in object_ids:
                files = self._files[object_id]
                files.frames = min(files.frames, max(0, frame - self._start + 1))
            self._cut_files(object_ids)

    def clear(self) -> None:
        """Delete the files of this cache, and its folder where nothing else lies in it.

        Raises:
            CacheError: the files can't be deleted, or somebody else writes there.
        """
        if self._unreadable or plain_file.exists(self.folder):
            with self.writing(changes=True):
                ours = self._written_here()
                self._open(None)
                for object_id in ours:
                    object_files.remove(self.folder, object_id)
                self._remove_earlier()
                checkpoint_file.remove_all(self.folder)
                cache_json.remove(self._json)
                self._lock.remove()
                if not any(self.folder.iterdir()):
                    self.folder.rmdir()
        self._lost = False
        self._find()

    def close(self) -> None:
        """Let others write there."""
        self._lock.release()

    @contextmanager
    def writing(self, *, make: bool = False, changes: bool = False) -> Iterator[None]:
        """Do what changes the files, as the only one. Raises CacheError.

        Args:
            make: make the folder where it is missing.
            changes: go on where another program has changed the files.
        """
        with self._threads:
            try:
                if self.folder.is_symlink():
                    raise errors.in_the_way(self.folder)
                if make:
                    self.folder.mkdir(parents=True, exist_ok=True)
                self._lock.take()
                known = self._description, self._counts()
                self.refresh()
                if not changes and (self._description, self._counts()) != known:
                    raise CacheError(
                        f"Another program has changed the frames in '{self.folder}': simulate again"
                    )
                yield
            except CacheError:
                raise
            except OSError as error:
                raise errors.of_writing(self.folder, error) from error

    def _written_here(self) -> set[str]:
        """Ids of objects whose files in the folder are ours."""
        return {*self._object_ids, *object_files.written_here(self.folder)}

    def _remove_earlier(self) -> None:
        """Delete the file of measures of an earlier format."""
        if self.is_earlier:
            plain_file.remove(self.folder / "measures.f32")

    def _describe(self, **changes: Any) -> None:
        with self.writing():
            assert self._description is not None
            description = replace(self._description, **changes)
            cache_json.write(self._json, description)
            self._description, self._seen = description, plain_file.seen(self._json)

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

    def _cut_files(self, object_ids: Collection[str]) -> None:
        """Make the files of objects end after their last frame that counts. Raises OSError."""
        for object_id in object_ids:
            if object_id in self._files:
                self._files[object_id].cut()
