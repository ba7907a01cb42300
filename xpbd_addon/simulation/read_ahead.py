# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that were read and wait for the worker, so that it never waits for Blender to draw.

Blender draws everything anew after each time that frames were set. Frames are therefore read in
bursts, as many as keep the worker busy for a while.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future

from .live import Live
from .scene_input import FrameInput

MOST = 1024  # frames
_AT_FIRST = 32  # frames, as long as none was simulated
_BUSY_FOR = 0.5  # seconds that the worker has to do at most, or so many times what drawing takes
_DRAWINGS = 12
_MOST_BYTES = 2**28


class Ahead:
    """Frames of a simulation up to an end, read but not yet simulated.

    Where something that is read follows what is simulated, nothing can be read before that is.

    Attributes:
        drawing: seconds that Blender takes to draw, for which the worker must have enough to do.
    """

    def __init__(self, simulation: Live, end: int) -> None:
        self.next_frame = simulation.frame + 1
        self.drawing = 0.0
        self._end = end
        self._alone = _follows_itself(simulation)
        self._frame_took = 0.0  # seconds, lately
        self._bytes = 1  # of what was read of a frame
        self._waiting: deque[Future[None]] = deque()

    def is_low(self) -> bool:
        """Whether it is time to read more."""
        return self.has_room() and self._frames() <= self._room() // 2

    def has_room(self) -> bool:
        """Whether another frame may be read."""
        return self.next_frame <= self._end and self._frames() < self._room()

    def is_enough(self) -> bool:
        """Whether the worker has enough to do while Blender draws, as far as is known."""
        return not self.is_low() and self._frames() * self._frame_took >= self.drawing

    def add(self, targets: FrameInput, simulated: Future[None]) -> None:
        """The next frame was read, and the worker has been told."""
        arrays = (*targets.pins.values(), *targets.colliders.values())
        self._bytes = max(self._bytes, sum(array.nbytes for array in arrays))
        self._waiting.append(simulated)
        self.next_frame += 1

    def took(self, seconds: float) -> None:
        """A frame was simulated. Called by the worker."""
        self._frame_took = (self._frame_took + seconds) / 2 if self._frame_took else seconds

    def first(self) -> Future[None] | None:
        """The first one that is not done, else the last, to wait for; None where there is none.

        Raises:
            SceneError: one that is done went wrong.
        """
        last = None
        while self._waiting:
            if not self._waiting[0].done():
                return self._waiting[0]
            last = self._waiting.popleft()
            last.result()
        return last

    def rest(self) -> Iterator[Future[None]]:
        """What is to be waited for until all that was read is done. Raises SceneError as above."""
        while (first := self.first()) is not None:
            yield first

    def _frames(self) -> int:
        """How many are not done."""
        return sum(not future.done() for future in self._waiting)

    def _room(self) -> int:
        if self._alone:
            return 1
        busy_for = max(_BUSY_FOR, _DRAWINGS * self.drawing)
        frames = math.ceil(busy_for / self._frame_took) if self._frame_took else _AT_FIRST
        return max(1, min(frames, MOST, _MOST_BYTES // self._bytes))


def _follows_itself(simulation: Live) -> bool:
    fingerprint = simulation.inputs.fingerprint
    return any(fingerprint.followed(each) for each in fingerprint.objects)
