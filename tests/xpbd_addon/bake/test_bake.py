# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake is the preview as plain Blender data."""

import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from baking_scenes import (
    Make,
    assert_same,
    deformed,
    description,
    each_mode,
    each_scene,
    moving,
    plain,
    simulate,
)
from blender_scenes import FRAMES, addon_module, animation, empty_scene, sheet


@each_mode
@each_scene
def test_bake_equals_preview(make: Make, mode: str) -> None:
    obj = simulate(make)
    preview = animation(obj)
    assert np.abs(preview[-1] - preview[0]).max() > 1e-3
    assert bpy.ops.xpbd.bake_shape_keys(mode=mode) == {"FINISHED"}
    assert obj.data.shape_keys.use_relative == (mode == "RELATIVE")
    assert_same(animation(obj), preview)


@each_mode
def test_frames_outside_the_range_hold_the_first_and_last(mode: str) -> None:
    obj = simulate(plain)
    preview = animation(obj)
    bpy.ops.xpbd.bake_shape_keys(mode=mode)
    held = animation(obj, range(FRAMES.start - 3, FRAMES.stop + 3))
    assert_same(held[0], preview[0])
    assert_same(held[-1], preview[-1])


PLAY_WITHOUT_THE_EXTENSION = """
import sys, bpy, numpy as np
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
assert not hasattr(bpy.types.Scene, "xpbd")
obj, frames = bpy.data.objects["Sheet"], []
for frame in range(int(sys.argv[2]), int(sys.argv[3])):
    bpy.context.scene.frame_set(frame)
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    local = np.array([vertex.co for vertex in evaluated.to_mesh().vertices])
    matrix = np.array(evaluated.matrix_world)
    frames.append(local @ matrix[:3, :3].T + matrix[:3, 3])
np.save(sys.argv[4], np.array(frames, np.float32))
"""


@each_mode
def test_bake_plays_in_a_blender_without_the_extension(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    obj = simulate(deformed)
    preview = animation(obj)
    bpy.ops.xpbd.bake_shape_keys(mode=mode)
    blend, shown = tmp_path / "baked.blend", tmp_path / "shown.npy"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    monkeypatch.setenv("BLENDER_USER_RESOURCES", str(tmp_path / "user"))
    arguments = [str(blend), str(FRAMES.start), str(FRAMES.stop), str(shown)]
    subprocess.run(
        [sys.executable, "-c", PLAY_WITHOUT_THE_EXTENSION, *arguments], check=True, timeout=120
    )
    assert_same(np.load(shown), preview)


def test_missing_frames_are_simulated_first() -> None:
    empty_scene()
    obj = sheet()
    assert bpy.ops.xpbd.bake_shape_keys() == {"FINISHED"}
    assert len(obj.data.shape_keys.key_blocks) == 1 + len(FRAMES)
    baked = animation(obj)
    bpy.ops.xpbd.unbake()
    assert_same(animation(obj), baked)


@each_mode
def test_one_frame(mode: str) -> None:
    scene = empty_scene()
    scene.xpbd.frame_end = scene.xpbd.frame_start
    obj = sheet()
    bpy.ops.xpbd.simulate()
    preview = animation(obj, range(1, 2))
    bpy.ops.xpbd.bake_shape_keys(mode=mode)
    assert_same(animation(obj, range(1, 2)), preview)


@each_mode
def test_time_remapping(mode: str) -> None:
    obj = simulate(plain)
    bpy.context.scene.render.frame_map_new = 200
    preview = animation(obj)
    bpy.ops.xpbd.bake_shape_keys(mode=mode)
    assert_same(animation(obj), preview)


_RESOLUTION = 48


def rendered(obj: bpy.types.Object, path: Path) -> np.ndarray:
    """The last frame as Cycles renders it, one sample, pixels in a row."""
    scene = bpy.context.scene
    scene.frame_set(FRAMES.stop - 1)
    setattr(scene.render, "engine", "CYCLES")  # noqa: B010 (the stubs know only EEVEE)
    scene.cycles.samples = 1
    scene.cycles.use_denoising = False
    scene.render.resolution_x = scene.render.resolution_y = _RESOLUTION
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(path), check_existing=False)
    pixels = np.empty(4 * _RESOLUTION**2, np.float32)
    image.pixels.foreach_get(pixels)
    return pixels


