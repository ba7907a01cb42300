# SPDX-License-Identifier: GPL-3.0-or-later
"""Modifiers before XPBD that make what can't be simulated: said in a sentence."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene
from made_geometry import (
    mirrored,
    move_to_the_end,
)
from playing import addon


def left_out(scene: bpy.types.Scene) -> str:
    """Why the only object can't be simulated."""
    with pytest.raises(RuntimeError) as error:
        bpy.ops.xpbd.simulate()
    return str(error.value)


def test_faces_of_many_corners_between_modifiers_that_change_faces() -> None:
    scene = empty_scene()
    bpy.ops.mesh.primitive_circle_add(vertices=6, fill_type="NGON", location=(2, 0, 1))
    obj = bpy.context.object
    obj.modifiers.new("Mirror", "MIRROR")
    bpy.ops.xpbd.add(kind="CLOTH")
    bpy.ops.xpbd.simulate()
    smooth = obj.modifiers.new("Smooth", "SUBSURF")
    bpy.ops.xpbd.clear_cache()
    assert "add a Triangulate modifier with Minimum Vertices 5 before XPBD" in left_out(scene)
    triangles = obj.modifiers.new("Triangles", "TRIANGULATE")
    triangles.min_vertices = 5
    obj.modifiers.move(obj.modifiers.find("Triangles"), 0)
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    assert smooth.show_viewport


def test_modifiers_that_hide_what_arrives() -> None:
    scene = empty_scene()
    obj = mirrored("DECIMATE")
    obj.modifiers["Decimate"].ratio = 0.3
    assert "A modifier after XPBD renumbers the vertices of 'Shirt'" in left_out(scene)
    obj.modifiers["Decimate"].show_viewport = False
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}


def test_modifiers_that_leave_nothing() -> None:
    scene = empty_scene()
    obj = mirrored()
    obj.vertex_groups.new(name="Nothing")
    obj.modifiers.new("Mask", "MASK").vertex_group = "Nothing"
    obj.xpbd.pin_group = ""
    move_to_the_end(obj)
    assert "'Shirt' has no faces where XPBD stands" in left_out(scene)


def test_made_vertices_are_not_selected() -> None:
    empty_scene()
    obj = mirrored()
    with pytest.raises(addon.errors.SceneError, match="are made by modifiers before XPBD"):
        addon.scene.selection.select_vertices(obj, np.array([1]))
