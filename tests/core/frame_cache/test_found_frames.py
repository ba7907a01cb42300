# SPDX-License-Identifier: GPL-3.0-or-later
"""What is damaged, removed or not to be read is noticed, said, and never shown as a frame."""

from __future__ import annotations

import errno
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from cached_frames import described, frame, of_points

from core.frame_cache import FrameCache, plain_file

POINT = 12  # bytes


def flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 0x10
    path.write_bytes(content)


def zero(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place : place + 16] = bytes(16)
    path.write_bytes(content)


def other_data(path: Path, place: int) -> None:
    """The frame before, where this one should be."""
    content = bytearray(path.read_bytes())
    content[place:] = content[place - 4 * POINT : len(content) - 4 * POINT]
    path.write_bytes(content)


each_harm = pytest.mark.parametrize("harm", [flip, zero, other_data])
SECOND_OF_A = 32 + 4 * POINT


@each_harm
@pytest.mark.parametrize("is_open", [True, False])
def test_a_damaged_frame_is_not_shown(
    cache: FrameCache, harm: Callable[[Path, int], None], *, is_open: bool
) -> None:
    cache.append(13, {"a": frame(3), "b": frame(-3, 2)})
    harm(cache.folder / "a.pc2", SECOND_OF_A)
    found = cache if is_open else FrameCache(cache.folder)
    assert found.problem == ""
    assert found.read("a", 11) is None
    assert found.read("a", 12) is None
    assert [found.last_frame_of(each) for each in "ab"] == [10, 13]
    assert found.problem == f"Frame 11 in '{cache.folder}' is damaged: simulate again"
    np.testing.assert_array_equal(found.read("a", 10), frame(0))
    np.testing.assert_array_equal(found.read("b", 12), frame(-2, 2))


def test_a_frame_that_was_good_is_looked_at_again_when_its_file_has_changed(
    cache: FrameCache,
) -> None:
    np.testing.assert_array_equal(cache.read("a", 11), frame(1))
    flip(cache.folder / "a.pc2", SECOND_OF_A)
    cache.refresh()
    assert cache.read("a", 11) is None


def test_a_frame_that_was_good_is_looked_at_again_when_it_is_written_anew(
    cache: FrameCache,
) -> None:
    np.testing.assert_array_equal(cache.read("a", 12), frame(2))
    cache.truncate(11, ["a"])
    cache.append(12, {"a": frame(9)})
    cache.append(13, {"a": frame(3)})
    flip(cache.folder / "a.pc2", SECOND_OF_A + 4 * POINT)
    assert cache.read("a", 12) is None


def test_a_moment_between_a_good_frame_and_a_damaged_one(cache: FrameCache) -> None:
    flip(cache.folder / "a.pc2", SECOND_OF_A)
    assert FrameCache(cache.folder).read("a", 10.5) is None


def test_damaged_measures_are_not_told(measured: FrameCache) -> None:
    flip(measured.folder / "a.f32", 8)
    found = FrameCache(measured.folder)
    assert found.read_measures("a", 4) is None
    assert found.last_frame == 3
    assert found.problem.startswith("Frame 4 ")


@pytest.mark.parametrize("number", [0, 1])
def test_a_frame_of_another_number_does_not_count(cache: FrameCache, number: int) -> None:
    flip(cache.folder / "a.checksums", 24 + 12 * number)
    assert FrameCache(cache.folder).last_frame_of("a") == (None, 10)[number]


def test_a_hole_does_not_count(cache: FrameCache) -> None:
    for path, begin, each in (
        (cache.folder / "a.pc2", 32, 4 * POINT),
        (cache.folder / "a.checksums", 24, 12),
    ):
        content = path.read_bytes()
        path.write_bytes(content[: begin + each] + bytes(each) + content[begin + 2 * each :])
    assert FrameCache(cache.folder).last_frame_of("a") == 10


def test_frames_of_another_writer_do_not_count(cache: FrameCache, tmp_path: Path) -> None:
    """As where no lock held him off: he goes on in what has been begun anew since."""
    other = FrameCache(tmp_path / "other")
    other.create("print", of_points(a=4), 10, "simulate")
    for number in (10, 11, 12):
        other.append(number, {"a": frame(number)})
    for name, begin in (("a.pc2", SECOND_OF_A), ("a.checksums", 24 + 12)):
        mine, his = ((each.folder / name).read_bytes() for each in (cache, other))
        (cache.folder / name).write_bytes(mine[:begin] + his[begin:])
    again = FrameCache(cache.folder)
    assert again.read("a", 12) is None
    assert again.read("a", 11) is None
    np.testing.assert_array_equal(again.read("a", 10), frame(0))


