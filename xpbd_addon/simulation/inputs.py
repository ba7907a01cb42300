# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object's cached frames were simulated from, and what they would be simulated from now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ...core.frame_cache import FrameCache, InputsFile, of_writing
from ..scene.frame_inputs import (
    AIR,
    BONES,
    COLLIDER,
    FACES,
    FIBRES,
    FIELD,
    GRAVITY,
    HAND,
    MADE,
    NOTHING,
    PINS,
    SETTING,
    SHAPE,
    TOUCH,
    WARP,
    WEIGHTS,
    Row,
)
from ..settings.keyed import in_words

MOVED = 1
"""What stands for a hand in a row, in the place of a hash."""


def of_cache(cache: FrameCache) -> dict[str, ObjectInputs]:
    """What each object's frames in a cache were simulated from, by cache id."""
    if cache.first_frame is None:
        return {}
    return {each: ObjectInputs(path(cache, each), cache.first_frame) for each in cache.objects}


def path(cache: FrameCache, object_id: str) -> Path:
    """Where it is kept of an object."""
    return cache.folder / f"{object_id}.inputs"


class ObjectInputs:
    """Of one object's frames what was read for them, and what was seen on them since.

    What was seen of a source on a frame counts until the source is seen to have changed on any;
    then only what was seen after the last edit does.

    Args:
        path: the file that keeps what was read.
        frame_start: number of the first frame.
    """

    def __init__(self, path: Path, frame_start: int) -> None:
        self._file = InputsFile(path, frame_start)
        self._start = frame_start
        self._seen: dict[str, dict[int, int]] = {}
        self._differing: dict[str, set[int]] = {}
        self._seen_since_edit: set[int] = set()
        self._touched = {frame for frame, row in self._file.rows() if row.get(HAND, NOTHING)}

    def create(self, row: Row) -> None:
        """Begin anew with the first frame, of whose sources those are. Raises CacheError."""
        with _writing(self._file):
            self._file.create([*row, HAND])
        self._touched = set()
        self.write(self._start, row)

    def write(self, frame: int, row: Row, *, touched: bool = False) -> None:
        """Keep what a frame is simulated from. Raises CacheError.

        Args:
            touched: whether it, or one before it, was moved by hand.
        """
        hashes = {source: value or NOTHING for source, value in row.items()}
        with _writing(self._file):
            if touched and HAND not in self._file.sources:
                self._file.add(HAND)
            self._file.write(frame, hashes | {HAND: MOVED if touched else NOTHING})
        (self._touched.add if touched else self._touched.discard)(frame)

    def touched_by(self, last: int | None) -> int | None:
        """The first frame up to a last one that was moved by hand, or comes after one."""
        found = [frame for frame in self._touched if last is not None and frame <= last]
        return min(found, default=None)

    def copied(self, path: Path) -> ObjectInputs:
        """The same of a copy of the file."""
        found = ObjectInputs(path, self._start)
        found._seen = {source: dict(frames) for source, frames in self._seen.items()}
        found._differing = {source: set(frames) for source, frames in self._differing.items()}
        found._seen_since_edit = set(self._seen_since_edit)
        found._touched = set(self._touched)
        return found

    def differs_by(self, frame: int) -> bool:
        """Whether a frame up to this one is known to be simulated from something else."""
        return any(min(frames) <= frame for frames in self._differing.values() if frames)

    def move(self, path: Path) -> None:
        """The file is somewhere else now."""
        self._file.path = path

    def edited(self) -> None:
        """Something may have changed."""
        self._seen_since_edit.clear()

    def compare(self, frame: int, row: Row) -> None:
        """Compare what a frame would be simulated from now."""
        before = self._file.row(frame)
        known = {source: value for source, value in (before or {}).items() if source != HAND}
        now: dict[str, int] = {}
        for source in {*row, *known, *self._seen}:
            value = row.get(source, None if source.startswith(FACES) else NOTHING)
            if value is not None:
                self._see(source, frame, value)
            now[source] = known.get(source, NOTHING) if value is None else value
        self._seen_since_edit.add(frame)
        if before is None:
            return
        differing = _differing(known, now)
        if frame != self._start:
            differing = {each for each in differing if not each.startswith((SHAPE, FACES, WARP))}
        for source in {*differing, *self._differing}:
            frames = self._differing.setdefault(source, set())
            (frames.add if source in differing else frames.discard)(frame)

    def _see(self, source: str, frame: int, value: int) -> None:
        frames = self._seen.setdefault(source, {})
        if frames.get(frame, value) != value:
            unnoticed = frame in self._seen_since_edit
            kept = set() if unnoticed else frames.keys() & self._seen_since_edit
            self._seen[source] = frames = {each: frames[each] for each in kept}
            self._differing[source] = self._differing.get(source, set()) & kept
        frames[frame] = value

    @property
    def first_unknown(self) -> int:
        """The first frame of which it is not known what it was simulated from."""
        return self._file.first_unknown

    def first_difference(self, last: int, name: str) -> tuple[int, str] | None:
        """The first frame up to a last one that would be simulated from something else.

        Where a source differs on a frame, and earlier ones were not seen since it changed, these
        count as differing, too.

        Args:
            name: what the object is called.

        Returns:
            The frame, and what differs, for the user; None where nothing is known to.
        """
        firsts = ((min(frames), source) for source, frames in self._differing.items() if frames)
        frame, source = min(firsts, default=(last + 1, ""))
        if frame > last:
            return None
        before, seen = (self._file.row(frame) or {}).get(source), self._seen[source]
        unseen = next(
            each for each in range(self._start, frame + 1) if each not in seen or each == frame
        )
        if source.startswith(COLLIDER) and before and seen[frame] != NOTHING:
            faces = FACES + source.removeprefix(COLLIDER)
            source = faces if self._is_other_on_start(faces) else source
        return unseen, _text(source, name, before, seen[frame])

    def _is_other_on_start(self, source: str) -> bool:
        """Whether both are known of the first frame, and differ."""
        before = (self._file.row(self._start) or {}).get(source)
        now = self._seen.get(source, {}).get(self._start)
        return bool(before and now and before != now)


