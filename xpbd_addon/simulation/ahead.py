# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that were read and wait for the worker, so that it never waits for Blender to draw.

Blender draws everything anew after each time that frames were set. Frames are therefore read in
bursts, the longer the sooner the worker was done with the last one.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future
from typing import Any

from .live import Live
from .scene_input import FrameInput

AT_FIRST, MOST = 32, 1024  # frames
_MOST_BYTES = 2**28


class Ahead:
    """Frames of a simulation up to an end, read but not yet simulated.

    Where something that is read follows what is simulated, nothing can be read before that is.
    """

    def __init__(self, simulation: Live, end: int) -> None:
        self.next_frame = simulation.frame + 1
        self._end = end
        self._alone = _follows_itself(simulation)
        self._frames = 1 if self._alone else AT_FIRST
        self._bytes = 1  # of what was read of a frame
        self._waiting: deque[Future[Any]] = deque()

    def is_low(self) -> bool:
        """Whether it is time to read more; where it is too late, more from now on."""
        busy = sum(not future.done() for future in self._waiting)
        if busy == 0 and self._waiting and not self._alone:
            self._frames = min(2 * self._frames, MOST)
        return busy <= self._room() // 2 and self.has_room()

    def has_room(self) -> bool:
        """Whether another frame may be read."""
        return self.next_frame <= self._end and len(self._waiting) < self._room()

    def add(self, targets: FrameInput, simulated: Future[Any]) -> None:
        """The next frame was read, and the worker has been told."""
        arrays = (*targets.pins.values(), *targets.colliders.values())
        self._bytes = max(self._bytes, sum(array.nbytes for array in arrays))
        self._waiting.append(simulated)
        self.next_frame += 1

    def first(self) -> Future[Any] | None:
        """The next one that will be done, to wait for; None where there is none."""
        return self._waiting.popleft() if self._waiting else None

    def _room(self) -> int:
        return max(1, min(self._frames, _MOST_BYTES // self._bytes))


def _follows_itself(simulation: Live) -> bool:
    fingerprint = simulation.inputs.fingerprint
    return any(fingerprint.followed(each) for each in fingerprint.objects)
