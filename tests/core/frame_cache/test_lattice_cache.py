# SPDX-License-Identifier: GPL-3.0-or-later
"""A cache whose objects are stored on a lattice, or some of them, is as good as any other."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cached_frames import described

from core.frame_cache import (
    FULL,
    LATTICE,
    CachedObject,
    CacheError,
    FrameCache,
    checkpoints,
    set_aside,
)
from core.frame_cache.frame_file import FrameFile

POINTS = 50
HEADER, FRAME = 32, 16 + 6 * POINTS  # bytes


def shape(number: float) -> np.ndarray:
    """Some points of a metre, others on each frame."""
    return np.random.default_rng(round(1e3 * abs(number))).random((POINTS, 3), np.float32)


def of(encoding: str) -> CachedObject:
    return CachedObject(POINTS, encoding=encoding)


def begin(cache: FrameCache, frames: int, keep: tuple[str, ...] = (), **encodings: str) -> None:
    objects = {key: of(encoding) for key, encoding in encodings.items()}
    cache.create("print", objects, 1, "play", keep=keep)
    for number in range(1, frames + 1):
        cache.append(number, {key: shape(number) for key in encodings if key not in keep})


@pytest.fixture
def half(tmp_path: Path) -> FrameCache:
    """Frames 1 to 3 of one object."""
    made = FrameCache(tmp_path / "cache")
    begin(made, 3, a=LATTICE)
    return made


def names(cache: FrameCache) -> set[str]:
    return {path.name for path in cache.folder.iterdir()} - {"cache.json", "cache.lock"}


def test_frames_are_found_again_in_half_the_bytes(half: FrameCache) -> None:
    again = FrameCache(half.folder)
    assert again.objects == {"a": of(LATTICE)}
    assert (again.first_frame, again.last_frame) == (1, 3)
    for number in (1, 2, 3):
        found = again.read("a", number)
        np.testing.assert_array_equal(found, half.read("a", number))
        np.testing.assert_allclose(found, shape(number), rtol=0, atol=1e-5)
    between = (again.read("a", 2) + again.read("a", 3)) / 2
    np.testing.assert_allclose(again.read("a", 2.5), between, rtol=1e-6)
    assert names(half) == {"a.lattice", "a.checksums"}
    content = (half.folder / "a.lattice").read_bytes()
    assert len(content) == HEADER + 3 * FRAME
    assert content.startswith(b"XPBD lattice")


def test_the_newest_frame_is_what_is_stored_not_what_was_given(half: FrameCache) -> None:
    half.append(4, {"a": shape(4)})
    shown = half.read("a", 4)
    assert not np.array_equal(shown, shape(4))
    np.testing.assert_array_equal(shown, FrameCache(half.folder).read("a", 4))


def test_measures_beside_it_are_as_precise_as_ever(tmp_path: Path) -> None:
    cache = FrameCache(tmp_path / "cache")
    cache.create("print", {"a": of(LATTICE)}, 1, "play", ["strain"])
    cache.append(1, {"a": shape(1)}, {"a": {"strain": 0.1234567}})
    again = FrameCache(cache.folder)
    assert again.read_measures("a", 1) == {"strain": float(np.float32(0.1234567))}


def test_of_what_is_stored_in_full_nothing_new_is_told(tmp_path: Path) -> None:
    """So that whoever knows of no lattices reads it."""
    cache = FrameCache(tmp_path / "cache")
    begin(cache, 1, a=FULL, b=LATTICE)
    told = json.loads((cache.folder / "cache.json").read_text())["objects"]
    assert told["a"].keys() == {"points", "fingerprint", "met"}
    assert told["b"]["encoding"] == LATTICE
    assert names(cache) == {"a.pc2", "a.checksums", "b.lattice", "b.checksums"}


@pytest.mark.parametrize("place", [0, 5, 12, 15, 16, 100, FRAME - 1])
@pytest.mark.parametrize("is_open", [True, False])
def test_a_flipped_bit_anywhere_in_a_frame_is_noticed(
    half: FrameCache, place: int, *, is_open: bool
) -> None:
    path = half.folder / "a.lattice"
    content = bytearray(path.read_bytes())
    content[HEADER + FRAME + place] ^= 0x10
    path.write_bytes(content)
    found = half if is_open else FrameCache(half.folder)
    assert found.read("a", 2) is None
    assert found.last_frame == 1
    assert found.problem == f"Frame 2 in '{half.folder}' is damaged: simulate again"


@pytest.mark.parametrize(
    ("harm", "last"),
    [
        (lambda content: content[: HEADER + 2 * FRAME + 40], 2),
        (lambda content: content[: HEADER + FRAME], 1),
        (lambda content: content[:20], None),
        (lambda content: b"POINTCACHE2\0" + content[12:], None),
        (lambda content: content[:16] + b"\x33" + content[17:], None),
        (lambda content: content[: HEADER + FRAME] + bytes(FRAME) + content[-FRAME:], 1),
    ],
    ids=["half a frame", "whole frames", "no header", "PC2", "other points", "a hole"],
)
def test_what_is_left_of_a_file_is_held(
    half: FrameCache, harm: Callable[[bytes], bytes], last: int | None
) -> None:
    path = half.folder / "a.lattice"
    path.write_bytes(harm(path.read_bytes()))
    half.close()
    found = FrameCache(half.folder)
    found.verify()
    assert found.last_frame == last
    begin(found, 3, a=LATTICE)
    np.testing.assert_array_equal(FrameCache(found.folder).read("a", 3), found.read("a", 3))


def test_a_claim_takes_no_memory(half: FrameCache) -> None:
    claimed = 2**26
    told = described(half.folder).replace(f'"points": {POINTS}', f'"points": {claimed}')
    (half.folder / "cache.json").write_text(told)
    header = bytearray((half.folder / "a.lattice").read_bytes())
    header[16:20] = claimed.to_bytes(4, "little")
    (half.folder / "a.lattice").write_bytes(header)
    tracemalloc.start()
    found = FrameCache(half.folder)
    assert found.objects["a"].points == claimed
    assert found.read("a", 1) is None
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2**20


@pytest.mark.parametrize(("before", "after"), [(FULL, LATTICE), (LATTICE, FULL)])
def test_one_that_begins_anew_leaves_no_file_of_the_other_kind(
    tmp_path: Path, before: str, after: str
) -> None:
    cache = FrameCache(tmp_path / "cache")
    begin(cache, 2, a=before, b=before)
    reader = FrameCache(cache.folder)
    begin(cache, 3, keep=("b",), a=after, b=before)
    own = {FULL: "pc2", LATTICE: "lattice"}
    assert names(cache) == {f"a.{own[after]}", f"b.{own[before]}", "a.checksums", "b.checksums"}
    reader.refresh()
    for found in (cache, reader, FrameCache(cache.folder)):
        assert [found.last_frame_of(each) for each in "ab"] == [3, 2]
        np.testing.assert_allclose(found.read("a", 3), shape(3), rtol=0, atol=1e-5)
        np.testing.assert_allclose(found.read("b", 2), shape(2), rtol=0, atol=1e-5)
    cache.clear()
    assert not cache.folder.exists()


def test_what_is_kept_stays_as_it_is_stored(half: FrameCache) -> None:
    with pytest.raises(ValueError, match="'a' can't be kept"):
        begin(half, 3, keep=("a",), a=FULL)
    assert half.last_frame == 3


def test_a_copy_is_stored_likewise(half: FrameCache, tmp_path: Path) -> None:
    copy = FrameCache(tmp_path / "copy")
    copy.copy(half)
    assert copy.objects == half.objects
    np.testing.assert_array_equal(copy.read("a", 3), half.read("a", 3))


@pytest.mark.parametrize("copying", [True, False])
def test_what_is_set_aside_comes_back_as_it_was_stored(half: FrameCache, *, copying: bool) -> None:
    before = half.read("a", 3)
    aside = set_aside.set_aside(half, ["a"], copying=copying)
    begin(half, 2, a=FULL)
    assert (half.objects["a"].encoding, aside.objects["a"].encoding) == (FULL, LATTICE)
    set_aside.take_back(half, aside)
    for found in (half, FrameCache(half.folder)):
        assert found.objects == {"a": of(LATTICE)}
        np.testing.assert_array_equal(found.read("a", 3), before)
    assert names(half) == {"a.lattice", "a.checksums"}


def test_a_checkpoint_belongs_to_what_is_stored(half: FrameCache) -> None:
    state = {"positions": shape(3)}
    checkpoints.write(half, 3, ["a"], state)
    half.close()
    again = FrameCache(half.folder)
    (head,) = checkpoints.held(again)
    np.testing.assert_array_equal(checkpoints.read(again, head)["positions"], shape(3))
    begin(again, 3, a=FULL)
    assert checkpoints.held(again) == []


def test_a_full_disk_keeps_frames(half: FrameCache, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {path: path.stat().st_size for path in half.folder.iterdir()}

    def full(self: FrameFile, index: int, values: np.ndarray) -> None:
        with self.path.open("ab") as file:
            file.write(b"half of it")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(FrameFile, "write", full)
        with pytest.raises(CacheError, match="No space left on device"):
            half.append(4, {"a": shape(4)})
    assert {path: path.stat().st_size for path in half.folder.iterdir()} == sizes
    half.append(4, {"a": shape(4)})
    np.testing.assert_array_equal(FrameCache(half.folder).read("a", 4), half.read("a", 4))