@contextmanager
def _writing(file: InputsFile) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise of_writing(file.path.parent, error) from error


def _differing(before: Mapping[str, int], now: Mapping[str, int]) -> set[str]:
    """The sources that differ; a collider that only has another name does not."""
    found = {source for source in now if before.get(source, NOTHING) != now[source]}
    rest = [source.removeprefix(COLLIDER) for source in found]
    found -= {part + name for part in (FACES, TOUCH) for name in rest}  # the rest of the same
    for gone in [source for source in found if now[source] == NOTHING]:
        for new in [source for source in found if not before.get(source)]:
            if before[gone] == now[new]:
                found -= {gone, new}
    return found


def _text(source: str, name: str, before: int | None, now: int) -> str:
    if source == GRAVITY:
        return "gravity changed"
    if source == MADE:
        return f"modifiers before XPBD give '{name}' other vertices or faces"
    if source == WARP:
        return f"modifiers before XPBD turn the warp of '{name}'"
    if source == FIBRES:
        return f"modifiers before XPBD turn the fibres of '{name}'"
    if source == PINS:
        return f"the pins of '{name}' move differently"
    if source == WEIGHTS:
        return f"modifiers before XPBD give the vertex groups of '{name}' other weights"
    if source == BONES:
        return f"the bones in '{name}' move differently"
    if source.startswith(SETTING):
        return f"the {in_words(source.removeprefix(SETTING))} of '{name}' is keyed differently"
    if source == SHAPE:
        return f"'{name}' starts in another shape"
    if source.startswith(FACES):
        return (
            f"the collider '{source.removeprefix(FACES)}' has other faces (if a render simulated, "
            "give its modifiers the same levels in both)"
        )
    if source.startswith(TOUCH):
        return f"the thickness or friction of the collider '{source.removeprefix(TOUCH)}' changed"
    if source == AIR:
        return "the air changed"
    if source.startswith(FIELD):
        return _field_text(source.removeprefix(FIELD), before, now)
    collider = f"the collider '{source.removeprefix(COLLIDER)}'"
    if now == NOTHING:
        return f"{collider} is switched off or gone"
    if not before:
        return f"{collider} was not there"
    return f"{collider} moves differently"


def _field_text(name: str, before: int | None, now: int) -> str:
    if now == NOTHING:
        return f"the force field '{name}' is switched off or gone"
    if not before:
        return f"the force field '{name}' was not there"
    return f"the force field '{name}' changed or moves differently"
