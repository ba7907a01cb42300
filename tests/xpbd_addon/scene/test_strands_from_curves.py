# SPDX-License-Identifier: GPL-3.0-or-later
"""Hair curves become strands that follow what the curves follow, and look like hair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import animation, empty_scene, evaluated_positions
from mathutils import Vector
from playing import addon, cached


@pytest.fixture
def scene() -> bpy.types.Scene:
    scene = empty_scene()
    scene.xpbd.substeps = 20
    return scene


def head() -> bpy.types.Object:
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, location=(1, 2, 3))
    return bpy.context.object


def hair(
    sizes: Sequence[int] = (6, 4, 5), surface: bpy.types.Object | None = None
) -> bpy.types.Object:
    """Active hair curves that stick out along x, with radii, on a surface if one is given."""
    data = bpy.data.hair_curves.new("Hair")
    data.add_curves(list(sizes))
    points = [(0.1 * i, 0.2 * c, 0.0) for c, size in enumerate(sizes) for i in range(size)]
    data.attributes["position"].data.foreach_set("vector", np.ravel(points).astype(np.float32))
    if "radius" not in data.attributes:
        data.attributes.new("radius", "FLOAT", "POINT")
    radius: Any = data.attributes["radius"]
    radius.data.foreach_set("value", np.full(len(points), 0.01, np.float32))
    data.materials.append(bpy.data.materials.new("Brown"))
    obj = bpy.data.objects.new("Hair", data)
    bpy.context.collection.objects.link(obj)
    data.surface = surface
    obj.parent = surface
    bpy.context.view_layer.objects.active = obj
    bpy.context.view_layer.update()
    return obj


def lift_with_nodes(obj: bpy.types.Object, name: str = "Lift") -> bpy.types.Modifier:
    """A modifier that moves the points of curves upwards by its input."""
    tree: Any = bpy.data.node_groups.new(name, "GeometryNodeTree")
    tree.is_modifier = True
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    entry, move, leave = (
        tree.nodes.new(kind)
        for kind in ("NodeGroupInput", "GeometryNodeSetPosition", "NodeGroupOutput")
    )
    time = tree.nodes.new("GeometryNodeInputSceneTime")
    rise = tree.nodes.new("ShaderNodeCombineXYZ")
    tree.links.new(entry.outputs[0], move.inputs["Geometry"])
    tree.links.new(time.outputs["Frame"], rise.inputs["Z"])
    tree.links.new(rise.outputs[0], move.inputs["Offset"])
    tree.links.new(move.outputs[0], leave.inputs[0])
    modifier = obj.modifiers.new(name, "NODES")
    modifier.node_group = tree
    return modifier


def convert() -> bpy.types.Object:
    assert bpy.ops.xpbd.strands_from_curves() == {"FINISHED"}
    return bpy.context.object


def rest(obj: bpy.types.Object) -> np.ndarray:
    matrix = np.array(obj.matrix_world)
    return addon.scene.mesh_io.vectors(obj.data, "position") @ matrix[:3, :3].T + matrix[:3, 3]


def test_points_become_vertices_and_neighbours_edges(scene: bpy.types.Scene) -> None:
    curves = hair()
    curves.location, curves.scale = (1, 2, 3), (2, 1, 1)
    bpy.context.view_layer.update()
    strands = convert()
    assert strands.type == "MESH"
    assert strands.matrix_world == curves.matrix_world
    inner = [(i, i + 1) for i in range(14) if i not in (5, 9)]
    assert addon.scene.mesh_io.read_edges(strands.data).tolist() == [list(edge) for edge in inner]
    expected = addon.scene.mesh_io.vectors(curves.data, "position")
    np.testing.assert_array_equal(addon.scene.mesh_io.vectors(strands.data, "position"), expected)
    assert (strands.xpbd.use, strands.xpbd.kind) == (True, "STRANDS")


def test_the_first_two_points_are_the_roots(scene: bpy.types.Scene) -> None:
    hair(sizes=(6, 2, 1, 3))
    strands = convert()
    assert strands.xpbd.pin_group == "Roots"
    assert addon.scene.weights.read_pins(strands, strands.xpbd)[0].tolist() == [0, 1, 6, 8, 9, 10]


def test_the_curves_are_hidden_and_not_lost(scene: bpy.types.Scene) -> None:
    curves = hair()
    strands = convert()
    assert curves.hide_viewport
    assert curves.hide_render
    assert strands.select_get()
    assert len(curves.data.points) == 15
    assert strands.users_collection == curves.users_collection


def test_it_hangs_and_bakes(scene: bpy.types.Scene) -> None:
    hair(surface=head())
    strands = convert()
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    shown = animation(strands)[:, :15]
    np.testing.assert_allclose(shown[0], rest(strands), atol=1e-6)
    np.testing.assert_allclose(shown[-1][[0, 1]], rest(strands)[[0, 1]], atol=1e-6)
    assert shown[-1][5, 2] < shown[0][5, 2] - 0.02
    bpy.ops.xpbd.bake_shape_keys()
    np.testing.assert_allclose(animation(strands)[:, :15], shown, atol=2e-6)
    bpy.ops.xpbd.unbake()
    np.testing.assert_allclose(animation(strands)[:, :15], shown, atol=1e-6)
    assert [modifier.name for modifier in strands.modifiers] == ["XPBD", "XPBD Strand Thickness"]


def test_it_renders_as_tubes_of_the_radius_and_material(scene: bpy.types.Scene) -> None:
    hair(sizes=(4,))
    strands = convert()
    evaluated = strands.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.data
    tube = evaluated_positions(strands)[4:]
    np.testing.assert_allclose(np.hypot(tube[:, 1], tube[:, 2]), 0.01, atol=1e-6)
    assert len(mesh.polygons) > 0
    materials = {mesh.materials[polygon.material_index].name for polygon in mesh.polygons}
    assert materials == {"Brown"}


@pytest.mark.parametrize("how", ["parent", "surface"])
def test_roots_follow_the_surface_object(scene: bpy.types.Scene, how: str) -> None:
    ball = head()
    curves = hair(surface=ball)
    if how == "surface":
        curves.parent = None
    strands = convert()
    start = rest(strands)
    ball.keyframe_insert("location", frame=1)
    ball.location.x += 1.0
    ball.keyframe_insert("location", frame=6)
    bpy.ops.xpbd.simulate()
    end = addon.simulation.session.cached_positions(scene, strands, 6)
    np.testing.assert_allclose(end[[0, 1, 6, 7]] - start[[0, 1, 6, 7]], [(1, 0, 0)] * 4, atol=1e-5)


def test_roots_follow_curves_that_are_animated(scene: bpy.types.Scene) -> None:
    curves = hair()
    curves.keyframe_insert("location", frame=1)
    curves.location.y = 0.5
    curves.keyframe_insert("location", frame=6)
    scene.frame_set(1)
    strands = convert()
    bpy.ops.xpbd.simulate()
    end = addon.simulation.session.cached_positions(scene, strands, 6)
    np.testing.assert_allclose(end[0], (0, 0.5, 0), atol=1e-5)


def test_roots_follow_modifiers_of_the_curves(scene: bpy.types.Scene) -> None:
    """As Blender's own nodes do that bind hair to a deforming surface."""
    curves = hair()
    curves.location.x = 4.0
    lift_with_nodes(curves)
    scene.frame_set(1)
    strands = convert()
    names = [modifier.name for modifier in strands.modifiers]
    assert names == ["XPBD Follow Curves", "XPBD", "XPBD Strand Thickness"]
    bpy.ops.xpbd.simulate()
    for frame in (1, 6):
        points = addon.simulation.session.cached_positions(scene, strands, frame)
        np.testing.assert_allclose(points[[0, 1]], [(4, 0, frame), (4.1, 0, frame)], atol=1e-5)
    shown = animation(strands)
    bpy.ops.xpbd.bake_shape_keys()
    np.testing.assert_allclose(animation(strands), shown, atol=5e-6)


