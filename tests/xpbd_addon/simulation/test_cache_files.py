# SPDX-License-Identifier: GPL-3.0-or-later
"""What others do to a cache while its file is open: noticed, said, and mended by simulating."""

from __future__ import annotations

import errno
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_scenes import animation, empty_scene, evaluated_positions, sheet
from playing import addon, cached, play

MODULE = "bl_ext.user_default.xpbd"
TRACEBACK = "Traceback"
BACKWARD = range(6, 0, -1)  # shows, and plays nothing


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def status(scene: bpy.types.Scene) -> object:
    return addon.simulation.session.status(scene)


def folder(scene: bpy.types.Scene) -> Path:
    return Path(addon.simulation.session.of(scene).cache.folder)


def remove_all(where: Path) -> None:
    while where.exists():  # somebody may be writing there
        shutil.rmtree(where, ignore_errors=True)


def remove_positions(where: Path) -> None:
    next(where.glob("*.pc2")).unlink()


def cut(where: Path) -> None:
    file = next(where.glob("*.pc2"))
    file.write_bytes(file.read_bytes()[:500])


def flip(where: Path) -> None:
    file = next(where.glob("*.pc2"))
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0x20
    file.write_bytes(content)


def clear_elsewhere(where: Path) -> None:
    for path in where.iterdir():
        path.unlink()


def garble(where: Path) -> None:
    (where / "cache.json").write_text("\0" * 200)


HARMS = [remove_all, remove_positions, cut, flip, clear_elsewhere, garble]
each_harm = pytest.mark.parametrize("harm", HARMS)
each_mend = pytest.mark.parametrize("mend", [lambda _: bpy.ops.xpbd.simulate(), play])


@each_harm
@each_mend
def test_what_was_harmed_is_simulated_anew(
    scene: bpy.types.Scene,
    harm: Callable[[Path], None],
    mend: Callable[[bpy.types.Scene], None],
    capfd: pytest.CaptureFixture[str],
) -> None:
    obj = sheet()
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    before = animation(obj)
    harm(folder(scene))
    animation(obj, BACKWARD)
    assert cached(scene) != (1, 6)
    assert status(scene).error.endswith("simulate again")
    mend(scene)
    assert cached(scene) == (1, 6)
    assert status(scene).error == ""
    np.testing.assert_array_equal(animation(obj), before)
    assert TRACEBACK not in capfd.readouterr().err


@each_harm
def test_simulate_notices_it_itself(scene: bpy.types.Scene, harm: Callable[[Path], None]) -> None:
    obj = sheet()
    bpy.ops.xpbd.simulate()
    before = animation(obj)
    harm(folder(scene))
    assert addon.simulation.job.run_blocking(scene) == 6
    np.testing.assert_array_equal(animation(obj), before)


def test_a_bake_simulates_what_was_removed(scene: bpy.types.Scene) -> None:
    obj = sheet()
    bpy.ops.xpbd.simulate()
    before = animation(obj)
    remove_all(folder(scene))
    assert bpy.ops.xpbd.bake_shape_keys() == {"FINISHED"}
    np.testing.assert_allclose(animation(obj), before, atol=1e-5)


def test_a_damaged_frame_is_not_shown_but_the_last_good_one(scene: bpy.types.Scene) -> None:
    obj = sheet()
    bpy.ops.xpbd.simulate()
    before = animation(obj)
    flip(folder(scene))
    shown = animation(obj)
    assert cached(scene) == (1, 2)
    np.testing.assert_array_equal(shown[:2], before[:2])
    np.testing.assert_array_equal(shown[2:], np.broadcast_to(before[1], shown[2:].shape))


@pytest.mark.parametrize("harm", [remove_all, clear_elsewhere])
def test_a_cache_that_is_removed_while_playing(
    scene: bpy.types.Scene, harm: Callable[[Path], None], capfd: pytest.CaptureFixture[str]
) -> None:
    sheet()
    play(scene, 3)
    harm(folder(scene))
    scene.frame_set(4)
    assert cached(scene) == (None, None)
    assert "simulate again" in status(scene).error
    play(scene)
    assert cached(scene) == (1, 6)
    assert status(scene).error == ""
    assert TRACEBACK not in capfd.readouterr().err


def test_a_cache_that_is_removed_while_simulating(scene: bpy.types.Scene) -> None:
    sheet()
    scene.xpbd.frame_end = 60
    job = addon.simulation.job.Job(scene)
    while job.frames_done < 3:
        job.poll()
    remove_all(folder(scene))

    def go_on() -> None:
        while job.poll():
            pass

    with pytest.raises(addon.errors.SceneError, match="simulate again"):
        go_on()
    assert addon.simulation.job.run_blocking(scene) == 60


