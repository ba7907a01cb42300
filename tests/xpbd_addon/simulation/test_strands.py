# SPDX-License-Identifier: GPL-3.0-or-later
"""Strands: edge meshes from the button to the bake, and what can't be made into strands."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_scenes import addon_module, animation, empty_scene, evaluated_positions, sheet
from playing import addon, cached, play


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def wires(
    name: str = "Wires", count: int = 3, points: int = 6, faces: bool = False
) -> bpy.types.Object:
    """An active mesh of horizontal strands of 0.5 m, 1 m above the floor."""
    along = np.linspace(0.0, 0.5, points)
    vertices = [(x, 0.1 * strand, 1.0) for strand in range(count) for x in along]
    edges = [(i, i + 1) for i in range(count * points) if (i + 1) % points]
    corners = [(0, 1, points + 1, points)] if faces else []
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, edges, corners)
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    obj.vertex_groups.new(name="Roots").add([points * strand for strand in range(count)], 1, "ADD")
    bpy.context.view_layer.update()
    return obj


def strands(**options: object) -> bpy.types.Object:
    """Wires as XPBD strands, held at their first points."""
    obj = wires(**options)  # type: ignore[arg-type]
    assert bpy.ops.xpbd.add(kind="STRANDS") == {"FINISHED"}
    obj.xpbd.pin_group = "Roots"
    return obj


def lengths(obj: bpy.types.Object, positions: np.ndarray) -> np.ndarray:
    edges = addon.scene.mesh_io.read_edges(obj.data)
    return np.linalg.norm(positions[edges[:, 1]] - positions[edges[:, 0]], axis=1)


def test_strands_hang_from_their_pins(scene: bpy.types.Scene) -> None:
    scene.xpbd.substeps = 160
    obj = strands()
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    start, end = (addon.simulation.session.cached_positions(scene, obj, frame) for frame in (1, 6))
    roots = [0, 6, 12]
    np.testing.assert_array_equal(end[roots], start[roots])
    assert (end[[5, 11, 17], 2] < 0.9).all()
    np.testing.assert_allclose(lengths(obj, end), lengths(obj, start), rtol=0.02)


def test_without_pins_they_fall(scene: bpy.types.Scene) -> None:
    obj = strands()
    obj.xpbd.pin_group = ""
    bpy.ops.xpbd.simulate()
    end = addon.simulation.session.cached_positions(scene, obj, 6)
    assert (end[:, 2] < 0.85).all()


def test_playing_shows_what_simulating_caches(scene: bpy.types.Scene) -> None:
    obj = strands()
    play(scene)
    assert cached(scene) == (1, 6)
    played = animation(obj)
    bpy.ops.xpbd.clear_cache()
    bpy.ops.xpbd.simulate()
    np.testing.assert_array_equal(animation(obj), played)
    assert played[-1, 5, 2] < played[0, 5, 2] - 0.05


@pytest.mark.parametrize("mode", ["RELATIVE", "ABSOLUTE"])
def test_the_preview_is_the_bake_and_comes_off_again(scene: bpy.types.Scene, mode: str) -> None:
    obj = strands()
    bpy.ops.xpbd.simulate()
    shown = animation(obj)
    bpy.ops.xpbd.bake_shape_keys(mode=mode)
    assert addon.scene.stack.modifier(obj) is None
    np.testing.assert_allclose(animation(obj), shown, atol=2e-6)
    assert bpy.ops.xpbd.unbake() == {"FINISHED"}
    assert obj.data.shape_keys is None
    np.testing.assert_array_equal(animation(obj), shown)


def test_the_command_line_bakes_strands(scene: bpy.types.Scene, tmp_path: Path) -> None:
    obj = strands()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "strands.blend"))
    assert addon.interface.cli.main(["bake", "--no-save"]) == 0
    assert len(obj.data.shape_keys.key_blocks) == 7


def test_cloth_and_strands_in_one_scene(scene: bpy.types.Scene) -> None:
    cloth, hair = sheet(), strands()
    bpy.ops.xpbd.simulate()
    for obj in (cloth, hair):
        start, end = (
            addon.simulation.session.cached_positions(scene, obj, frame) for frame in (1, 6)
        )
        assert end[:, 2].min() < start[:, 2].min() - 0.05


def test_strands_rest_on_colliders(scene: bpy.types.Scene) -> None:
    scene.xpbd.frame_end = 24
    scene.xpbd.substeps = 20
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, segments=48, ring_count=24, location=(0, 0, 0))
    ball = bpy.context.object
    bpy.ops.object.modifier_add(type="COLLISION")
    ball.collision.thickness_outer = 0.01
    obj = wires(points=30)
    obj.location = (-0.25, -0.1, -0.45)
    bpy.ops.xpbd.add(kind="STRANDS")
    bpy.ops.xpbd.simulate()
    end = addon.simulation.session.cached_positions(scene, obj, 24)
    # The facets of the sphere lie within 0.5 - 0.0045 m of its centre.
    assert np.linalg.norm(end, axis=1).min() > 0.5
    assert end[:, 2].max() < 0.54


def test_faces_play_no_part(scene: bpy.types.Scene) -> None:
    with_faces, without = strands(name="Faces", faces=True), strands(name="Edges")
    bpy.context.view_layer.objects.active = without
    edges = addon.scene.mesh_io.read_edges(with_faces.data)
    without.data.clear_geometry()
    without.data.from_pydata([v.co for v in with_faces.data.vertices], edges.tolist(), [])
    without.vertex_groups.clear()
    without.vertex_groups.new(name="Roots").add([0, 6, 12], 1, "ADD")
    bpy.ops.xpbd.simulate()
    ends = [
        addon.simulation.session.cached_positions(scene, obj, 6) for obj in (with_faces, without)
    ]
    np.testing.assert_array_equal(ends[0], ends[1])


def test_branches_loops_and_loose_vertices(scene: bpy.types.Scene) -> None:
    obj = strands()
    points = [v.co.copy() for v in obj.data.vertices] + [(2, 2, 2), (2, 2, 2), (0.25, 0.3, 1)]
    edges = addon.scene.mesh_io.read_edges(obj.data).tolist()
    obj.data.clear_geometry()
    obj.data.from_pydata(points, [*edges, (2, 20), (3, 20), (18, 19)], [])
    obj.xpbd.pin_group = ""
    bpy.ops.xpbd.simulate()
    end = addon.simulation.session.cached_positions(scene, obj, 6)
    assert np.isfinite(end).all()
    assert (end[18:, 2] < np.array(points)[18:, 2]).all()


@pytest.mark.parametrize("scale", [(-1, 1, 1), (2, 0.5, 3)])
def test_scaled_objects(scene: bpy.types.Scene, scale: tuple[float, float, float]) -> None:
    obj = strands()
    obj.scale = scale
    bpy.ops.xpbd.simulate()
    for frame in (1, 6):
        scene.frame_set(frame)
        expected = addon.simulation.session.cached_positions(scene, obj, frame)
        np.testing.assert_allclose(evaluated_positions(obj), expected, atol=2e-6)


def test_pins_follow_hooks(scene: bpy.types.Scene) -> None:
    obj = strands()
    bpy.ops.object.empty_add()
    empty = bpy.context.object
    hook = obj.modifiers.new("Hook", "HOOK")
    obj.modifiers.move(obj.modifiers.find("Hook"), 0)
    hook.object, hook.vertex_group, hook.falloff_type = empty, "Roots", "NONE"
    empty.keyframe_insert("location", frame=1)
    empty.location.y = 0.3
    empty.keyframe_insert("location", frame=6)
    bpy.ops.xpbd.simulate()
    start, end = (addon.simulation.session.cached_positions(scene, obj, frame) for frame in (1, 6))
    np.testing.assert_allclose(end[[0, 6, 12], 1] - start[[0, 6, 12], 1], 0.3, atol=1e-5)


def refused(match: str) -> None:
    with pytest.raises(RuntimeError, match=match):
        bpy.ops.xpbd.simulate()
    assert cached(bpy.context.scene) == (None, None)


def test_adding_cloth_to_edges_points_to_strands(scene: bpy.types.Scene) -> None:
    obj = wires()
    with pytest.raises(RuntimeError, match=r"'Wires' has no faces.*choose Strands"):
        bpy.ops.xpbd.add()
    assert not obj.xpbd.use


def test_simulating_edges_as_cloth_points_to_strands(scene: bpy.types.Scene) -> None:
    strands().xpbd.kind = "CLOTH"
    refused(r"'Wires' has no faces.*choose Strands")


def test_points_without_edges_are_refused(scene: bpy.types.Scene) -> None:
    obj = wires()
    obj.data.clear_geometry()
    obj.data.from_pydata([(0, 0, 0), (1, 0, 0)], [], [])
    with pytest.raises(RuntimeError, match="'Wires' has no edges to make strands of"):
        bpy.ops.xpbd.add(kind="STRANDS")
    obj.xpbd.use, obj.xpbd.kind = True, "STRANDS"
    refused("'Wires' has no edges")


def test_edges_without_length_are_refused(scene: bpy.types.Scene) -> None:
    obj = strands()
    for vertex in obj.data.vertices:
        vertex.co = (0, 0, 0)
    refused("All edges of 'Wires' have zero length")


def test_missing_and_empty_pin_groups(scene: bpy.types.Scene) -> None:
    obj = strands()
    obj.xpbd.pin_group = "Nowhere"
    refused("'Wires' has no vertex group 'Nowhere'")
    obj.vertex_groups.new(name="Empty")
    obj.xpbd.pin_group = "Empty"
    refused("pin group 'Empty' of 'Wires' has no vertices")


def test_changed_edges_and_settings_outdate_the_cache(scene: bpy.types.Scene) -> None:
    obj = strands()
    changes = {
        "strand_bend_stiffness": 1e-5,
        "strand_stretch_compliance": 0.1,
        "strand_bend_damping": 0.1,
        "line_density_shown": 7.0,
        "density": 0.1,
    }
    for name, value in changes.items():
        bpy.ops.xpbd.simulate()
        assert not addon.simulation.session.status(scene).outdated
        setattr(obj.xpbd, name, value)
        assert addon.simulation.session.status(scene).reason == "material changed", name
    bpy.ops.xpbd.simulate()
    obj.data.edges[3].vertices = (3, 8)
    assert addon.simulation.session.status(scene, exact=True).reason == "mesh changed"


def test_cloth_settings_leave_strands_alone(scene: bpy.types.Scene) -> None:
    obj = strands()
    bpy.ops.xpbd.simulate()
    obj.xpbd.stretch_compliance, obj.xpbd.poisson_ratio = 0.1, 0.4
    obj.xpbd.areal_density = 3.0
    assert not addon.simulation.session.status(scene).outdated


def test_density_is_that_of_the_kind(scene: bpy.types.Scene) -> None:
    settings = wires().xpbd
    assert settings.density == pytest.approx(0.2)
    settings.kind = "STRANDS"
    assert settings.density == pytest.approx(5e-4)
    settings.density = 0.01
    assert settings.line_density_shown == pytest.approx(10.0)
    settings.kind = "CLOTH"
    assert settings.density == pytest.approx(0.2)


def test_defaults_are_those_of_core(scene: bpy.types.Scene) -> None:
    material = addon.settings.materials.core_arguments(strands().xpbd)
    from core import StrandMaterial

    for field in dataclasses.fields(StrandMaterial):
        if field.name in material:
            assert material[field.name] == pytest.approx(field.default), field.name
    assert {"density", "stretch_compliance", "bend_compliance"} <= set(material)


def test_operator_result_is_function_result(scene: bpy.types.Scene) -> None:
    by_operator = strands(name="First")
    by_function = wires(name="Second")
    addon_module("scene.physics").add(by_function, "STRANDS")
    for obj in (by_operator, by_function):
        assert (obj.xpbd.use, obj.xpbd.kind) == (True, "STRANDS")
        assert [m.name for m in obj.modifiers] == ["XPBD"]


def test_remove_takes_everything_away(scene: bpy.types.Scene) -> None:
    obj = strands()
    attributes = sorted(obj.data.attributes.keys())
    obj.xpbd.density = 0.3
    bpy.ops.xpbd.simulate()
    bpy.ops.xpbd.remove()
    assert sorted(obj.data.attributes.keys()) == attributes
    assert (obj.xpbd.use, obj.xpbd.kind, len(obj.modifiers)) == (False, "CLOTH", 0)
    assert obj.xpbd.line_density == pytest.approx(5e-4)


def test_tubes_make_ropes_visible_as_thick_as_they_touch(scene: bpy.types.Scene) -> None:
    obj = strands()
    obj.scale = 2.0, 2.0, 2.0
    obj.xpbd.thickness = 0.03
    bpy.context.view_layer.update()
    bare = evaluated_positions(obj)
    assert bpy.ops.xpbd.add_tubes.poll()
    assert bpy.ops.xpbd.add_tubes() == {"FINISHED"}
    assert not bpy.ops.xpbd.add_tubes.poll()
    around = evaluated_positions(obj)
    np.testing.assert_allclose(around[: len(bare)], bare, atol=1e-6)
    tubes = around[len(bare) :]
    assert len(tubes) == 12 * len(bare)
    ways = np.linalg.norm(tubes[:, None] - bare, axis=2).min(axis=1)
    np.testing.assert_allclose(ways, 0.03, rtol=1e-4)
    assert obj.modifiers[-1].name == "XPBD Strand Thickness"


def test_cloth_gets_no_tubes(scene: bpy.types.Scene) -> None:
    sheet()
    bpy.ops.xpbd.add(kind="CLOTH")
    assert not bpy.ops.xpbd.add_tubes.poll()


def test_tubes_follow_what_is_simulated(scene: bpy.types.Scene) -> None:
    obj = strands()
    before = evaluated_positions(obj)
    play(scene, 5)
    bare = evaluated_positions(obj)
    bpy.ops.xpbd.add_tubes()
    assert cached(scene) == (1, 5)
    tubes = evaluated_positions(obj)
    np.testing.assert_allclose(tubes[: len(bare)], bare, atol=1e-6)
    assert not np.allclose(bare, before)
