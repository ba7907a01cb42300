# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames on disk: what is found again, what half-written or foreign files do, what is deleted."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from cached_frames import frame, of_points

from core.frame_cache import CachedObject, CacheError, FrameCache


def test_frames_are_found_again(cache: FrameCache) -> None:
    again = FrameCache(cache.folder)
    assert (again.first_frame, again.last_frame) == (10, 12)
    assert (again.fingerprint, again.source) == ("print", "simulate")
    assert again.objects == {
        "a": CachedObject(4, "a's", ["b"]),
        "b": CachedObject(2, "b's", ["a"]),
    }
    np.testing.assert_array_equal(again.read("a", 12), frame(2))
    np.testing.assert_array_equal(again.read("b", 11), frame(-1, 2))


def test_subframes_are_interpolated(cache: FrameCache) -> None:
    np.testing.assert_allclose(cache.read("a", 10.25), frame(0.25))


@pytest.mark.parametrize("number", [9, 9.99, 12.01, 13])
def test_nothing_outside_the_range(cache: FrameCache, number: float) -> None:
    assert cache.read("a", number) is None


def test_unknown_object(cache: FrameCache) -> None:
    assert cache.read("c", 10) is None


def test_empty_folder(tmp_path: Path) -> None:
    cache = FrameCache(tmp_path / "none")
    assert cache.first_frame is None
    assert cache.last_frame is None
    assert cache.read("a", 1) is None
    cache.clear()


def test_header_is_pc2(cache: FrameCache) -> None:
    content = (cache.folder / "a.pc2").read_bytes()
    assert struct.unpack("<12siiffi", content[:32]) == (b"POINTCACHE2\0", 1, 4, 10.0, 1.0, 3)
    assert len(content) == 32 + 3 * 4 * 12


def test_a_frame_that_is_half_written_in_every_file_is_overwritten(cache: FrameCache) -> None:
    for name, size in (("a", 4), ("b", 2)):
        with (cache.folder / f"{name}.pc2").open("ab") as file:
            file.write(frame(9, size).tobytes()[:-1])
    cache.close()
    again = FrameCache(cache.folder)
    assert again.last_frame == 12
    assert again.read("a", 13) is None
    again.append(13, {"a": frame(3), "b": frame(-3, 2)})
    np.testing.assert_array_equal(FrameCache(cache.folder).read("a", 13), frame(3))


def test_a_frame_that_one_file_has_half_and_the_others_whole_does_not_count(
    measured: FrameCache,
) -> None:
    contents = {path: path.read_bytes() for path in measured.folder.iterdir()}
    files = [path for path in contents if path.suffix in {".pc2", ".f32", ".checksums"}]
    assert len(files) == 3
    measured.append(5, {"a": frame(5)}, {"a": {"strain": 5.0, "residual": 50.0}})
    for half in files:
        whole = half.read_bytes()
        half.write_bytes(whole[: (len(contents[half]) + len(whole)) // 2])
        assert FrameCache(measured.folder).last_frame == 4, half
        half.write_bytes(whole)
    assert FrameCache(measured.folder).last_frame == 5


def test_frames_that_only_one_object_has_are_not_those_of_all(cache: FrameCache) -> None:
    cache.append(13, {"a": frame(9)})
    again = FrameCache(cache.folder)
    assert (again.first_frame, again.last_frame) == (10, 12)
    assert [again.last_frame_of(each) for each in "abc"] == [13, 12, None]
    np.testing.assert_array_equal(again.read("a", 13), frame(9))
    assert again.read("b", 13) is None


def test_the_users_file_can_change(cache: FrameCache) -> None:
    cache.set_document("other.blend")
    again = FrameCache(cache.folder)
    found = (again.found_document, again.last_frame, again.fingerprint)
    assert found == ("other.blend", 12, "print")


def test_truncate(cache: FrameCache) -> None:
    cache.truncate(10, ["a"])
    again = FrameCache(cache.folder)
    assert [again.last_frame_of(each) for each in "ab"] == [10, 12]
    cache.append(11, {"a": frame(7)})
    np.testing.assert_array_equal(cache.read("a", 11), frame(7))
    np.testing.assert_array_equal(cache.read("b", 12), frame(-2, 2))
    cache.truncate(0, "ab")
    assert cache.last_frame is None


def test_the_newest_frame_is_what_another_reader_finds(cache: FrameCache) -> None:
    given = frame(3)
    cache.append(13, {"a": given, "b": frame(-3, 2)})
    given[:] = 8.0
    np.testing.assert_array_equal(cache.read("a", 13), FrameCache(cache.folder).read("a", 13))
    np.testing.assert_array_equal(cache.read("a", 12.5), frame(2.5))
    with pytest.raises(ValueError, match="read-only"):
        cache.read("a", 13)[0] = 1.0


def test_the_newest_frame_goes_with_the_others(cache: FrameCache) -> None:
    cache.truncate(11, "ab")
    np.testing.assert_array_equal(cache.read("a", 11), frame(1))
    cache.create("other", of_points(a=4, b=2), 12, "play")
    assert cache.read("a", 12) is None
    cache.append(12, {"a": frame(5), "b": frame(5, 2)})
    np.testing.assert_array_equal(cache.read("a", 12), frame(5))


def test_a_folder_that_stays_holds_no_frame_in_memory(
    cache: FrameCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(_path: Path) -> None:
        raise PermissionError(13, "in use")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rmdir", locked)
        with pytest.raises(CacheError, match="in use"):
            cache.clear()
    assert cache.read("a", 12) is None


def test_clear_leaves_foreign_files(cache: FrameCache) -> None:
    (cache.folder / "notes.txt").write_text("mine")
    cache.clear()
    assert [path.name for path in cache.folder.iterdir()] == ["notes.txt"]


def test_clear_removes_the_folder(cache: FrameCache) -> None:
    cache.clear()
    assert not cache.folder.exists()
    assert cache.fingerprint == ""


def test_append_refuses_gaps_and_wrong_shapes(cache: FrameCache) -> None:
    with pytest.raises(ValueError, match="frame 13 comes next"):
        cache.append(14, {"a": frame(0), "b": frame(0, 2)})
    with pytest.raises(ValueError, match="expected"):
        cache.append(13, {"a": frame(0), "c": frame(0)})
    with pytest.raises(ValueError, match="expected"):
        cache.append(13, {})
    with pytest.raises(ValueError, match="shape"):
        cache.append(13, {"a": frame(0, 3), "b": frame(0, 2)})


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../victim", "a/b", "a\\b", "C:a", "a\0", "a" * 101]
)
def test_create_refuses_ids_that_are_no_plain_names(cache: FrameCache, name: str) -> None:
    with pytest.raises(ValueError, match="can't name a file"):
        cache.create("", {name: CachedObject(4)}, 1, "play")
    assert FrameCache(cache.folder).last_frame == 12
