# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing that fails or is cut off: what was there stays, and it goes on where it can."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cached_frames import frame, of_points

from core.frame_cache import CacheError, FrameCache, description, plain_file
from core.frame_cache.frame_file import FrameFile


def test_a_description_that_cannot_be_read_back_is_told(
    cache: FrameCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = description.write

    def unreadable(_path: Path, _mode: str) -> None:
        raise OSError(24, "Too many open files")

    with monkeypatch.context() as patch:

        def write_then_fail(path: Path, content: description.Description) -> None:
            write(path, content)
            patch.setattr(plain_file, "opened", unreadable)

        patch.setattr(description, "write", write_then_fail)
        with pytest.raises(CacheError, match="Too many open files"):
            cache.create("other", of_points(a=4), 10, "play")
    assert cache.read("a", 10) is None
    cache.create("other", of_points(a=4), 10, "play")
    cache.append(10, {"a": frame(5)})
    np.testing.assert_array_equal(cache.read("a", 10), frame(5))


def test_what_a_program_that_died_left_is_deleted(measured: FrameCache) -> None:
    measured.close()
    (measured.folder / "cache.tmp").write_text('{\n "form')
    (measured.folder / "a.pc2").unlink()
    assert FrameCache(measured.folder).first_frame is None
    FrameCache(measured.folder).clear()
    assert not measured.folder.exists()


def test_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheError, match=r"file.*choose another cache folder"):
        FrameCache(tmp_path / "file").create("", of_points(a=1), 1, "play")


@pytest.mark.parametrize("full_file", ["a.pc2", "a.f32"])
def test_full_disk_keeps_frames(
    measured: FrameCache, full_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = FrameFile.write
    measures = {"strain": 5.0, "residual": 50.0}
    sizes = {path: path.stat().st_size for path in measured.folder.iterdir()}

    def full(self: FrameFile, index: int, values: np.ndarray) -> bytes:
        if self.path.name == full_file:
            raise OSError(28, "No space left on device")
        return write(self, index, values)

    with monkeypatch.context() as patch:
        patch.setattr(FrameFile, "write", full)
        with pytest.raises(CacheError, match="No space left on device"):
            measured.append(5, {"a": frame(5)}, {"a": measures})
    assert measured.last_frame == 4
    assert {path: path.stat().st_size for path in measured.folder.iterdir()} == sizes
    measured.append(5, {"a": frame(5)}, {"a": measures})
    np.testing.assert_array_equal(measured.read("a", 5), frame(5))
    assert measured.read_measures("a", 5) == measures
