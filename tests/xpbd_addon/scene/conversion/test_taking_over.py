# SPDX-License-Identifier: GPL-3.0-or-later
"""What is carried over from Blender's Cloth and Soft Body, what is not, and the way back."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from blender_cloth import before_and_after, cloth, convert, group, play, soft_body, strip
from playing import addon
from weighing import first, key, mix

from bench.hobby_scenes import mesh_object


@pytest.fixture
def obj() -> Any:
    return strip()


def lost(obj: Any) -> str:
    return str(obj.xpbd.conversion.lost)


def back() -> None:
    assert bpy.ops.xpbd.convert_to_blender() == {"FINISHED"}


def test_values_are_those_of_the_fabric_in_si_units(obj: Any) -> None:
    """By hand, from the laws in shared units: 24 frames a second, cells of 0.1 m."""
    modifier = cloth(obj, mass=0.4, air_damping=2.0, bending_damping=0.5, quality=5)
    settings = convert(obj)
    factor = 24.0**2 * 0.32 / 45.0
    edges = 15.0 * (5 * 8 + 9 * 4) / (2 * 4 * 8)  # more of them than of an endless sheet
    assert settings.density == pytest.approx(0.4)
    along = edges + 15.0
    young = along - 15.0**2 / along
    assert settings.stretch_stiffness == pytest.approx(factor * young / 0.1, rel=1e-3)
    assert settings.shear_stiffness == pytest.approx(factor * 15.0 / 0.2, rel=1e-3)
    assert settings.poisson_ratio == pytest.approx(15.0 / along, rel=1e-3)
    assert settings.bend_stiffness == pytest.approx(factor * 0.05 * 0.5 * 0.01, rel=1e-3)
    assert settings.stretch_damping == pytest.approx((5 * 0.1 / 15 + 0.2) / 24.0, rel=1e-3)
    assert settings.bend_damping == pytest.approx(5 * 0.5 / 0.5 / 24.0, rel=1e-3)
    assert settings.drag == pytest.approx(0.01 * 2.0 * 24.0 / 0.4 + 0.4 / 5, rel=1e-3)
    assert settings.field_pressure == pytest.approx(0.02 * 24.0 * 0.32 / 45.0, rel=1e-3)
    assert settings.field_weights.gravity == pytest.approx(0.576)
    assert settings.friction == pytest.approx(0.5)
    assert modifier.settings.mass == pytest.approx(0.4)
    assert lost(obj) == ""


@pytest.mark.parametrize("order", [["Cloth", "Fine"], ["Fine", "Cloth"]])
def test_it_stands_behind_multires(obj: Any, order: list[str]) -> None:
    """Before which Blender lets nothing stand that makes geometry."""
    cloth(obj)
    obj.modifiers.new("Fine", "MULTIRES")
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.multires_subdivide(modifier="Fine")
    obj.modifiers.move(obj.modifiers.find("Cloth"), order.index("Cloth"))
    convert(obj)
    assert [modifier.name for modifier in obj.modifiers] == [*order, "XPBD"]
    assert play(obj, 6)[-1, :, 2].mean() < -0.02
    back()
    assert [modifier.name for modifier in obj.modifiers] == order


def test_a_scene_in_centimetres_keeps_its_look(obj: Any) -> None:
    """Accelerations in Blender units are the same, so all lengths count by their powers."""
    other = strip()
    for each in (obj, other):
        cloth(each, bending_stiffness=1000.0)
    metres = convert(obj)
    bpy.context.scene.unit_settings.scale_length = 0.01
    centimetres = convert(other)
    for name, power in {
        "stretch_stiffness": 2, "shear_stiffness": 2, "bend_stiffness": 4, "field_pressure": 1,
        "drag": 0, "areal_density": 0, "stretch_damping": 0,
    }.items():  # fmt: skip
        expected = getattr(metres, name) * 0.01**power
        assert getattr(centimetres, name) == pytest.approx(expected, rel=1e-3), name


def test_painted_stiffness_is_carried(obj: Any) -> None:
    painted = group(obj, "Collar", range(20))
    modifier = cloth(
        obj, bending_stiffness_max=5.0, shear_stiffness_max=30.0, tension_stiffness_max=45.0
    )
    for name in ("structural_stiffness", "shear_stiffness", "bending"):
        setattr(modifier.settings, f"vertex_group_{name}", painted)
    settings = convert(obj)
    assert {settings.stretch_group, settings.shear_group, settings.bend_group} == {painted}
    assert settings.bend_max == pytest.approx(10.0 * settings.bend_stiffness, rel=1e-3)
    assert settings.shear_max == pytest.approx(2.0 * settings.shear_stiffness, rel=1e-3)
    assert settings.stretch_max > 2.0 * settings.stretch_stiffness


def test_groups_that_are_missing_or_empty_are_none(obj: Any) -> None:
    modifier = cloth(obj)
    modifier.settings.vertex_group_mass = "Gone"
    modifier.settings.vertex_group_bending = group(obj, "Empty", [])
    settings = convert(obj)
    assert settings.pin_group == ""
    assert settings.bend_group == ""
    play(obj, 3)
    assert not addon.simulation.session.status(bpy.context.scene).error


def test_pins_that_hold_stay_in_their_group(obj: Any) -> None:
    cloth(obj, vertex_group_mass=group(obj, "Top", range(5)))
    assert convert(obj).pin_group == "Top"
    assert list(obj.vertex_groups.keys()) == ["Top"]


def test_weights_of_pins_become_their_fourth_powers(obj: Any) -> None:
    cloth(obj, vertex_group_mass=group(obj, "Top", range(5)))
    group(obj, "Top", range(5, 10), 0.5)
    name = convert(obj).pin_group
    assert name != "Top"
    found = addon.scene.weights.read_weights(obj, name, "")
    assert found[:10] == pytest.approx([1.0] * 5 + [0.0625] * 5)
    back()
    assert list(obj.vertex_groups.keys()) == ["Top"]


def test_collisions_are_carried(obj: Any) -> None:
    modifier = cloth(obj)
    hit = bpy.data.collections.new("Hit")
    collisions = modifier.collision_settings
    collisions.use_self_collision = True
    collisions.self_distance_min, collisions.distance_min = 0.02, 0.03
    collisions.friction, collisions.collection = 8.0, hit
    settings = convert(obj)
    assert settings.use_self_collision
    assert settings.thickness == pytest.approx(0.03)
    assert settings.friction == pytest.approx(0.8)
    assert settings.collision_collection == hit


def test_what_goes_through_everything_goes_on_doing_so(obj: Any) -> None:
    cloth(obj)
    obj.modifiers["Cloth"].collision_settings.use_collision = False
    settings = convert(obj)
    assert not settings.use_body_collision
    assert not settings.collision_collection.all_objects
    back()
    assert not bpy.data.collections


def test_field_weights_are_carried(obj: Any) -> None:
    weights = cloth(obj).settings.effector_weights
    weights.collection = fields = bpy.data.collections.new("Fields")
    weights.gravity, weights.all, weights.wind, weights.magnetic = -0.5, 0.7, 0.3, 0.2
    found = convert(obj).field_weights
    assert (found.all, found.wind, found.magnetic) == pytest.approx((0.7, 0.3, 0.2))
    assert found.gravity == pytest.approx(-0.5 * 0.576)
    assert found.collection == fields


def test_frames_are_those_of_all_and_come_back(obj: Any) -> None:
    scene = bpy.context.scene
    scene.xpbd.frame_end = 77
    other = strip()
    for each, frames in ((obj, (1, 90)), (other, (5, 120))):
        cache = cloth(each).point_cache
        cache.frame_start, cache.frame_end = frames
    assert bpy.ops.xpbd.convert_from_blender(which="SCENE") == {"FINISHED"}
    assert (scene.xpbd.frame_start, scene.xpbd.frame_end) == (1, 120)
    assert lost(obj) == ""
    assert "start on frame 5" in lost(other)
    assert bpy.ops.xpbd.convert_to_blender(which="SCENE") == {"FINISHED"}
    assert (scene.xpbd.frame_start, scene.xpbd.frame_end) == (1, 77)


def test_frames_that_were_changed_since_stay(obj: Any) -> None:
    scene = bpy.context.scene
    cloth(obj)
    convert(obj)
    scene.xpbd.frame_end = 33
    back()
    assert scene.xpbd.frame_end == 33


def test_converting_back_puts_everything_as_it_was(obj: Any) -> None:
    wave = obj.modifiers.new("Wave", "WAVE")
    modifier = cloth(obj, vertex_group_mass=group(obj, "Top", range(5), 0.5))
    modifier.show_render = False
    obj.modifiers.new("Smooth", "SUBSURF")
    shown = [(each.name, each.show_viewport, each.show_render) for each in obj.modifiers]
    names = [each.identifier for each in obj.xpbd.bl_rna.properties]
    plain = {name: obj.xpbd.is_property_set(name) for name in names}
    convert(obj)
    assert [each.type for each in obj.modifiers] == ["WAVE", "CLOTH", "NODES", "SUBSURF"]
    assert not modifier.show_viewport and not modifier.show_render
    assert wave.show_viewport
    back()
    assert [(each.name, each.show_viewport, each.show_render) for each in obj.modifiers] == shown
    assert list(obj.vertex_groups.keys()) == ["Top"]
    now = {name: obj.xpbd.is_property_set(name) for name in names}
    del plain["cache_id"], now["cache_id"]
    assert now == plain


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"use_internal_springs": True}, "Internal Springs"),
        ({"bending_model": "LINEAR"}, "Linear Bending"),
        ({"compression_stiffness": 80.0}, "Compression 80"),
        ({"use_pressure": True}, "Pressure: only a closed mesh"),
    ],
)
def test_what_is_lost_is_told(obj: Any, settings: dict[str, Any], word: str) -> None:
    cloth(obj, **settings)
    convert(obj)
    assert word in lost(obj)
    assert len(lost(obj).splitlines()) == 1


def test_shrinking_and_sewing_are_carried_where_there_are_such_settings(obj: Any) -> None:
    shrunk = group(obj, "Shrunk", range(5))
    cloth(obj, use_sewing_springs=True, shrink_min=0.1, shrink_max=0.3, vertex_group_shrink=shrunk)
    settings = convert(obj)
    told = lost(obj)
    for name, value, word in (("use_sewing", True, "Sewing"), ("shrinkage", 0.1, "Shrinking")):
        if name in settings.bl_rna.properties:
            assert getattr(settings, name) == pytest.approx(value)
        else:
            assert word in told


def test_lost_groups_and_keyframes_are_told(obj: Any) -> None:
    modifier = cloth(obj)
    modifier.collision_settings.vertex_group_self_collisions = group(obj, "Hem", range(5))
    modifier.settings.keyframe_insert("mass", frame=1)
    convert(obj)
    told = lost(obj).splitlines()
    assert len(told) == 2
    assert "Self Collision Vertex Group 'Hem'" in told[0]
    assert "keyframes" in told[1]


def test_pins_are_let_go_on_the_frame_on_which_blender_lets_them_go(obj: Any) -> None:
    """By a modifier before both."""
    pins = group(obj, "Pins", range(5))
    key(mix(obj), "mask_constant", {5: 0.0, 6: 1.0})
    cloth(obj, vertex_group_mass=pins)
    before, after = before_and_after(obj, 9)
    assert lost(obj) == ""
    for shown in (before, after):
        np.testing.assert_allclose(shown[:5, :5], np.broadcast_to(shown[0, :5], (5, 5, 3)))
        assert (shown[5, :5, 2] < shown[0, :5, 2] - 1e-3).all()
    np.testing.assert_allclose(after[:, :5], before[:, :5], atol=0.02)


def test_pins_that_only_modifiers_fill_are_pins(obj: Any) -> None:
    """What is empty as painted: the first row gets its weights from another group."""
    pins = group(obj, "Pins", [])
    filling = mix(obj)
    filling.mask_constant, filling.vertex_group_b = 1.0, group(obj, "Row", range(5))
    cloth(obj, vertex_group_mass=pins)
    before, after = before_and_after(obj, 9)
    assert obj.xpbd.pin_group == pins
    assert "what modifiers give 'Pins' pulls as it is" in lost(obj)
    for shown in (before, after):
        np.testing.assert_allclose(shown[:, :5], np.broadcast_to(shown[0, :5], (9, 5, 3)))
        assert shown[-1, 5:, 2].max() < -1e-3


def test_painted_settings_that_only_modifiers_fill_are_carried(obj: Any) -> None:
    painted = group(obj, "Collar", [])
    mix(obj, painted, 1.0)
    modifier = cloth(obj, shrink_max=0.3, vertex_group_shrink=painted)
    modifier.settings.vertex_group_bending = painted
    settings = convert(obj)
    assert (settings.bend_group, settings.shrinkage_group) == (painted, painted)


def test_what_modifiers_make_of_weights_that_are_made_anew_is_told(obj: Any) -> None:
    pins = group(obj, "Pins", range(5), 0.7)
    first(mix(obj))
    cloth(obj, vertex_group_mass=pins)
    convert(obj)
    assert lost(obj) == (
        "what modifiers make of weights: pins are 'Pins Pins', which is as painted"
    )


def test_a_mesh_of_uneven_cells_is_told() -> None:
    x = np.concatenate([np.linspace(0.0, 1.0, 12), np.linspace(1.4, 4.0, 6)])
    points = [(a, b, 0.0) for b in np.linspace(0.0, 1.0, 6) for a in x]
    faces = [(r * 18 + c, r * 18 + c + 1, r * 18 + c + 19, r * 18 + c + 18)
             for r in range(5) for c in range(17)]  # fmt: skip
    obj = mesh_object("Uneven", points, faces)
    cloth(obj)
    convert(obj)
    assert "uneven" in lost(obj)


def test_a_closed_soft_body_is_filled() -> None:
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8)
    obj = bpy.context.object
    soft_body(obj, use_goal=False, use_stiff_quads=True)
    settings = convert(obj)
    assert settings.use_volume
    assert settings.pin_group == ""
    assert lost(obj).startswith("the inside")
    play(obj, 3)
    assert not addon.simulation.session.status(bpy.context.scene).error
    back()
    assert obj.modifiers["Softbody"].show_viewport


def test_what_soft_bodies_lose_is_told(obj: Any) -> None:
    painted = group(obj, "Springs", range(5))
    soft_body(obj, push=0.9, damping=0.5, plastic=10, aero=5, vertex_group_spring=painted)
    convert(obj)
    for word in ("Push", "Damping", "Plasticity", "Aerodynamics", "Springs Vertex Group"):
        assert word in lost(obj)
