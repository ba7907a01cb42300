# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertex groups paint quantities, and say how strongly pins hold."""

from __future__ import annotations

from typing import Any

import bmesh
import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, empty_scene, sheet
from playing import addon, play
from weighing import first, mix, writing

CUTS = 5


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def paint(obj: bpy.types.Object, name: str, weights: np.ndarray) -> None:
    """A vertex group of these weights of all vertices."""
    known = name in obj.vertex_groups
    group = obj.vertex_groups[name] if known else obj.vertex_groups.new(name=name)
    for vertex, weight in enumerate(weights):
        group.add([vertex], float(weight), "REPLACE")


def across(obj: bpy.types.Object) -> np.ndarray:
    """0 to 1 along the object's x axis, shape (n,)."""
    x = np.array([vertex.co.x for vertex in obj.data.vertices])
    return np.asarray((x - x.min()) / np.ptp(x))


def read(obj: bpy.types.Object) -> Any:
    """Its BodyInput."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return addon.scene.mesh_io.read_body(obj, depsgraph, 1.0)


def all_quantities() -> list[Any]:
    return list(addon.settings.painted.PAINTED)


def test_weights_go_from_the_plain_value_to_the_maximum(scene: bpy.types.Scene) -> None:
    obj = sheet()
    weights = across(obj)
    paint(obj, "Painted", weights)
    obj.xpbd.stretch_stiffness, obj.xpbd.stretch_group, obj.xpbd.stretch_max = 500, "Painted", 1500
    obj.xpbd.friction, obj.xpbd.friction_group, obj.xpbd.friction_max = 0.2, "Painted", 0.6
    material = read(obj).material
    np.testing.assert_allclose(
        1.0 / material["stretch_compliance"], 500 + 1000 * weights, rtol=1e-5
    )
    np.testing.assert_allclose(material["friction"], 0.2 + 0.4 * weights, rtol=1e-5)
    assert material["shear_compliance"] == obj.xpbd.shear_compliance


def test_every_quantity_can_be_painted(scene: bpy.types.Scene) -> None:
    obj = sheet()
    paint(obj, "Painted", across(obj))
    for kind in ("CLOTH", "STRANDS"):
        obj.xpbd.kind = kind
        quantities = addon.settings.painted.quantities(kind)
        assert len({each.argument for each in quantities}) == len(quantities)
        for quantity in quantities:
            setattr(obj.xpbd, quantity.group, "Painted")
        material = read(obj).material
        for quantity in quantities:
            values = material[quantity.argument]
            assert values.shape == (len(obj.data.vertices),), quantity.name
            ends = [getattr(obj.xpbd, quantity.least_name), getattr(obj.xpbd, quantity.most_name)]
            if quantity.is_stiffness:
                ends = [1.0 / max(value, 1e-9) for value in ends]
            np.testing.assert_allclose(sorted(ends), [values.min(), values.max()], rtol=1e-5)
        play(scene, 2)
        positions = addon.simulation.session.cached_positions(scene, obj, 2)
        assert np.isfinite(positions).all()


def test_the_minimum_is_the_plain_value(scene: bpy.types.Scene) -> None:
    settings = sheet().xpbd
    for quantity in all_quantities():
        setattr(settings, quantity.least_name, 0.5 * quantity.most)
        assert getattr(settings, quantity.value) == pytest.approx(0.5 * quantity.most, rel=1e-5)
    settings.bend_max_shown = 30.0  # µN·m
    assert settings.bend_max == pytest.approx(30e-6)


def test_no_stiffness_and_the_stiffest(scene: bpy.types.Scene) -> None:
    obj = sheet()
    paint(obj, "Painted", across(obj))
    obj.xpbd.bend_stiffness, obj.xpbd.bend_group = 0.0, "Painted"
    obj.xpbd.stretch_group, obj.xpbd.stretch_max = "Painted", addon.settings.constraints.STIFFEST
    material = read(obj).material
    least, last = across(obj) == 0.0, across(obj) == 1.0
    np.testing.assert_allclose(
        material["bend_compliance"][least], addon.settings.constraints.SOFTEST
    )
    np.testing.assert_array_equal(material["stretch_compliance"][last], 0.0)
    play(scene)
    assert np.isfinite(addon.simulation.session.cached_positions(scene, obj, 6)).all()


def test_what_is_painted_stiff_stretches_less(scene: bpy.types.Scene) -> None:
    scene.xpbd.automatic, scene.xpbd.substeps, scene.xpbd.frame_end = False, 30, 24
    obj = sheet()
    obj.rotation_euler = (1.5708, 0.0, 0.0)  # it hangs by its pinned row, which runs along x
    obj.xpbd.stretch_stiffness, obj.xpbd.shear_stiffness = 5.0, 0.1
    obj.xpbd.drag, obj.xpbd.bend_stiffness = 5.0, 0.0
    z = np.array([vertex.co.y for vertex in obj.data.vertices])
    obj.vertex_groups["Pins"].remove(range(len(z)))
    obj.vertex_groups["Pins"].add(np.flatnonzero(z > 0.99).tolist(), 1.0, "ADD")
    paint(obj, "Painted", across(obj))
    obj.xpbd.stretch_group, obj.xpbd.stretch_max = "Painted", 500.0
    play(scene, 24)
    low = addon.simulation.session.cached_positions(scene, obj, 24)[z < -0.99, 2]
    assert low[0] < low[-1] - 0.1


# --- pins -----------------------------------------------------------------------------------------


def test_weights_of_pins(scene: bpy.types.Scene) -> None:
    obj = sheet()
    group = obj.vertex_groups.new(name="Some")
    for vertex, weight in ((3, 0.5), (7, 0.25), (20, 1.0), (21, 0.0), (30, 0.9995)):
        group.add([vertex], weight, "REPLACE")
    obj.xpbd.pin_group, obj.xpbd.pin_stiffness = "Some", 400.0
    body = read(obj)
    np.testing.assert_array_equal(body.pins, [3, 7, 20, 30])
    np.testing.assert_allclose(body.pin_stiffness, [200.0, 100.0, np.inf, np.inf])
    np.testing.assert_array_equal(body.held, [False, False, True, True])


def test_pins_below_one_are_pulled_and_those_of_one_are_held(scene: bpy.types.Scene) -> None:
    obj = sheet()
    for frame in FRAMES:
        obj.location.z = 1.0 + 0.05 * frame
        obj.keyframe_insert("location", frame=frame)
    weights = np.zeros(len(obj.data.vertices))
    row = CUTS + 1
    weights[:row], weights[row : 2 * row] = 1.0, 0.5
    paint(obj, "Soft", weights)
    obj.xpbd.pin_group, obj.xpbd.pin_stiffness = "Soft", 2000.0
    play(scene)
    shown = addon.simulation.session.cached_positions(scene, obj, 6)
    np.testing.assert_allclose(shown[:row, 2], 1.3, atol=1e-6)
    pulled = shown[row : 2 * row, 2]
    assert (np.abs(pulled - 1.3) > 1e-5).all()
    assert (np.abs(pulled - 1.3) < 0.1).all()
    assert shown[-1, 2] < 1.25


def test_a_softly_pinned_sheet_sags_the_same_at_any_resolution(scene: bpy.types.Scene) -> None:
    scene.xpbd.automatic, scene.xpbd.substeps, scene.xpbd.frame_end = False, 10, 40
    for cuts in (3, 9):
        obj = sheet(f"Sheet of {cuts}", cuts=cuts)
        paint(obj, "Soft", np.full(len(obj.data.vertices), 0.5))
        obj.xpbd.pin_group, obj.xpbd.density, obj.xpbd.drag = "Soft", 0.2, 0.0
        obj.xpbd.use_body_collision = False
    play(scene, 40)
    for obj in scene.objects:
        sag = 1.0 - addon.simulation.session.cached_positions(scene, obj, 40)[:, 2]
        np.testing.assert_allclose(sag, 0.2 * 9.81 / 500.0, rtol=0.01)


# --- what modifiers make of weights ---------------------------------------------------------------


def arrived(obj: bpy.types.Object) -> Any:
    """Its BodyInput, as all modifiers leave it; the display modifier is prepared as by edits."""
    bpy.context.view_layer.update()
    return read(obj)


def test_pins_are_as_modifiers_before_ours_leave_them(scene: bpy.types.Scene) -> None:
    obj = sheet()
    count, painted = len(obj.data.vertices), list(range(CUTS + 1))
    modifier = mix(obj, weight=0.5)
    modifier.mask_constant = 1.0
    assert arrived(obj).pins.tolist() == painted, "it stands after ours"
    modifier = first(modifier)
    body = arrived(obj)
    assert body.pins.tolist() == list(range(count))
    np.testing.assert_allclose(body.pin_stiffness, 0.5 * obj.xpbd.pin_stiffness, rtol=1e-6)
    modifier.show_viewport = False
    assert arrived(obj).pins.tolist() == painted
    modifier.show_viewport, modifier.default_weight_b = True, 0.0
    assert arrived(obj).pins.tolist() == [], "which is no error: they may come"
    obj.modifiers.remove(modifier)
    assert arrived(obj).pins.tolist() == painted


def test_modifiers_after_ours_change_nothing(scene: bpy.types.Scene) -> None:
    """Neither of what arrives, nor where they make other vertices."""
    obj = sheet()
    weights = across(obj)
    paint(obj, "Pins", np.where(weights > 0.5, 0.75, 0.0))
    first(mix(obj, weight=1.0)).mask_constant = 0.5
    expected = arrived(obj).pin_stiffness
    np.testing.assert_allclose(sorted(set(expected)), [500.0, 875.0], rtol=1e-5)
    last = mix(obj, weight=0.0)
    last.mask_constant = 1.0
    for kind in ("SUBSURF", "SOLIDIFY", "WIREFRAME"):
        refining = obj.modifiers.new(kind, kind)
        np.testing.assert_array_equal(arrived(obj).pin_stiffness, expected)
        obj.modifiers.remove(refining)


@pytest.mark.parametrize("kind", ["FLOAT", "BOOLEAN"])
def test_nodes_write_a_vertex_group(scene: bpy.types.Scene, kind: str) -> None:
    obj = sheet()
    obj.vertex_groups.new(name="Made")
    obj.xpbd.pin_group = obj.xpbd.friction_group = "Made"
    obj.xpbd.friction, obj.xpbd.friction_max, obj.xpbd.pin_stiffness = 0.2, 0.6, 100.0
    first(writing(obj, "Made", kind))
    body, x = arrived(obj), across(obj)
    weights = x if kind == "FLOAT" else (x > 0.0).astype(float)
    assert body.pins.tolist() == np.flatnonzero(weights > 0.0).tolist()
    np.testing.assert_allclose(body.material["friction"], 0.2 + 0.4 * weights, atol=1e-6)
    held = weights[body.pins] >= 0.999
    np.testing.assert_array_equal(body.held, held)
    stiffness = body.pin_stiffness[~held]
    np.testing.assert_allclose(stiffness, 100.0 * weights[body.pins][~held], rtol=1e-5)


def test_what_comes_near_is_let_go(scene: bpy.types.Scene) -> None:
    obj = sheet()
    bpy.ops.object.empty_add()
    empty = bpy.context.object
    near: Any = obj.modifiers.new("Near", "VERTEX_WEIGHT_PROXIMITY")
    near.vertex_group, near.target, near.proximity_mode = "Pins", empty, "GEOMETRY"
    near.proximity_mode, near.min_dist, near.max_dist = "OBJECT", 0.0, 1.0
    first(near)
    for height in (1.0, 1.5, 6.0):
        empty.location = (0.0, 0.0, height)
        body = arrived(obj)
        weight = min(abs(height - obj.location.z), 1.0)
        assert len(body.pins) == (CUTS + 1 if weight > 0.0 else 0)
        expected = np.inf if weight == 1.0 else weight * obj.xpbd.pin_stiffness
        np.testing.assert_allclose(body.pin_stiffness, expected, rtol=1e-5)


@pytest.mark.parametrize("kind", ["MIRROR", "SUBSURF", "ARRAY"])
def test_what_is_made_has_weights_of_its_own(scene: bpy.types.Scene, kind: str) -> None:
    obj = sheet()
    obj.modifiers.new("Making", kind)
    first(obj.modifiers["Making"])
    obj.xpbd.pin_stiffness = 100.0
    paint(obj, "Pins", across(obj))
    body = arrived(obj)
    assert len(body.positions) > len(obj.data.vertices)
    x = body.positions[body.pins, 0]
    expected = np.abs(x + 1.0) / 2.0 if kind == "SUBSURF" else None
    if expected is not None:
        inner = ~body.held & (np.abs(x) < 0.7)
        np.testing.assert_allclose(body.pin_stiffness[inner], 100.0 * expected[inner], rtol=1e-3)
    weights = np.where(body.held, 100.0, body.pin_stiffness)
    assert len(body.pins) > np.count_nonzero(across(obj))
    assert 0.0 < weights.min() and weights.max() == 100.0
    first(mix(obj)).mask_constant = 1.0
    assert len(arrived(obj).pins) == 0


def test_node_groups_are_shared_by_what_is_left_behind(scene: bpy.types.Scene) -> None:
    sheets = [sheet(name) for name in ("One", "Two", "Plain")]
    for obj in sheets[:2]:
        first(mix(obj))
    bpy.context.view_layer.update()
    one, two, plain = (obj.modifiers["XPBD"].node_group for obj in sheets)
    assert one == two != plain
    sheets[1].vertex_groups.new(name="Other")
    sheets[1].xpbd.friction_group = "Other"
    bpy.context.view_layer.update()
    assert sheets[1].modifiers["XPBD"].node_group not in (one, plain)
    play(scene, 3)
    assert all(
        addon.scene.display_nodes.shape(obj.modifiers["XPBD"]) is None
        and addon.scene.display_nodes.asked_for(obj.modifiers["XPBD"]) == "xp_pos"
        for obj in sheets
    )


# --- outdating ------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["weight", "maximum", "group", "pin weight", "pin stiffness"])
def test_painting_outdates(scene: bpy.types.Scene, change: str) -> None:
    obj = sheet()
    paint(obj, "Painted", across(obj))
    paint(obj, "Pins", np.where(across(obj) < 0.5, 0.5, 0.0))
    obj.xpbd.stretch_group = "Painted"
    play(scene, 3)
    status = addon.simulation.session.status
    assert not status(scene).outdated
    if change == "weight":
        obj.vertex_groups["Painted"].add([20], 0.123, "REPLACE")
    elif change == "maximum":
        obj.xpbd.stretch_max = 12345.0
    elif change == "group":
        obj.xpbd.stretch_group = ""
    elif change == "pin weight":
        obj.vertex_groups["Pins"].add([0], 0.9, "REPLACE")
    else:
        obj.xpbd.pin_stiffness = 77.0
    obj.data.update()
    bpy.context.view_layer.update()
    assert status(scene, exact=True).outdated
    assert status(scene).reason in {"material changed", "pins changed"}


# --- bad input ------------------------------------------------------------------------------------


def refused(match: str) -> None:
    with pytest.raises(RuntimeError, match=match):
        bpy.ops.xpbd.simulate()


def test_a_group_that_is_missing(scene: bpy.types.Scene) -> None:
    sheet().xpbd.bend_group = "Nowhere"
    refused("'Sheet' has no vertex group 'Nowhere': choose another Bend, or clear it")


def test_a_group_that_is_empty(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.vertex_groups.new(name="Empty")
    obj.xpbd.density_group = "Empty"
    refused("vertex group 'Empty' of 'Sheet' is empty: paint Mass with it")


def wild_group(obj: bpy.types.Object, weight: float) -> None:
    """A group with one vertex, whose weight only a script can give."""
    group = obj.vertex_groups.new(name="Wild")
    data = obj.data
    assert isinstance(data, bpy.types.Mesh)
    mesh = bmesh.new()
    mesh.from_mesh(data)
    mesh.verts.ensure_lookup_table()
    mesh.verts[4][mesh.verts.layers.deform.verify()][group.index] = weight
    mesh.to_mesh(data)
    mesh.free()


def test_a_weight_above_one_is_one(scene: bpy.types.Scene) -> None:
    """Blender itself never tells of more."""
    obj = sheet()
    wild_group(obj, 1.5)
    obj.xpbd.pin_group = "Wild"
    assert read(obj).pins.tolist() == [4]
    assert read(obj).held.all()


@pytest.mark.parametrize("use", ["pin_group", "thickness_group"])
def test_weights_that_are_no_numbers(scene: bpy.types.Scene, use: str) -> None:
    obj = sheet()
    wild_group(obj, float("nan"))
    setattr(obj.xpbd, use, "Wild")
    refused("group 'Wild' of 'Sheet' has a weight of nan at vertex 4: keep weights between")
