# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps: each variation as in a Blender of its own, none lost, nothing else touched."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
import pytest
from playing import addon
from sweeping import FRAMES, VARY, command, saved_file, told


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    return saved_file(tmp_path)


def plan(shot: Path, output: Path, *vary: str) -> Any:
    varied = tuple(addon.farm.varying.read(text) for text in vary or VARY[1::2])
    variations = addon.farm.varying.variations(varied)
    return addon.farm.sweep.Plan(shot, output, varied, variations, FRAMES)


def finish(sweep: Any) -> list[dict[str, Any]]:
    happened = []
    try:
        while sweep.is_running:
            happened += sweep.poll()
    finally:
        sweep.close()
    return happened


@pytest.mark.long
def test_a_sweep_simulates_and_measures_each_variation(
    shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, output = shot.read_bytes(), tmp_path / "out"
    assert command("sweep", *VARY, "--output", output, "--json") == 0
    events = told(capsys.readouterr().out)
    assert {event["variation"] for event in events if event["event"] == "progress"} == {1, 2}
    assert events[-1]["event"] == "swept" and events[-1]["simulated"] == 2
    table = json.loads((output / "sweep.json").read_text())
    soft, stiff = (each["figures"] for each in table["variations"])
    assert soft["largest_stretch"] > stiff["largest_stretch"] > 0.0
    assert soft["height"] > 0.0
    assert soft["seconds"] > 0.0 and soft["crossings"] == 0.0
    rows = list(csv.DictReader((output / "sweep.csv").open()))
    assert [row["Sheet.stretch_stiffness"] for row in rows] == ["200", "2000"]
    assert float(rows[0]["height"]) == soft["height"]
    assert shot.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"shot.blend", "out"}