def test_bake_renders_like_the_preview(tmp_path: Path) -> None:
    obj = simulate(deformed)
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = (0.0, 0.0, 6.0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.world = bpy.data.worlds.new("World")
    rest = rendered(obj, tmp_path / "preview.png")
    bpy.ops.xpbd.bake_shape_keys()
    baked = rendered(obj, tmp_path / "baked.png")
    assert rest.std() > 0.01
    np.testing.assert_allclose(baked, rest, atol=0.02)


def test_a_scene_that_is_not_in_the_window() -> None:
    empty_scene()
    obj = sheet()
    other = bpy.data.scenes.new("Other")
    other.xpbd.frame_end = FRAMES.stop - 1
    bpy.context.collection.objects.unlink(obj)
    other.collection.objects.link(obj)
    other.xpbd.frame_start = 1
    obj.location.x = 3.0
    addon_module("bake.shape_keys").bake_shape_keys(other)
    bpy.context.window.scene = other
    shown = animation(obj)
    np.testing.assert_allclose(shown[:, 0, 0], 2.0, atol=1e-5)
    addon_module("bake.unbaking").unbake(obj)
    assert_same(animation(obj), shown)


def test_the_current_frame_is_kept() -> None:
    simulate(moving)
    bpy.context.scene.frame_set(3)
    bpy.ops.xpbd.bake_shape_keys()
    assert bpy.context.scene.frame_current == 3


def test_bake_is_one_undo_step() -> None:
    simulate(deformed)
    preview = animation(bpy.data.objects["Sheet"])
    bpy.ops.ed.undo_push(message="Before the bake")
    before = [m.name for m in bpy.data.objects["Sheet"].modifiers]
    assert bpy.ops.xpbd.bake_shape_keys("EXEC_DEFAULT", True) == {"FINISHED"}
    bpy.ops.ed.undo()
    obj = bpy.data.objects["Sheet"]
    assert obj.data.shape_keys is None
    assert not obj.xpbd.baked
    assert [m.name for m in obj.modifiers] == before
    assert obj.modifiers["Lift"].show_viewport
    assert_same(animation(obj), preview)
    bpy.ops.ed.redo()
    assert_same(animation(bpy.data.objects["Sheet"]), preview)


@pytest.mark.parametrize(
    ("asked", "baked"),
    [
        ({"frame_start": 0, "frame_end": 2}, range(3)),
        ({"frame_start": -2, "frame_end": 0}, range(-2, 1)),
        ({"frame_end": 0}, range(-3, 1)),
        ({"frame_start": 0}, range(4)),
        ({}, range(-3, 4)),
    ],
)
def test_frame_zero_is_a_frame(asked: dict[str, int], baked: range) -> None:
    scene = empty_scene()
    scene.xpbd.frame_start, scene.xpbd.frame_end = -3, 3
    obj = sheet()
    bpy.ops.xpbd.bake_shape_keys(**asked)
    keys = [f"Frame {frame}" for frame in baked]
    assert obj.data.shape_keys.key_blocks.keys() == ["Basis", *keys]


def test_zero_is_the_default_where_it_is_not_simulated() -> None:
    obj = simulate(plain)
    bpy.ops.xpbd.bake_shape_keys(frame_start=0, frame_end=0)
    assert len(obj.data.shape_keys.key_blocks) == 1 + len(FRAMES)


def test_selected_only() -> None:
    empty_scene()
    left, right = sheet("Left"), sheet("Right")
    left.select_set(False)
    assert bpy.ops.xpbd.bake_shape_keys(selected_only=True) == {"FINISHED"}
    assert left.data.shape_keys is None
    assert right.data.shape_keys is not None


def test_operator_result_is_function_result() -> None:
    obj = simulate(moving)
    bpy.ops.xpbd.bake_shape_keys(mode="RELATIVE")
    by_operator = description(obj)
    bpy.ops.xpbd.unbake()
    baked = addon_module("bake.shape_keys").bake_shape_keys(bpy.context.scene, [obj], "RELATIVE")
    assert baked == [obj]
    assert description(obj) == by_operator
