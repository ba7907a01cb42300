# SPDX-License-Identifier: GPL-3.0-or-later
"""A file of frames claims what it likes; what is there decides."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from cached_frames import frame

from core.frame_cache.encodings import Encoding, Full, Lattice
from core.frame_cache.frame_file import FrameFile

LARGE = 2**26  # points


@pytest.mark.parametrize("encoding", [Full((LARGE, 3)), Lattice(LARGE)])
def test_a_file_that_is_too_short_takes_no_memory(tmp_path: Path, encoding: Encoding) -> None:
    file = FrameFile(tmp_path / "frames", encoding)
    file.create()
    file.path.write_bytes(bytes(100))
    tracemalloc.start()
    assert file.read(0) is None
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2**20


@pytest.mark.parametrize("index", [0, 1])
@pytest.mark.parametrize("encoding", [Full((4, 3)), Lattice(4)])
def test_a_frame_that_is_written_is_the_last(
    tmp_path: Path, index: int, encoding: Encoding
) -> None:
    file = FrameFile(tmp_path / "frames", encoding)
    file.create()
    for number in range(3):
        file.write(number, frame(number))
    content = file.write(index, frame(7))
    assert content == encoding.encode(frame(7))
    assert file.count() == index + 1
    again = FrameFile(file.path, encoding)
    assert again.read(index) == content
    assert again.read(index + 1) is None
