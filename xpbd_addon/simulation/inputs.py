# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object's cached frames were simulated from, and what they would be simulated from now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ...core.frame_cache import CacheError, InputsFile
from ..scene.frame_inputs import COLLIDER, GRAVITY, NOTHING, PINS, SHAPE, Row


class ObjectInputs:
    """Of one object's frames what was read for them, and what was seen on them since.

    What was seen of a source counts for a frame until the source is seen to have changed on any.

    Args:
        path: the file that keeps what was read.
        frame_start: number of the first frame.
    """

    def __init__(self, path: Path, frame_start: int) -> None:
        self._file = InputsFile(path, frame_start)
        self._start = frame_start
        self._seen: dict[str, dict[int, int]] = {}
        self._differing: dict[str, set[int]] = {}

    def create(self, row: Row) -> None:
        """Begin anew, for the sources of the first frame. Raises CacheError."""
        with _writing(self._file):
            self._file.create(list(row))

    def write(self, frame: int, row: Row) -> None:
        """Keep what a frame is simulated from. Raises CacheError."""
        with _writing(self._file):
            self._file.write(frame, {source: value or NOTHING for source, value in row.items()})

    def compare(self, frame: int, row: Row) -> None:
        """Compare what a frame would be simulated from now."""
        before = self._file.row(frame)
        known = before or {}
        now: dict[str, int] = {}
        for source in {*row, *known, *self._seen}:
            value = row.get(source, NOTHING)
            if value is not None:
                self._see(source, frame, value)
            now[source] = known.get(source, NOTHING) if value is None else value
        if before is None:
            return
        differing = _differing(before, now) - (set() if frame == self._start else {SHAPE})
        for source in {*differing, *self._differing}:
            frames = self._differing.setdefault(source, set())
            (frames.add if source in differing else frames.discard)(frame)

    def _see(self, source: str, frame: int, value: int) -> None:
        frames = self._seen.setdefault(source, {})
        if frames.get(frame, value) != value:
            frames.clear()
            self._differing.pop(source, None)
        frames[frame] = value

    @property
    def first_unknown(self) -> int:
        """The first frame of which it is not known what it was simulated from."""
        return self._file.first_unknown

    def first_difference(self, last: int, name: str) -> tuple[int, str] | None:
        """The first frame up to a last one that would be simulated from something else.

        Args:
            name: what the object is called.

        Returns:
            The frame, and what differs, for the user; None where nothing is known to.
        """
        firsts = ((min(frames), source) for source, frames in self._differing.items() if frames)
        frame, source = min(firsts, default=(last + 1, ""))
        if frame > last:
            return None
        before = self._file.row(frame) or {}
        return frame, _text(source, name, before.get(source), self._seen[source][frame])


@contextmanager
def _writing(file: InputsFile) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CacheError(
            f"The cache folder '{file.path.parent}' can't be written "
            f"({error.strerror or error}): make room there, or choose another cache folder"
        ) from error


def _differing(before: Mapping[str, int], now: Mapping[str, int]) -> set[str]:
    """The sources that differ; a collider that only has another name does not."""
    found = {source for source in now if before.get(source, NOTHING) != now[source]}
    for gone in [source for source in found if now[source] == NOTHING]:
        for new in [source for source in found if not before.get(source)]:
            if before[gone] == now[new]:
                found -= {gone, new}
    return found


def _text(source: str, name: str, before: int | None, now: int) -> str:
    if source == GRAVITY:
        return "gravity changed"
    if source == PINS:
        return f"the pins of '{name}' move differently"
    if source == SHAPE:
        return f"'{name}' starts in another shape"
    collider = f"the collider '{source.removeprefix(COLLIDER)}'"
    if now == NOTHING:
        return f"{collider} is switched off or gone"
    if not before:
        return f"{collider} was not there"
    return f"{collider} moves differently"
