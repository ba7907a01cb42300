# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that a mistaken Play replaces come back where the change is undone, till it has passed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, empty_scene, evaluated_positions, sheet
from numpy.typing import NDArray
from playing import addon, cached, frame_by_frame, play


@pytest.fixture
def scene() -> bpy.types.Scene:
    """Two sheets far from each other above a floor, simulated."""
    scene = empty_scene()
    bpy.ops.mesh.primitive_cube_add(size=30, location=(0, 0, -20))
    bpy.context.object.name = "Floor"
    bpy.ops.object.modifier_add(type="COLLISION")
    sheet("One", cuts=3)
    sheet("Other", cuts=3).location.x = 8.0
    bpy.ops.xpbd.simulate()
    scene.frame_set(1)
    return scene


def frames(scene: bpy.types.Scene, name: str = "One") -> NDArray[np.float32]:
    """The cached positions of the original frames, shape (frames, n, 3)."""
    read, obj = addon.simulation.session.cached_positions, bpy.data.objects[name]
    return np.array([read(scene, obj, frame) for frame in FRAMES])


def folder(scene: bpy.types.Scene) -> Path:
    return Path(addon.simulation.session.of(scene).cache.folder)


def is_outdated(scene: bpy.types.Scene) -> bool:
    return bool(addon.simulation.session.status(scene, exact=True).outdated)


Change = Callable[[bpy.types.Scene, bool], None]


def density(_scene: bpy.types.Scene, back: bool) -> None:
    bpy.data.objects["One"].xpbd.density *= 0.5 if back else 2.0


def floor(_scene: bpy.types.Scene, back: bool) -> None:
    bpy.data.objects["Floor"].location.z = -20.0 if back else -19.0


def gravity(scene: bpy.types.Scene, back: bool) -> None:
    scene.gravity[2] = -9.81 if back else -5.0


def substeps(scene: bpy.types.Scene, back: bool) -> None:
    scene.xpbd.substeps = 2 if back else 3


def start(scene: bpy.types.Scene, back: bool) -> None:
    scene.xpbd.frame_start = 1 if back else 2


def use(_scene: bpy.types.Scene, back: bool) -> None:
    bpy.data.objects["One"].xpbd.use = back
    bpy.data.objects["Other"].xpbd.density *= 0.5 if back else 2.0


CHANGES: list[Change] = [density, floor, gravity, substeps, start, use]
each_change = pytest.mark.parametrize("change", CHANGES)


@each_change
def test_what_was_undone_comes_back(scene: bpy.types.Scene, change: Change) -> None:
    before = [frames(scene, name) for name in ("One", "Other")]
    change(scene, False)
    play(scene, 4)
    assert cached(scene)[1] == 4
    assert not is_outdated(scene)
    change(scene, True)
    bpy.context.view_layer.update()
    assert cached(scene) == (1, 6)
    assert not is_outdated(scene)
    np.testing.assert_array_equal([frames(scene, name) for name in ("One", "Other")], before)
    np.testing.assert_allclose(
        evaluated_positions(bpy.data.objects["One"]), before[0][3], atol=1e-6
    )
    assert not (folder(scene) / "replaced").exists()
    play(scene)
    np.testing.assert_array_equal([frames(scene, name) for name in ("One", "Other")], before)


@each_change
def test_it_comes_back_when_the_file_is_opened_again(
    scene: bpy.types.Scene, change: Change, tmp_path: Path
) -> None:
    before = frames(scene)
    change(scene, False)
    play(scene, 4)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    scene = bpy.context.scene
    assert not is_outdated(scene)
    change(scene, True)
    bpy.context.view_layer.update()
    assert (cached(scene), is_outdated(scene)) == ((1, 6), False)
    np.testing.assert_array_equal(frames(scene), before)


def test_what_was_passed_is_gone(scene: bpy.types.Scene) -> None:
    density(scene, False)
    play(scene, 5)
    assert (folder(scene) / "replaced").exists()
    scene.frame_set(6)
    assert not (folder(scene) / "replaced").exists()
    after = frames(scene)
    density(scene, True)
    assert is_outdated(scene)
    np.testing.assert_array_equal(frames(scene), after)


def test_a_shorter_range_is_passed_at_its_end(scene: bpy.types.Scene) -> None:
    density(scene, False)
    scene.xpbd.frame_end = 4
    play(scene, 4)
    assert not (folder(scene) / "replaced").exists()


def test_what_is_not_replaced_stays_where_it_is(scene: bpy.types.Scene) -> None:
    density(scene, False)
    play(scene, 3)
    other = bpy.data.objects["Other"].xpbd.cache_id
    assert not list((folder(scene) / "replaced").glob(f"{other}*"))
    assert list(folder(scene).glob(f"{other}*"))


def test_of_two_changes_both_have_to_be_undone(scene: bpy.types.Scene) -> None:
    before = frames(scene)
    density(scene, False)
    play(scene, 3)
    gravity(scene, False)
    play(scene, 3)
    gravity(scene, True)
    assert is_outdated(scene)
    density(scene, True)
    assert not is_outdated(scene)
    np.testing.assert_array_equal(frames(scene), before)


def test_esc_and_undo_bring_it_back_after_simulate(scene: bpy.types.Scene) -> None:
    before = frames(scene)
    density(scene, False)
    job = addon.simulation.job.Job(scene)
    with frame_by_frame():
        while job.poll():
            if job.frames_done == 3:
                job.cancel()
    assert not is_outdated(scene)
    density(scene, True)
    assert not is_outdated(scene)
    np.testing.assert_array_equal(frames(scene), before)


def test_clear_deletes_it(scene: bpy.types.Scene) -> None:
    density(scene, False)
    play(scene, 3)
    place = folder(scene)
    bpy.ops.xpbd.clear_cache()
    assert not place.exists()
    density(scene, True)
    assert cached(scene) == (None, None)
