# SPDX-License-Identifier: GPL-3.0-or-later
"""One writer at a time: who comes second is told, and nothing that was left over blocks anybody."""

from __future__ import annotations

import errno
import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from cached_frames import frame, of_points

from core.frame_cache import CacheError, FrameCache, lock

ROOT = Path(__file__).resolve().parents[3]
WRITER = """
import sys, time
from pathlib import Path
import numpy as np
from core.frame_cache import CachedObject, FrameCache
cache = FrameCache(Path(sys.argv[1]))
cache.create("theirs", {"a": CachedObject(4)}, 10, "simulate")
for number in (10, 11):
    cache.append(number, {"a": np.full((4, 3), number, np.float32)})
print("written", flush=True)
time.sleep(60)
"""


def test_a_second_writer_is_told_and_may_read(cache: FrameCache) -> None:
    second = FrameCache(cache.folder)
    objects = of_points(a=4, b=2)
    for write in (
        lambda: second.create("other", objects, 10, "play"),
        lambda: second.append(13, {"a": frame(9)}),
        lambda: second.truncate(10, ["a"]),
        lambda: second.tell(objects),
        lambda: second.set_document("other.blend"),
        second.clear,
    ):
        with pytest.raises(CacheError, match="Another Blender simulates into") as told:
            write()
        assert str(cache.folder) in str(told.value)
        assert "or choose another cache folder" in str(told.value)
    np.testing.assert_array_equal(second.read("a", 12), frame(2))
    cache.append(13, {"a": frame(3), "b": frame(-3, 2)})
    assert FrameCache(cache.folder).last_frame == 13


def test_the_next_one_may_write_when_the_first_has_closed(cache: FrameCache) -> None:
    second = FrameCache(cache.folder)
    cache.close()
    second.append(13, {"a": frame(3)})
    with pytest.raises(CacheError, match="Another Blender"):
        cache.append(13, {"a": frame(9)})
    second.close()
    with pytest.raises(CacheError, match=r"Another program has changed.*simulate again"):
        cache.append(13, {"a": frame(9)})
    np.testing.assert_array_equal(FrameCache(cache.folder).read("a", 13), frame(3))


def test_a_writer_that_was_killed_blocks_nobody(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, cwd=ROOT
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"written\n"
        mine = FrameCache(tmp_path)
        with pytest.raises(CacheError, match="Another Blender"):
            mine.append(12, {"a": frame(12)})
        other.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
    assert (tmp_path / "cache.lock").is_file()
    mine.append(12, {"a": frame(12)})
    np.testing.assert_array_equal(FrameCache(tmp_path).read("a", 12), frame(12))


def test_a_folder_that_is_made_again_has_a_lock_of_its_own(cache: FrameCache) -> None:
    for path in cache.folder.iterdir():
        path.unlink()
    second = FrameCache(cache.folder)
    second.create("other", of_points(a=4), 10, "play")
    with pytest.raises(CacheError, match="Another Blender"):
        cache.create("mine", of_points(a=4), 10, "play")
    assert FrameCache(cache.folder).fingerprint == "other"


def test_a_file_system_without_locks_is_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(_file: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(lock, "_lock", unknown)
    cache = FrameCache(tmp_path / "cache")
    cache.create("print", of_points(a=4), 10, "play")
    cache.append(10, {"a": frame(1)})
    assert cache.last_frame == 10


def test_a_lock_file_with_content_is_somebody_elses(cache: FrameCache) -> None:
    (cache.folder / "cache.lock").write_text("mine")
    cache.clear()
    assert (cache.folder / "cache.lock").read_text() == "mine"


class Windows:
    """msvcrt as far as it is used: locks by path, which end with the file."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        self.held: dict[int, int] = {}

    def locking(self, descriptor: int, mode: int, count: int) -> None:
        assert (mode, count) == (self.LK_NBLCK, 1)
        assert os.lseek(descriptor, 0, os.SEEK_CUR) == 0
        inode = os.fstat(descriptor).st_ino
        if self.held.setdefault(inode, descriptor) != descriptor:
            raise PermissionError(errno.EACCES, "Permission denied")


@pytest.fixture
def on_windows(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module as Windows loads it."""
    monkeypatch.setitem(sys.modules, "msvcrt", Windows())
    monkeypatch.setattr(sys, "platform", "win32")
    found = importlib.util.spec_from_file_location("core.frame_cache.lock", str(lock.__file__))
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_windows(on_windows: ModuleType, tmp_path: Path) -> None:
    first, second = on_windows.FolderLock(tmp_path), on_windows.FolderLock(tmp_path)
    first.take()
    first.take()
    with pytest.raises(CacheError, match="Another Blender"):
        second.take()
    first.remove()
    assert not list(tmp_path.iterdir())
