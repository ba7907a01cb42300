# SPDX-License-Identifier: GPL-3.0-or-later
"""Hints that save an hour: each is there with its cause and gone without it."""

from __future__ import annotations

import sys
import time
from typing import Any

import bpy
import pytest
from blender_scenes import addon_module, empty_scene, sheet


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def told(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[str]:
    """Hints on it, once all is compiled: they wait for that."""
    while addon_module("simulation.warmup").is_compiling():
        time.sleep(0.1)
    bpy.context.view_layer.update()
    return list(addon_module("interface.hints").hints(scene, obj))


def test_nothing_is_said_of_a_plain_scene(scene: bpy.types.Scene) -> None:
    flag = sheet("Flag")
    bpy.ops.mesh.primitive_cube_add(location=(0, 0, -9))
    bpy.ops.object.modifier_add(type="COLLISION")
    assert told(scene, flag) == []


def test_vertices_that_lie_on_others(scene: bpy.types.Scene) -> None:
    """As a glTF file has them along the seams of textures."""
    flag = sheet("Flag")
    bpy.context.view_layer.objects.active = flag
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.edge_split(type="EDGE")
    assert told(scene, flag) == []
    bpy.ops.object.mode_set(mode="OBJECT")
    (hint,) = told(scene, flag)
    assert hint.startswith("64 vertices of 'Flag' lie on others")
    flag.xpbd.weld = 1e-4
    assert told(scene, flag) == []
    flag.xpbd.weld = 0.0
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.remove_doubles()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert told(scene, flag) == []


def test_parts_that_nothing_holds(scene: bpy.types.Scene) -> None:
    """A button on a flag, and confetti, of which none is more than the others."""
    flag = sheet("Flag")
    bpy.context.view_layer.objects.active = flag
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.subdivide(number_cuts=3)
    bpy.ops.mesh.primitive_circle_add(vertices=8, radius=0.01, fill_type="NGON")
    bpy.ops.object.mode_set(mode="OBJECT")
    assert told(scene, flag) == [], "it is carried"
    flag.xpbd.use_carried_buttons = False
    (hint,) = told(scene, flag)
    assert hint.startswith("8 vertices of 'Flag' are joined to nothing")
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=20, y_subdivisions=20)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert told(scene, flag) == [hint], "of a suit, beside shirt and trousers"
    flag.vertex_groups["Pins"].add(range(len(flag.data.vertices)), 1.0, "REPLACE")
    assert told(scene, flag) == []
    flag.xpbd.pin_group = ""
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.edge_split(type="EDGE")
    bpy.ops.object.mode_set(mode="OBJECT")
    assert all("joined to nothing" not in hint for hint in told(scene, flag))


def test_cells_much_wider_than_a_body_is_thick(scene: bpy.types.Scene) -> None:
    bpy.ops.mesh.primitive_cube_add(size=1.0)
    plank = bpy.context.object
    plank.name, plank.scale = "Plank", (0.03, 0.14, 1.0)
    bpy.ops.object.transform_apply()
    assert bpy.ops.xpbd.add(kind="SOFT_BODY") == {"FINISHED"}
    assert told(scene, plank) == []
    plank.xpbd.cell_size = 0.2
    (hint,) = told(scene, plank)
    assert hint.startswith("The cells of 'Plank' are 8 times as wide as it is thick")
    plank.scale = (4.0, 4.0, 4.0)
    assert told(scene, plank) == []


def test_a_cloth_of_77_metres(scene: bpy.types.Scene) -> None:
    flag = sheet("Flag")
    flag.scale = (38.5, 38.5, 38.5)
    (hint,) = told(scene, flag)
    assert hint.startswith("'Flag' is 77 m wide")
    scene.unit_settings.scale_length = 0.01
    assert told(scene, flag) == []


def test_a_scale_that_changes_over_time(scene: bpy.types.Scene) -> None:
    flag = sheet("Flag")
    flag.scale.x = 2.0
    assert told(scene, flag) == []
    empty = bpy.data.objects.new("Grower", None)
    scene.collection.objects.link(empty)
    empty.keyframe_insert("scale", frame=1)
    flag.parent = empty
    assert told(scene, flag) == [
        "The scale of 'Grower' is animated: pins follow it, cloth keeps its size"
    ]


def test_pins_that_do_not_go_along(scene: bpy.types.Scene) -> None:
    """As a skirt's that was not parented to the rig: it is told on frames where it is torn."""
    flag = sheet("Flag")
    flag.vertex_groups["Pins"].add(list(range(30, 36)), 1.0, "ADD")
    flag.shape_key_add(name="Basis")
    gone = flag.shape_key_add(name="Gone")
    for point in list(gone.data)[30:]:
        point.co.y += 40.0
    for frame, value in ((2, 0.0), (4, 1.0)):
        gone.value = value
        gone.keyframe_insert("value", frame=frame)
    scene.frame_end = 4
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    scene.frame_set(4)
    hint = told(scene, flag)[0]
    assert hint.startswith("'Flag' is pulled to "), hint
    assert hint.endswith("as its child")
    scene.frame_set(2)
    assert not any("is pulled" in each for each in told(scene, flag))


