# SPDX-License-Identifier: GPL-3.0-or-later
"""What frames were simulated from: found again, and never believed where it was damaged."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from zlib import crc32

import pytest

from core.frame_cache import FrameCache, InputsFile
from core.frame_cache.description import CachedObject

SOURCES = ["gravity", "collider 'Größe'"]
LARGEST = 2**64 - 1


@pytest.fixture
def written(tmp_path: Path) -> InputsFile:
    """Frames 3 to 5."""
    file = InputsFile(tmp_path / "a.inputs", 3)
    file.create(SOURCES)
    for frame in (3, 4, 5):
        file.write(frame, {"gravity": frame, SOURCES[1]: LARGEST - frame})
    return file


def again(file: InputsFile) -> list[int]:
    """The frames that are known when the file is opened again."""
    found = InputsFile(file.path, 3)
    return [frame for frame in range(-1, 10) if found.row(frame) is not None]


def test_rows_are_found_again(written: InputsFile) -> None:
    found = InputsFile(written.path, 3)
    assert found.row(4) == written.row(4) == {"gravity": 4, SOURCES[1]: LARGEST - 4}
    assert again(written) == [3, 4, 5]
    found.write(6, {"gravity": 6})
    assert found.row(6) == {"gravity": 6, SOURCES[1]: 0}
    assert again(written) == [3, 4, 5, 6]


def test_a_row_is_replaced(written: InputsFile) -> None:
    written.write(4, {"gravity": 40, "unknown": 1})
    found = InputsFile(written.path, 3)
    assert found.row(4) == {"gravity": 40, SOURCES[1]: 0}
    assert again(written) == [3, 4, 5]


def test_without_a_file_nothing_is_known(tmp_path: Path) -> None:
    assert InputsFile(tmp_path / "none.inputs", 3).row(3) is None


def test_another_start_knows_no_row(written: InputsFile) -> None:
    assert InputsFile(written.path, 4).row(4) is None


def test_each_damaged_byte_is_noticed(written: InputsFile) -> None:
    content = written.path.read_bytes()
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 0x10
        written.path.write_bytes(damaged)
        assert len(again(written)) < 3, place


@pytest.mark.parametrize("bytes_lost", [1, 23, 30, 10**6])
def test_a_file_cut_short_keeps_its_whole_rows(written: InputsFile, bytes_lost: int) -> None:
    content = written.path.read_bytes()
    written.path.write_bytes(content[: max(0, len(content) - bytes_lost)])
    assert again(written) == [3, 4, 5][: max(0, 3 - -(-bytes_lost // 24))]


@pytest.mark.parametrize("names", ["{}", "[1]", "[", '"ab"', "[" * 10**5])
def test_names_that_are_none(tmp_path: Path, names: str) -> None:
    head = struct.pack("<8sII", b"XPBDIN\0\1", len(names), crc32(names.encode()))
    (tmp_path / "a.inputs").write_bytes(head + names.encode() + b"\0" * 1000)
    assert InputsFile(tmp_path / "a.inputs", 0).row(0) is None


def test_names_without_end_are_not_read(tmp_path: Path) -> None:
    names = json.dumps(["a" * 2**20]).encode()
    head = struct.pack("<8sII", b"XPBDIN\0\1", len(names), crc32(names))
    row = struct.pack("<iQ", 0, 7)
    path = tmp_path / "a.inputs"
    path.write_bytes(head + names + row + struct.pack("<I", crc32(row)))
    assert InputsFile(path, 0).row(0) is None


def test_creating_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "a.inputs").symlink_to(tmp_path / "notes.txt")
    InputsFile(tmp_path / "a.inputs", 1).create(SOURCES)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_it_goes_with_the_frames_of_its_object(tmp_path: Path) -> None:
    cache = FrameCache(tmp_path / "cache")
    cache.create("print", {"a": CachedObject(4), "b": CachedObject(4)}, 1, "play")
    files = [InputsFile(cache.folder / f"{key}.inputs", 1) for key in "ab"]
    for file in files:
        file.create(SOURCES)
    cache.create("print", {"a": CachedObject(4)}, 1, "play", keep=["a"])
    assert [file.path.exists() for file in files] == [True, False]
    cache.clear()
    assert not cache.folder.exists()
