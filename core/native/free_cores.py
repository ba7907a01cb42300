# SPDX-License-Identifier: GPL-3.0-or-later
"""How many cores other programs leave to the threads that share a step.

These wait for each other a thousand times in a frame. Where another program takes the core of one,
all of them stand still until that has it back: on a busy computer two threads can take a hundred
times as long as one. How long they ran of the time that a call took tells of it; then there are as
many threads as there were cores, until some that do nothing but wait for each other find more.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

MISSED = 0.5
"""Of a core: how much of them may be missing without fewer threads being used."""

OFTEN = 2
"""Times in a row that they are missing before fewer are used: a call for which code is compiled or
loaded stands still once, on a quiet computer, too."""

LOOK = 0.1 if sys.platform == "win32" else 0.01
"""Seconds after which it is judged: clocks of threads tell them in ticks of 1/64 s on Windows."""

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 16.0
"""Seconds until more are looked for; twice as long each time that they were gone again so soon."""


class FreeCores:
    """What is known of them.

    Args:
        wait: let so many threads wait for each other for a moment, and :meth:`note` that.
        clock: tells seconds.
    """

    def __init__(
        self, wait: Callable[[int], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._wait = wait
        self._clock = clock
        self._most = 1
        self._again = clock()  # when more are looked for
        self._pause = FIRST_PAUSE
        self._seconds = self._ran = 0.0
        self._missed = 0  # times in a row
        self._judged = False

    def of(self, threads: int) -> int:
        """How many of so many threads to use now."""
        if threads > self._most and self._clock() >= self._again:
            self._look(threads)
        return min(threads, self._most)

    def _look(self, threads: int) -> None:
        """Find out anew."""
        self._most = threads
        self._seconds = self._ran = 0.0
        self._missed, self._judged = 0, False
        while not self._judged:
            self._wait(threads)

    def note(self, threads: int, seconds: float, ran: float) -> None:
        """Take notice of a call by more than one thread.

        Args:
            seconds: that a thread took for it, on average.
            ran: those that they ran, in all.
        """
        self._seconds += seconds
        self._ran += ran
        if self._seconds < LOOK:
            return
        cores = self._ran / self._seconds
        self._seconds = self._ran = 0.0
        self._missed = self._missed + 1 if cores < threads - MISSED else 0
        self._judged = self._missed in {0, OFTEN}
        now = self._clock()
        if self._missed == OFTEN:
            self._missed = 0
            self._most = max(1, int(cores))
            self._again = now + self._pause
            self._pause = min(2.0 * self._pause, LONGEST_PAUSE)
        elif self._missed == 0 and now >= self._again + self._pause:
            self._pause = FIRST_PAUSE
