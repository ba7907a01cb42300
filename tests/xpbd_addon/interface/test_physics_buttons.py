# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons among Blender's physics buttons and in its menus."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
from blender_scenes import addon_module, empty_scene
from drawing import Layout


def test_button_among_the_physics_buttons() -> None:
    empty_scene()
    bpy.ops.mesh.primitive_grid_add()
    for operators in (["xpbd.add", "xpbd.add"], ["xpbd.remove"]):
        layout = Layout()
        addon_module("interface.physics_tab").draw_physics_button(
            SimpleNamespace(layout=layout), bpy.context
        )
        assert layout.drawn == operators
        bpy.ops.xpbd.add()


def test_button_adds_what_the_mesh_is_suited_for() -> None:
    empty_scene()
    bpy.ops.mesh.primitive_circle_add()
    bpy.ops.mesh.primitive_grid_add()
    for name, kind in (("Circle", "STRANDS"), ("Grid", "CLOTH")):
        bpy.context.view_layer.objects.active = bpy.data.objects[name]
        layout = Layout()
        addon_module("interface.physics_tab").draw_physics_button(
            SimpleNamespace(layout=layout), bpy.context
        )
        assert layout.drawn.count("xpbd.add") == (1 if kind == "STRANDS" else 2)
        assert bpy.ops.xpbd.add(kind=kind) == {"FINISHED"}


def test_button_and_menu_for_hair_curves() -> None:
    scene = empty_scene()
    hair = bpy.data.objects.new("Hair", bpy.data.hair_curves.new("Hair"))
    scene.collection.objects.link(hair)
    bpy.context.view_layer.objects.active = hair
    for draw_it in (
        addon_module("interface.physics_tab").draw_physics_button,
        addon_module("interface.convert").draw_convert,
    ):
        layout = Layout()
        draw_it(SimpleNamespace(layout=layout), bpy.context)
        assert layout.drawn == ["xpbd.strands_from_curves"]


def test_no_button_for_other_objects() -> None:
    empty_scene()
    bpy.ops.object.light_add()
    layout = Layout()
    addon_module("interface.physics_tab").draw_physics_button(
        SimpleNamespace(layout=layout), bpy.context
    )
    assert layout.drawn == []
