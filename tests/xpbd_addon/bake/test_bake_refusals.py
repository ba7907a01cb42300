# SPDX-License-Identifier: GPL-3.0-or-later
"""What cannot be baked is refused with a reason, and nothing is changed."""

from pathlib import Path

import bpy
import pytest
from baking_scenes import plain, simulate, state
from blender_scenes import addon_module, empty_scene, evaluated_positions, sheet


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
    bpy.ops.wm.link(directory=f"{path}/Object/", filename="Sheet")
    linked = bpy.data.objects["Sheet"]
    assert linked.library is not None
    with pytest.raises(addon_module("errors").SceneError, match="linked from another file"):
        addon_module("bake.shape_keys").bake_shape_keys(scene, [linked])
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


def test_a_failure_half_way_leaves_no_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    obj = simulate(plain)
    before = state(obj)

    def out_of_memory(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr(addon_module("scene.animation"), "add_linear_curve", out_of_memory)
    with pytest.raises(MemoryError):
        addon_module("bake.shape_keys").bake_shape_keys(bpy.context.scene)
    evaluated_positions(obj)
    assert state(obj) == before


def test_unbake_without_a_bake_is_refused() -> None:
    obj = simulate(plain)
    with pytest.raises(RuntimeError, match="no baked simulation to delete"):
        bpy.ops.xpbd.unbake()
    with pytest.raises(addon_module("errors").SceneError, match="bake it first"):
        addon_module("bake.unbaking").unbake(obj)


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
