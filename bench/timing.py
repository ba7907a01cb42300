# SPDX-License-Identifier: GPL-3.0-or-later
"""Taking times so that a busy computer does least harm."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

Key = TypeVar("Key")


def seconds(action: Callable[[], object]) -> float:
    """Return how long one call takes [s]."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


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


def spread(values: list[float]) -> float:
    """Return (largest - least) / median: how much to trust a median."""
    return (max(values) - min(values)) / statistics.median(values)
