# SPDX-License-Identifier: GPL-3.0-or-later
"""Caches that the tests begin with; what a test leaves open is closed."""

from __future__ import annotations

from pathlib import Path

import pytest
from cached_frames import frame, of_points

from core.frame_cache import CachedObject, FrameCache


@pytest.fixture
def cache(tmp_path: Path) -> FrameCache:
    made = FrameCache(tmp_path / "cache")
    objects = {"a": CachedObject(4, "a's", ["b"]), "b": CachedObject(2, "b's", ["a"])}
    made.create("print", objects, 10, "simulate")
    for number in range(3):
        made.append(10 + number, {"a": frame(number), "b": frame(-number, 2)})
    return made


@pytest.fixture
def measured(tmp_path: Path) -> FrameCache:
    """Two frames, 3 and 4, of one object and two measures."""
    made = FrameCache(tmp_path / "measured")
    made.create("print", of_points(a=4), 3, "play", ["strain", "residual"])
    for number in (3, 4):
        measures = {"residual": 10.0 * number, "strain": float(number)}
        made.append(number, {"a": frame(number)}, {"a": measures})
    return made
