# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures beside positions: numbers by their names, one row a frame."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from cached_frames import frame, of_points

from core.frame_cache import FrameCache


def test_measures_are_found_again_by_their_names(measured: FrameCache) -> None:
    for cache in (measured, FrameCache(measured.folder)):
        assert cache.read_measures("a", 3) == {"strain": 3.0, "residual": 30.0}
        assert cache.read_measures("a", 4) == {"strain": 4.0, "residual": 40.0}
        assert cache.read_measures("a", 3.5) == {"strain": 3.5, "residual": 35.0}
        assert cache.read_measures("a", 2) is None
        assert cache.read_measures("a", 5) is None
        assert cache.read_measures("b", 3) is None


def test_measures_are_a_table_of_single_precision(measured: FrameCache) -> None:
    content = (measured.folder / "a.f32").read_bytes()
    assert struct.unpack("<4f", content) == (3.0, 30.0, 4.0, 40.0)


def test_a_cache_without_measures_has_none(cache: FrameCache) -> None:
    assert cache.read_measures("a", 10) is None
    assert not list(cache.folder.glob("*.f32"))


def test_an_object_may_have_any_plain_name(tmp_path: Path) -> None:
    cache = FrameCache(tmp_path / "cache")
    cache.create("", of_points(measures=2, cache=1), 1, "play", ["strain"])
    measures = {"measures": {"strain": 3.0}, "cache": {"strain": 4.0}}
    cache.append(1, {"measures": frame(1, 2), "cache": frame(2, 1)}, measures)
    again = FrameCache(cache.folder)
    np.testing.assert_array_equal(again.read("measures", 1), frame(1, 2))
    assert again.read_measures("measures", 1) == {"strain": 3.0}
    assert again.read_measures("cache", 1) == {"strain": 4.0}


@pytest.mark.parametrize("measures", [None, {}, {"strain": 1.0}, {"strain": 1, "other": 2}])
def test_append_refuses_other_measures(
    measured: FrameCache, measures: dict[str, float] | None
) -> None:
    with pytest.raises(ValueError, match=r"Measures \['residual', 'strain'\] expected"):
        measured.append(5, {"a": frame(5)}, None if measures is None else {"a": measures})
    assert FrameCache(measured.folder).last_frame == 4


def test_create_refuses_measures_of_one_name_and_keeps_the_frames(measured: FrameCache) -> None:
    with pytest.raises(ValueError, match="the same name"):
        measured.create("", of_points(a=4), 1, "play", ["strain", "strain"])
    assert FrameCache(measured.folder).last_frame == 4
