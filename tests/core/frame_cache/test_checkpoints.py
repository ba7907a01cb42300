# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints beside frames: found again, tied to these, damaged, thinned out, in the way."""

from __future__ import annotations

import os
import struct
import tracemalloc
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from cached_frames import frame, of_points

from core.frame_cache import CacheError, FrameCache, checkpoint_file, checkpoints
from core.frame_cache import plain_file as plain_file

ARRAYS: dict[str, Any] = {
    "state/positions": np.arange(12, dtype=np.float32).reshape(4, 3),
    "boxes": np.zeros((0, 6)),
    "touched": np.array([True, False]),
    "known": np.array([-1, 2**40]),
    "inside": np.array([3], np.uint8),
}


def equal(found: dict[str, np.ndarray] | None) -> bool:
    return (
        found is not None
        and found.keys() == ARRAYS.keys()
        and all(
            found[name].dtype == array.dtype and np.array_equal(found[name], array)
            for name, array in ARRAYS.items()
        )
    )


@pytest.fixture
def kept(cache: FrameCache) -> FrameCache:
    """Frames 10 to 12 of a and b, with a checkpoint of the last."""
    checkpoints.write(cache, 12, ["b", "a"], ARRAYS)
    return cache


def heads(cache: FrameCache) -> list[tuple[int, list[str]]]:
    return [(head.frame, list(head.frames)) for head in checkpoints.held(cache)]


def test_it_is_found_again(kept: FrameCache) -> None:
    kept.close()
    again = FrameCache(kept.folder)
    assert heads(again) == [(12, ["b", "a"])]
    assert equal(checkpoints.read(again, checkpoints.held(again)[0]))


def test_it_counts_with_its_own_frames_only(kept: FrameCache) -> None:
    kept.truncate(11, ["a"])
    assert heads(kept) == []
    kept.append(12, {"a": frame(7)})
    assert heads(kept) == []
    kept.truncate(11, ["a"])
    kept.append(12, {"a": frame(2)})
    assert heads(kept) == [(12, ["b", "a"])]


def test_frames_of_another_simulation_are_not_its_own(kept: FrameCache) -> None:
    kept.create("print", of_points(a=4, b=2), 10, "simulate")
    for number in range(3):
        kept.append(10 + number, {"a": frame(number), "b": frame(-number, 2)})
    assert heads(kept) == []
    checkpoints.drop_stale(kept)
    assert checkpoint_file.files(kept.folder) == []


@pytest.mark.parametrize("place", [0, 12, 17, 22, 30, 200, -60, -3])
def test_a_flipped_bit_is_noticed(kept: FrameCache, place: int) -> None:
    path = checkpoint_file.path_of(kept.folder, 12)
    content = bytearray(path.read_bytes())
    content[place] ^= 4
    path.write_bytes(content)
    assert not any(equal(checkpoints.read(kept, head)) for head in checkpoints.held(kept))
    assert all(checkpoints.read(kept, head) is None for head in checkpoints.held(kept))


@pytest.mark.parametrize("length", [0, 5, 20, 60, -1])
def test_one_that_is_too_short_or_too_long_is_none(kept: FrameCache, length: int) -> None:
    path = checkpoint_file.path_of(kept.folder, 12)
    content = path.read_bytes()
    path.write_bytes(content[:length] if length >= 0 else content + b"x")
    assert all(checkpoints.read(kept, head) is None for head in checkpoints.held(kept))


def test_a_claim_is_compared_with_the_file_before_memory_is_taken(kept: FrameCache) -> None:
    text = (
        b'{"frame": 12, "frames": {"a": "%s"}, "arrays": [["x", "<f8", [2000000000]]]}'
        % kept.mark_of("a", 12).encode()
    )
    head = struct.pack("<16sII", checkpoint_file.MARK, len(text), crc32(text))
    checkpoint_file.path_of(kept.folder, 12).write_bytes(head + text + b"\0" * 64)
    (found,) = checkpoints.held(kept)
    tracemalloc.start()
    assert checkpoints.read(kept, found) is None
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


@pytest.mark.parametrize(
    "text",
    [
        b"[]",
        b"{}",
        b"[" * 10**5,
        b'{"frame": 1.5, "frames": {}, "arrays": []}',
        b'{"frame": 12, "frames": {"../a": ""}, "arrays": []}',
        b'{"frame": 12, "frames": {"a": 1}, "arrays": []}',
        b'{"frame": 12, "frames": {"a": ""}, "arrays": [["x", "O", [1]]]}',
        b'{"frame": 12, "frames": {"a": ""}, "arrays": [["x", "<f4", [-1]]]}',
    ],
)
def test_what_is_not_ours_to_the_last_field_is_none(kept: FrameCache, text: bytes) -> None:
    head = struct.pack("<16sII", checkpoint_file.MARK, len(text), crc32(text))
    path = checkpoint_file.path_of(kept.folder, 12)
    path.write_bytes(head + text + struct.pack("<I", 0))
    assert checkpoint_file.read_head(path) is None
    assert heads(kept) == []


