# SPDX-License-Identifier: GPL-3.0-or-later
"""One scene's simulation: its cache, and the live solver that goes on where the cache ends.

Objects whose frames are valid and complete are not simulated again. Where what is simulated could
have met one of them, that one's frames turn out to be wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, NamedTuple

from ...core.frame_cache import CachedObject, CacheError, FrameCache
from ..errors import SceneError
from ..scene.fingerprint import Fingerprint
from . import live, measures, validity
from .live import Faults, Live, SceneInput
from .measures import Measures
from .status import CacheStatus

Source = Literal["play", "simulate"]


class Refusal(NamedTuple):
    """Why an object was left out when a simulation began, and what it was then."""

    fingerprint: str
    sentence: str


class Session:
    """One scene's simulation.

    Attributes:
        hindered: why objects can't be simulated as they are now, by what `session` knows them by.
        refused: what was left out when a simulation began last, by cache id.
        faults: of each frame simulated the vertices that have any, by cache id.
    """

    def __init__(self) -> None:
        self.cache: FrameCache | None = None
        self.live: Live | None = None
        self.start: SceneInput | None = None
        self._error = ""
        self._error_at: object = None
        self.status: CacheStatus | None = None
        self.check_again = 0.0
        self.faults: dict[int, dict[str, Faults]] = {}
        self.hindered: dict[str, str] = {}
        self.refused: dict[str, Refusal] = {}

    @property
    def error(self) -> str:
        """Why playing does not simulate; empty where it does."""
        return self._error

    @error.setter
    def error(self, text: str) -> None:
        self._error, self._error_at = text, None

    def frames(self) -> tuple[int | None, int | None]:
        """First frame cached, and the last one that is cached of all objects."""
        return (self.cache.first_frame, self.cache.last_frame) if self.cache else (None, None)

    def reasons(self, now: Fingerprint) -> dict[str, str]:
        """Why each object's frames can't be used, by its cache id; empty where they can."""
        if self.cache is None:
            return dict.fromkeys(now.objects, validity.NEW)
        return validity.reasons(self.cache, now)

    def finished(self, now: Fingerprint, end: int) -> set[str]:
        """Cache ids of the objects that have valid frames up to an end."""
        return {
            object_id
            for object_id, reason in self.reasons(now).items()
            if not reason and self._reaches(object_id, end)
        }

    def unfinished(self, now: Fingerprint, end: int) -> set[str]:
        """Cache ids of the objects that lack valid frames up to an end, and may be simulated."""
        return now.objects.keys() - self.finished(now, end) - self.hindered.keys()

    def why_left_out(self, object_id: str, now: Fingerprint) -> str:
        """Why an object can't take part; empty where it can, as far as is known."""
        if object_id in self.hindered:
            return self.hindered[object_id]
        refusal = self.refused.get(object_id)
        same = refusal is not None and refusal.fingerprint == now.objects.get(object_id)
        return refusal.sentence if refusal is not None and same else ""

    def check_error(self, scene: object) -> None:
        """Forget the error once the scene is another than when it was first told.

        Args:
            scene: all that the error may come from, and what there is to simulate.
        """
        if self.error and self._error_at not in (None, scene):
            self.error = ""
        self._error_at = scene

    def refuse(self, inputs: SceneInput) -> None:
        """Remember what is left out of a simulation though nothing had seemed to hinder it."""
        texts = inputs.fingerprint.objects
        self.refused = {
            each: Refusal(texts[each], sentence)
            for each, sentence in inputs.left_out.items()
            if each in texts and each not in self.hindered
        }
        self.status = None

    def would_lose_frames(self, now: Fingerprint) -> bool:
        """Whether beginning anew deletes frames: of objects that are outdated, or gone."""
        if self.cache is None:
            return False
        reasons = self.reasons(now)
        return any(
            reasons.get(each) != ""
            for each in self.cache.objects
            if self.cache.last_frame_of(each) is not None
        )

    def holds_end(self, now: Fingerprint, end: int) -> bool:
        """Whether all that is unfinished can go on from where the live solver stands."""
        if self.cache is None or self.live is None:
            return False
        reasons, simulated = self.reasons(now), self.live.object_ids
        wanted = {each for each in self.unfinished(now, end) if not self.why_left_out(each, now)}
        return wanted <= set(simulated) and all(
            reasons.get(each) == "" and self.cache.last_frame_of(each) == self.live.frame
            for each in simulated
        )

    def can_step(self, now: Fingerprint) -> bool:
        """Whether the next live frame is one of what is set up now, beside what is cached."""
        if self.cache is None or self.live is None:
            return False
        reasons, frame = self.reasons(now), self.live.frame + 1
        others = self.cache.objects.keys() - self.hindered.keys()
        return all(
            reasons.get(each) == "" if each in self.live.object_ids else self._reaches(each, frame)
            for each in (*self.live.object_ids, *others)
        )

    def begin(self, simulation: Live, source: Source) -> None:
        """Stand at the first frame, with valid frames and new ones. Raises SceneError."""
        assert self.cache is not None
        inputs = simulation.inputs
        self.refuse(inputs)
        now = inputs.fingerprint
        positions, cached = inputs.positions, self.cache.objects
        objects = {
            each: replace(cached[each], fingerprint=now.objects[each])
            for each, reason in self.reasons(now).items()
            if not reason
        }
        keep = list(objects)
        for object_id in keep:
            positions.pop(object_id, None)
        for object_id, points in positions.items():
            objects[object_id] = CachedObject(len(points), now.objects[object_id])
        self.live, self.status, self.error = None, None, ""
        for found in self.faults.values():
            for object_id in positions:
                found.pop(object_id, None)
        try:
            self.cache.create(
                now.shared, objects, inputs.frame, source, Measures._fields, keep=keep
            )
            if positions:
                at_rest = dict.fromkeys(positions, measures.AT_REST._asdict())
                self.cache.append(inputs.frame, positions, at_rest)
        except CacheError as error:
            raise SceneError(str(error)) from error
        self.live = simulation

    def take_over(self) -> None:
        """Playing must not throw the frames away from now on. Raises SceneError."""
        assert self.cache is not None
        try:
            self.cache.set_source("simulate")
        except CacheError as error:
            raise SceneError(str(error)) from error

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
        measured, faults = live.measure(self.live)
        met = self._met_unawares(measured)
        try:
            if met:
                self._spoil(met)
            else:
                self._append(self.live, measured, faults)
        except CacheError as error:
            self.live = None
            raise SceneError(str(error)) from error
        return met

    def _append(
        self, simulation: Live, measured: dict[str, Measures], faults: dict[str, Faults]
    ) -> None:
        """Raises CacheError."""
        assert self.cache is not None
        frame = simulation.frame
        if told := self._newly_met(live.together(simulation)):
            self.cache.truncate(frame - 1, measured)  # what is behind was made without each other
            self.cache.tell(told)
        lacking = [each for each in measured if self.cache.last_frame_of(each) == frame - 1]
        if not lacking:
            return
        positions = simulation.positions
        self.cache.append(
            frame,
            {each: positions[each] for each in lacking},
            {each: measured[each]._asdict() for each in lacking},
        )
        self.faults.setdefault(frame, {}).update(faults)

    def _newly_met(self, groups: Iterable[set[str]]) -> dict[str, CachedObject]:
        """What is to be known of objects that were together for the first time."""
        assert self.cache is not None
        cached = self.cache.objects
        met = {each: {*cached[each].met, *group} - {each} for group in groups for each in group}
        return {
            each: replace(cached[each], met=sorted(others))
            for each, others in met.items()
            if others != set(cached[each].met)
        }

    def _met_unawares(self, measured: dict[str, Measures]) -> set[str]:
        """Cache ids of objects that are not simulated now and that what is could have met."""
        assert self.cache is not None
        assert self.live is not None
        others = self.cache.objects.keys() - measured.keys()
        known = measures.read(self.cache, others, self.live.frame)
        met: set[str] = set()
        for each, own in measured.items():
            near = others - met - self.live.inputs.fingerprint.ignored(each)
            met |= {other for other in near if own.overlaps(known.get(other, measures.AT_REST))}
        return met

    def _spoil(self, object_ids: set[str]) -> None:
        """Frames of these objects are wrong. Raises CacheError."""
        assert self.cache is not None
        cached = self.cache.objects
        self.live = None
        self.cache.tell({each: replace(cached[each], fingerprint="") for each in object_ids})

    def _reaches(self, object_id: str, frame: int) -> bool:
        last = self.cache.last_frame_of(object_id) if self.cache else None
        return last is not None and last >= frame
