# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices at which something is wrong are counted, cached, and selected for the user."""

from __future__ import annotations

from typing import Any

import bpy
import pytest
from blender_scenes import addon_module, sheet
from playing import addon

END = 8


@pytest.fixture
def scene() -> bpy.types.Scene:
    scene = bpy.context.scene
    scene.xpbd.frame_end = END
    return scene


def drawn_apart(name: str = "Cape") -> bpy.types.Object:
    """A sheet of yarns that do not stretch, pinned along a side that a shape key makes longer.

    It does so from frame 3 on, and is as at rest again on frame 7.
    """
    obj = sheet(name)
    obj.xpbd.stretch_compliance = 0.0
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Longer")
    for vertex in range(6):
        key.data[vertex].co.x *= 1.3
    for frame, value in ((1, 0.0), (2, 0.0), (3, 1.0), (6, 1.0), (7, 0.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    return obj


def selected(obj: bpy.types.Object) -> list[int]:
    return [vertex.index for vertex in obj.data.vertices if vertex.select]


def counted(scene: bpy.types.Scene, obj: bpy.types.Object, fault: str = "held_apart") -> list[int]:
    """How many on each frame, as cached."""
    last = addon.simulation.session.of(scene).cache.last_frame
    found = [
        addon.simulation.session.cached_measures(scene, obj, frame) for frame in range(1, last + 1)
    ]
    return [getattr(frame, fault) for frame in found]


def test_they_are_counted_as_long_as_there_are_any(scene: bpy.types.Scene) -> None:
    obj = drawn_apart()
    bpy.ops.xpbd.simulate()
    assert counted(scene, obj) == [0, 0, 6, 6, 6, 6, 0, 0]


def test_playing_counts_the_same(scene: bpy.types.Scene) -> None:
    obj = drawn_apart()
    for frame in range(1, END + 1):
        scene.frame_set(frame)
    assert counted(scene, obj) == [0, 0, 6, 6, 6, 6, 0, 0]
    assert addon.simulation.session.faults(scene, obj, 4)["held_apart"].tolist() == list(range(6))


def test_the_operator_selects_them(scene: bpy.types.Scene) -> None:
    obj, other = drawn_apart(), sheet("Other")
    other.location.x = 10.0  # where both are in one place they hold each other, too
    bpy.ops.xpbd.simulate()
    scene.frame_set(4)
    assert bpy.context.object == other
    assert bpy.ops.xpbd.select_faults(object_name="Cape") == {"FINISHED"}
    assert selected(obj) == list(range(6))
    assert bpy.context.object == obj
    assert bpy.context.selected_objects == [obj]  # Edit Mode would show the other's vertices, too
    tools: Any = scene.tool_settings
    assert tuple(tools.mesh_select_mode) == (True, False, False)


def test_operator_result_is_function_result(scene: bpy.types.Scene) -> None:
    obj = drawn_apart()
    bpy.ops.xpbd.simulate()
    scene.frame_set(4)
    bpy.ops.xpbd.select_faults()
    by_operator = selected(obj)
    obj.data.vertices.foreach_set("select", [False] * 36)
    assert addon_module("simulation.faults").select(scene, obj) == 6
    assert selected(obj) == by_operator


def test_it_works_in_edit_mode(scene: bpy.types.Scene) -> None:
    obj = drawn_apart()
    bpy.ops.xpbd.simulate()
    scene.frame_set(4)
    bpy.ops.object.mode_set(mode="EDIT")
    assert bpy.ops.xpbd.select_faults() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert selected(obj) == list(range(6))


def test_frames_without_any_are_refused(scene: bpy.types.Scene) -> None:
    drawn_apart()
    bpy.ops.xpbd.simulate()
    scene.frame_set(8)
    with pytest.raises(
        RuntimeError, match="'Cape' has no vertices on this frame that pins or colliders hold"
    ):
        bpy.ops.xpbd.select_faults()


def test_frames_of_another_session_are_refused(scene: bpy.types.Scene) -> None:
    """Their number is in the cache, they themselves are not."""
    obj = drawn_apart()
    bpy.ops.xpbd.simulate()
    addon.simulation.session.forget()
    scene.frame_set(4)
    assert counted(scene, obj)[3] == 6
    with pytest.raises(RuntimeError, match="simulate again"):
        bpy.ops.xpbd.select_faults()


def test_clearing_forgets_them(scene: bpy.types.Scene) -> None:
    obj = drawn_apart()
    bpy.ops.xpbd.simulate()
    bpy.ops.xpbd.clear_cache()
    assert addon.simulation.session.faults(scene, obj, 4) is None


def test_a_collider_may_be_what_holds_them(scene: bpy.types.Scene) -> None:
    """A tube that is too tight for the body in it."""
    bpy.ops.mesh.primitive_cylinder_add(vertices=24, radius=0.3, depth=0.6)
    body = bpy.context.object
    bpy.ops.object.modifier_add(type="COLLISION")
    body.collision.thickness_outer = 0.005
    bpy.ops.mesh.primitive_cylinder_add(
        vertices=24, radius=0.29, depth=0.3, end_fill_type="NOTHING"
    )
    tube = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.subdivide(number_cuts=5)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.xpbd.add(kind="CLOTH")
    for axis, scale in enumerate((1.25, 1.25, 1.0)):
        for frame, value in ((1, 0.9), (6, scale if axis < 2 else 1.0)):
            body.scale[axis] = value if axis < 2 else 1.0
            body.keyframe_insert("scale", index=axis, frame=frame)
    bpy.ops.xpbd.simulate()
    assert counted(scene, tube)[-1] > 24


def closing_boxes() -> bpy.types.Object:
    """A sheet between two boxes, of which the upper one comes down into the lower one."""
    obj = sheet("Cape", cuts=12)
    obj.xpbd.pin_group = ""
    for side, height in (("Lower", 0.49), ("Upper", 1.6)):
        bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0037, 0.0023, height))
        bpy.context.object.name = side
        bpy.ops.object.modifier_add(type="COLLISION")
    upper = bpy.context.object
    for frame, height in ((1, 1.6), (5, 1.45), (9, 1.45), (13, 1.6)):
        upper.location.z = height
        upper.keyframe_insert("location", frame=frame)
    return obj


def test_what_has_no_room_is_counted_and_selected(scene: bpy.types.Scene) -> None:
    obj = closing_boxes()
    scene.xpbd.frame_end = 9
    bpy.ops.xpbd.simulate()
    found = counted(scene, obj, "squeezed")
    assert found[0] == 0
    assert min(found[-3:]) > 0
    scene.frame_set(9)
    assert bpy.ops.xpbd.select_faults(object_name="Cape", fault="SQUEEZED") == {"FINISHED"}
    assert len(selected(obj)) == found[-1]
    assert all(max(map(abs, obj.data.vertices[k].co[:2])) < 0.7 for k in selected(obj))


def test_what_goes_through_something_is_selected(scene: bpy.types.Scene) -> None:
    """A cone that stands in the middle of a sheet."""
    obj = sheet("Cape", cuts=12)
    bpy.ops.mesh.primitive_cone_add(radius1=0.2, depth=0.4, location=(0.013, 0.007, 1.0))
    bpy.ops.object.modifier_add(type="COLLISION")
    scene.xpbd.frame_end = 2
    bpy.ops.xpbd.simulate()
    scene.frame_set(2)
    assert counted(scene, obj, "crossings")[-1] > 0
    bpy.ops.xpbd.select_faults(object_name="Cape", fault="CROSSING")
    found = selected(obj)
    assert 3 <= len(found) < 30
    assert all(obj.data.vertices[k].co.length < 0.5 for k in found)
