# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake is the preview as plain Blender data, and can be taken away again."""

import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, addon_module, animation, empty_scene, evaluated_positions, sheet

MODES = ("RELATIVE", "ABSOLUTE")
each_mode = pytest.mark.parametrize("mode", MODES)


def plain() -> bpy.types.Object:
    return sheet()


def moving() -> bpy.types.Object:
    """An object with keyframes, a non-uniform negative scale and a turning parent."""
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale = (1.5, 0.5, 2.0)
    obj = sheet()
    obj.parent = parent
    obj.scale = (0.7, -1.3, 1.0)
    for frame in (FRAMES.start, FRAMES.stop - 1):
        parent.rotation_euler = (0.1 * frame, 0.2, 0.3 * frame)
        parent.keyframe_insert("rotation_euler", frame=frame)
        obj.location = (0.1 * frame, 0.0, 1.0)
        obj.keyframe_insert("location", frame=frame)
    return obj


def deformed() -> bpy.types.Object:
    """A hook that moves before our modifier and a Subdivision after it."""
    obj = sheet()
    hook_target = bpy.data.objects.new("Hook", None)
    bpy.context.scene.collection.objects.link(hook_target)
    hook = obj.modifiers.new("Lift", "HOOK")
    hook.object = hook_target
    hook.vertex_group = "Pins"
    obj.modifiers.move(obj.modifiers.find("Lift"), 0)
    for frame in (FRAMES.start, FRAMES.stop - 1):
        hook_target.location.z = 0.1 * frame
        hook_target.keyframe_insert("location", frame=frame)
    obj.modifiers.new("Smooth", "SUBSURF").levels = 1
    return obj


each_scene = pytest.mark.parametrize("make", [plain, moving, deformed])


def simulate(make: object) -> bpy.types.Object:
    empty_scene()
    obj = make()
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    return obj


def assert_same(first: np.ndarray, second: np.ndarray) -> None:
    """Equal to float32 precision: eight units in the last place of the largest coordinate."""
    size = float(np.abs(first).max())
    np.testing.assert_allclose(first, second, rtol=0, atol=8 * size * np.finfo(np.float32).eps)


def state(obj: bpy.types.Object) -> tuple:
    """What a bake may not change for good."""
    return (
        [(m.name, m.type, m.show_viewport, m.show_render) for m in obj.modifiers],
        obj.data.shape_keys,
        sorted(obj.data.attributes.keys()),
        obj.show_only_shape_key,
        sorted(action.name for action in bpy.data.actions),
        "xpbd_bake" in obj,
        obj.xpbd.baked,
        [tuple(vertex.co) for vertex in obj.data.vertices],
    )


@each_mode
@each_scene
def test_bake_equals_preview(make: object, mode: str) -> None:
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


@each_mode
@each_scene
def test_unbake_leaves_the_scene_as_it_was(make: object, mode: str) -> None:
    obj = simulate(make)
    preview = animation(obj)
    before = state(obj)
    bpy.ops.xpbd.bake_shape_keys(mode=mode)
    assert state(obj) != before
    assert bpy.ops.xpbd.unbake() == {"FINISHED"}
    assert_same(animation(obj), preview)
    assert state(obj) == before


def test_modifiers_in_the_bake_are_switched_off_and_others_are_not() -> None:
    obj = simulate(deformed)
    bpy.ops.xpbd.bake_shape_keys()
    assert not obj.modifiers["Lift"].show_viewport
    assert not obj.modifiers["Lift"].show_render
    assert obj.modifiers["Smooth"].show_viewport
    obj.modifiers["Lift"].name = "Renamed"
    bpy.ops.xpbd.unbake()
    assert obj.modifiers["Renamed"].show_viewport
    assert obj.modifiers["Renamed"].show_render


def test_a_modifier_after_the_display_stays_after_it() -> None:
    empty_scene()
    obj = sheet()
    obj.modifiers.new("Wave", "WAVE")
    obj.modifiers.move(obj.modifiers.find("Wave"), 1)
    bpy.ops.xpbd.simulate()
    preview = animation(obj)
    bpy.ops.xpbd.bake_shape_keys()
    assert obj.modifiers["Wave"].show_viewport
    assert_same(animation(obj), preview)
    bpy.ops.xpbd.unbake()
    assert obj.modifiers.find("Wave") == 1
    assert_same(animation(obj), preview)


