# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line bakes, saves and answers with an exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bpy
import pytest
from blender_scenes import addon_module, animation, empty_scene, sheet


def command(*arguments: str) -> int:
    return addon_module("interface.cli").main(list(arguments))


@pytest.fixture
def blend(tmp_path: Path) -> Path:
    empty_scene()
    sheet()
    path = tmp_path / "sheet.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def baked_frames(path: Path) -> int:
    """How many frames the object in the file has as shape keys."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    keys = bpy.data.objects["Sheet"].data.shape_keys
    return 0 if keys is None else len(keys.key_blocks) - 1


def test_bake_saves_over_the_file(blend: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("bake") == 0
    printed = capsys.readouterr().out
    assert "simulating: 6 of 6 frames" in printed
    assert "baking: 6 of 6 frames" in printed
    assert f"saved {blend}" in printed
    assert baked_frames(blend) == 6


def test_bake_equals_the_operator(blend: Path) -> None:
    bpy.ops.xpbd.bake_shape_keys(mode="ABSOLUTE")
    by_operator = animation(bpy.context.object)
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    assert command("bake", "--mode", "absolute", "--no-save") == 0
    obj = bpy.data.objects["Sheet"]
    assert not obj.data.shape_keys.use_relative
    assert (animation(obj) == by_operator).all()


def test_output_leaves_the_file_alone(blend: Path, tmp_path: Path) -> None:
    before = blend.read_bytes()
    output = tmp_path / "baked.blend"
    assert command("bake", "--output", str(output)) == 0
    assert blend.read_bytes() == before
    assert baked_frames(output) == 6


def test_no_save(blend: Path) -> None:
    before = blend.read_bytes()
    assert command("bake", "--no-save") == 0
    assert blend.read_bytes() == before


def test_frames(blend: Path, tmp_path: Path) -> None:
    output = tmp_path / "baked.blend"
    assert command("bake", "--frames", "1:3", "--output", str(output)) == 0
    assert baked_frames(output) == 3


def test_simulate_fills_the_cache_and_saves_nothing(blend: Path) -> None:
    before = blend.read_bytes()
    assert command("simulate") == 0
    status = addon_module("simulation.session").status(bpy.context.scene)
    assert (status.first, status.last) == (1, 6)
    assert blend.read_bytes() == before


def test_a_scene_that_cannot_be_baked_gives_1(
    blend: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bpy.data.objects["Sheet"].shape_key_add(name="Smile")
    assert command("bake") == 1
    assert "has shape keys already" in capsys.readouterr().err


def test_a_missing_folder_is_found_before_the_work(
    blend: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("bake", "--output", str(tmp_path / "none" / "out.blend")) == 1
    assert "make it first" in capsys.readouterr().err
    assert bpy.data.objects["Sheet"].data.shape_keys is None


def test_no_file_to_save(capsys: pytest.CaptureFixture[str]) -> None:
    empty_scene()
    sheet()
    assert command("bake") == 1
    assert "--output" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("dance",),
        ("bake", "--mode", "sideways"),
        ("bake", "--frames", "5"),
        ("bake", "--frames", "9:1"),
        ("bake", "--frames", "a:b"),
        ("bake", "--no-save", "--output", "x.blend"),
    ],
)
def test_a_wrong_command_line_gives_2(arguments: tuple[str, ...]) -> None:
    empty_scene()
    assert command(*arguments) == 2


def test_help_gives_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("--help") == 0
    assert "bake" in capsys.readouterr().out


def told(printed: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]


def test_json_tells_of_each_frame_and_of_what_is_cached(
    blend: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("status", "--json") == 3
    assert command("simulate", "--json") == 0
    assert command("status", "--json") == 0
    lacking, *progress, simulated, complete = told(capsys.readouterr().out)
    assert (lacking["event"], lacking["complete"], lacking["last"]) == ("status", False, None)
    assert {each["event"] for each in progress} == {"progress"}
    assert progress[-1] == {"event": "progress", "what": "simulating", "done": 6, "total": 6}
    assert simulated == {"event": "simulated", "first": 1, "last": 6}
    assert (complete["complete"], complete["last"], complete["outdated"]) == (True, 6, False)


@pytest.mark.parametrize("mode", ["relative", "mesh_cache"])
def test_the_status_of_what_is_baked(
    blend: Path, capsys: pytest.CaptureFixture[str], mode: str
) -> None:
    assert command("bake", "--mode", mode) == 0
    assert command("status") == 0
    assert "'Sheet': Frames 1–6 baked" in capsys.readouterr().out
    assert command("status", "--json") == 0
    (status,) = told(capsys.readouterr().out)
    assert (status["complete"], status["baked"]) == (True, True)


def test_resume_goes_on_and_keeps_what_is_asked_for(
    blend: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bpy.context.scene.xpbd.checkpoint_interval = 2
    assert command("simulate", "--frames", "1:4") == 0
    assert command("status", "--frames", "1:6", "--json") == 3
    assert command("resume", "--frames", "1:6") == 0
    bpy.data.objects["Sheet"].xpbd.density *= 3.0
    assert command("resume", "--frames", "1:6", "--from", "2") == 1
    assert command("resume", "--frames", "1:6", "--from", "4") == 0
    assert command("status", "--frames", "1:6") == 0
    printed = capsys.readouterr()
    assert "frames 1 to 6 are in the cache" in printed.out
    assert told(printed.out)[0]["goes_on_from"] == 4
    assert "No checkpoint is kept of frame 2 or before" in printed.err
