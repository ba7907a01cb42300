# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from core.frame_cache import CacheError, FrameCache


def frame(value: float, points: int = 4) -> np.ndarray:
    return np.full((points, 3), value, np.float32)


@pytest.fixture
def cache(tmp_path: Path) -> FrameCache:
    made = FrameCache(tmp_path / "cache")
    made.create("print", {"a": 4, "b": 2}, 10, "simulate")
    for number in range(3):
        made.append(10 + number, {"a": frame(number), "b": frame(-number, 2)})
    return made


def test_frames_are_found_again(cache: FrameCache) -> None:
    again = FrameCache(cache.folder)
    assert (again.first_frame, again.last_frame) == (10, 12)
    assert (again.fingerprint, again.source) == ("print", "simulate")
    assert again.point_counts == {"a": 4, "b": 2}
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


def test_partial_frame_is_ignored_and_overwritten(cache: FrameCache) -> None:
    with (cache.folder / "a.pc2").open("ab") as file:
        file.write(b"\1" * 17)
    again = FrameCache(cache.folder)
    assert again.last_frame == 12
    again.append(13, {"a": frame(3), "b": frame(-3, 2)})
    np.testing.assert_array_equal(FrameCache(cache.folder).read("a", 13), frame(3))


def test_frames_that_only_one_object_has_do_not_count(cache: FrameCache) -> None:
    with (cache.folder / "a.pc2").open("ab") as file:
        file.write(frame(9).tobytes())
    assert FrameCache(cache.folder).last_frame == 12


def test_source_can_change(cache: FrameCache) -> None:
    cache.set_source("play")
    again = FrameCache(cache.folder)
    assert (again.source, again.last_frame, again.fingerprint) == ("play", 12, "print")


def test_truncate(cache: FrameCache) -> None:
    cache.truncate(10)
    assert FrameCache(cache.folder).last_frame == 10
    cache.append(11, {"a": frame(7), "b": frame(7, 2)})
    np.testing.assert_array_equal(cache.read("a", 11), frame(7))
    cache.truncate(0)
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
    cache.truncate(11)
    np.testing.assert_array_equal(cache.read("a", 11), frame(1))
    cache.create("other", {"a": 4, "b": 2}, 12, "play")
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
        cache.append(13, {"a": frame(0)})
    with pytest.raises(ValueError, match="shape"):
        cache.append(13, {"a": frame(0, 3), "b": frame(0, 2)})


@pytest.mark.parametrize("text", ["{", "[]", json.dumps({"format": 99})])
def test_unreadable_description_is_no_cache(cache: FrameCache, text: str) -> None:
    (cache.folder / "cache.json").write_text(text)
    assert FrameCache(cache.folder).first_frame is None


def test_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheError, match=r"file.*choose another cache folder"):
        FrameCache(tmp_path / "file").create("", {"a": 1}, 1, "play")


def test_full_disk_keeps_frames(cache: FrameCache, monkeypatch: pytest.MonkeyPatch) -> None:
    write = FrameCache._write_frame

    def full(self: FrameCache, object_id: str, points: np.ndarray) -> None:
        if object_id == "b":
            raise OSError(28, "No space left on device")
        write(self, object_id, points)

    with monkeypatch.context() as patch:
        patch.setattr(FrameCache, "_write_frame", full)
        with pytest.raises(CacheError, match="No space left on device"):
            cache.append(13, {"a": frame(3), "b": frame(3, 2)})
    assert cache.last_frame == 12
    assert (cache.folder / "a.pc2").stat().st_size == 32 + 3 * 4 * 12
    cache.append(13, {"a": frame(3), "b": frame(3, 2)})
    np.testing.assert_array_equal(cache.read("a", 13), frame(3))
