# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes to Blender's own Mesh Cache modifier: exact, reversible, and whole or not at all."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from baking_scenes import Make, assert_same, each_scene, plain, simulate, state
from blender_scenes import FRAMES, addon_module, animation, empty_scene, evaluated_positions, sheet
from drawing import draw


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    """Where the file of each test is saved."""
    return tmp_path


def saved(folder: Path, make: Make) -> bpy.types.Object:
    """A simulated object in a file that is saved."""
    obj = simulate(make)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    return obj


def mirrored() -> bpy.types.Object:
    """A sheet that is one half of what is simulated, smoothed after it."""
    obj = sheet()
    for vertex in obj.data.vertices:
        vertex.co.x += 1.0
    obj.modifiers.new("Mirror", "MIRROR")
    obj.modifiers.move(obj.modifiers.find("Mirror"), 0)
    obj.modifiers.new("Smooth", "SUBSURF").levels = 1
    return obj


def smiling() -> bpy.types.Object:
    """A sheet with a shape key that is keyed, and one that is driven."""
    obj = sheet()
    obj.shape_key_add(name="Basis")
    for name in ("Smile", "Frown"):
        obj.shape_key_add(name=name, from_mix=False).data[3].co.z += 0.3
    keys = obj.data.shape_keys
    for frame in (1, 6):
        keys.key_blocks["Smile"].value = 0.1 * frame
        keys.key_blocks["Smile"].keyframe_insert("value", frame=frame)
    keys.key_blocks["Frown"].driver_add("value").driver.expression = "0.1 * frame"
    return obj


@pytest.mark.parametrize("make", [mirrored, smiling])
def test_what_shape_keys_cannot_hold_is_baked_and_unbaked(make: Make, folder: Path) -> None:
    obj = saved(folder, make)
    keys = obj.data.shape_keys
    preview = animation(obj)
    before = [(m.name, m.show_viewport, m.show_render) for m in obj.modifiers]
    drivers = [curve.data_path for curve in keys.animation_data.drivers] if keys else []
    action = keys.animation_data.action if keys else None
    assert bpy.ops.xpbd.bake_mesh_cache() == {"FINISHED"}
    assert (folder / "scene_Sheet.pc2").is_file()
    assert sorted(path.name for path in folder.iterdir()) == ["scene.blend", "scene_Sheet.pc2"]
    assert obj.xpbd.baked
    assert_same(animation(obj), preview)
    assert obj.data.shape_keys == keys
    if keys:
        assert keys.key_blocks.keys() == ["Basis", "Smile", "Frown"]
        assert [curve.data_path for curve in keys.animation_data.drivers] == drivers
        assert keys.animation_data.action == action
    assert bpy.ops.xpbd.unbake() == {"FINISHED"}
    assert [(m.name, m.show_viewport, m.show_render) for m in obj.modifiers] == before
    assert not obj.xpbd.baked
    assert obj.get("xpbd_bake") is None
    assert_same(animation(obj), preview)


@each_scene
def test_it_plays_what_was_simulated(make: Make, folder: Path) -> None:
    obj = saved(folder, make)
    preview, before = animation(obj), state(obj)
    bpy.ops.xpbd.bake_mesh_cache()
    assert_same(animation(obj), preview)
    bpy.ops.xpbd.unbake()
    animation(obj)
    assert state(obj) == before


def test_it_plays_without_the_extension_from_the_saved_file(folder: Path) -> None:
    obj = saved(folder, mirrored)
    preview = animation(obj)
    bpy.ops.xpbd.bake_mesh_cache()
    modifier = obj.modifiers["XPBD Mesh Cache"]
    assert modifier.filepath == "//scene_Sheet.pc2"
    assert [m.name for m in obj.modifiers] == ["Mirror", "XPBD Mesh Cache", "Smooth"]
    assert not bpy.data.node_groups
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    obj = bpy.data.objects["Sheet"]
    assert_same(animation(obj), preview)
    assert bpy.ops.xpbd.unbake() == {"FINISHED"}
    assert [m.name for m in obj.modifiers] == ["Mirror", "XPBD", "Smooth"]


@pytest.mark.parametrize("is_on", [True, False])
@pytest.mark.parametrize("before", ["SUBSURF", "SOLIDIFY", "TRIANGULATE"])
@pytest.mark.parametrize("after", ["", "SMOOTH", "SUBSURF"])
def test_unbake_puts_xpbd_where_it_stood(
    before: Any, after: Any, is_on: bool, folder: Path
) -> None:
    """Also where something that refines stands before it, be it switched off."""
    obj = saved(folder, plain)
    first = obj.modifiers.new("Before", before)
    first.show_viewport = first.show_render = is_on
    obj.modifiers.move(1, 0)
    if after:
        obj.modifiers.new("After", after)
    names = [modifier.name for modifier in obj.modifiers]
    bpy.ops.xpbd.simulate()
    preview = animation(obj)
    bpy.ops.xpbd.bake_mesh_cache()
    assert_same(animation(obj), preview)
    assert bpy.ops.xpbd.unbake() == {"FINISHED"}
    assert [modifier.name for modifier in obj.modifiers] == names
    assert_same(animation(obj), preview)