def test_without_the_curves_the_strands_stay(scene: bpy.types.Scene) -> None:
    curves = hair()
    lift_with_nodes(curves)
    strands = convert()
    start = rest(strands)
    bpy.data.objects.remove(curves)
    bpy.ops.xpbd.simulate()
    end = addon.simulation.session.cached_positions(scene, strands, 6)
    np.testing.assert_allclose(end[[0, 1]], start[[0, 1]], atol=1e-5)


def test_changes_of_what_is_followed_outdate_the_cache(scene: bpy.types.Scene) -> None:
    ball = head()
    curves = hair(surface=ball)
    lift_with_nodes(curves)
    convert()
    bpy.ops.xpbd.simulate()
    assert not addon.simulation.session.status(scene).outdated
    ball.location.x += 0.5
    reason = addon.simulation.session.status(scene, exact=True).reason
    assert reason == "the pins of 'Hair Strands' move differently"
    bpy.ops.xpbd.simulate()
    curves.data.points[3].position = Vector((1, 1, 1))
    curves.data.update_tag()
    reason = addon.simulation.session.status(scene, exact=True).reason
    assert reason == "'Hair Strands' starts in another shape"


def test_closed_curves_become_loops(scene: bpy.types.Scene) -> None:
    curves = hair(sizes=(5, 4))
    curves.data.attributes.new("cyclic", "BOOLEAN", "CURVE").data[1].value = True
    curves.data.update_tag()
    bpy.context.view_layer.update()
    edges = addon.scene.mesh_io.read_edges(convert().data).tolist()
    assert [8, 5] in [sorted(edge, reverse=True) for edge in edges]
    assert len(edges) == 4 + 4


