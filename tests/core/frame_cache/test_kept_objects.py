# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that stay with their frames while others begin anew."""

from __future__ import annotations

import numpy as np
import pytest
from cached_frames import frame, of_points

from core.frame_cache import CachedObject, CacheError, FrameCache
from core.frame_cache.frame_file import FrameFile

KEPT = CachedObject(4, "a's, told otherwise", [])


def test_what_is_kept_stays_with_its_frames(cache: FrameCache) -> None:
    objects = {"a": KEPT, **of_points(b=3, c=1)}
    cache.create("other", objects, 10, "play", keep=["a"])
    for found in (cache, FrameCache(cache.folder)):
        assert (found.fingerprint, found.source, found.objects) == ("other", "play", objects)
        assert [found.last_frame_of(each) for each in "abc"] == [12, None, None]
        assert (found.first_frame, found.last_frame) == (10, 12)
        np.testing.assert_array_equal(found.read("a", 12), frame(2))
        assert found.read("b", 10) is None


def test_objects_go_on_where_they_are(cache: FrameCache) -> None:
    cache.create("other", {"a": KEPT, **of_points(b=3)}, 10, "play", keep=["a"])
    cache.append(10, {"b": frame(7, 3)})
    assert (cache.first_frame, cache.last_frame) == (10, 10)
    with pytest.raises(ValueError, match="Frame 11 can't be appended: frame 13 comes next"):
        cache.append(11, {"a": frame(0), "b": frame(0, 3)})
    cache.append(13, {"a": frame(3)})
    cache.append(11, {"b": frame(8, 3)})
    again = FrameCache(cache.folder)
    assert [again.last_frame_of(each) for each in "ab"] == [13, 11]
    np.testing.assert_array_equal(again.read("a", 13), frame(3))
    np.testing.assert_array_equal(again.read("b", 10.5), frame(7.5, 3))


def test_what_is_neither_kept_nor_begun_is_deleted(cache: FrameCache) -> None:
    cache.create("other", {"a": KEPT, **of_points(c=1)}, 10, "play", keep=["a"])
    assert {path.name for path in cache.folder.glob("*.pc2")} == {"a.pc2", "c.pc2"}
    cache.create("other", {"a": KEPT}, 10, "play", keep=["a"])
    names = {path.name for path in cache.folder.iterdir()}
    assert names == {"a.pc2", "a.checksums", "cache.json", "cache.lock"}
    assert cache.last_frame == 12


@pytest.mark.parametrize(
    ("points", "start", "measures", "keep"),
    [(4, 11, [], "a"), (4, 10, ["strain"], "a"), (5, 10, [], "a"), (4, 10, [], "c")],
    ids=["another start", "other measures", "other points", "not held"],
)
def test_what_can_not_be_kept(
    cache: FrameCache, points: int, start: int, measures: list[str], keep: str
) -> None:
    with pytest.raises(ValueError, match=f"'{keep}' can't be kept"):
        cache.create("other", of_points(a=points, c=1), start, "play", measures, keep=[keep])
    assert FrameCache(cache.folder).objects == cache.objects
    assert cache.last_frame == 12


def test_what_is_known_of_an_object_can_change(cache: FrameCache) -> None:
    told = {"a": CachedObject(4, "new", ["b", "c"])}
    cache.tell(told)
    again = FrameCache(cache.folder)
    assert again.objects == told | {"b": CachedObject(2, "b's", ["a"])} == cache.objects
    assert again.last_frame == 12


def test_a_folder_that_is_full_keeps_what_was_to_be_kept(
    cache: FrameCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_file: FrameFile) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(FrameFile, "create", full)
        with pytest.raises(CacheError, match="No space left"):
            cache.create("other", {"a": KEPT, **of_points(c=1)}, 10, "play", keep=["a"])
    np.testing.assert_array_equal(cache.read("a", 12), frame(2))