def test_a_file_of_another_program_is_left_alone(cache: FrameCache) -> None:
    path = checkpoint_file.path_of(cache.folder, 12)
    path.write_text("notes")
    with pytest.raises(CacheError, match="left alone"):
        checkpoints.write(cache, 12, ["a"], ARRAYS)
    checkpoints.drop_stale(cache)
    cache.clear()
    assert path.read_text() == "notes"


def test_clearing_leaves_nothing(kept: FrameCache) -> None:
    checkpoint_file.temporary(kept.folder).write_bytes(checkpoint_file.MARK[:7])
    kept.clear()
    assert not kept.folder.exists()


def test_a_copy_of_a_cache_goes_on_too(kept: FrameCache, tmp_path: Path) -> None:
    copied = FrameCache(tmp_path / "copy")
    copied.copy(kept)
    assert heads(copied) == [(12, ["b", "a"])]
    assert equal(checkpoints.read(copied, checkpoints.held(copied)[0]))


def test_the_older_they_are_the_fewer_are_kept(cache: FrameCache) -> None:
    """Thinned out again and again they are those that would be kept at once, and few."""
    left: set[int] = set()
    for newest in range(0, 1001, 10):
        left.add(newest)
        left = {each for each in left if checkpoints.is_kept(each, newest, 10, 0)}
        assert left == {
            each for each in range(0, newest + 1, 10) if checkpoints.is_kept(each, newest, 10, 0)
        }
        assert {max(0, newest - 10), newest} <= left
        for each in range(10, newest, 10):  # one is near, whatever frame one goes back to
            before = max(left & set(range(0, each + 1, 10)))
            assert each - before <= min(newest - each, newest / 8)
    assert len(left) < 20


def test_a_full_disk_leaves_what_was_there(
    kept: FrameCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_start: object, _end: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(CacheError, match="No space left"):
            checkpoints.write(kept, 12, ["a"], {})
    assert not checkpoint_file.temporary(kept.folder).exists()
    assert equal(checkpoints.read(kept, checkpoints.held(kept)[0]))


class Killed(BaseException):
    """Where the program dies."""


class DyingFile:
    """A file that dies in the middle of one of its writes."""

    def __init__(self, file: Any, countdown: Any) -> None:
        self._file, self._countdown = file, countdown

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> DyingFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, content: Any) -> None:
        data = bytes(content)
        self._countdown(lambda: self._file.write(data[: len(data) // 2]))
        self._file.write(data)


class Countdown:
    """Dies at the n-th operation; what is half done is done first."""

    def __init__(self, operations: int) -> None:
        self.left = operations

    def __call__(self, half: Any = lambda: None) -> None:
        self.left -= 1
        if self.left == 0:
            half()
            raise Killed

    def wrap(self, function: Any) -> Any:
        def counted(*arguments: Any) -> Any:
            self()
            found = function(*arguments)
            return DyingFile(found, self) if hasattr(found, "write") else found

        return counted


def test_killed_at_any_write_or_rename_one_that_is_whole_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    operation, killed = 0, True
    while killed:
        operation, killed = operation + 1, False
        cache = FrameCache(tmp_path / str(operation))
        cache.create("print", of_points(a=4), 1, "simulate")
        for number in (1, 2):
            cache.append(number, {"a": frame(number)})
            checkpoints.write(cache, number, ["a"], ARRAYS)
        countdown = Countdown(operation)
        with monkeypatch.context() as patch:
            for place, name in ((plain_file, "opened"), (plain_file, "remove"), (os, "replace")):
                patch.setattr(place, name, countdown.wrap(getattr(place, name)))
            try:
                cache.append(3, {"a": frame(3)})
                checkpoints.write(cache, 3, ["a"], ARRAYS, spacing=2, first=1)
                checkpoints.drop_stale(cache)
            except Killed:
                killed = True
        cache.close()
        again = FrameCache(cache.folder)
        found = checkpoints.held(again)
        assert found
        assert found[0].frame >= 2
        assert all(equal(checkpoints.read(again, head)) for head in found)
        again.clear()
        assert not again.folder.exists(), operation
    assert operation > 15


def test_a_head_of_a_missing_file_is_none(tmp_path: Path) -> None:
    assert checkpoint_file.read_head(tmp_path / "none") is None
    assert checkpoint_file.read(tmp_path / "none") is None