def test_unbake_where_multires_has_got_behind_the_cache(folder: Path) -> None:
    """XPBD can't stand before it."""
    obj = saved(folder, plain)
    bpy.ops.xpbd.bake_mesh_cache()
    obj.modifiers.new("Sculpt", "MULTIRES")
    obj.modifiers.move(obj.modifiers.find("XPBD Mesh Cache"), 0)
    assert bpy.ops.xpbd.unbake() == {"FINISHED"}
    assert [modifier.name for modifier in obj.modifiers] == ["Sculpt", "XPBD"]


def test_between_frames_and_outside_of_them(folder: Path) -> None:
    obj = saved(folder, plain)
    preview = animation(obj)
    bpy.ops.xpbd.bake_mesh_cache(frame_start=2, frame_end=5)
    scene = bpy.context.scene
    assert_same(animation(obj, range(2, 6)), preview[1:5])
    assert_same(animation(obj, range(1, 2)), preview[1:2])
    assert_same(animation(obj, range(6, 8)), preview[[4, 4]])
    scene.frame_set(3, subframe=0.5)
    assert_same(evaluated_positions(obj), 0.5 * (preview[2] + preview[3]))


def test_time_remapping_moves_nothing(folder: Path) -> None:
    obj = saved(folder, plain)
    preview = animation(obj)
    scene = bpy.context.scene
    scene.render.frame_map_old, scene.render.frame_map_new = 100, 50
    bpy.ops.xpbd.bake_mesh_cache()
    assert_same(animation(obj), preview)


def test_several_objects_and_a_folder_or_a_file_of_ones_choice(folder: Path) -> None:
    empty_scene()
    left, right = sheet("Left"), sheet("Right")
    right.location.x = 9.0
    bpy.ops.xpbd.simulate()
    preview = animation(left)
    (folder / "bakes").mkdir()
    bpy.ops.xpbd.bake_mesh_cache(filepath=str(folder / "bakes"))
    assert sorted(path.name for path in (folder / "bakes").iterdir()) == ["Left.pc2", "Right.pc2"]
    bpy.ops.xpbd.unbake()
    left.select_set(True)
    right.select_set(False)
    bpy.ops.xpbd.bake_mesh_cache(filepath=str(folder / "mine.pc2"), selected_only=True)
    assert left.xpbd.baked
    assert not right.xpbd.baked
    assert_same(animation(left), preview)
    bpy.ops.xpbd.unbake()
    bpy.ops.xpbd.bake_mesh_cache(filepath=str(folder / "mine.pc2"), selected_only=True)
    assert sorted(path.name for path in folder.iterdir()) == ["bakes", "mine.pc2"]


def test_objects_that_share_a_mesh_are_baked_apart(folder: Path) -> None:
    empty_scene()
    first = sheet()
    second = first.copy()
    bpy.context.scene.collection.objects.link(second)
    second.location.x, second.xpbd.density = 9.0, 3.0
    bpy.ops.xpbd.simulate()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    previews = animation(first), animation(second)
    bpy.ops.xpbd.bake_mesh_cache()
    assert_same(animation(first), previews[0])
    assert_same(animation(second), previews[1])
    addon_module("bake.unbaking").unbake(first)
    assert second.xpbd.baked
    assert not first.xpbd.baked


def test_undo_takes_a_bake_back(folder: Path) -> None:
    obj = saved(folder, plain)
    preview = animation(obj)
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.xpbd.bake_mesh_cache()
    bpy.ops.ed.undo_push(message="Baked")
    bpy.ops.ed.undo()
    obj = bpy.data.objects["Sheet"]
    assert [modifier.name for modifier in obj.modifiers] == ["XPBD"]
    assert_same(animation(obj), preview)


# --- bad input and failures -------------------------------------------------------------------


def refused(message: str, **options: Any) -> None:
    before = [state(obj) for obj in bpy.data.objects if obj.type == "MESH"]
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.xpbd.bake_mesh_cache(**options)
    assert [state(obj) for obj in bpy.data.objects if obj.type == "MESH"] == before


def test_places_that_are_none(folder: Path) -> None:
    simulate(plain)
    refused("which was never saved: save it first")
    refused("never saved: save it first", filepath="//here.pc2")
    refused("There is no folder .*nowhere", filepath=str(folder / "nowhere" / "sheet.pc2"))
    (folder / "letter.pc2").write_text("Dear Sir")
    refused("is not a PC2 file and would be lost", filepath=str(folder / "letter.pc2"))
    assert (folder / "letter.pc2").read_text() == "Dear Sir"
    assert sorted(path.name for path in folder.iterdir()) == ["letter.pc2"]


def test_objects_that_would_have_the_same_file_are_named(folder: Path) -> None:
    saved(folder, plain)
    sheet("A.b")
    sheet("A_b")
    refused("'A.b' and 'A_b' would have the same file 'scene_A_b.pc2': rename one")


