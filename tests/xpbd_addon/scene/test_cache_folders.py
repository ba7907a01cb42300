# SPDX-License-Identifier: GPL-3.0-or-later
"""Which folder a scene's cache is in, whose it is, and what a .blend file can't make of that."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_scenes import animation, empty_scene, sheet
from playing import addon, cached, play


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def folder(scene: bpy.types.Scene) -> Path:
    return Path(addon.simulation.session.of(scene).cache.folder)


def contents(where: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(where.iterdir()) if path.is_file()}


def save(path: Path) -> None:
    assert bpy.ops.wm.save_as_mainfile(filepath=str(path)) == {"FINISHED"}


def opened(path: Path) -> bpy.types.Scene:
    assert bpy.ops.wm.open_mainfile(filepath=str(path)) == {"FINISHED"}
    return bpy.context.scene


def is_valid(scene: bpy.types.Scene) -> bool:
    status = addon.simulation.session.status(scene)
    return (status.first, status.last, status.outdated, status.error) == (1, 6, False, "")


# --- ids ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("as_scene", [True, False])
@pytest.mark.parametrize("name", ["{victim}", "../victim", "fluid", "A" * 32, "0" * 33, "é" * 32])
def test_an_id_that_was_not_given_here_names_nothing(
    scene: bpy.types.Scene, tmp_path: Path, name: str, *, as_scene: bool
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    for each in ("cache.json", "cache.tmp", "fluid.pc2", "cache.lock"):
        (victim / each).write_text("mine")
    before = contents(victim)
    obj = sheet()
    (scene if as_scene else obj).xpbd.cache_id = name.format(victim=victim)
    if not as_scene:
        scene.xpbd.cache_directory = str(tmp_path)
    play(scene)
    assert is_valid(scene)
    for owner in (scene, obj):
        assert re.fullmatch("[0-9a-f]{32}", owner.xpbd.cache_id)
    assert bpy.ops.xpbd.clear_cache() == {"FINISHED"}
    assert contents(victim) == before


def test_foreign_files_in_the_folder_are_left_alone(scene: bpy.types.Scene, tmp_path: Path) -> None:
    sheet()
    scene.xpbd.cache_directory = str(tmp_path)
    where = tmp_path / f"xpbd-{scene.xpbd.cache_id}"
    where.mkdir()
    (where / "cache.json").write_text('{"mine": 1}')
    with pytest.raises(RuntimeError, match=r"was not written by this extension.*move it away"):
        bpy.ops.xpbd.simulate()
    play(scene, 3)
    assert "left alone" in addon.simulation.session.status(scene).error
    bpy.ops.xpbd.clear_cache()
    assert (where / "cache.json").read_text() == '{"mine": 1}'


def test_ids_are_there_before_anything_is_simulated(scene: bpy.types.Scene, tmp_path: Path) -> None:
    """A crash after simulating, before the file is saved again, loses no frames."""
    obj = sheet()
    assert obj.xpbd.cache_id
    assert scene.xpbd.cache_id
    save(tmp_path / "file.blend")
    bpy.ops.xpbd.simulate()
    before = animation(obj)
    scene = opened(tmp_path / "file.blend")
    assert is_valid(scene)
    np.testing.assert_array_equal(animation(bpy.data.objects["Sheet"]), before)


def test_saving_gives_ids_to_what_a_script_made(scene: bpy.types.Scene, tmp_path: Path) -> None:
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=3, y_subdivisions=3)
    bpy.context.object.xpbd.use = True
    save(tmp_path / "file.blend")
    given = scene.xpbd.cache_id, bpy.data.objects["Grid"].xpbd.cache_id
    scene = opened(tmp_path / "file.blend")
    assert (scene.xpbd.cache_id, bpy.data.objects["Grid"].xpbd.cache_id) == given
    assert all(given)


# --- folders --------------------------------------------------------------------------------------


def test_a_folder_in_the_home_folder(
    scene: bpy.types.Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    scene.xpbd.cache_directory = os.path.join("~", "cache")
    sheet()
    play(scene, 3)
    assert folder(scene).parent == tmp_path / "cache"
    assert (tmp_path / "cache" / f"xpbd-{scene.xpbd.cache_id}" / "cache.json").is_file()


def test_a_folder_relative_to_nothing(scene: bpy.types.Scene) -> None:
    sheet()
    scene.xpbd.cache_directory = "cache"
    with pytest.raises(RuntimeError, match=r"'cache' is no whole path.*begin with //"):
        bpy.ops.xpbd.simulate()
    assert "begin with //" in addon.simulation.session.status(scene).error
    assert not Path("cache").exists()


# --- copies of a file -----------------------------------------------------------------------------


@pytest.fixture
def saved(scene: bpy.types.Scene, tmp_path: Path) -> Path:
    """A file with six frames."""
    sheet()
    save(tmp_path / "one.blend")
    bpy.ops.xpbd.simulate()
    bpy.ops.wm.save_mainfile()
    return tmp_path / "one.blend"


@pytest.mark.parametrize("way", ["copied", "saved as"])
def test_a_copied_file_has_a_cache_of_its_own(saved: Path, way: str) -> None:
    scene = bpy.context.scene
    where, before = folder(scene), contents(folder(scene))
    two = saved.with_name("two.blend")
    if way == "copied":
        shutil.copy(saved, two)
        scene = opened(two)
    else:
        save(two)
    assert is_valid(scene)
    play(scene)
    assert folder(scene) == where
    bpy.data.objects["Sheet"].xpbd.density = 3.0
    bpy.ops.xpbd.simulate()
    assert is_valid(scene)
    assert folder(scene) != where
    assert contents(where) == before
    bpy.ops.wm.save_mainfile()
    second = animation(bpy.data.objects["Sheet"])
    scene = opened(saved)
    assert folder(scene) == where
    assert is_valid(scene)
    assert contents(where) == before
    scene = opened(two)
    assert is_valid(scene)
    np.testing.assert_array_equal(animation(bpy.data.objects["Sheet"]), second)


def test_playing_in_a_copy_leaves_the_first_files_frames(saved: Path) -> None:
    where, before = folder(bpy.context.scene), contents(folder(bpy.context.scene))
    shutil.copy(saved, saved.with_name("two.blend"))
    scene = opened(saved.with_name("two.blend"))
    scene.xpbd.frame_end = 8
    play(scene)
    assert cached(scene) == (1, 8)
    assert folder(scene) != where
    assert contents(where) == before


def test_clear_in_a_copy_leaves_the_first_files_frames(saved: Path) -> None:
    where, before = folder(bpy.context.scene), contents(folder(bpy.context.scene))
    shutil.copy(saved, saved.with_name("two.blend"))
    scene = opened(saved.with_name("two.blend"))
    assert bpy.ops.xpbd.clear_cache() == {"FINISHED"}
    assert cached(scene) == (None, None)
    assert contents(where) == before


def test_a_copy_begins_with_the_frames_that_it_shares(saved: Path) -> None:
    """Another object is simulated; that of the first file is not simulated again."""
    shutil.copy(saved, saved.with_name("two.blend"))
    scene = opened(saved.with_name("two.blend"))
    first = bpy.data.objects["Sheet"]
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=3, y_subdivisions=3, location=(50, 0, 0))
    bpy.ops.xpbd.add(kind="CLOTH")
    before = contents(folder(scene))[f"{first.xpbd.cache_id}.checksums"]
    bpy.ops.xpbd.simulate()
    assert is_valid(scene)
    assert contents(folder(scene))[f"{first.xpbd.cache_id}.checksums"] == before


def test_going_on_after_save_as(scene: bpy.types.Scene, tmp_path: Path) -> None:
    sheet()
    save(tmp_path / "one.blend")
    play(scene, 3)
    where, before = folder(scene), contents(folder(scene))
    save(tmp_path / "two.blend")
    scene.frame_set(4)
    assert cached(scene) == (1, 4)
    assert folder(scene) != where
    assert contents(where) == before


def test_undo_does_not_go_back_to_the_other_files_cache(saved: Path) -> None:
    save(saved.with_name("two.blend"))
    scene = bpy.context.scene
    shared = scene.xpbd.cache_id
    bpy.data.objects["Sheet"].xpbd.density = 3.0
    bpy.ops.xpbd.simulate()
    own = scene.xpbd.cache_id
    scene.xpbd.cache_id = shared
    for handler in bpy.app.handlers.undo_post:
        handler(scene, None)  # type: ignore[call-arg]
    assert scene.xpbd.cache_id == own != shared


@pytest.mark.parametrize("directory", ["", "//frames"])
def test_a_file_that_was_moved_takes_its_cache_along(
    scene: bpy.types.Scene, tmp_path: Path, directory: str
) -> None:
    (tmp_path / "old").mkdir()
    scene.xpbd.cache_directory = directory
    save(tmp_path / "old" / "one.blend")
    sheet()
    bpy.ops.xpbd.simulate()
    bpy.ops.wm.save_mainfile()
    cache_id = scene.xpbd.cache_id
    empty_scene()
    (tmp_path / "old").rename(tmp_path / "new")
    scene = opened(tmp_path / "new" / "one.blend")
    assert is_valid(scene)
    bpy.data.objects["Sheet"].xpbd.density = 3.0
    bpy.ops.xpbd.simulate()
    assert is_valid(scene)
    assert scene.xpbd.cache_id == cache_id


def test_a_project_that_was_copied_with_its_frames(scene: bpy.types.Scene, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    scene.xpbd.cache_directory = "//frames"
    save(tmp_path / "old" / "one.blend")
    sheet()
    bpy.ops.xpbd.simulate()
    bpy.ops.wm.save_mainfile()
    cache_id, before = scene.xpbd.cache_id, contents(folder(scene))
    shutil.copytree(tmp_path / "old", tmp_path / "new")
    scene = opened(tmp_path / "new" / "one.blend")
    bpy.data.objects["Sheet"].xpbd.density = 3.0
    bpy.ops.xpbd.simulate()
    assert is_valid(scene)
    assert scene.xpbd.cache_id == cache_id
    assert contents(tmp_path / "old" / "frames" / f"xpbd-{cache_id}") == before


def test_frames_from_before_the_first_save_belong_to_the_file(
    scene: bpy.types.Scene, tmp_path: Path
) -> None:
    sheet()
    bpy.ops.xpbd.simulate()
    save(tmp_path / "one.blend")
    where = folder(scene)
    shutil.copy(tmp_path / "one.blend", tmp_path / "two.blend")
    scene = opened(tmp_path / "two.blend")
    bpy.data.objects["Sheet"].xpbd.density = 3.0
    bpy.ops.xpbd.simulate()
    assert folder(scene) != where
    assert is_valid(opened(tmp_path / "one.blend"))
