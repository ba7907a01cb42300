# SPDX-License-Identifier: GPL-3.0-or-later
"""The warp of each face, from a UV map or an attribute."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, empty_scene, sheet
from playing import addon, play

FACES = [(0, 1, 4, 3), (1, 2, 4), (3, 4, 7, 6), (4, 2, 5, 8, 7)]
POINTS = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1.5), (0, 2), (1, 2), (2, 2)]


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def patchwork() -> bpy.types.Object:
    """A cloth of a triangle, quads and a face of five corners, with a UV map as it lies."""
    mesh: Any = bpy.data.meshes.new("Patchwork")
    mesh.from_pydata([(*point, 0.0) for point in POINTS], [], FACES)
    layer = mesh.uv_layers.new(name="Pattern")
    for loop, corner in zip(layer.data, mesh.loops, strict=True):
        loop.uv = POINTS[corner.vertex_index]
    obj = bpy.data.objects.new("Patchwork", mesh)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    assert bpy.ops.xpbd.add(kind="CLOTH") == {"FINISHED"}
    obj.xpbd.warp_source = "UV"
    return obj


def turn(obj: bpy.types.Object, faces: Any) -> None:
    """Turn the islands of faces by 90° in the UV map: U then runs along -y."""
    mesh: Any = obj.data
    for face in faces:
        for corner in mesh.polygons[face].loop_indices:
            x, y = mesh.uv_layers[0].data[corner].uv
            mesh.uv_layers[0].data[corner].uv = (-y, x)


def body_of(obj: bpy.types.Object) -> Any:
    scene, depsgraph = bpy.context.scene, bpy.context.evaluated_depsgraph_get()
    inputs = addon.simulation.scene_input.read_scene(scene, depsgraph, [obj], "")
    assert not inputs.left_out, inputs.left_out
    return inputs.bodies[0]


def refusal_of(obj: bpy.types.Object) -> str:
    scene, depsgraph = bpy.context.scene, bpy.context.evaluated_depsgraph_get()
    inputs = addon.simulation.scene_input.read_scene(scene, depsgraph, [obj], "")
    (message,) = inputs.left_out.values()
    return str(message)


def test_each_face_is_woven_as_its_map_says(scene: bpy.types.Scene) -> None:
    obj = patchwork()
    turn(obj, [1, 3])
    body = body_of(obj)
    assert len(body.warp) == len(body.elements)
    for warp, corners in zip(body.warp, body.elements, strict=True):
        (face,) = (k for k in range(4) if set(corners) <= set(FACES[k]))
        expected = (0.0, 1.0, 0.0) if face in (1, 3) else (1.0, 0.0, 0.0)
        np.testing.assert_allclose(np.abs(warp), expected, atol=1e-6)


def test_a_map_that_is_skewed_and_stretched_tells_where_v_is_the_same(
    scene: bpy.types.Scene,
) -> None:
    """u = x + 3 y, v = 2 y: along x."""
    obj = patchwork()
    mesh: Any = obj.data
    for loop in mesh.uv_layers[0].data:
        x, y = loop.uv
        loop.uv = (x + 3.0 * y, 2.0 * y)
    expected = np.tile((1.0, 0.0, 0.0), (len(body_of(obj).warp), 1))
    np.testing.assert_allclose(body_of(obj).warp, expected, atol=1e-6)


def test_the_warp_moves_with_the_object(scene: bpy.types.Scene) -> None:
    obj = patchwork()
    obj.rotation_euler = (0.0, 0.0, np.pi / 2)
    attribute: Any = obj.data.attributes.new("Grain", "FLOAT_VECTOR", "POINT")
    attribute.data.foreach_set("vector", np.tile((0.0, 2.0, 0.0), len(POINTS)))
    for source, expected in (("UV", (0.0, 1.0, 0.0)), ("ATTRIBUTE", (-1.0, 0.0, 0.0))):
        obj.xpbd.warp_source, obj.xpbd.warp_attribute = source, "Grain"
        bpy.context.view_layer.update()
        for warp in body_of(obj).warp:
            np.testing.assert_allclose(warp, expected, atol=1e-6)


def test_a_face_without_area_in_the_map_takes_the_axis(scene: bpy.types.Scene) -> None:
    obj = patchwork()
    mesh: Any = obj.data
    turn(obj, range(4))
    for corner in mesh.polygons[2].loop_indices:
        mesh.uv_layers[0].data[corner].uv = (0.25, 0.5)
    body = body_of(obj)
    for warp, corners in zip(body.warp, body.elements, strict=True):
        expected = (1.0, 0.0, 0.0) if set(corners) == set(FACES[2]) else (0.0, 1.0, 0.0)
        np.testing.assert_allclose(np.abs(warp), expected, atol=1e-6)


def test_what_tells_of_no_direction_is_refused_by_name(scene: bpy.types.Scene) -> None:
    obj = patchwork()
    mesh: Any = obj.data
    for loop in mesh.uv_layers[0].data:
        loop.uv = (0.5, 0.5)
    assert "UV map of 'Patchwork' has no direction on any face" in refusal_of(obj)
    obj.xpbd.warp_uv_map = "Lost"
    assert "'Patchwork' has no UV map 'Lost'" in refusal_of(obj)
    obj.xpbd.warp_uv_map = ""
    mesh.uv_layers.remove(mesh.uv_layers[0])
    assert "'Patchwork' has no UV map:" in refusal_of(obj)
    obj.xpbd.warp_source, obj.xpbd.warp_attribute = "ATTRIBUTE", "position"
    mesh.attributes.new("Weight", "FLOAT", "POINT")
    obj.xpbd.warp_attribute = "Weight"
    assert "no attribute 'Weight' of vectors" in refusal_of(obj)


def sagging(scene: bpy.types.Scene, *, turned: bool, weld: float = 0.0) -> float:
    """How far the free edge of a hanging curtain sinks whose weft is soft [m]."""
    for left in list(bpy.data.objects):
        bpy.data.objects.remove(left)
    obj = sheet(cuts=9)
    obj.rotation_euler = (-np.pi / 2, 0.0, 0.0)
    obj.xpbd.warp_source, obj.xpbd.weft_stretch = "UV", 0.25
    obj.xpbd.stretch_stiffness, obj.xpbd.areal_density = 1000.0, 0.3
    obj.xpbd.weld = weld
    obj.xpbd.bend_stiffness = 0.0
    obj.xpbd.drag = 10.0
    if turned:
        turn(obj, range(len(obj.data.polygons)))
    scene.frame_set(FRAMES.start)
    play(scene)
    shown = addon.simulation.session.cached_positions(scene, obj, scene.xpbd.frame_end)
    return float(shown[:, 2].max() - shown[:, 2].min()) - 2.0


def test_a_panel_whose_map_is_turned_hangs_by_its_weft(scene: bpy.types.Scene) -> None:
    """U runs across the curtain, which hangs by its weft, and turned by 90° by its warp.

    It gets longer by ρ g L² / (2 k), with k = 1000 and 250 N/m, 0.3 kg/m² and L = 2 m.
    """
    scene.xpbd.frame_end = 50
    scene.xpbd.automatic, scene.xpbd.substeps = False, 30
    for turned, stiffness in ((False, 250.0), (True, 1000.0)):
        expected = 0.3 * 9.81 * 2.0**2 / (2.0 * stiffness)
        assert sagging(scene, turned=turned) == pytest.approx(expected, rel=0.04)


def test_welding_keeps_the_warp_of_what_is_left(scene: bpy.types.Scene) -> None:
    assert sagging(scene, turned=True, weld=1e-4) == pytest.approx(
        sagging(scene, turned=True), abs=1e-6
    )


def test_other_maps_outdate_the_cache(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.xpbd.warp_source = "UV"
    play(scene)
    status = addon.simulation.session.status
    assert not status(scene).outdated
    turn(obj, [3])
    obj.data.update()
    bpy.context.view_layer.update()
    assert status(scene).outdated


def test_modifiers_that_turn_the_map_outdate_the_cache(scene: bpy.types.Scene) -> None:
    """Seen on the first frame: later ones are not simulated from it."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=3, y_subdivisions=3)
    obj = bpy.context.object
    turning: Any = obj.modifiers.new("Turn", "UV_WARP")
    obj.modifiers.new("Mirror", "MIRROR")
    assert bpy.ops.xpbd.add(kind="CLOTH") == {"FINISHED"}
    obj.xpbd.warp_source = "UV"
    status = addon.simulation.session.status
    play(scene)
    assert not status(scene).outdated
    turning.rotation = 1.0
    bpy.context.view_layer.update()
    assert not status(scene).outdated
    scene.frame_set(scene.xpbd.frame_start)
    assert status(scene).reason == "modifiers before XPBD turn the warp of 'Grid'"