SECOND_BLENDER = """
import sys, time
import bpy
bpy.ops.preferences.addon_enable(module={module!r})
bpy.ops.wm.open_mainfile(filepath={path!r})
bpy.ops.xpbd.simulate()
print("SIMULATED", flush=True)
time.sleep(300)
"""


def test_two_blenders_with_one_file(scene: bpy.types.Scene, tmp_path: Path) -> None:
    obj = sheet()
    path = str(tmp_path / "file.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    program = SECOND_BLENDER.format(module=MODULE, path=path)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as second:
        assert second.stdout is not None
        try:
            assert any(line == "SIMULATED\n" for line in second.stdout)
            shown = animation(obj)
            assert (cached(scene), status(scene).outdated) == ((1, 6), False)
            obj.xpbd.density = 3.0
            with pytest.raises(RuntimeError, match="Another Blender simulates into"):
                bpy.ops.xpbd.simulate()
            np.testing.assert_array_equal(animation(obj), shown)
        finally:
            second.kill()
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    assert (cached(scene), status(scene).outdated) == ((1, 6), False)


def test_another_blender_that_writes(
    scene: bpy.types.Scene, capfd: pytest.CaptureFixture[str]
) -> None:
    """Here it is a cache of the same folder, with a lock of its own."""
    obj = sheet()
    bpy.ops.xpbd.simulate()
    before = animation(obj)
    session = addon.simulation.session
    where = folder(scene)
    session.forget()
    other = addon.simulation.scene_session.FrameCache(where)
    other.tell(other.objects)
    obj.xpbd.density = 3.0
    with pytest.raises(RuntimeError, match=f"Another Blender simulates into .*{where.name}"):
        bpy.ops.xpbd.simulate()
    with pytest.raises(RuntimeError, match="Another Blender"):
        bpy.ops.xpbd.clear_cache()
    play(scene)
    assert "Another Blender" in status(scene).error
    np.testing.assert_array_equal(animation(obj), before)
    other.close()
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    assert (cached(scene), status(scene).outdated) == ((1, 6), False)
    assert TRACEBACK not in capfd.readouterr().err


def test_who_has_loaded_another_file_writes_no_more(scene: bpy.types.Scene) -> None:
    sheet()
    play(scene, 3)
    where = folder(scene)
    empty_scene()
    cache = addon.simulation.scene_session.FrameCache(where)
    cache.tell(cache.objects)
    cache.close()


def test_a_folder_name_that_is_too_long(
    scene: bpy.types.Scene, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    obj = sheet()
    scene.xpbd.cache_directory = str(tmp_path / ("x" * 300))
    sentence = "choose a cache folder with a shorter name"
    assert status(scene).error.endswith(sentence)
    for act in (bpy.ops.xpbd.simulate, bpy.ops.xpbd.clear_cache, bpy.ops.xpbd.bake_shape_keys):
        with pytest.raises(RuntimeError, match=sentence):
            act()
    play(scene)
    assert status(scene).error.endswith(sentence)
    np.testing.assert_allclose(evaluated_positions(obj)[:, 2], 1.0)
    assert TRACEBACK not in capfd.readouterr().err


@pytest.mark.parametrize("number", [errno.EACCES, errno.EMFILE])
def test_files_that_can_not_be_opened(
    scene: bpy.types.Scene,
    number: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    obj = sheet()
    bpy.ops.xpbd.simulate()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    scene = bpy.context.scene
    before, density = animation(obj), obj.xpbd.density

    def refuse(*_arguments: object) -> None:
        raise OSError(number, "refused")

    with monkeypatch.context() as patch:
        package = addon.simulation.scene_session.FrameCache.__module__.rpartition(".")[0]
        patch.setattr(f"{package}.plain_file.opened", refuse)
        animation(obj, BACKWARD)
        assert "can't be read (refused)" in status(scene).error
        obj.xpbd.density = 3.0
        with pytest.raises(RuntimeError, match="refused"):
            bpy.ops.xpbd.simulate()
        with pytest.raises(RuntimeError, match="refused"):
            bpy.ops.xpbd.clear_cache()
        play(scene)
        bpy.ops.wm.save_mainfile()
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    scene = bpy.context.scene
    obj = bpy.data.objects["Sheet"]
    obj.xpbd.density = density
    np.testing.assert_array_equal(animation(obj), before)
    assert (cached(scene), status(scene).error) == ((1, 6), "")
    assert TRACEBACK not in capfd.readouterr().err
