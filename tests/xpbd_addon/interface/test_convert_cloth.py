# SPDX-License-Identifier: GPL-3.0-or-later
"""Where conversion is offered, what is reported, and that it is one step to undo."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from blender_cloth import cloth, convert, strip
from drawing import Layout, draw
from playing import addon


@pytest.fixture
def obj() -> Any:
    made = strip()
    cloth(made, use_internal_springs=True, bending_model="LINEAR")
    bpy.context.view_layer.objects.active = made
    return made


def drawn(name: str) -> Layout:
    layout = Layout()
    module = addon.interface.convert_cloth
    getattr(module, name)(SimpleNamespace(layout=layout), bpy.context)
    return layout


def test_a_button_is_offered_where_blender_simulates(obj: Any) -> None:
    assert drawn("draw_offer").drawn == ["xpbd.convert_from_blender"]
    assert drawn("draw_switched_off").drawn == []
    convert(obj)
    assert drawn("draw_offer").drawn == []


def test_the_way_back_is_among_the_physics_buttons(obj: Any) -> None:
    """Blender's own panels stand above ours."""
    assert drawn("draw_way_back").drawn == []
    convert(obj)
    layout = drawn("draw_way_back")
    assert layout.buttons == {"xpbd.convert_to_blender": "Convert Back to Cloth"}
    assert layout.operators["xpbd.convert_to_blender"].which == "ACTIVE"
    places = addon.interface.convert_cloth.PLACES
    assert ("PHYSICS_PT_add", addon.interface.convert_cloth.draw_way_back) in places
    assert bpy.ops.xpbd.convert_to_blender() == {"FINISHED"}
    assert drawn("draw_way_back").drawn == []


def test_blenders_own_panel_says_that_it_is_switched_off(obj: Any) -> None:
    convert(obj)
    assert "Switched off" in " ".join(drawn("draw_switched_off").drawn)
    obj.modifiers["Cloth"].show_viewport = True
    assert drawn("draw_switched_off").drawn == []


def test_the_panel_has_the_way_back_and_what_was_lost_until_dismissed(obj: Any) -> None:
    convert(obj)
    shown = " ".join(draw().drawn)
    assert "xpbd.convert_to_blender" in shown
    assert "Not carried over from Cloth:" in shown
    assert "Internal Springs" in shown
    assert "Linear Bending" in shown
    assert bpy.ops.xpbd.dismiss_conversion() == {"FINISHED"}
    shown = " ".join(draw().drawn)
    assert "Internal Springs" not in shown
    assert "xpbd.convert_to_blender" in shown


def test_objects_of_ours_have_no_way_back() -> None:
    strip()
    addon.scene.physics.add(bpy.context.object)
    assert "xpbd.convert_to_blender" not in draw().drawn


def test_the_menu_converts_the_selection_in_both_directions(obj: Any) -> None:
    other, plain = strip(), strip()
    cloth(other)
    for each in (obj, other, plain):
        each.select_set(True)
    assert drawn("draw_menu").operators["xpbd.convert_from_blender"].which == "SELECTED"
    assert bpy.ops.xpbd.convert_from_blender(which="SELECTED") == {"FINISHED"}
    assert (obj.xpbd.use, other.xpbd.use, plain.xpbd.use) == (True, True, False)
    assert drawn("draw_menu").drawn == ["xpbd.convert_to_blender"]
    assert bpy.ops.xpbd.convert_to_blender(which="SELECTED") == {"FINISHED"}
    assert not obj.xpbd.use


def test_what_is_left_alone_stops_nothing_else(obj: Any) -> None:
    other = strip()
    cloth(other)
    other.modifiers["Cloth"].show_viewport = False
    assert bpy.ops.xpbd.convert_from_blender(which="SCENE") == {"FINISHED"}
    assert obj.xpbd.use
    assert not other.xpbd.use


@pytest.mark.parametrize("operator", ["convert_from_blender", "convert_to_blender"])
@pytest.mark.parametrize("which", ["SELECTED", "SCENE"])
def test_nothing_to_convert_is_told(operator: str, which: str) -> None:
    strip()
    with pytest.raises(RuntimeError, match="None of these objects"):
        getattr(bpy.ops.xpbd, operator)(which=which)


def test_no_active_object_is_told() -> None:
    for operator in (bpy.ops.xpbd.convert_from_blender, bpy.ops.xpbd.convert_to_blender):
        with pytest.raises(RuntimeError, match="no active object"):
            operator()


def test_a_baked_object_must_be_unbaked_before_it_goes_back(obj: Any) -> None:
    scene = bpy.context.scene
    convert(obj)
    scene.xpbd.frame_end = 3
    bpy.ops.xpbd.bake_shape_keys()
    with pytest.raises(RuntimeError, match="Delete Bake"):
        bpy.ops.xpbd.convert_to_blender()
    assert obj.xpbd.use
    assert not obj.modifiers["Cloth"].show_viewport


def test_it_is_said_where_blender_simulates_beside_us(obj: Any) -> None:
    ours = strip()
    addon.scene.physics.add(ours)
    while addon.simulation.warmup.is_compiling():  # hints wait for that
        time.sleep(0.1)
    hints = addon.interface.hints.hints
    assert any(f"Blender simulates '{obj.name}'" in each for each in hints(bpy.context.scene, ours))
    cloth(ours)
    assert any(f"moves '{ours.name}', too" in each for each in hints(bpy.context.scene, ours))
    convert(obj)
    assert not any("Blender simulates" in each for each in hints(bpy.context.scene, ours))


def test_it_is_one_step_to_undo(obj: Any) -> None:
    name = obj.name
    bpy.ops.ed.undo_push(message="before")
    with bpy.context.temp_override(object=obj):
        bpy.ops.xpbd.convert_from_blender("EXEC_DEFAULT", True)
    bpy.ops.ed.undo()
    found = bpy.data.objects[name]
    assert not found.xpbd.use
    assert [each.name for each in found.modifiers] == ["Cloth"]
    assert found.modifiers["Cloth"].show_viewport
    bpy.ops.ed.redo()
    found = bpy.data.objects[name]
    assert found.xpbd.use
    assert found.xpbd.conversion.source == "CLOTH"


def test_it_survives_saving(obj: Any, tmp_path: Any) -> None:
    name = obj.name
    convert(obj)
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    found = bpy.data.objects[name]
    bpy.context.view_layer.objects.active = found
    assert bpy.ops.xpbd.convert_to_blender() == {"FINISHED"}
    assert found.modifiers["Cloth"].show_viewport
