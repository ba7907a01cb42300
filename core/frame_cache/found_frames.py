# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames that lie in a folder, whoever wrote them.

How many frames of an object there are follows from the sizes of its files. Whether a frame is what
was written its checksum tells when it is read.
"""

from __future__ import annotations

import math
import threading
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from . import description as cache_json
from . import errors, plain_file
from .description import FORMAT, CachedObject, Description
from .frame_file import FrameFile
from .object_files import ObjectFiles


class FoundFrames:
    """Positions of objects, and what was measured of them, as they are found in a folder.

    Args:
        folder: where the files lie or shall lie.

    Attributes:
        is_earlier: whether the folder holds a cache of an earlier format.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self._lost = False
        self._threads = threading.RLock()  # one looks at the files while another writes them
        self._unreadable = ""
        self._seen: tuple[int, ...] | None = None
        self._description: Description | None = None
        self._find()

    @property
    def problem(self) -> str:
        """What is wrong with the files, as a sentence with the cure; empty as long as all is well.

        Nothing that is wrong is ever read, and creating anew mends it.
        """
        if self._unreadable:
            return self._unreadable
        for files in self._files.values():
            if files.damaged is not None:
                frame = self._start + files.damaged
                return f"Frame {frame} in '{self.folder}' is damaged: simulate again"
        return f"Frames are gone from '{self.folder}': simulate again" if self._lost else ""

    @property
    def found_document(self) -> str:
        """The user's file that the frames held were written for; empty where it has no name."""
        return self._description.document if self._description else ""

    @property
    def edition(self) -> tuple[int, ...] | None:
        """Another one whenever what is known of the frames was written; None without a cache."""
        return self._seen

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

    def mark_of(self, object_id: str, frame: int) -> str:
        """Which of all frames that ever had this number a frame of an object is.

        Empty where it is not held.
        """
        files = self._files.get(object_id)
        return files.mark(frame - self._start) if files else ""

    def read(self, object_id: str, frame: float) -> NDArray[np.float32] | None:
        """Positions of an object at a frame, linear between whole frames.

        Returns:
            Shape (n, 3), not to be written to; None where the frame or the object is not held.
            What turns out to be damaged is not held any more: see :attr:`problem`.
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

    def refresh(self) -> None:
        """Notice what other programs have done to the files since they were looked at last."""
        with self._threads:
            self._refresh()

    def _refresh(self) -> None:
        before = self._counts()
        try:
            if self._unreadable or plain_file.seen(self._json) != self._seen:
                self._find()
            for files in self._files.values():
                files.refresh()
        except OSError as error:
            self._cannot_read(error)
        now = self._counts()
        if any(count > now.get(object_id, 0) for object_id, count in before.items()):
            self._lost = True
        elif now != before:
            self._lost = False

    def verify(self) -> None:
        """Look at all frames in the files, so that what is damaged is not held any more."""
        self.refresh()
        self._find()
        for files in self._files.values():
            for file in files:
                for index in range(files.frames):
                    self._read(files, file, index)

    def _counts(self) -> dict[str, int]:
        return {object_id: files.frames for object_id, files in self._files.items()}

    def _find(self) -> None:
        """Know what lies in the folder, or why that can't be read."""
        try:
            self._look()
        except OSError as error:
            self._cannot_read(error)

    def _look(self) -> None:
        """Know what lies in the folder. Raises OSError."""
        self._unreadable = ""
        self.is_earlier, self._object_ids = False, list[str]()
        self._open(None)
        self._seen = plain_file.seen(self._json)
        found = None if self.folder.is_symlink() else cache_json.read(self._json)
        if found is not None:
            self.is_earlier = found.format != FORMAT
            self._object_ids = list(found.objects)
            self._open(None if self.is_earlier else found)

    def _cannot_read(self, error: OSError) -> None:
        self._seen = None
        self._unreadable = str(errors.of_reading(self.folder, error))

    def _open(self, description: Description | None) -> None:
        """Know the files that belong to a description, which need not exist. Raises OSError."""
        self._description = None
        self._start, self._files = 0, dict[str, ObjectFiles]()
        if description is not None:
            start, count = description.frame_start, len(description.measures)
            self._files = {
                object_id: ObjectFiles(self.folder, object_id, each, start, count)
                for object_id, each in description.objects.items()
            }
            self._description, self._start = description, start

    @property
    def _json(self) -> Path:
        return self.folder / "cache.json"

    def _between(
        self, files: ObjectFiles, file: FrameFile, frame: float
    ) -> NDArray[np.float32] | None:
        """What one of an object's files holds of a frame, or of a moment between two."""
        index = frame - self._start
        if not 0 <= index <= files.frames - 1:
            return None
        below = math.floor(index)
        start = self._read(files, file, below)
        fraction = np.float32(index - below)
        if start is None or fraction == 0.0:
            return start
        end = self._read(files, file, below + 1)
        return None if end is None else start + fraction * (end - start)

    def _read(self, files: ObjectFiles, file: FrameFile, index: int) -> NDArray[np.float32] | None:
        try:
            return files.read(file, index)
        except OSError as error:
            self._cannot_read(error)
            return None
