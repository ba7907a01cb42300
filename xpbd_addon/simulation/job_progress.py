# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a long simulation is, and how long it takes yet."""

from __future__ import annotations

import time


class JobProgress:
    """How far a job is, and what it is doing.

    Args:
        frames_total: of its range.

    Attributes:
        frames_done, frames_total: of the range, the frames that are valid already included.
        message: what it is doing, for the user.
    """

    def __init__(self, frames_total: int) -> None:
        self.frames_done = 0
        self.frames_total = frames_total
        self.message = ""
        self._first_timed: tuple[int, float] | None = None

    @property
    def factor(self) -> float:
        """Share of the frames done, 0 to 1."""
        return self.frames_done / self.frames_total

    @property
    def seconds_left(self) -> float | None:
        """Estimate [s], None as long as there is none."""
        if self._first_timed is None or self.frames_done <= self._first_timed[0]:
            return None
        done = self.frames_done - self._first_timed[0]
        elapsed = time.monotonic() - self._first_timed[1]
        return (self.frames_total - self.frames_done) * elapsed / done

    @property
    def has_begun(self) -> bool:
        """Whether it came to simulate frames."""
        return self._first_timed is not None

    def count_from(self, frames_done: int) -> None:
        """Frames after those that are done are simulated from now on."""
        self.frames_done = frames_done
        self._first_timed = frames_done, time.monotonic()
        self.message = ""
