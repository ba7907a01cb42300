# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo, saving, duplicating, renaming, several scenes, switching the extension off and on."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, evaluated_positions, sheet
from playing import addon, cached, frame_by_frame, play

MODULE = "bl_ext.user_default.xpbd"


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


@pytest.fixture
def enabled_again() -> Iterator[None]:
    yield
    if MODULE not in bpy.context.preferences.addons:
        bpy.ops.preferences.addon_enable(module=MODULE)


def test_cache_is_found_again_after_saving_and_loading(
    scene: bpy.types.Scene, tmp_path: Path
) -> None:
    obj = sheet()
    bpy.ops.xpbd.simulate()
    scene.frame_set(4)
    shown = evaluated_positions(obj)
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    np.testing.assert_array_equal(evaluated_positions(obj), shown)
    empty_scene()
    bpy.ops.wm.open_mainfile(filepath=path)
    scene, obj = bpy.context.scene, bpy.data.objects["Sheet"]
    assert cached(scene) == (1, 6)
    assert not addon.simulation.session.status(scene).outdated
    np.testing.assert_array_equal(evaluated_positions(obj), shown)
    scene.frame_set(2)
    expected = addon.simulation.session.cached_positions(scene, obj, 2)
    np.testing.assert_allclose(evaluated_positions(obj), expected, atol=1e-6)


def test_simulated_positions_are_not_in_the_file(scene: bpy.types.Scene, tmp_path: Path) -> None:
    obj = sheet()
    play(scene, 4)
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    assert "xp_pos" in obj.data.attributes
    empty_scene()
    with bpy.data.libraries.load(path) as (_, wanted):  # type: ignore[func-returns-value]
        wanted.meshes = ["Grid"]
    assert "xp_pos" not in wanted.meshes[0].attributes


def test_undo_and_redo_keep_the_cache(scene: bpy.types.Scene) -> None:
    bpy.ops.ed.undo_push(message="empty")
    obj = sheet()
    bpy.ops.ed.undo_push(message="cloth")
    play(scene, 4)
    shown = evaluated_positions(obj)
    obj.location.x = 3.0
    bpy.ops.ed.undo_push(message="moved")
    if bpy.ops.ed.undo() != {"FINISHED"}:
        pytest.skip("this Blender has no undo without a window")
    scene, obj = bpy.context.scene, bpy.data.objects["Sheet"]
    assert cached(scene) == (1, 4)
    scene.frame_set(4)
    assert not addon.simulation.session.status(scene).outdated
    np.testing.assert_allclose(evaluated_positions(obj), shown, atol=1e-6)
    bpy.ops.ed.redo()
    scene, obj = bpy.context.scene, bpy.data.objects["Sheet"]
    scene.frame_set(4)
    assert addon.simulation.session.status(scene).outdated
    np.testing.assert_allclose(evaluated_positions(obj), shown, atol=1e-5)


def test_undo_and_redo_handlers_show_again_and_repair_ids(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene, 4)
    shown = evaluated_positions(obj)
    known = (obj.xpbd.cache_id, scene.xpbd.cache_id)
    obj.xpbd.cache_id = scene.xpbd.cache_id = ""
    obj.data.attributes["xp_pos"].data.foreach_set("vector", np.zeros(108, np.float32))
    for handler in (*bpy.app.handlers.undo_post, *bpy.app.handlers.redo_post):
        handler(scene, None)  # type: ignore[call-arg]
    assert (obj.xpbd.cache_id, scene.xpbd.cache_id) == known
    np.testing.assert_array_equal(evaluated_positions(obj), shown)


def test_renaming_changes_nothing(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene, 4)
    obj.name, obj.data.name, scene.name = "Curtain", "Curtain mesh", "Room"
    scene.frame_set(5)
    assert cached(scene) == (1, 5)
    assert not addon.simulation.session.status(scene).outdated
    expected = addon.simulation.session.cached_positions(scene, obj, 5)
    np.testing.assert_allclose(evaluated_positions(obj), expected, atol=1e-6)


@pytest.mark.parametrize("linked", [False, True])
def test_a_duplicate_has_frames_of_its_own(scene: bpy.types.Scene, linked: bool) -> None:
    obj = sheet()
    play(scene, 4)
    bpy.ops.object.duplicate(linked=linked)
    twin = bpy.context.object
    assert twin is not obj
    twin.location.x = 5.0
    scene.frame_set(3)
    status = addon.simulation.session.status(scene)
    assert status.outdated
    assert status.reason == "not simulated yet"
    assert [status.objects[each.session_uid].reason for each in (obj, twin)] == ["", status.reason]
    assert twin.xpbd.cache_id != obj.xpbd.cache_id
    expected = addon.simulation.session.cached_positions(scene, obj, 3)
    np.testing.assert_allclose(evaluated_positions(obj), expected, atol=1e-6)
    np.testing.assert_allclose(evaluated_positions(twin)[:, 2], 1.0)
    play(scene)
    assert cached(scene) == (1, 6)
    for shown in (obj, twin):
        scene.frame_set(6)
        expected = addon.simulation.session.cached_positions(scene, shown, 6)
        np.testing.assert_allclose(evaluated_positions(shown), expected, atol=1e-5)
    assert evaluated_positions(twin)[:, 0].mean() > 4.0