def test_a_variation_is_what_simulating_it_here_gives(shot: Path, tmp_path: Path) -> None:
    one = plan(shot, tmp_path / "out", "Sheet.stretch_stiffness=200")
    finish(addon.farm.sweep.Sweep(one, 1))
    table = addon.farm.record.read_table(tmp_path / "out")
    bpy.data.objects["Sheet"].xpbd.stretch_stiffness = 200
    bpy.context.scene.xpbd.cache_directory = str(tmp_path / "here")
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    here = addon.farm.figures.measured(bpy.context.scene)
    assert {name: table.results[0].figures[name] for name in here} == here


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A list that grows by one with each Blender that is started from now on."""
    started: list[Any] = []
    command = addon.farm.blenders.command

    def counting(*arguments: Any) -> Any:
        started.append(arguments)
        return command(*arguments)

    monkeypatch.setattr(addon.farm.blenders, "command", counting)
    return started


def left(output: Path) -> dict[str, bytes]:
    """All that variations came to, but for how long they took, which their stills tell too."""
    found: dict[str, bytes] = {}
    for file in sorted(output.glob("variation-*/**/*")):
        name = str(file.relative_to(output))
        if file.name == "result.json":
            content = json.loads(file.read_text())
            figures = content["figures"].items()
            content["figures"] = {key: each for key, each in figures if "seconds" not in key}
            found[name] = json.dumps(content).encode()
        elif file.name == "still.png":
            pixels = addon.farm.pictures._read(file)
            found[name] = pixels[: 2 * pixels.shape[0] // 3].tobytes()  # its text is above
        elif file.suffix in {".pc2", ".f32", ".inputs"}:
            found[name] = file.read_bytes()
    return found


@pytest.mark.long
def test_one_blender_does_all_and_each_as_a_fresh_one_does(
    shot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reused = replace(plan(shot, tmp_path / "reused", "Sheet.preset=silk,denim"), stills=True)
    fresh = replace(reused, output=tmp_path / "fresh")
    started = counted(monkeypatch)
    finish(addon.farm.sweep.Sweep(reused, 1))
    assert len(started) == 1
    for number in (1, 2):
        arguments = addon.farm.sweep.sweep_arguments(fresh, str(fresh.output))
        alone = addon.farm.blenders.command(shot, [*arguments, "--only", str(number)])
        subprocess.run(alone, check=True)
    assert left(reused.output) == left(fresh.output)
    assert len(left(reused.output)) == 2 * 5
    assert all(result.figures["height"] > 0.0 for result in reused.table().results)


@pytest.mark.long
def test_a_blender_ends_with_its_parent_and_another_goes_on(
    shot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = counted(monkeypatch)
    sweep = addon.farm.sweep.Sweep(plan(shot, tmp_path / "out"), 1)
    while not (sweep.workers and sweep.workers[0].task.number == 2):
        sweep.poll()
    (worker,) = sweep.workers
    worker.abandon()
    worker.process.wait(60)
    happened = finish(sweep)
    again = [event for event in happened if event["event"] == "again"]
    assert again == [{"event": "again", "variation": 2, "status": 1}]
    assert len(started) == 2
    for result in sweep.plan.table().results:
        assert result.figures["height"] > 0.0 and not result.error


@pytest.mark.long
def test_a_variation_that_kills_two_is_reported_and_the_others_are_done(
    shot: Path, tmp_path: Path
) -> None:
    sweep = addon.farm.sweep.Sweep(plan(shot, tmp_path / "out"), 2)
    happened = []
    while sweep.is_running:
        happened += sweep.poll()
        for worker in sweep.workers:
            if worker.task is not None and worker.task.number == 1:
                worker.process.kill()
                worker.process.wait(60)
    deadly, good = sweep.plan.table().results
    assert "ended twice, with status" in deadly.error and "log.txt" in deadly.error
    assert good.figures["height"] > 0.0 and not good.error
    told_of = [event["variation"] for event in happened if event["event"] == "variation"]
    assert sorted(told_of) == [1, 2]


def test_blenders_that_cannot_start_are_reported(
    shot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying = ["sh", "-c", "kill -9 $$"] if os.name == "posix" else ["cmd", "/c", "exit 9"]
    monkeypatch.setattr(addon.farm.blenders, "command", lambda *_: dying)
    sweep = addon.farm.sweep.Sweep(plan(shot, tmp_path / "out"), 2)
    finish(sweep)
    status = -signal.SIGKILL if os.name == "posix" else 9
    for result in addon.farm.record.read_table(tmp_path / "out").results:
        assert f"ended twice, with status {status}" in result.error


@pytest.mark.long
def test_a_shot_that_is_saved_meanwhile_is_said(shot: Path, tmp_path: Path) -> None:
    sweep = addon.farm.sweep.Sweep(plan(shot, tmp_path / "out"), 1)
    bpy.data.objects["Sheet"].xpbd.density = 3.0
    bpy.ops.wm.save_mainfile()
    finish(sweep)
    for result in addon.farm.record.read_table(tmp_path / "out").results:
        assert "was saved meanwhile" in result.error


def test_what_was_simulated_is_not_simulated_again(shot: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert command("sweep", *VARY, "--output", output, "--only", 2) == 0
    known = json.loads(next(output.glob("*/result.json")).read_text())
    frames = next(output.glob("*/frames/*/*.pc2"))
    before = frames.stat().st_mtime_ns
    bpy.ops.wm.open_mainfile(filepath=str(shot))
    assert command("sweep", *VARY, "--output", output, "--only", 2) == 0
    assert frames.stat().st_mtime_ns == before
    assert json.loads(next(output.glob("*/result.json")).read_text()) == known


def test_collecting_tells_what_lacks(
    shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out"
    assert command("sweep", *VARY, "--output", output, "--only", 1) == 0
    bpy.ops.wm.open_mainfile(filepath=str(shot))
    assert command("sweep", *VARY, "--output", output, "--collect") == 1
    assert "1 of 2 variations" in capsys.readouterr().out
    results = addon.farm.record.read_table(output).results
    assert results[0].figures["height"] > 0.0 and results[1] is None
    bpy.data.objects["Sheet"].xpbd.density = 3.0
    bpy.ops.wm.save_mainfile()  # what was simulated was another shot
    assert command("sweep", *VARY, "--output", output, "--collect") == 1
    assert addon.farm.record.read_table(output).results == [None, None]


def test_a_variation_that_cannot_be_simulated_says_why(shot: Path, tmp_path: Path) -> None:
    vary = ("--vary", "Sheet.pin_group=Pins,Nobody")
    output = tmp_path / "out"
    assert command("sweep", *vary, "--output", output, "--only", 2, "--json") == 0
    (result,) = output.glob("*/result.json")
    assert "Nobody" in json.loads(result.read_text())["error"]


def test_apply_sets_and_saves(
    shot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, target = tmp_path / "out", tmp_path / "stiff.blend"
    assert command("sweep", *VARY, "--output", output, "--collect") == 1
    before = shot.read_bytes()
    assert command("apply", output, 3) == 1
    assert "The sweep has 2 variations, and no 3" in capsys.readouterr().err
    assert command("apply", output, 1, "--save-as", target) == 0
    assert shot.read_bytes() == before
    bpy.ops.wm.open_mainfile(filepath=str(target))
    assert bpy.data.objects["Sheet"].xpbd.stretch_stiffness == pytest.approx(200.0)
    assert command("apply", tmp_path, 1) == 1
    assert "There is no sweep in" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("sweep",), 2),
        (("sweep", "--output", "x", "--processes", "0"), 2),
        (("sweep", "--output", "x", "--only", "1", "--collect"), 2),
        (("apply", "x"), 2),
        (("sweep", "--output", "x", "--vary", "Hat.density=1"), 1),
        (("sweep", "--output", "x", "--vary", "Sheet.density=1", "--only", "2"), 1),
    ],
)
def test_a_wrong_command_writes_nothing(
    shot: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    status: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command(*arguments) == status
    assert [path.name for path in tmp_path.iterdir()] == ["shot.blend"]
