# SPDX-License-Identifier: GPL-3.0-or-later
"""Taking times so that a busy computer does least harm."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

Key = TypeVar("Key")


def seconds(action: Callable[[], object]) -> float:
    """Return how long one call takes [s]."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


class Stopwatch:
    """Times frames.

    Attributes:
        milliseconds: of each frame.
        processor: milliseconds that all threads of this process used, all frames together.
    """

    def __init__(self) -> None:
        self.milliseconds: list[float] = []
        self.processor = 0.0

    def time(self, frame: Callable[[], object]) -> None:
        """Simulate one frame and note what it took."""
        used = time.process_time()
        self.milliseconds.append(1e3 * seconds(frame))
        self.processor += 1e3 * (time.process_time() - used)

    def figures(self) -> dict[str, Any]:
        """Return both, the processor's time as the mean of a frame."""
        mean = self.processor / len(self.milliseconds)
        return {"milliseconds": self.milliseconds, "processor": mean}


def interleaved(samples: Mapping[Key, Callable[[], float]], rounds: int) -> dict[Key, list[float]]:
    """Take one sample of each in turn, so many rounds: what slows one down slows all."""
    taken: dict[Key, list[float]] = {key: [] for key in samples}
    for _ in range(rounds):
        for key, sample in samples.items():
            taken[key].append(sample())
    return taken


def median(values: list[float]) -> float:
    """Return the middle value."""
    return statistics.median(values)


def robust_mean(runs: list[list[float]]) -> float:
    """Return the mean over frames of each frame's median over the runs.

    What disturbed a single run is left out; a frame that always takes longer counts.
    """
    return statistics.fmean(statistics.median(frame) for frame in zip(*runs))


def least_mean(runs: list[list[float]]) -> float:
    """Return the mean over frames of each frame's least time over the runs."""
    return statistics.fmean(min(frame) for frame in zip(*runs))


def spread(values: list[float]) -> float:
    """Return (largest - least) / median: how much to trust a median."""
    return (max(values) - min(values)) / statistics.median(values)
