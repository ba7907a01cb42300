# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices that are held too far apart are counted, cached, and selected for the user."""

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


def held_apart(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[int]:
    """How many on each frame, as cached."""
    found = [
        addon.simulation.session.cached_measures(scene, obj, frame) for frame in range(1, END + 1)
    ]
    return [frame.held_apart for frame in found]


def test_they_are_counted_as_long_as_there_are_any(scene: bpy.types.Scene) -> None:
    obj = drawn_apart()
    bpy.ops.xpbd.simulate()
    assert held_apart(scene, obj) == [0, 0, 6, 6, 6, 6, 0, 0]


def test_playing_counts_the_same(scene: bpy.types.Scene) -> None:
    obj = drawn_apart()
    for frame in range(1, END + 1):
        scene.frame_set(frame)
    assert held_apart(scene, obj) == [0, 0, 6, 6, 6, 6, 0, 0]
    assert addon.simulation.session.held_apart(scene, obj, 4).tolist() == list(range(6))


def test_the_operator_selects_them(scene: bpy.types.Scene) -> None:
    obj, other = drawn_apart(), sheet("Other")
    bpy.ops.xpbd.simulate()
    scene.frame_set(4)
    assert bpy.context.object == other
    assert bpy.ops.xpbd.select_overstretched(object_name="Cape") == {"FINISHED"}
    assert selected(obj) == list(range(6))
    assert bpy.context.object == obj
    tools: Any = scene.tool_settings
    assert tuple(tools.mesh_select_mode) == (True, False, False)


def test_operator_result_is_function_result(scene: bpy.types.Scene) -> None:
    obj = drawn_apart()
    bpy.ops.xpbd.simulate()
    scene.frame_set(4)
    bpy.ops.xpbd.select_overstretched()
    by_operator = selected(obj)
    obj.data.vertices.foreach_set("select", [False] * 36)
    assert addon_module("simulation.overstretched").select(scene, obj) == 6
    assert selected(obj) == by_operator


def test_it_works_in_edit_mode(scene: bpy.types.Scene) -> None:
    obj = drawn_apart()
    bpy.ops.xpbd.simulate()
    scene.frame_set(4)
    bpy.ops.object.mode_set(mode="EDIT")
    assert bpy.ops.xpbd.select_overstretched() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert selected(obj) == list(range(6))


def test_frames_without_any_are_refused(scene: bpy.types.Scene) -> None:
    drawn_apart()
    bpy.ops.xpbd.simulate()
    scene.frame_set(8)
    with pytest.raises(RuntimeError, match="No vertices of 'Cape'"):
        bpy.ops.xpbd.select_overstretched()


def test_frames_of_another_session_are_refused(scene: bpy.types.Scene) -> None:
    """Their number is in the cache, they themselves are not."""
    obj = drawn_apart()
    bpy.ops.xpbd.simulate()
    addon.simulation.session.forget()
    scene.frame_set(4)
    assert held_apart(scene, obj)[3] == 6
    with pytest.raises(RuntimeError, match="simulate again"):
        bpy.ops.xpbd.select_overstretched()


def test_clearing_forgets_them(scene: bpy.types.Scene) -> None:
    obj = drawn_apart()
    bpy.ops.xpbd.simulate()
    bpy.ops.xpbd.clear_cache()
    assert addon.simulation.session.held_apart(scene, obj, 4) is None


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
    assert held_apart(scene, tube)[-1] > 24