@pytest.mark.parametrize("kept", [True, False])
def test_what_is_damaged_is_written_again(cache: FrameCache, *, kept: bool) -> None:
    flip(cache.folder / "a.pc2", SECOND_OF_A)
    assert cache.read("a", 11) is None
    if kept:
        cache.create("print", cache.objects, 10, "simulate", keep=["a", "b"])
        assert cache.problem == ""
    for number in (11, 12):
        cache.append(number, {"a": frame(number)})
    assert cache.problem == ""
    for found in (cache, FrameCache(cache.folder)):
        np.testing.assert_array_equal(found.read("a", 11), frame(11))
        np.testing.assert_array_equal(found.read("a", 12), frame(12))


def test_verify_finds_what_nobody_has_read(measured: FrameCache) -> None:
    measured.verify()
    assert (measured.last_frame, measured.problem) == (4, "")
    flip(measured.folder / "a.pc2", SECOND_OF_A)
    measured.verify()
    assert measured.last_frame == 3
    assert "Frame 4" in measured.problem


def test_a_claim_is_compared_with_the_file_before_memory_is_taken(cache: FrameCache) -> None:
    content = described(cache.folder).replace('"points": 4', f'"points": {2**31 - 1}')
    (cache.folder / "cache.json").write_text(content)
    header = bytearray((cache.folder / "a.pc2").read_bytes())
    header[16:20] = (2**31 - 1).to_bytes(4, "little")
    (cache.folder / "a.pc2").write_bytes(header)
    found = FrameCache(cache.folder)
    assert found.objects["a"].points == 2**31 - 1
    assert found.read("a", 10) is None


def cut(folder: Path) -> None:
    content = (folder / "a.pc2").read_bytes()
    (folder / "a.pc2").write_bytes(content[:SECOND_OF_A])


@pytest.mark.parametrize(
    ("remove", "last"),
    [
        (shutil.rmtree, None),
        (lambda folder: (folder / "a.pc2").unlink(), None),
        (lambda folder: (folder / "cache.json").unlink(), None),
        (cut, 10),
    ],
)
def test_what_is_removed_while_it_is_open_is_noticed(
    cache: FrameCache, remove: Callable[[Path], None], last: int | None
) -> None:
    remove(cache.folder)
    cache.refresh()
    assert cache.last_frame_of("a") == last
    assert cache.read("a", 12) is None
    assert cache.problem == f"Frames are gone from '{cache.folder}': simulate again"
    cache.create("print", of_points(a=4), 10, "simulate")
    cache.append(10, {"a": frame(5)})
    assert cache.problem == ""
    np.testing.assert_array_equal(FrameCache(cache.folder).read("a", 10), frame(5))


def test_a_thread_that_looks_while_another_one_writes(tmp_path: Path) -> None:
    cache = FrameCache(tmp_path / "cache")
    cache.create("print", of_points(a=4), 1, "play")
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            cache.refresh()

    with ThreadPoolExecutor(1) as other:
        looking = other.submit(look)
        try:
            for number in range(1, 400):
                cache.append(number, {"a": frame(number)})
        finally:
            done.set()
        looking.result()
    assert cache.last_frame == FrameCache(cache.folder).last_frame == 399
    assert cache.problem == ""


def test_what_another_one_writes_is_seen(cache: FrameCache) -> None:
    reader = FrameCache(cache.folder)
    cache.append(13, {"a": frame(3), "b": frame(-3, 2)})
    assert reader.last_frame == 12
    reader.refresh()
    assert reader.last_frame == 13
    np.testing.assert_array_equal(reader.read("a", 13), frame(3))
    cache.create("other", of_points(c=1), 5, "play")
    cache.append(5, {"c": frame(1, 1)})
    reader.refresh()
    assert (reader.first_frame, reader.last_frame, reader.fingerprint) == (5, 5, "other")


@pytest.mark.parametrize("number", [errno.EACCES, errno.EMFILE])
def test_what_can_not_be_opened_is_said_until_it_can(
    cache: FrameCache, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise OSError(number, "refused")

    again = FrameCache(cache.folder)
    with monkeypatch.context() as patch:
        patch.setattr(plain_file, "opened", refuse)
        for found in (again, FrameCache(cache.folder)):
            assert found.read("a", 12) is None
            if found is again:
                assert found.last_frame == 12
            assert str(cache.folder) in found.problem
            assert "can't be read (refused): " in found.problem
    again.refresh()
    assert again.problem == ""
    np.testing.assert_array_equal(again.read("a", 12), frame(2))


def test_a_name_that_is_too_long_is_said(tmp_path: Path) -> None:
    found = FrameCache(tmp_path / ("x" * 300))
    assert found.problem.endswith("choose a cache folder with a shorter name")
    found.refresh()
    found.verify()
    for write in (found.clear, lambda: found.create("", of_points(a=1), 1, "play")):
        with pytest.raises(OSError, match="choose a cache folder with a shorter name"):
            write()
