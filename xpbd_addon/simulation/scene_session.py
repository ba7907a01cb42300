# SPDX-License-Identifier: GPL-3.0-or-later
"""One scene's simulation: its cache, and the live solver that goes on where the cache ends.

Objects whose frames are valid and complete are not simulated again. Where what is simulated could
have met one of them, that one's frames turn out to be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from threading import RLock
from typing import Literal

import bpy

from ...core.frame_cache import CachedObject, CacheError, CheckpointHead, FrameCache, checkpoints
from ..errors import SceneError
from ..scene.fingerprint import Fingerprint
from ..scene.frame_inputs import Row
from . import inputs as cached_inputs
from . import keeping, measures, measuring, validity
from .inputs import ObjectInputs
from .left_out import LeftOut
from .live import Live
from .measures import Measures
from .measuring import Faults
from .replaced import Replaced
from .scene_input import SceneInput
from .status import CacheStatus
from .validity import Outdated

Source = Literal["play", "simulate"]


class Session:
    """One scene's simulation.

    Attributes:
        no_folder: why there is no folder for the cache.
        left_out: the objects that can't take part.
        inputs: what each cached object's frames were simulated from, by cache id.
        replaced: frames that may come back.
        start, render_start: what was read on the first frame and the next one begins with, in a
            window, and in a render or an export. Blender tells of an export no more than that
            frames are evaluated for it, while windows stand where they are.
        faults: of each frame simulated the vertices that have any, by cache id.
        goes_on: the checkpoint from which the simulation that was read goes on when its frame is
            played; None: it starts from the first frame.
        edited: whether something may have changed since a frame was looked at.
        is_written: whether another thread writes into the cache now, which so nobody else does.
        changing: held by the thread that changes what is known of the cache, as renders have one.
    """

    def __init__(self) -> None:
        self.cache: FrameCache | None = None
        self.inputs: dict[str, ObjectInputs] = {}
        self.replaced: Replaced | None = None
        self.edited = True
        self.is_written = False
        self.changing = RLock()
        self.live: Live | None = None
        self.start: SceneInput | None = None
        self.render_start: SceneInput | None = None
        self.goes_on: CheckpointHead | None = None
        self.no_folder = ""
        self._error = ""
        self._error_at: tuple[object, int, Mapping[str, Row]] | None = None
        self.status: CacheStatus | None = None
        self.check_again = 0.0
        self.faults: dict[int, dict[str, Faults]] = {}
        self.left_out = LeftOut()

    @property
    def error(self) -> str:
        """Why playing does not simulate, or simulating stopped; empty where nothing is known."""
        return self._error

    @error.setter
    def error(self, text: str) -> None:
        self._error, self._error_at = text, None

    @property
    def trouble(self) -> str:
        """What the user has to be told of, empty where there is nothing."""
        return self.error or self.no_folder or (self.cache.problem if self.cache else "")

    def start_of(self, depsgraph: bpy.types.Depsgraph) -> SceneInput | None:
        """What the frame after the first begins with, where it is evaluated like that."""
        return self.render_start if depsgraph.mode == "RENDER" else self.start

    def frames(self) -> tuple[int | None, int | None]:
        """First frame cached, and the last one that is cached of all objects."""
        return (self.cache.first_frame, self.cache.last_frame) if self.cache else (None, None)

    def open(self, cache: FrameCache | None) -> None:
        """Know what a cache holds, instead of what was known; others may write the one before."""
        with self.changing:
            if self.cache is not None:
                self.cache.close()
            self.cache, self.live, self.status, self.edited = cache, None, None, True
            self.start = self.render_start = self.goes_on = None
            self.faults = {}
            self.know_inputs()

    def know_inputs(self) -> None:
        """Know what the frames in the cache were simulated from, and what may come back."""
        self.inputs = cached_inputs.of_cache(self.cache) if self.cache else {}
        self.replaced = Replaced(self.cache) if self.cache else None

    def touch(self) -> None:
        """Something may have changed."""
        self.status, self.edited = None, True
        for own in self.inputs.values():
            own.edited()
        if self.replaced is not None:
            self.replaced.edited()

    def holds(self, frame: int) -> bool:
        """Whether a frame of any object is cached."""
        first = self.frames()[0]
        return (
            first is not None
            and frame >= first
            and any(self.reaches(each, frame) for each in self.inputs)
        )

    def compare(self, frame: int, rows: Mapping[str, Row]) -> None:
        """Compare what a frame of objects would be simulated from now."""
        for object_id, row in rows.items():
            if object_id in self.inputs:
                self.inputs[object_id].compare(frame, row)
        if self.replaced is not None:
            self.replaced.compare(frame, rows)
        self.status = None

    def outdated(self, now: Fingerprint, *, accept_by_hand: bool = False) -> dict[str, Outdated]:
        """The objects that have to be simulated (again), as in :func:`validity.outdated`."""
        held = validity.held(self.cache, self.inputs) if self.cache else None
        return validity.outdated(held, now, accept_by_hand=accept_by_hand)

    def valid(self, now: Fingerprint, *, accept_by_hand: bool = False) -> set[str]:
        """Cache ids of the objects none of whose frames is known to be outdated."""
        return now.objects.keys() - self.outdated(now, accept_by_hand=accept_by_hand).keys()

    def frames_to_compare(self, now: Fingerprint) -> Iterator[int]:
        """The frames of objects that may be valid, each once those before it were compared."""
        if self.cache is None or self.cache.first_frame is None:
            return
        last = {
            each: self.cache.last_frame_of(each) or self.cache.first_frame
            for each in validity.unchanged(validity.held(self.cache, self.inputs), now)
        }
        for frame in range(self.cache.first_frame, max(last.values(), default=-1) + 1):
            if not any(self._may_hold(each, frame) for each, end in last.items() if frame <= end):
                return
            yield frame

    def _may_hold(self, object_id: str, frame: int) -> bool:
        """Whether no frame of an object before this one is known to be outdated."""
        own = self.inputs.get(object_id)  # another program may have changed the cache meanwhile
        return own is not None and not own.differs_by(frame - 1)

    def finished(self, now: Fingerprint, end: int) -> set[str]:
        """Cache ids of the objects that have valid frames up to an end."""
        return {each for each in self.valid(now) if self.reaches(each, end)}

    def unfinished(self, now: Fingerprint, end: int) -> set[str]:
        """Cache ids of the objects that lack valid frames up to an end, and may be simulated."""
        return now.objects.keys() - self.finished(now, end) - self.left_out.hindered.keys()

    def wanted(self, now: Fingerprint, end: int) -> set[str]:
        """The same but for those that were refused when a simulation began."""
        return {each for each in self.unfinished(now, end) if not self.left_out.why(each, now)}

    def check_error(self, scene: object, frame: int, rows: Mapping[str, Row]) -> None:
        """Forget the error once the scene is another than when it was first told.

        Args:
            scene: all that the error may come from, and what there is to simulate.
            frame, rows: that is shown, and what it would be simulated from.
        """
        if self._error_at is not None:
            scene_before, frame_before, rows_before = self._error_at
            if scene_before != scene or (frame_before == frame and rows_before != rows):
                self.error = ""
        self._error_at = scene, frame, rows

    def refuse(self, inputs: SceneInput) -> None:
        """Know what is left out of a simulation that begins."""
        self.left_out.refuse(inputs)
        self.status = None

    def losing(self, now: Fingerprint) -> set[str]:
        """Cache ids of objects whose frames beginning anew replaces: outdated ones, or gone."""
        if self.cache is None:
            return set()
        held = {each for each in self.cache.objects if self.cache.last_frame_of(each) is not None}
        return held - self.valid(now)

    @property
    def touched(self) -> int | None:
        """The first frame that was changed by hand, or comes after one; None where none was."""
        return min(self._touched().values(), default=None)

    def touched_objects(self) -> set[str]:
        """Cache ids of the objects that have such frames."""
        return set(self._touched())

    def _touched(self) -> dict[str, int]:
        found = {each: own.touched_by(self._last(each)) for each, own in self.inputs.items()}
        return {each: frame for each, frame in found.items() if frame is not None}

    def _last(self, object_id: str) -> int | None:
        return self.cache.last_frame_of(object_id) if self.cache else None

    def take_back(self, now: Fingerprint) -> bool:
        """Have frames back that were being replaced, where they are valid and present ones not.

        Those that a hand has replaced come back when that is wanted, not by themselves.

        Returns:
            Whether there are other frames now.

        Raises:
            SceneError: the cache can't be written.
        """
        if self.replaced is None or self.touched is not None:
            return False
        if not self.replaced.are_valid(self.inputs, now):
            return False
        self.have_back()
        return True

    def have_back(self) -> None:
        """Have the frames that were replaced, instead of the present ones. Raises SceneError."""
        assert self.cache is not None
        assert self.replaced is not None
        self.live, self.status, self.faults = None, None, {}
        with self._writing():
            back = self.replaced.take_back()
            self.inputs = {**self.inputs, **back}
            self.inputs = {each: self.inputs[each] for each in self.cache.objects}

    def holds_end(self, now: Fingerprint, end: int) -> bool:
        """Whether all that is unfinished can go on from where the live solver stands."""
        if self.cache is None or self.live is None:
            return False
        valid, simulated = self.valid(now), self.live.object_ids
        return self.wanted(now, end) <= set(simulated) and all(
            each in valid and self.cache.last_frame_of(each) == self.live.frame
            for each in simulated
        )

    def begin(self, simulation: Live, source: Source) -> None:
        """Stand at the first frame, with valid frames and new ones. Raises SceneError."""
        assert self.cache is not None
        assert self.replaced is not None
        inputs = simulation.inputs
        self.refuse(inputs)
        now = inputs.fingerprint
        positions, cached = inputs.positions, self.cache.objects
        objects = {
            each: replace(cached[each], fingerprint=now.objects[each]) for each in self.valid(now)
        }
        keep = list(objects)
        for object_id in keep:
            positions.pop(object_id, None)
        for object_id, points in positions.items():
            objects[object_id] = CachedObject(
                len(points), now.objects[object_id], encoding=inputs.encoding
            )
        self.live, self.status, self.error = None, None, ""
        for found in self.faults.values():
            for object_id in positions:
                found.pop(object_id, None)
        with self._writing():
            self.replaced.put(self.losing(now), self.inputs)
            self.cache.create(
                now.shared, objects, inputs.frame, source, Measures._fields, keep=keep
            )
            self.inputs = {each: self.inputs[each] for each in keep}
            if positions:
                for object_id in positions:
                    path = cached_inputs.path(self.cache, object_id)
                    self.inputs[object_id] = ObjectInputs(path, inputs.frame)
                    self.inputs[object_id].create(inputs.rows[object_id])
                at_rest = dict.fromkeys(positions, measures.AT_REST._asdict())
                self.cache.append(inputs.frame, positions, at_rest)
            self.compare(inputs.frame, inputs.rows)
            checkpoints.drop_stale(self.cache)
        self.live = simulation

    def forget_inputs(self, object_id: str, row: Row) -> None:
        """Know nothing but the first frame's of what an object's frames were simulated from.

        Raises CacheError.
        """
        assert self.cache is not None
        assert self.cache.first_frame is not None
        path = cached_inputs.path(self.cache, object_id)
        self.inputs[object_id] = ObjectInputs(path, self.cache.first_frame)
        self.inputs[object_id].create(row)

    def store(self) -> set[str]:
        """Append the live frame to the objects that lack it.

        Returns:
            Cache ids of objects that it could have met, and was simulated without. Then nothing
            was appended, their frames are not valid any more, and the live solver is gone.

        Raises:
            SceneError: the cache can't be written.
        """
        assert self.cache is not None
        assert self.live is not None
        self.status = None
        measured, faults = measuring.measure(self.live)
        frame, now = self.live.frame, self.live.inputs.fingerprint
        met = validity.met_unawares(self.cache, measured, frame, now)
        try:
            with self._writing():
                if met:
                    self._spoil(met)
                else:
                    self._append(self.live, measured, faults)
                    if keeping.is_due(self.live):
                        keeping.keep(self.cache, self.live)
        except SceneError:
            self.live = None
            raise
        return met

    def keep_checkpoint(self) -> None:
        """Keep from what the live solver can go on, where nobody has. Raises SceneError."""
        if self.cache is None or self.live is None:
            return
        with self._writing():
            if not keeping.is_kept(self.cache, self.live):
                keeping.keep(self.cache, self.live)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """No other thread changes what is known of the cache. SceneError where it isn't written."""
        with self.changing:
            try:
                yield
            except CacheError as error:
                raise SceneError(str(error)) from error

    def _append(
        self, simulation: Live, measured: dict[str, Measures], faults: dict[str, Faults]
    ) -> None:
        """Raises CacheError."""
        assert self.cache is not None
        frame, cached = simulation.frame, self.cache.objects
        if not measured.keys() <= cached.keys():
            raise CacheError(self.cache.problem)
        if told := validity.newly_met(cached, measuring.together(simulation)):
            self.cache.truncate(frame - 1, measured)  # what is behind was made without each other
            self.cache.tell(told)
        lacking = [each for each in measured if self.cache.last_frame_of(each) == frame - 1]
        if lacking:
            positions = simulation.positions
            for object_id in lacking:
                row = simulation.rows[object_id]
                self.inputs[object_id].write(frame, row, touched=object_id in simulation.touched)
            self.cache.append(
                frame,
                {each: positions[each] for each in lacking},
                {each: measured[each]._asdict() for each in lacking},
            )
            self.faults.setdefault(frame, {}).update(faults)
        self.compare(frame, simulation.rows)
        if self.replaced is not None and not simulation.touched:
            self.replaced.drop_passed(frame, simulation.inputs.end)

    def _spoil(self, object_ids: set[str]) -> None:
        """Frames of these objects are wrong. Raises CacheError."""
        assert self.cache is not None
        cached = self.cache.objects
        self.live = None
        self.cache.tell({each: replace(cached[each], fingerprint="") for each in object_ids})

    def reaches(self, object_id: str, frame: int) -> bool:
        """Whether an object has frames up to this one."""
        last = self._last(object_id)
        return last is not None and last >= frame