@pytest.mark.parametrize("kind", ["LINK_COPY", "FULL_COPY"])
def test_a_copied_scene_has_frames_of_its_own(
    scene: bpy.types.Scene, kind: Literal["LINK_COPY", "FULL_COPY"]
) -> None:
    sheet()
    play(scene, 4)
    bpy.ops.scene.new(type=kind)
    copied = bpy.context.scene
    assert copied is not scene
    for frame in range(1, 7):
        copied.frame_set(frame)
    assert copied.xpbd.cache_id != scene.xpbd.cache_id
    assert cached(copied) == (1, 6)
    assert cached(scene) == (1, 4)


def test_an_object_deleted_between_frames(scene: bpy.types.Scene) -> None:
    sheet("Doomed")
    keeper = sheet("Keeper")
    play(scene, 3)
    bpy.data.objects.remove(bpy.data.objects["Doomed"])
    scene.frame_set(4)
    assert cached(scene) == (1, 3)
    assert addon.simulation.session.status(scene).outdated
    play(scene, 3)
    assert not addon.simulation.session.status(scene).outdated
    assert addon.simulation.session.cached_positions(scene, keeper, 3) is not None


def test_removing_xpbd_leaves_nothing(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene, 4)
    bpy.ops.xpbd.remove()
    assert not obj.modifiers
    assert not [a.name for a in obj.data.attributes if a.name.startswith("xp_")]
    np.testing.assert_allclose(evaluated_positions(obj)[:, 2], 1.0)


def test_loading_a_file_ends_a_simulation(scene: bpy.types.Scene) -> None:
    sheet()
    job = addon.simulation.job.Job(scene)
    for _step in range(4):
        job.poll()
    empty_scene()
    assert addon.simulation.job.current() is None
    assert not [t for t in threading.enumerate() if t.name.startswith("xpbd solver")]


def test_switching_off_in_the_middle_and_on_again(
    scene: bpy.types.Scene, enabled_again: None
) -> None:
    obj = sheet()
    job = addon.simulation.job.Job(scene)
    with frame_by_frame():
        while job.frames_done < 3:
            job.poll()
    folder = Path(addon.simulation.session.of(scene).cache.folder)
    handlers = [len(getattr(bpy.app.handlers, name)) for name, _ in addon.handlers.HANDLERS]
    bpy.ops.preferences.addon_disable(module=MODULE)
    assert not [t for t in threading.enumerate() if t.name.startswith("xpbd solver")]
    assert not hasattr(bpy.types.Scene, "xpbd")
    assert not hasattr(bpy.types.Object, "xpbd")
    assert not [a.name for a in obj.data.attributes if a.name.startswith("xp_")]
    scene.frame_set(3)
    np.testing.assert_allclose(evaluated_positions(obj)[:, 2], 1.0)
    assert (folder / "cache.json").is_file()
    bpy.ops.preferences.addon_enable(module=MODULE)
    assert handlers == [len(getattr(bpy.app.handlers, name)) for name, _ in addon.handlers.HANDLERS]
    assert cached(scene) in ((1, 3), (1, 4))
    scene.frame_set(3)
    expected = addon.simulation.session.cached_positions(scene, obj, 3)
    np.testing.assert_allclose(evaluated_positions(obj), expected, atol=1e-6)


def test_enabling_imports_neither_numba_nor_the_solver() -> None:
    import subprocess

    program = (
        "import bpy, os, sys\n"
        f"bpy.ops.preferences.addon_enable(module={MODULE!r})\n"
        "found = sorted(m for m in sys.modules if m.startswith(('numba', 'llvmlite')))\n"
        f"bpy.ops.preferences.addon_disable(module={MODULE!r})\n"
        "sys.stdout.write('FOUND' + ','.join(found))\n"
        "sys.stdout.flush()\n"
        "os._exit(0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.endswith("FOUND")


def test_a_cache_folder_beside_the_file_goes_where_the_file_goes(
    scene: bpy.types.Scene, tmp_path: Path
) -> None:
    scene.xpbd.cache_directory = "//frames"
    for place in (tmp_path / "one", tmp_path / "two"):
        place.mkdir()
        bpy.ops.wm.save_as_mainfile(filepath=str(place / "file.blend"))
        assert addon.scene.paths.cache_folder(scene, "id") == place / "frames" / "xpbd-id"