def test_weights_that_a_modifier_changes_too_late(scene: bpy.types.Scene) -> None:
    flag = sheet("Flag")
    modifier = flag.modifiers.new("Let Go", "VERTEX_WEIGHT_PROXIMITY")
    modifier.vertex_group = "Pins"
    (hint,) = told(scene, flag)
    assert hint.startswith("'Let Go' changes the vertex group 'Pins' of 'Flag' after XPBD")
    flag.modifiers.move(1, 0)
    assert told(scene, flag) == []
    flag.modifiers.move(0, 1)
    flag.xpbd.pin_group = ""
    assert told(scene, flag) == []
    flag.xpbd.thickness_group = "Pins"
    assert len(told(scene, flag)) == 1
    modifier.show_viewport = False
    assert told(scene, flag) == []


def test_a_collider_that_is_only_there_as_an_instance(scene: bpy.types.Scene) -> None:
    flag = sheet("Flag")
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.object.modifier_add(type="COLLISION")
    wall, prop = bpy.context.object, bpy.data.collections.new("Set")
    wall.name = "Wall"
    scene.collection.objects.unlink(wall)
    prop.objects.link(wall)
    assert told(scene, flag) == []
    empty = bpy.data.objects.new("Stage", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", prop
    scene.collection.objects.link(empty)
    (hint,) = told(scene, flag)
    assert hint.startswith("The collider 'Wall' is only there as an instance")
    assert "'Stage'" in hint
    wall.collision.use = False
    assert told(scene, flag) == []


def test_a_collider_that_is_open_and_has_one_side(scene: bpy.types.Scene) -> None:
    flag = sheet("Flag")
    bpy.ops.mesh.primitive_cylinder_add(location=(0, 0, -2), end_fill_type="NOTHING")
    bpy.ops.object.modifier_add(type="COLLISION")
    pipe = bpy.context.object
    pipe.name = "Pipe"
    assert pipe.collision.use_culling, "Blender's default"
    (hint,) = told(scene, flag)
    assert hint.startswith("'Pipe' collides on one side only but is not closed")
    pipe.collision.use_culling = False
    assert told(scene, flag) == []
    pipe.collision.use_culling = True
    pipe.modifiers.new("Thick", "SOLIDIFY")
    assert told(scene, flag) == []
    pipe.modifiers.remove(pipe.modifiers["Thick"])
    flag.xpbd.collision_collection = bpy.data.collections.new("Nothing")
    assert told(scene, flag) == []


def test_nothing_is_said_of_floors_and_small_holes(scene: bpy.types.Scene) -> None:
    flag = sheet("Flag")
    bpy.ops.mesh.primitive_plane_add(location=(0, 0, -2))
    bpy.ops.object.modifier_add(type="COLLISION")
    bpy.ops.mesh.primitive_uv_sphere_add(location=(0, 0, -4))
    bpy.ops.object.modifier_add(type="COLLISION")
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.object.data.polygons[100].select = True
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.delete(type="FACE")
    bpy.ops.object.mode_set(mode="OBJECT")
    assert told(scene, flag) == []


def test_fields_that_are_not_used(scene: bpy.types.Scene) -> None:
    flag = sheet("Flag")
    bpy.ops.object.effector_add(type="WIND")
    bpy.context.object.name = "Breeze"
    field = bpy.context.object.field
    assert told(scene, flag) == []
    field.strength = 1e9
    assert told(scene, flag) == [
        "The strength of 'Breeze' is so great that it is cut off, at a thousand times gravity or "
        "the speed of sound: lower it"
    ]
    field.strength = 1.0
    cases: list[tuple[Any, Any, str]] = [
        ("BOID", "POINT", "boid"),
        ("FLUID_FLOW", "POINT", "fluid flow"),
    ]
    for kind, shape, named in cases:
        field.type, field.shape = kind, shape
        assert told(scene, flag) == [
            f"Force fields of this type or shape have no effect on XPBD ({named}): 'Breeze'"
        ]
    field.type = "NONE"
    assert told(scene, flag) == []


def test_nothing_of_the_solver_is_imported_while_it_is_compiled(
    scene: bpy.types.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two threads that import the same modules from different ends can block each other."""
    flag = sheet("Flag")
    flag.scale = (38.5, 38.5, 38.5)
    hints, warmup = addon_module("interface.hints"), addon_module("simulation.warmup")
    topology = f"{warmup.__package__.removesuffix('.xpbd_addon.simulation')}.core.contact.topology"
    hints._looked.clear()
    with monkeypatch.context() as compiling:
        compiling.setattr(warmup, "is_compiling", lambda: True)
        compiling.setitem(sys.modules, topology, None)  # can't be imported
        assert list(hints.hints(scene, flag)) == []
    assert len(told(scene, flag)) == 1
