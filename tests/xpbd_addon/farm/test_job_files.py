# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs: Open Job Description's own program runs them; Flamenco's tasks are as they should."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import bpy
import pytest
from playing import addon
from sweeping import VARY, command, saved_file

DOCUMENTED = {"key", "type", "subtype", "required", "default", "visible", "description"}
"""What of settings is used, of https://flamenco.blender.org/usage/job-types/."""

FLAMENCO = """
const fs = require("fs"), vm = require("vm");
const [file, settings] = process.argv.slice(2);
const tasks = [];
const author = {
  Task: (name, type) => ({
    name, type, commands: [], after: [],
    addCommand(command) { this.commands.push(command); },
    addDependency(task) { this.after.push(task.name); },
  }),
  Command: (name, parameters) => ({ name, parameters }),
};
const frameChunker = () => ["1-3", "4-5"];
const job = { settings: JSON.parse(settings), addTask: (task) => tasks.push(task) };
const context = vm.createContext({ author, frameChunker });
vm.runInContext(fs.readFileSync(file, "utf8"), context);
vm.runInContext("compileJob", context)(job);
const type = vm.runInContext("JOB_TYPE", context);
process.stdout.write(JSON.stringify({ type, tasks }));
"""


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    return saved_file(tmp_path)


@pytest.fixture
def blender(tmp_path: Path) -> Path:
    """What is called as Blender is, and runs the one under test."""
    as_module = addon.farm.blenders._AS_MODULE
    program = tmp_path / "blender.py"
    program.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "assert sys.argv[1] == '-b', sys.argv\n"
        "if sys.argv[3:5] != ['--command', 'xpbd']:\n"
        "    print('RENDERS', *sys.argv[2:])\n"
        "    sys.exit(0)\n"
        "sys.argv[1:] = [sys.argv[2], *sys.argv[5:]]\n"
        f"exec({as_module!r})\n"
    )
    program.chmod(0o755)
    return program


def openjd(*arguments: object) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "openjd", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run(path: Path, step: str, shot: Path, blender: Path) -> str:
    """What the tasks of a job say, up to those of a step."""
    given = ("-p", f"Blender={blender}", "-p", f"Shot={shot}")
    return openjd("run", path, "--step", step, "--run-dependencies", *given)


def compiled(path: Path, **settings: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The settings that a job type declares, and the tasks it makes of its defaults and others."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node to run JavaScript")
    text = path.read_text()
    declared, _ = json.JSONDecoder().raw_decode(text[text.index("JOB_TYPE = ") + 11 :])
    for each in declared["settings"]:
        assert each["type"] in {"string", "int32", "float", "bool"}
        assert each.get("subtype", "dir_path") in {"file_path", "dir_path", "hashed_file_path"}
        assert each.get("visible", "web") in {"visible", "hidden", "submission", "web"}
        assert each.keys() <= DOCUMENTED
    defaults = {each["key"]: each.get("default") for each in declared["settings"]}
    done = subprocess.run(
        [node, "-", str(path), json.dumps(defaults | settings)],
        input=FLAMENCO,
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert found["type"] == declared
    return declared, found["tasks"]


def written(shot: Path, kind: str, *arguments: object) -> Path:
    output = shot.parent / "out"
    assert command("job", "--format", kind, "--output", output, *arguments) == 0
    (path,) = output.iterdir()
    return path


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="openjd-cli is made for POSIX first")
def test_a_sweep_is_run_by_open_job_descriptions_program(shot: Path, blender: Path) -> None:
    path = written(shot, "openjd", "--vary", "Sheet.stretch_stiffness=200,2000")
    openjd("check", path)
    run(path, "Collect", shot, blender)
    table = addon.farm.record.read_table(shot.parent / "out")
    soft, stiff = (result.figures["largest_stretch"] for result in table.results)
    assert soft > stiff > 0.0


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="openjd-cli is made for POSIX first")
def test_a_shot_is_simulated_and_rendered_in_chunks(shot: Path, blender: Path) -> None:
    path = written(shot, "openjd", "--chunk", "2")
    openjd("check", path)
    said = run(path, "Render", shot, blender)
    copy = shot.parent / "out" / "shot.blend"
    for start, end in ((1, 2), (3, 4), (5, 5)):
        assert f"RENDERS {copy} -o {copy.parent}/render/#### -s {start} -e {end} -a" in said
    bpy.ops.wm.open_mainfile(filepath=str(copy))
    status = addon.simulation.session.status(bpy.context.scene, exact=True)
    assert (status.first, status.last, status.outdated) == (1, 5, False)
    assert addon.simulation.session.of(bpy.context.scene).cache.folder.is_relative_to(copy.parent)


def test_flamencos_tasks_of_a_sweep(shot: Path) -> None:
    declared, tasks = compiled(written(shot, "flamenco", *VARY), blendfile=str(shot))
    assert declared["label"] == "XPBD Sweep"
    *simulated, table = tasks
    assert [task["name"] for task in simulated] == ["variation-1", "variation-2"]
    assert table["after"] == ["variation-1", "variation-2"]
    for task in tasks:
        (run,) = task["commands"]
        assert (task["type"], run["name"]) == ("blender", "blender-render")
        assert run["parameters"]["blendfile"] == str(shot)
    arguments = simulated[1]["commands"][0]["parameters"]["args"]
    assert arguments[:2] == ["--command", "xpbd"]
    bpy.ops.wm.open_mainfile(filepath=str(shot))
    assert command(*arguments[2:]) == 0
    collecting = table["commands"][0]["parameters"]["args"]
    assert command(*collecting[2:]) == 1  # as the first one lacks
    results = addon.farm.record.read_table(shot.parent / "out").results
    assert results[0] is None and results[1].settings["Sheet.stretch_stiffness"] == "2000"


def test_flamencos_tasks_of_a_shot(shot: Path) -> None:
    path = written(shot, "flamenco")
    declared, (simulates, *renders) = compiled(path, blendfile=str(shot))
    assert declared["label"] == "XPBD Simulate and Render"
    assert [task["after"] for task in renders] == [["simulate"], ["simulate"]]
    arguments = simulates["commands"][0]["parameters"]["args"]
    assert command(*arguments[2:]) == 0
    of_first = renders[0]["commands"][0]["parameters"]
    assert Path(of_first["blendfile"]).is_file()
    assert of_first["args"][-2:] == ["--render-frame", "1..3"]


@pytest.mark.parametrize("kind", ["openjd", "flamenco"])
def test_only_our_own_job_is_written_over(
    shot: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(shot, kind, *VARY)
    before = path.read_text()
    assert written(shot, kind, *VARY).read_text() == before
    path.write_text("mine")
    assert command("job", "--format", kind, "--output", path.parent, *VARY) == 1
    assert "another program's" in capsys.readouterr().err
    assert path.read_text() == "mine"


def test_braces_are_refused(shot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bpy.data.objects["Sheet"].name = "{{Sheet}}"
    vary = ("--vary", "{{Sheet}}.density=1")
    assert command("job", "--format", "openjd", "--output", shot.parent / "out", *vary) == 1
    assert "give it another name" in capsys.readouterr().err