def test_unbake_keeps_what_the_user_added() -> None:
    obj = simulate(plain)
    bpy.ops.xpbd.bake_shape_keys()
    obj.shape_key_add(name="Mine", from_mix=False).value = 0.25
    obj.data.shape_keys.key_blocks["Mine"].keyframe_insert("value", frame=3)
    bpy.ops.xpbd.unbake()
    keys = obj.data.shape_keys
    assert keys.key_blocks.keys() == ["Basis", "Mine"]
    curves = addon_module("animation").curve_collections(keys.animation_data.action)
    paths = [curve.data_path for collection in curves for curve in collection]
    assert paths == ['key_blocks["Mine"].value']


def test_an_action_of_the_user_on_the_keys_is_not_touched() -> None:
    obj = simulate(plain)
    bpy.ops.xpbd.bake_shape_keys()
    mine = bpy.data.actions.new("Mine")
    obj.data.shape_keys.animation_data.action = mine
    bpy.ops.xpbd.unbake()
    assert "Mine" in bpy.data.actions


@each_mode
def test_bake_survives_the_file_and_can_be_taken_away_there(mode: str, tmp_path: Path) -> None:
    obj = simulate(deformed)
    before = [(m.name, m.show_viewport, m.show_render) for m in obj.modifiers]
    preview = animation(obj)
    bpy.ops.xpbd.bake_shape_keys(mode=mode)
    path = str(tmp_path / "baked.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    obj = bpy.data.objects["Sheet"]
    assert_same(animation(obj), preview)
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.xpbd.unbake() == {"FINISHED"}
    assert [(m.name, m.show_viewport, m.show_render) for m in obj.modifiers] == before


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


def test_selected_only() -> None:
    empty_scene()
    left, right = sheet("Left"), sheet("Right")
    left.select_set(False)
    assert bpy.ops.xpbd.bake_shape_keys(selected_only=True) == {"FINISHED"}
    assert left.data.shape_keys is None
    assert right.data.shape_keys is not None


def test_unbake_all_or_the_selected() -> None:
    empty_scene()
    left, right = sheet("Left"), sheet("Right")
    bpy.ops.xpbd.bake_shape_keys()
    left.select_set(False)
    right.select_set(True)
    assert bpy.ops.xpbd.unbake(selected_only=True) == {"FINISHED"}
    assert right.data.shape_keys is None
    assert left.data.shape_keys is not None
    bpy.ops.xpbd.bake_shape_keys()
    assert bpy.ops.xpbd.unbake() == {"FINISHED"}
    assert left.data.shape_keys is None
    assert right.data.shape_keys is None


def test_unbake_in_edit_mode_changes_nothing() -> None:
    empty_scene()
    left, right = sheet("Left"), sheet("Right")
    bpy.ops.xpbd.bake_shape_keys()
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="'Right' is in Edit Mode"):
        bpy.ops.xpbd.unbake()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert left.data.shape_keys is not None
    assert right.data.shape_keys is not None


def test_objects_that_share_a_bake_lose_it_together() -> None:
    obj = simulate(plain)
    bpy.ops.xpbd.bake_shape_keys()
    twin = obj.copy()
    bpy.context.scene.collection.objects.link(twin)
    bpy.ops.xpbd.unbake()
    assert "xpbd_bake" not in twin
    assert not twin.xpbd.baked
    assert obj.data.shape_keys is None


def test_a_duplicate_keeps_its_bake() -> None:
    obj = simulate(plain)
    bpy.ops.xpbd.bake_shape_keys()
    baked = animation(obj)
    twin = obj.copy()
    twin.data = obj.data.copy()
    bpy.context.scene.collection.objects.link(twin)
    addon_module("bake").unbake(obj)
    assert obj.data.shape_keys is None
    assert_same(animation(twin), baked)
    addon_module("bake").unbake(twin)
    assert twin.data.shape_keys is None
    assert len(bpy.data.actions) == 0


