# SPDX-License-Identifier: GPL-3.0-or-later
"""A sweep's folder: results come back as they were, and nothing of anybody else is touched."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from playing import addon

ONE, TWO = {"Hat.density": "1"}, {"Hat.density": "2"}
FRAMES = (1, 5)
SHOT = "of the file"


def result(variation: dict[str, str] = ONE, **others: Any) -> Any:
    return addon.farm.record.Result(variation, FRAMES, shot=SHOT, **others)


def test_a_result_comes_back_for_its_settings_and_frames_only(tmp_path: Path) -> None:
    record = addon.farm.record
    record.prepare(tmp_path, [ONE, TWO])
    written = result(figures={"height": 1.5}, left_out=("'Hat' is hidden",))
    record.write_result(tmp_path, written)
    assert record.read_result(tmp_path, ONE, FRAMES, SHOT) == written
    assert record.read_result(tmp_path, TWO, FRAMES, SHOT) is None
    assert record.read_result(tmp_path, ONE, (1, 6), SHOT) is None
    assert record.read_result(tmp_path, ONE, FRAMES, "of another") is None
    assert record.read_result(tmp_path, ONE, FRAMES, None) == written
    record.remove_result(tmp_path, ONE)
    assert record.read_result(tmp_path, ONE, FRAMES, SHOT) is None


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff", b'{"format": "another"}', b'{"format": "xpbd variation 1"}',
     b"[" * 100_000],
)  # fmt: skip
def test_damaged_results_are_none(tmp_path: Path, content: bytes) -> None:
    record = addon.farm.record
    record.prepare(tmp_path, [ONE])
    (record.folder_of(tmp_path, ONE) / "result.json").write_bytes(content)
    assert record.read_result(tmp_path, ONE, FRAMES, SHOT) is None


def test_the_table_comes_back(tmp_path: Path) -> None:
    record = addon.farm.record
    record.prepare(tmp_path, [ONE, TWO])
    record.write_result(tmp_path, result(TWO, error='It, "failed"'))
    table = record.Table(FRAMES, [ONE, TWO], [None, result(TWO, error='It, "failed"')], SHOT)
    record.write_table(tmp_path, table)
    assert record.read_table(tmp_path) == table
    assert (tmp_path / "sweep.csv").read_text().splitlines() == [
        "number,Hat.density,error,folder",
        f"1,1,,{record.folder_of(tmp_path, ONE).name}",
        f'2,2,"It, ""failed""",{record.folder_of(tmp_path, TWO).name}',
    ]


@pytest.mark.parametrize("name", ["sweep.json", "sweep.csv", "sweep.png"])
def test_what_others_wrote_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("{}")
    with pytest.raises(RuntimeError, match=f"{name}' was not written by a sweep"):
        addon.farm.record.prepare(tmp_path, [ONE])
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
def test_links_lead_nowhere(tmp_path: Path) -> None:
    record, victim = addon.farm.record, tmp_path / "victim"
    victim.mkdir()
    output = tmp_path / "out"
    output.mkdir()
    record.folder_of(output, ONE).symlink_to(victim)
    with pytest.raises(RuntimeError, match="was not written by a sweep"):
        record.prepare(output, [ONE])
    record.prepare(output, [TWO])
    (victim / "notes").write_text("mine")
    (record.folder_of(output, TWO) / "result.json").symlink_to(victim / "notes")
    record.write_result(output, result(TWO))
    assert (victim / "notes").read_text() == "mine"
    assert record.read_result(output, TWO, FRAMES, SHOT) == result(TWO)


def test_a_settings_text_names_no_other_folder(tmp_path: Path) -> None:
    folder = addon.farm.record.folder_of(tmp_path, {"../../x": "../y\0"})
    assert folder.parent == tmp_path and folder.name.removeprefix("variation-").isalnum()


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RuntimeError, match=r"file' can't be used .*: choose another folder"):
        addon.farm.record.prepare(tmp_path / "file", [ONE])
    with pytest.raises(RuntimeError, match="There is no sweep in"):
        addon.farm.record.read_table(tmp_path)


def test_no_half_written_file_is_left(tmp_path: Path) -> None:
    record = addon.farm.record
    record.prepare(tmp_path, [ONE])
    record.write_result(tmp_path, result())
    record.write_table(tmp_path, record.Table(FRAMES, [ONE], [result()], SHOT))
    names = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert names == {"sweep.json", "sweep.csv", "result.json"}
    assert json.loads((tmp_path / "sweep.json").read_text())["format"] == "xpbd sweep 1"
