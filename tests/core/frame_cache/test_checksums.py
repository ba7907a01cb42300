# SPDX-License-Identifier: GPL-3.0-or-later
"""Checksums fit what was written, under its number, in the file as it was begun."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from cached_frames import frame

from core.frame_cache.checksums import MEASURES, POSITIONS, Checksums, has_mark


def points(value: float) -> bytes:
    return frame(value).tobytes()


def row(number: float) -> bytes:
    return np.array([1.0 + number, 2.0 + number], np.float32).tobytes()


@pytest.fixture
def sums(tmp_path: Path) -> Checksums:
    made = Checksums(tmp_path / "a.checksums", -1)
    made.create()
    for number in range(3):
        made.write(number, points(number), row(number))
    return made


def test_the_format(sums: Checksums) -> None:
    content = sums.path.read_bytes()
    assert (content[:16], len(content)) == (b"XPBD checksums\0\1", 24 + 3 * 12)
    token = content[16:24] + struct.pack("<q", 0)
    expected = [zlib.crc32(token + content) for content in (points(1), row(1))]
    assert struct.unpack_from("<iII", content, 36) == (0, *expected)


def test_they_fit_only_what_was_written(sums: Checksums) -> None:
    found = Checksums(sums.path, -1)
    assert found.count() == 3
    for number in range(3):
        assert found.match(number, POSITIONS, points(number))
        assert found.match(number, MEASURES, row(number))
        assert not found.match(number, POSITIONS, points(number + 1))
        assert not found.match(number, MEASURES, row(-number - 1))
    assert not found.match(3, POSITIONS, points(3))


def test_equal_frames_of_another_number_or_file_have_other_checksums(tmp_path: Path) -> None:
    contents = []
    for name in ("a", "b"):
        made = Checksums(tmp_path / name, 1)
        made.create()
        for number in range(2):
            made.write(number, points(0), row(0))
        content = made.path.read_bytes()
        contents += [content[28:36], content[40:48]]
    assert len(set(contents)) == 4


def test_a_frame_that_is_written_is_the_last(sums: Checksums) -> None:
    sums.write(1, points(7), row(0))
    for found in (sums, Checksums(sums.path, -1)):
        assert found.count() == 2
        assert found.match(1, POSITIONS, points(7))


def test_cut(sums: Checksums) -> None:
    sums.cut(1)
    assert Checksums(sums.path, -1).count() == 1
    assert not sums.match(1, POSITIONS, points(1))


@pytest.mark.parametrize("content", [None, b"", b"XPBD", b"x" * 60])
def test_other_files_hold_none(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "a.checksums"
    if content is not None:
        path.write_bytes(content)
    assert Checksums(path, 1).count() == 0
    assert not has_mark(path)