def test_operator_result_is_function_result() -> None:
    obj = simulate(moving)
    bpy.ops.xpbd.bake_shape_keys(mode="RELATIVE")
    by_operator = description(obj)
    bpy.ops.xpbd.unbake()
    baked = addon_module("bake").bake_shape_keys(bpy.context.scene, [obj], "RELATIVE")
    assert baked == [obj]
    assert description(obj) == by_operator


def description(obj: bpy.types.Object) -> list:
    keys = obj.data.shape_keys
    collections = addon_module("animation").curve_collections(keys.animation_data.action)
    return [
        [(key.name, [tuple(point.co) for point in key.points]) for key in keys.key_blocks],
        [
            (curve.data_path, [(*p.co, p.interpolation) for p in curve.keyframe_points])
            for curves in collections
            for curve in curves
        ],
    ]


def refused(message: str, **options: object) -> None:
    """The operator must fail with the message and leave shape keys and actions alone."""
    before = [(o.name, o.data and o.data.name, len(o.modifiers)) for o in bpy.data.objects]
    actions = len(bpy.data.actions)
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.xpbd.bake_shape_keys(**options)
    assert before == [(o.name, o.data and o.data.name, len(o.modifiers)) for o in bpy.data.objects]
    assert actions == len(bpy.data.actions)


def test_shape_keys_of_the_user_are_never_damaged() -> None:
    obj = simulate(plain)
    other = sheet("Other")
    obj.shape_key_add(name="Basis")
    obj.shape_key_add(name="Smile").value = 0.5
    refused("'Sheet' has shape keys already")
    assert obj.data.shape_keys.key_blocks.keys() == ["Basis", "Smile"]
    assert other.data.shape_keys is None


def test_shared_mesh_is_refused() -> None:
    obj = simulate(plain)
    twin = bpy.data.objects.new("Twin", obj.data)
    bpy.context.scene.collection.objects.link(twin)
    refused("shares its mesh")
    assert obj.data.shape_keys is None


def test_edit_mode_is_refused() -> None:
    simulate(plain)
    bpy.ops.object.mode_set(mode="EDIT")
    refused("Edit Mode")


def test_linked_object_is_refused(tmp_path: Path) -> None:
    simulate(plain)
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    scene = empty_scene()
    with bpy.data.libraries.load(path, link=True) as (_source, target):
        target.objects = ["Sheet"]
    linked = bpy.data.objects["Sheet"]
    scene.collection.objects.link(linked)
    with pytest.raises(addon_module("errors").SceneError, match="linked from another file"):
        addon_module("bake").bake_shape_keys(scene, [linked])
    assert linked.data.shape_keys is None


def test_nothing_to_bake_is_refused() -> None:
    empty_scene()
    refused("nothing to bake")


def test_a_second_bake_is_refused() -> None:
    simulate(plain)
    bpy.ops.xpbd.bake_shape_keys()
    refused("nothing to bake")


def test_frame_range_upside_down_is_refused() -> None:
    obj = simulate(plain)
    bpy.context.scene.xpbd.frame_start = 20
    bpy.context.scene.xpbd.frame_end = 10
    if bpy.context.scene.xpbd.frame_start > bpy.context.scene.xpbd.frame_end:
        refused("after its end")
        assert obj.data.shape_keys is None


def test_unbake_without_a_bake_is_refused() -> None:
    obj = simulate(plain)
    with pytest.raises(RuntimeError, match="no baked simulation to delete"):
        bpy.ops.xpbd.unbake()
    with pytest.raises(addon_module("errors").SceneError, match="bake it first"):
        addon_module("bake").unbake(obj)


def test_a_failure_half_way_leaves_no_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    obj = simulate(plain)
    before = state(obj)

    def out_of_memory(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr(addon_module("animation"), "add_linear_curve", out_of_memory)
    with pytest.raises(MemoryError):
        addon_module("bake").bake_shape_keys(bpy.context.scene)
    evaluated_positions(obj)
    assert state(obj) == before
