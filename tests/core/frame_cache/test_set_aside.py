# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames set aside and taken back: nothing is mixed, nothing is left behind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.frame_cache import CachedObject, CacheError, FrameCache, InputsFile, set_aside

OBJECTS = {"a": CachedObject(2, "a's"), "b": CachedObject(2, "b's")}


def points(value: float) -> np.ndarray:
    return np.full((2, 3), value, np.float32)


def fill(cache: FrameCache, value: float, frames: range, **objects: CachedObject) -> None:
    """New frames of these objects, beside the others as they are."""
    keep = cache.objects.keys() - objects.keys()
    known = {each: cache.objects[each] for each in keep} | objects
    cache.create("print", known, 1, "play", keep=keep)
    for frame in frames:
        cache.append(frame, dict.fromkeys(objects, points(value + frame)))


@pytest.fixture
def cache(tmp_path: Path) -> FrameCache:
    """Frames 1 to 3 of two objects, of one of which it is known what they were simulated from."""
    made = FrameCache(tmp_path / "cache")
    fill(made, 0.0, range(1, 4), **OBJECTS)
    InputsFile(made.folder / "a.inputs", 1).create(["gravity"])
    return made


def value(cache: FrameCache, object_id: str, frame: int) -> float | None:
    found = cache.read(object_id, frame)
    return None if found is None else float(found[0, 0])


def test_what_was_set_aside_comes_back(cache: FrameCache) -> None:
    aside = set_aside.set_aside(cache, ["a"])
    assert (aside.objects, aside.fingerprint) == ({"a": OBJECTS["a"]}, "print")
    fill(cache, 10.0, range(1, 3), a=CachedObject(2, "other"))
    assert [value(cache, "a", 2), value(cache, "b", 2)] == [12.0, 2.0]
    assert value(FrameCache(set_aside.folder_of(cache)), "a", 3) == 3.0
    set_aside.take_back(cache, aside)
    for found in (cache, FrameCache(cache.folder)):
        assert found.objects == OBJECTS
        assert [value(found, "a", 3), value(found, "b", 3)] == [3.0, 3.0]
    assert (cache.folder / "a.inputs").exists()
    assert not set_aside.folder_of(cache).exists()


def test_more_is_set_aside_beside_it(cache: FrameCache) -> None:
    set_aside.set_aside(cache, ["a"])
    fill(cache, 10.0, range(1, 3), a=CachedObject(2, "other"))
    aside = set_aside.set_aside(cache, ["b"])
    fill(cache, 20.0, range(1, 3), **OBJECTS)
    assert [value(aside, each, 3) for each in ("a", "b")] == [3.0, 3.0]
    set_aside.take_back(cache, aside)
    assert [value(cache, each, 3) for each in ("a", "b")] == [3.0, 3.0]


def test_what_goes_with_something_else_goes(cache: FrameCache) -> None:
    aside = set_aside.set_aside(cache, ["a", "b"])
    cache.create("another", {"a": OBJECTS["a"], "c": OBJECTS["a"]}, 5, "play")
    cache.append(5, {"a": points(7.0), "c": points(7.0)})
    assert not set_aside.goes_with(cache, aside)
    set_aside.take_back(cache, aside)
    assert (cache.objects, cache.first_frame, cache.fingerprint) == (OBJECTS, 1, "print")
    assert not list(cache.folder.glob("c.*"))


def test_a_folder_that_can_not_be_made(cache: FrameCache) -> None:
    set_aside.folder_of(cache).write_text("in the way")
    with pytest.raises(CacheError, match="choose another cache folder"):
        set_aside.set_aside(cache, ["a"])
    assert value(cache, "a", 3) == 3.0