def test_a_file_that_another_object_plays_is_not_replaced(folder: Path) -> None:
    obj = saved(folder, plain)
    bpy.ops.xpbd.bake_mesh_cache(filepath=str(folder / "mine.pc2"))
    content = (folder / "mine.pc2").read_bytes()
    sheet("Other")
    refused("'Sheet' plays .*mine.pc2", filepath=str(folder / "mine.pc2"))
    assert (folder / "mine.pc2").read_bytes() == content
    assert obj.xpbd.baked


@pytest.mark.parametrize("frames", [(5, 2), (1, 7), (-3, 4)])
def test_frames_that_are_not_simulated(frames: tuple[int, int], folder: Path) -> None:
    saved(folder, plain)
    message = f"Frames {frames[0]} to {frames[1]} can't be baked: choose some from 1 to 6"
    refused(message, frame_start=frames[0], frame_end=frames[1])
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.xpbd.bake_shape_keys(frame_start=frames[0], frame_end=frames[1])


@pytest.mark.parametrize("when", ["write", "rename", "attach"])
def test_a_failure_leaves_nothing_half_done(
    when: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    obj = saved(folder, mirrored)
    bpy.ops.xpbd.bake_mesh_cache()
    bpy.ops.xpbd.unbake()
    content = (folder / "scene_Sheet.pc2").read_bytes()
    preview = animation(obj)
    module = addon_module("bake.mesh_cache")
    done: list[object] = []

    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def full_later(scene: Any, read: Any, frames: range, progress: Any) -> Any:
        for shapes in whole(scene, read, frames, progress):
            done.append(shapes)
            if len(done) > 3:
                full()
            yield shapes

    whole = module.preparing.read_frames
    if when == "write":
        monkeypatch.setattr(module.preparing, "read_frames", full_later)
    elif when == "rename":
        monkeypatch.setattr(module.os, "replace", full)
    else:
        monkeypatch.setattr(module, "_as_stored", full)
    refused("can't be written .No space left on device.: choose another place")
    assert sorted(path.name for path in folder.iterdir()) == ["scene.blend", "scene_Sheet.pc2"]
    assert (folder / "scene_Sheet.pc2").read_bytes() == content
    monkeypatch.undo()
    assert_same(animation(obj), preview)


def test_unbake_where_the_modifier_is_gone(folder: Path) -> None:
    obj = saved(folder, plain)
    preview = animation(obj)
    bpy.ops.xpbd.bake_mesh_cache()
    obj.modifiers.remove(obj.modifiers["XPBD Mesh Cache"])
    bpy.ops.xpbd.unbake()
    assert [modifier.name for modifier in obj.modifiers] == ["XPBD"]
    assert_same(animation(obj), preview)


# --- what users are told ----------------------------------------------------------------------


@pytest.mark.parametrize("make", [mirrored, smiling])
def test_bakes_to_shape_keys_that_are_refused_name_it(make: Make) -> None:
    obj = simulate(make)
    with pytest.raises(RuntimeError, match=r"'Sheet'.*use Bake to Mesh Cache"):
        bpy.ops.xpbd.bake_shape_keys()
    assert not obj.xpbd.baked
    assert draw("cache").drawn[-2:] == ["xpbd.bake_shape_keys", "xpbd.bake_mesh_cache"]


def test_the_button_is_that_of_the_mode() -> None:
    scene = empty_scene()
    sheet()
    assert draw("cache").drawn[-2:] == ["bake_mode", "xpbd.bake_shape_keys"]
    scene.xpbd.bake_mode = "MESH_CACHE"
    assert draw("cache").drawn[-2:] == ["bake_mode", "xpbd.bake_mesh_cache"]


def test_shape_keys_of_some_frames() -> None:
    obj = simulate(plain)
    preview = animation(obj)
    bpy.ops.xpbd.bake_shape_keys(frame_start=2, frame_end=4)
    assert obj.data.shape_keys.key_blocks.keys() == ["Basis", "Frame 2", "Frame 3", "Frame 4"]
    assert_same(animation(obj, range(2, 5)), preview[1:4])
    assert_same(animation(obj), preview[[1, 1, 2, 3, 3, 3]])
    bpy.ops.xpbd.unbake()
    assert_same(animation(obj), preview)
    assert len(preview) == len(FRAMES)


def test_the_action_of_shape_keys_has_a_slot_of_its_own() -> None:
    """Actions of the object, and of other objects, are left alone."""
    obj = simulate(plain)
    obj.keyframe_insert("location", frame=1)
    mine = obj.animation_data.action
    bpy.ops.xpbd.bake_shape_keys()
    animated = obj.data.shape_keys.animation_data
    assert animated.action != mine
    assert obj.animation_data.action == mine
    if hasattr(animated, "action_slot"):
        assert [slot.target_id_type for slot in animated.action.slots] == ["KEY"]
        assert animated.action_slot == animated.action.slots[0]
    assert np.array_equal([curve.data_path for curve in _curves(mine)], ["location"] * 3)


def _curves(action: bpy.types.Action) -> list[Any]:
    collections = addon_module("scene.animation").curve_collections(action)
    return [curve for curves in collections for curve in curves]
