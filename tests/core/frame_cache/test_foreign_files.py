# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that nobody here wrote are left alone, and no link is followed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cached_frames import frame, of_points

from core.frame_cache import FULL, LATTICE, CachedObject, CacheError, FrameCache, plain_file

FOREIGN = ("cache.json", "cache.tmp", "a.pc2", "a.lattice", "a.f32", "a.checksums")
links = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")


def create(folder: Path) -> FrameCache:
    cache = FrameCache(folder)
    cache.create("print", of_points(a=4), 1, "play", ["strain"])
    return cache


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_is_in_the_way(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"mine": 1}')
    with pytest.raises(CacheError, match=rf"{name}' was not written by.*left alone: move it away"):
        create(tmp_path)
    FrameCache(tmp_path).clear()
    assert (tmp_path / name).read_text() == '{"mine": 1}'
    assert {path.name for path in tmp_path.iterdir()} <= {name, "cache.lock"}


@pytest.mark.parametrize("name", ["cache.tmp", "c.pc2", "c.lattice"])
def test_a_foreign_file_is_in_the_way_before_anything_is_deleted(
    cache: FrameCache, name: str
) -> None:
    (cache.folder / name).write_text("mine")
    with pytest.raises(CacheError, match="left alone"):
        cache.create("other", of_points(c=4), 10, "play")
    np.testing.assert_array_equal(cache.read("a", 12), frame(2))
    assert FrameCache(cache.folder).last_frame == 12


@links
@pytest.mark.parametrize("name", [*FOREIGN, "cache.lock"])
def test_no_link_is_followed(tmp_path: Path, name: str) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    folder = tmp_path / "cache"
    create(folder).close()
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(notes)
    with pytest.raises(CacheError, match=r"left alone|can't be written"):
        create(folder)
    if name != "cache.lock":
        FrameCache(folder).clear()
    assert notes.read_text() == "mine"
    assert (folder / name).is_symlink()


@links
def test_a_folder_that_is_a_link_is_no_cache(tmp_path: Path) -> None:
    create(tmp_path / "victim").append(1, {"a": frame(1)}, {"a": {"strain": 0.0}})
    before = sorted(path.name for path in (tmp_path / "victim").iterdir())
    (tmp_path / "cache").symlink_to(tmp_path / "victim")
    assert FrameCache(tmp_path / "cache").first_frame is None
    for act in (create, lambda where: FrameCache(where).clear()):
        with pytest.raises(CacheError, match="left alone"):
            act(tmp_path / "cache")
    assert sorted(path.name for path in (tmp_path / "victim").iterdir()) == before


@links
def test_a_pipe_stops_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "cache.json")
    assert "can't be read" in FrameCache(tmp_path).problem
    with pytest.raises(CacheError, match="left alone"):
        create(tmp_path)


def test_a_flip_in_the_description_raises_nothing(cache: FrameCache) -> None:
    path = cache.folder / "cache.json"
    content = path.read_bytes()
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x40]) + content[place + 1 :])
        cache.refresh()
        cache.read("a", 11)
        cache.verify()


@pytest.mark.parametrize("place", [40, 60, 90, 150, 250])
def test_a_description_that_is_damaged_is_replaced(cache: FrameCache, place: int) -> None:
    path = cache.folder / "cache.json"
    content = path.read_bytes()
    path.write_bytes(content[:place] + b"\xff" + content[place + 1 :])
    cache.refresh()
    assert cache.last_frame is None
    cache.create("print", of_points(c=4), 1, "play")
    assert {path.name for path in cache.folder.glob("*.pc2")} == {"c.pc2"}


@pytest.mark.parametrize("content", [b"", bytes(300)])
def test_a_description_that_was_emptied_is_replaced(cache: FrameCache, content: bytes) -> None:
    (cache.folder / "cache.json").write_bytes(content)
    cache.refresh()
    assert cache.first_frame is None
    cache.create("print", of_points(c=4), 1, "play")
    assert {path.name for path in cache.folder.glob("*.pc2")} == {"c.pc2"}


class Killed(BaseException):
    """The program dies here."""


class Countdown:
    """Kills before or after one of the operations that change files."""

    def __init__(self, operation: int, *, after: bool) -> None:
        self.left, self.after = operation, after

    def wrap(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: object) -> object:
            if arguments[-1] == "rb":
                return function(*arguments)
            self.left -= 1
            if self.left == 0 and not self.after:
                raise Killed
            done = function(*arguments)
            if self.left == 0:
                raise Killed
            return done

        return counted


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("encoding", [FULL, LATTICE])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_killed_at_any_moment_nothing_is_left_that_clear_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, *, after: bool
) -> None:
    """What is begun is stored in another way than what was there, or in the same."""
    begun = {"b": CachedObject(4, encoding=encoding), "c": CachedObject(1, encoding=encoding)}
    operation, killed = 0, True
    while killed:
        operation, killed = operation + 1, False
        folder = tmp_path / str(operation)
        cache = create(folder)
        cache.append(1, {"a": frame(1)}, {"a": {"strain": 0.5}})
        countdown = Countdown(operation, after=after)
        with monkeypatch.context() as patch:
            for place, name in ((plain_file, "opened"), (plain_file, "remove"), (os, "replace")):
                patch.setattr(place, name, countdown.wrap(getattr(place, name)))
            try:
                cache.create("other", begun, 1, "play", ["strain"])
                strains = {key: {"strain": 0.5} for key in "bc"}
                cache.append(1, {"b": frame(2), "c": frame(3, 1)}, strains)
            except Killed:
                killed = True
        cache.close()
        found = FrameCache(folder)
        for object_id, expected in {"a": frame(1), "b": frame(2), "c": frame(3, 1)}.items():
            held = found.read(object_id, 1)
            assert held is None or np.array_equal(held, expected)
        found.clear()
        assert not folder.exists(), operation
    assert operation > 15
