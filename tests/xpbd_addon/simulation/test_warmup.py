# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver that is compiled beforehand is the one that a new scene simulates with."""

from __future__ import annotations

import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest
from blender_scenes import empty_scene, sheet
from playing import addon, cached

from xpbd_addon.settings.solvers import SOLVERS as ENTRIES
from xpbd_addon.settings.solvers import SolverEntry

pytestmark = pytest.mark.long

SOLVERS = [entry.identifier for entry in ENTRIES]


def core_module(name: str = "") -> ModuleType:
    """The extension's own `core`, or a module of it."""
    package = addon.simulation.warmup.__package__.removesuffix(".xpbd_addon.simulation")
    return import_module(f"{package}.core{name}")


def warmed_up(solver: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> tuple[str, Any]:
    """The name in core and the arguments with which a solver is warmed up."""
    calls = []
    warm_up = core_module(".warm_up")
    monkeypatch.setattr(warm_up, "use_cache", lambda folder: None)
    monkeypatch.setattr(warm_up, "warm_up", lambda name, **given: calls.append((name, given)))
    addon.simulation.warmup._compile_one(solver, folder)
    (call,) = calls
    return call


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_new_scene_simulates_with_what_was_warmed_up(
    solver: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scene, solvers = bpy.context.scene, addon.settings.solvers
    scene.xpbd.solver = solver
    name, given = warmed_up(solver, monkeypatch, tmp_path)
    assert given.pop("volume") == ("volume" not in solvers.entry_of(solver).lacks)
    assert not given.pop("soft"), "who has no soft body does not wait for it"
    of_scene = solvers.make(solver, solvers.options_of(scene.xpbd))
    assert type(of_scene).__name__ == name
    assert vars(of_scene) == vars(getattr(core_module(), name)(**given))


def test_automatic_quality_is_warmed_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert bpy.context.scene.xpbd.automatic
    _, given = warmed_up("XPBD", monkeypatch, tmp_path)
    assert given["largest_stretch"] == pytest.approx(0.03)


def test_soft_bodies_are_compiled_by_those_who_can_simulate_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    warmup, seen = addon.simulation.warmup, []
    warm_up = core_module(".warm_up")
    monkeypatch.setattr(warm_up, "use_cache", lambda folder: None)
    monkeypatch.setattr(
        warm_up, "warm_up", lambda name, **given: seen.append((name, given["soft"]))
    )
    for solver in SOLVERS:
        warmup._compile_one(solver, tmp_path, soft=True)
    assert seen == [("XPBD", True)]


@pytest.mark.parametrize("chosen", [False, True])
def test_compiled_code_is_kept_where_numba_is_told_to(
    chosen: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    if chosen:
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    warmup, seen = addon.simulation.warmup, []
    monkeypatch.setattr(warmup, "_asked_for", {})
    monkeypatch.setattr(warmup, "_compile_one", lambda _solver, folder, **_: seen.append(folder))
    warmup.wait("PBD")
    own = Path(bpy.utils.extension_path_user("bl_ext.user_default.xpbd", path="kernels"))
    assert seen[0] == (tmp_path if chosen else own)


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """No solver was asked for, and the first one can't be compiled while the list has a name."""
    warmup = addon.simulation.warmup
    full = ["PBD"]

    def compile_one(solver: str, _folder: Path, *, soft: bool = False) -> None:
        if (f"{solver}, soft" if soft else solver) in full:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(warmup, "_asked_for", {})
    monkeypatch.setattr(warmup, "_compile_one", compile_one)
    return full


def test_a_solver_that_fails_fails_alone(full_disk: list[str]) -> None:
    warmup = addon.simulation.warmup
    with pytest.raises(addon.errors.SceneError, match=r"No space left.*then press Simulate"):
        warmup.wait("PBD")
    warmup.wait("XPBD")
    assert [warmup.state(solver)[0] for solver in ("PBD", "XPBD")] == ["FAILED", "READY"]


def test_soft_bodies_that_fail_are_told_of(full_disk: list[str]) -> None:
    warmup = addon.simulation.warmup
    full_disk.append("XPBD, soft")
    warmup.start("XPBD")
    while warmup.is_compiling():
        time.sleep(0.01)
    assert warmup.state("XPBD")[0] == "FAILED"
    full_disk.clear()
    warmup.start("XPBD", again=True)
    while warmup.is_compiling():
        time.sleep(0.01)
    assert warmup.state("XPBD")[0] == "READY"


def test_simulate_compiles_again_what_failed(full_disk: list[str]) -> None:
    scene = empty_scene()
    sheet()
    scene.xpbd.solver = "PBD"
    with pytest.raises(RuntimeError, match="No space left"):
        bpy.ops.xpbd.simulate()
    assert addon.simulation.warmup.state("PBD")[0] == "FAILED"
    full_disk.clear()
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    assert addon.simulation.warmup.state("PBD")[0] == "READY"
    assert cached(scene) == (1, 6)


def test_esc_does_not_wait_for_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = empty_scene()
    sheet()
    warmup = addon.simulation.warmup
    monkeypatch.setattr(warmup, "_asked_for", {"XPBD": warmup._Compilation()})
    job = addon.simulation.job.Job(scene)
    for _ in range(5):
        assert job.poll()
    job.cancel()
    for _ in range(3):
        job.poll()
    assert addon.simulation.job.current() is None
    assert warmup.state()[0] == "COMPILING"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.identifier)
def test_options_of_a_solver_are_settings_of_the_scene(entry: SolverEntry) -> None:
    for name in entry.options:
        assert name in bpy.context.scene.xpbd.bl_rna.properties, "add it to scene_settings.py"


PLAY = """
import importlib, sys, time
from pathlib import Path
import bpy
assert bpy.ops.preferences.addon_enable(module="bl_ext.user_default.xpbd") == {"FINISHED"}
from blender_scenes import empty_scene, sheet
from playing import addon, cached, play
folder = Path(sys.argv[1])
warmup = addon.simulation.warmup
warmup.paths.kernels_folder = lambda: folder
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, event): compiled.append(event.data["dispatcher"].py_func.__qualname__)
    def on_end(self, event): pass
event.register("numba:compile", Listener())
def files():
    return {path.name for path in folder.rglob("*") if path.suffix in (".o", ".nbi", ".nbc")}
warmup.wait("XPBD")
while warmup.is_compiling():
    time.sleep(0.1)
assert "run" in compiled, "compilations are not seen"
compiled.clear()
before = files()

scene = empty_scene()
scene.xpbd.property_unset("substeps")
cloth = sheet(cuts=12)
bpy.ops.mesh.primitive_uv_sphere_add(radius=0.4, location=(0, 0, 0.5))
bpy.ops.object.modifier_add(type="COLLISION")
bpy.ops.mesh.primitive_plane_add(location=(0, 0, 2))
bpy.ops.object.mode_set(mode="EDIT")
bpy.ops.mesh.delete(type="ONLY_FACE")
bpy.ops.object.mode_set(mode="OBJECT")
assert bpy.ops.xpbd.add(kind="STRANDS") == {"FINISHED"}
bpy.ops.mesh.primitive_cube_add(size=0.5, location=(0, 0, 3))
assert bpy.ops.xpbd.add(kind="SOFT_BODY") == {"FINISHED"}
assert cloth.xpbd.use_self_collision and scene.xpbd.automatic
play(scene, 6)
assert cached(scene) == (1, 6), addon.simulation.session.status(scene).error
print("found", compiled, sorted(files() - before))
bpy.ops.preferences.addon_disable(module="bl_ext.user_default.xpbd")
"""


def test_the_first_play_compiles_nothing(tmp_path: Path) -> None:
    here = str(Path(__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {here!r})\n{PLAY}", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "found [] []" in done.stdout, done.stdout + done.stderr
