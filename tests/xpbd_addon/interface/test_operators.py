# SPDX-License-Identifier: GPL-3.0-or-later
"""Adding and removing XPBD physics."""

import bpy
import pytest
from blender_scenes import addon_module, empty_scene, sheet


def test_add_makes_the_active_mesh_a_simulated_one() -> None:
    empty_scene()
    obj = sheet()
    assert obj.xpbd.use
    assert obj.xpbd.kind == "CLOTH"
    assert addon_module("scene.stack").modifier(obj) is not None


def test_adding_twice_changes_nothing() -> None:
    empty_scene()
    obj = sheet()
    assert bpy.ops.xpbd.add() == {"FINISHED"}
    assert len(obj.modifiers) == 1


def test_the_first_simulates_the_frames_that_play() -> None:
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1001, 1100
    sheet("First")
    assert (scene.xpbd.frame_start, scene.xpbd.frame_end) == (1001, 1100)
    scene.frame_end = 1200
    sheet("Second")
    assert scene.xpbd.frame_end == 1100


@pytest.mark.parametrize("chosen", ["frame_start", "frame_end"])
def test_frames_that_were_chosen_stay(chosen: str) -> None:
    scene = bpy.context.scene
    usual = {name: getattr(scene.xpbd, name) for name in ("frame_start", "frame_end")}
    setattr(scene.xpbd, chosen, usual[chosen])
    scene.frame_start, scene.frame_end = 1001, 1100
    sheet()
    assert {name: getattr(scene.xpbd, name) for name in usual} == usual


def test_operator_result_is_function_result() -> None:
    empty_scene()
    by_operator = sheet("First")
    bpy.ops.mesh.primitive_grid_add()
    by_function = bpy.context.object
    addon_module("scene.physics").add(by_function, "CLOTH")
    assert by_function.xpbd.use == by_operator.xpbd.use
    assert [(m.name, m.type) for m in by_function.modifiers] == [
        (m.name, m.type) for m in by_operator.modifiers
    ]


def test_remove_takes_everything_away() -> None:
    empty_scene()
    obj = sheet()
    attributes = sorted(obj.data.attributes.keys())
    bpy.ops.xpbd.simulate()
    bpy.context.scene.frame_set(3)
    obj.xpbd.density = 0.7
    assert bpy.ops.xpbd.remove() == {"FINISHED"}
    assert not obj.xpbd.use
    assert len(obj.modifiers) == 0
    assert sorted(obj.data.attributes.keys()) == attributes
    assert obj.xpbd.density == pytest.approx(0.2)


def test_a_baked_object_must_be_unbaked_first() -> None:
    empty_scene()
    obj = sheet()
    bpy.ops.xpbd.bake_shape_keys()
    with pytest.raises(RuntimeError, match="Delete Bake"):
        bpy.ops.xpbd.remove()
    assert obj.xpbd.use
    assert obj.data.shape_keys is not None


def test_remove_without_physics_is_refused() -> None:
    empty_scene()
    bpy.ops.mesh.primitive_grid_add()
    with pytest.raises(RuntimeError, match="no XPBD physics"):
        bpy.ops.xpbd.remove()


def test_add_refuses_what_is_not_a_mesh() -> None:
    empty_scene()
    bpy.ops.object.camera_add()
    with pytest.raises(RuntimeError, match="is a camera, not a mesh"):
        bpy.ops.xpbd.add()


def test_add_refuses_a_scene_without_active_object() -> None:
    empty_scene()
    with pytest.raises(RuntimeError, match="no active object"):
        bpy.ops.xpbd.add()


def test_add_refuses_a_mesh_without_faces() -> None:
    scene = empty_scene()
    obj = bpy.data.objects.new("Points", bpy.data.meshes.new("Points"))
    obj.data.from_pydata([(0, 0, 0), (1, 0, 0)], [(0, 1)], [])
    scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    with pytest.raises(RuntimeError, match="has no faces"):
        bpy.ops.xpbd.add()
    assert not obj.xpbd.use
    assert len(obj.modifiers) == 0


def test_cancel_without_a_simulation_is_refused() -> None:
    empty_scene()
    with pytest.raises(RuntimeError):
        bpy.ops.xpbd.cancel()