def test_operator_result_is_function_result(scene: bpy.types.Scene) -> None:
    hair()
    by_operator = convert()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    by_function = addon.scene.hair.strands_from_curves(hair(), depsgraph)
    for name in ("position", "radius"):
        assert name in by_operator.data.attributes
        assert name in by_function.data.attributes
    np.testing.assert_array_equal(rest(by_operator), rest(by_function))
    assert [m.name for m in by_operator.modifiers] == [m.name for m in by_function.modifiers]


def test_what_has_no_curves_is_refused(scene: bpy.types.Scene) -> None:
    with pytest.raises(RuntimeError, match="no active object"):
        bpy.ops.xpbd.strands_from_curves()
    head()
    with pytest.raises(RuntimeError, match="'Sphere' is a mesh, not hair curves"):
        bpy.ops.xpbd.strands_from_curves()
    bare = hair(sizes=(1, 1))
    with pytest.raises(RuntimeError, match="'Hair' has no curves of two points"):
        bpy.ops.xpbd.strands_from_curves()
    assert not bare.hide_viewport
    none = bpy.data.objects.new("Empty", bpy.data.hair_curves.new("Empty"))
    scene.collection.objects.link(none)
    bpy.context.view_layer.objects.active = none
    with pytest.raises(RuntimeError, match="'Empty' has no curves"):
        bpy.ops.xpbd.strands_from_curves()
    hidden = hair()
    hidden.hide_viewport = True
    with pytest.raises(RuntimeError, match="is hidden"):
        bpy.ops.xpbd.strands_from_curves()
    assert [obj for obj in scene.objects if obj.name.endswith("Strands")] == []
    assert cached(scene) == (None, None)


def test_damaged_curves_are_refused(scene: bpy.types.Scene) -> None:
    curves = hair()
    curves.data.points[2].position = Vector((np.nan, 0, 0))
    with pytest.raises(RuntimeError, match="curves of 'Hair' are damaged"):
        bpy.ops.xpbd.strands_from_curves()
