# SPDX-License-Identifier: GPL-3.0-or-later
"""The Sweep panel: what it varies, simulates beside the user's work, shows and applies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest
from drawing import draw
from playing import addon
from sweeping import saved_file


@pytest.fixture
def shot(tmp_path: Path) -> Iterator[Path]:
    yield saved_file(tmp_path)
    addon.farm.background_sweep.stop()


def vary(values: str = "200,2000") -> bpy.types.PropertyGroup:
    assert bpy.ops.xpbd.sweep_add(setting="Sheet.stretch_stiffness") == {"FINISHED"}
    sweep = bpy.context.scene.xpbd.sweep
    sweep.varied[-1].values, sweep.stills = values, False
    return sweep


def test_adding_a_setting_begins_with_its_value(shot: Path) -> None:
    bpy.data.objects["Sheet"].xpbd.density = 0.25
    for setting in ("Sheet.density", "scene.solver", "scene.automatic", "Sheet.preset"):
        assert bpy.ops.xpbd.sweep_add(setting=setting) == {"FINISHED"}
    varied = bpy.context.scene.xpbd.sweep.varied
    values = [(each.setting, each.values) for each in varied]
    assert values == [
        ("Sheet.density", "0.25"),
        ("scene.solver", "Standard"),
        ("scene.automatic", "true"),
        ("Sheet.preset", ""),
    ]
    assert bpy.ops.xpbd.sweep_remove(index=1) == {"FINISHED"}
    assert [each.setting for each in varied][:2] == ["Sheet.density", "scene.automatic"]


def test_a_sweep_simulates_what_is_open_and_shows_its_table(shot: Path) -> None:
    vary("500")
    before = shot.read_bytes()
    bpy.data.objects["Sheet"].xpbd.density = 2.0  # is not saved
    assert bpy.ops.xpbd.sweep() == {"FINISHED"}
    assert addon.farm.background_sweep.current() is None
    assert shot.read_bytes() == before
    assert bpy.data.filepath == str(shot)
    output = shot.parent / "sweep"
    drawn = draw("sweep").drawn
    assert {"1: 500", "xpbd.sweep_apply"} <= set(drawn)
    assert drawn.count("Sheet: Stretch Stiffness") == 2, "above its values, and above the table"
    (result,) = addon.farm.record.read_table(output).results
    stretch = f"Stretch {100.0 * result.figures['largest_stretch']:.1f} %, Crossings 0"
    assert any(text.startswith(stretch) for text in drawn)
    bpy.ops.wm.open_mainfile(filepath=str(output / "sweep.blend"))
    assert bpy.data.objects["Sheet"].xpbd.density == 2.0


def test_settings_are_listed_in_the_words_of_panels(shot: Path) -> None:
    """What is none of the scene can be mended where it stands."""
    vary()
    operators = addon.interface.sweep_operators
    items = {each[0]: each[1] for each in operators._settings(None, bpy.context)}
    assert items["Sheet.stretch_stiffness"] == "Sheet: Stretch Stiffness"
    drawn = draw("sweep").drawn
    assert "Sheet: Stretch Stiffness" in drawn and "setting" not in drawn
    bpy.data.objects["Sheet"].name = "Cape"
    drawn = draw("sweep").drawn
    assert "setting" in drawn and "Sheet: Stretch Stiffness" not in drawn


def test_apply_sets_and_is_undone_by_nothing_else(shot: Path) -> None:
    vary()
    background_sweep, sweep = addon.farm.background_sweep, addon.farm.sweep
    output = background_sweep.folder(bpy.context.scene)
    varied = [addon.farm.varying.of_values("Sheet.stretch_stiffness", "200,2000")]
    plan = sweep.planned(bpy.context.scene, shot, output, varied, stills=False)
    sweep.Sweep(plan, 1)
    assert bpy.ops.xpbd.sweep_apply(number=1) == {"FINISHED"}
    settings = bpy.data.objects["Sheet"].xpbd
    assert settings.stretch_stiffness == pytest.approx(200.0)
    with pytest.raises(RuntimeError, match="The sweep has 2 variations, and no 3"):
        bpy.ops.xpbd.sweep_apply(number=3)


def test_it_runs_beside_the_users_work_until_it_is_cancelled(shot: Path) -> None:
    background_sweep = addon.farm.background_sweep
    said: list[str] = []
    sweep = vary()
    plan = addon.interface.sweep_operators._plan(bpy.context.scene)
    background_sweep.start(plan, sweep.processes, said.append)
    assert background_sweep.look() is not None
    processes = [worker.process for worker in background_sweep.current().workers]
    assert len(processes) == 2 and all(process.poll() is None for process in processes)
    assert "0 / 2" in draw("sweep").drawn
    assert not bpy.ops.xpbd.sweep.poll()
    with pytest.raises(RuntimeError, match="A sweep is running"):
        background_sweep.start(plan, 1, said.append)
    assert bpy.ops.xpbd.sweep_cancel() == {"FINISHED"}
    assert all(process.poll() is not None for process in processes)
    assert background_sweep.current() is None and background_sweep.look() is None and not said


def test_loading_another_file_ends_it(shot: Path) -> None:
    background_sweep = addon.farm.background_sweep
    vary("500")
    background_sweep.start(addon.interface.sweep_operators._plan(bpy.context.scene), 1, print)
    background_sweep.look()
    (worker,) = background_sweep.current().workers
    bpy.ops.wm.open_mainfile(filepath=str(shot))
    assert worker.process.poll() is not None and background_sweep.current() is None


@pytest.mark.parametrize(
    ("kind", "name"), [("openjd", "template.json"), ("flamenco", "xpbd-sweep.js")]
)
def test_send_to_farm_writes_a_job_and_what_it_needs(shot: Path, kind: str, name: str) -> None:
    vary()
    assert bpy.ops.xpbd.send_to_farm(format=kind) == {"FINISHED"}
    output = shot.parent / "sweep"
    found = {path.name for path in output.iterdir()}
    assert found == {name, "sweep.blend", "sweep.json", "sweep.csv"}
    assert "Sheet.stretch_stiffness=200,2000" in (output / name).read_text()


@pytest.mark.parametrize(
    ("values", "folder", "sentence"),
    [
        ("", "//sweep", "given no values"),
        ("soft", "//sweep", "not 'soft'"),
        ("500", "", "is no whole path"),
        ("500", "sweep", "is no whole path"),
    ],
)
def test_what_makes_no_sense_is_said_and_nothing_is_written(
    shot: Path, values: str, folder: str, sentence: str
) -> None:
    vary(values).folder = folder
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.xpbd.sweep()
    assert [path.name for path in shot.parent.iterdir()] == ["shot.blend"]


def test_a_folder_beside_a_file_that_was_never_saved(shot: Path) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with pytest.raises(RuntimeError, match="save the file first"):
        bpy.ops.xpbd.sweep()
