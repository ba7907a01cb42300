# SPDX-License-Identifier: GPL-3.0-or-later
"""Outdated frames that a new simulation replaces: they come back where a change is undone.

They are kept till the new simulation has passed them, or has reached its end.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from ...core.frame_cache import FrameCache, set_aside
from ..scene.fingerprint import Fingerprint
from ..scene.frame_inputs import Row
from . import inputs, validity
from .inputs import ObjectInputs


class Replaced:
    """Frames of a cache's objects that were set aside.

    Args:
        cache: that they are set aside of.

    Raises:
        CacheError: of all methods that move or delete files, where that can't be done.
    """

    def __init__(self, cache: FrameCache) -> None:
        self._present = cache
        self._cache = FrameCache(set_aside.folder_of(cache))
        self._inputs = inputs.of_cache(self._cache)

    @property
    def is_empty(self) -> bool:
        """Whether there are none."""
        return self._cache.first_frame is None

    def put(
        self,
        object_ids: Collection[str],
        known: Mapping[str, ObjectInputs],
        *,
        copying: bool = False,
    ) -> None:
        """Set objects' frames aside; where older ones are already, these are what is kept.

        Args:
            known: what frames were simulated from, by cache id.
            copying: leave them where they are, too.
        """
        found = set(object_ids) - self._inputs.keys()
        if not found or not (self.is_empty or set_aside.goes_with(self._present, self._cache)):
            return
        self._cache = set_aside.set_aside(self._present, found, copying=copying)
        for object_id in found:
            path = inputs.path(self._cache, object_id)
            self._inputs[object_id] = known[object_id].copied(path)

    def compare(self, frame: int, rows: Mapping[str, Row]) -> None:
        """Compare what a frame of objects would be simulated from now."""
        for object_id in self._inputs.keys() & rows.keys():
            self._inputs[object_id].compare(frame, rows[object_id])

    def edited(self) -> None:
        """Something may have changed."""
        for own in self._inputs.values():
            own.edited()

    def drop_passed(self, frame: int, end: int) -> None:
        """Delete them where a new simulation up to an end has come to a frame behind them."""
        last = [self._cache.last_frame_of(each) or frame for each in self._inputs]
        if last and frame >= min(max(last), end):
            self.drop()

    def drop(self) -> None:
        """Delete them."""
        self._cache.clear()
        self._inputs = {}

    def are_valid(self, known: Mapping[str, ObjectInputs], now: Fingerprint) -> bool:
        """Whether they are what simulating would give, while the present ones are not.

        Args:
            known: what present frames were simulated from, by cache id.
        """
        held = validity.held(self._cache, self._inputs)
        if held is None:
            return False
        present = validity.held(self._present, known)
        ids = held.objects.keys() & now.objects.keys()
        if present is not None and ids.isdisjoint(validity.outdated(present, now)):
            return False
        if present is not None and set_aside.goes_with(self._cache, self._present):
            held = replace(
                held,
                objects={**present.objects, **held.objects},
                inputs={**present.inputs, **held.inputs},
                last={**present.last, **held.last},
            )
        return ids.isdisjoint(validity.outdated(held, now))

    def take_back(self) -> dict[str, ObjectInputs]:
        """Put them in the place of the present ones of these objects.

        Returns:
            What they were simulated from, by cache id.
        """
        set_aside.take_back(self._present, self._cache)
        back, self._inputs = self._inputs, {}
        for object_id, own in back.items():
            own.move(inputs.path(self._present, object_id))
        return back
