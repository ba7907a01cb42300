# SPDX-License-Identifier: GPL-3.0-or-later
"""Input that can't be simulated is refused by name; all other input simulates."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path

import bmesh
import bpy
import numpy as np
import pytest
from blender_scenes import addon_module, empty_scene, sheet
from playing import addon, cached, play


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def mesh_object(
    name: str,
    vertices: Sequence[Sequence[float]],
    faces: Sequence[Sequence[int]],
    edges: Sequence[Sequence[int]] = (),
) -> bpy.types.Object:
    """An object in the scene, made into cloth without asking the add-on whether it may be."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, edges, faces)
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(obj)
    obj.xpbd.use = True
    bpy.context.view_layer.update()
    return obj


def refused(match: str) -> None:
    """Simulating reports an error and leaves no frame."""
    with pytest.raises(RuntimeError, match=match):
        bpy.ops.xpbd.simulate()
    assert cached(bpy.context.scene) == (None, None)
    assert addon.simulation.job.current() is None


def simulates(obj: bpy.types.Object) -> None:
    """Simulating fills the cache with finite positions that fall."""
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    scene = bpy.context.scene
    start, end = (addon.simulation.session.cached_positions(scene, obj, frame) for frame in (1, 6))
    assert np.isfinite(end).all()
    assert end[:, 2].mean() < start[:, 2].mean() - 0.01


QUAD = [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]


def test_nothing_to_simulate(scene: bpy.types.Scene) -> None:
    refused("nothing to simulate: add XPBD")


def test_not_a_mesh_any_more(scene: bpy.types.Scene) -> None:
    bpy.ops.object.text_add()
    with pytest.raises(addon.errors.SceneError, match="'Text' is not a mesh"):
        addon.scene.mesh_io.check_body(bpy.context.object)


def test_no_faces(scene: bpy.types.Scene) -> None:
    mesh_object("Wire", QUAD, [], [(0, 1), (1, 2)])
    refused("'Wire' has no faces")


def test_only_faces_of_zero_area(scene: bpy.types.Scene) -> None:
    mesh_object("Line", [(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)])
    refused("'Line' have zero area")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_coordinates_that_are_no_numbers(scene: bpy.types.Scene, value: float) -> None:
    obj = mesh_object("Broken", QUAD, [(0, 1, 2, 3)])
    points = np.array(QUAD, np.float32)
    points[2, 0] = value
    obj.data.attributes["position"].data.foreach_set("vector", points.ravel())
    refused(r"'Broken' is damaged.*vertex 2")


def test_missing_pin_group(scene: bpy.types.Scene) -> None:
    sheet().xpbd.pin_group = "Nowhere"
    refused("'Sheet' has no vertex group 'Nowhere'")


def test_empty_pin_group(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.vertex_groups.new(name="Empty")
    obj.xpbd.pin_group = "Empty"
    refused("pin group 'Empty' of 'Sheet' has no vertices of a weight above 0")


@pytest.mark.parametrize("axis", range(3))
def test_zero_scale(scene: bpy.types.Scene, axis: int) -> None:
    obj = sheet()
    obj.scale[axis] = 0.0
    refused("'Sheet' is scaled to zero")


def test_edit_mode(scene: bpy.types.Scene) -> None:
    sheet()
    bpy.ops.object.mode_set(mode="EDIT")
    refused("'Sheet' is in Edit Mode")
    scene.frame_set(1)
    scene.frame_set(2)
    assert "Edit Mode" in addon.simulation.session.left_out(scene)[0]
    bpy.ops.object.mode_set(mode="OBJECT")


def test_edit_mode_after_simulating_loses_nothing(scene: bpy.types.Scene) -> None:
    obj = sheet()
    bpy.ops.xpbd.simulate()
    scene.frame_set(4)
    bpy.ops.object.mode_set(mode="EDIT")
    scene.frame_set(5)
    bpy.ops.object.mode_set(mode="OBJECT")
    scene.frame_set(6)
    assert not addon.simulation.session.status(scene).outdated
    rest = np.array([vertex.co.z for vertex in obj.data.vertices])
    np.testing.assert_array_equal(rest, 0.0)


def test_linked_from_another_file(scene: bpy.types.Scene, tmp_path: Path) -> None:
    sheet("Linked")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    scene = empty_scene()
    library = str(tmp_path / "library.blend")
    with bpy.data.libraries.load(library, link=True) as (_, wanted):  # type: ignore[func-returns-value]
        wanted.objects = ["Linked"]
    scene.collection.objects.link(wanted.objects[0])
    refused("'Linked' is linked from another file: make a library override of it")
    play(scene, 3)
    assert "linked" in addon.simulation.session.left_out(scene)[0]


def test_range_upside_down(scene: bpy.types.Scene) -> None:
    sheet()
    scene.xpbd.frame_start, scene.xpbd.frame_end = 20, 10
    refused("starts at frame 20, after its end 10")


def test_hidden(scene: bpy.types.Scene) -> None:
    sheet().hide_viewport = True
    refused("'Sheet' is hidden")


def test_renumbering_modifier_after_ours(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.shape_key_add(name="Basis")
    obj.modifiers.new("Mask", "MASK").vertex_group = "Pins"
    refused("renumbers the vertices of 'Sheet'")


def test_file_relative_folder_of_an_unsaved_file(scene: bpy.types.Scene) -> None:
    sheet()
    scene.xpbd.cache_directory = "//frames"
    refused("save the file first")


def test_topology_changed_since_the_cache(scene: bpy.types.Scene) -> None:
    obj = sheet()
    bpy.ops.xpbd.simulate()
    edited = bmesh.new()
    edited.from_mesh(obj.data)
    bmesh.ops.subdivide_edges(edited, edges=edited.edges[:], cuts=1, use_grid_fill=True)
    edited.to_mesh(obj.data)
    edited.free()
    status = addon.simulation.session.status(scene)
    assert status.outdated
    assert "mesh" in status.reason
    scene.frame_set(4)
    assert "xp_pos" not in obj.data.attributes
    assert cached(scene) == (1, 6)
    simulates(obj)


def test_an_error_keeps_the_cache_of_before(scene: bpy.types.Scene) -> None:
    obj = sheet()
    bpy.ops.xpbd.simulate()
    obj.xpbd.pin_group = "Nowhere"
    with pytest.raises(RuntimeError, match="Nowhere"):
        bpy.ops.xpbd.simulate()
    obj.xpbd.pin_group = "Pins"
    assert cached(scene) == (1, 6)
    assert not addon.simulation.session.status(scene).outdated


def test_loose_vertices_and_edges(scene: bpy.types.Scene) -> None:
    simulates(mesh_object("Loose", [*QUAD, (3, 3, 1), (4, 3, 1)], [(0, 1, 2, 3)], [(4, 5)]))


def test_some_faces_of_zero_area(scene: bpy.types.Scene) -> None:
    points = [*QUAD, (2, 0, 1), (3, 0, 1)]
    simulates(mesh_object("Zero", points, [(0, 1, 2, 3), (1, 4, 5)]))


def test_duplicate_vertices(scene: bpy.types.Scene) -> None:
    points = [*QUAD, (1, 0, 1), (1, 1, 1), (2, 0, 1)]
    simulates(mesh_object("Double", points, [(0, 1, 2, 3), (4, 6, 5), (1, 4, 2)]))


def test_faces_of_many_corners(scene: bpy.types.Scene) -> None:
    angles = np.linspace(0, 2 * np.pi, 7, endpoint=False)
    points = [(np.cos(a), np.sin(a), 1) for a in angles] + [(3, 0, 1), (3, 1, 1)]
    obj = mesh_object("Many", points, [tuple(range(7)), (0, 7, 8), (0, 8, 1, 2)])
    faces = addon.scene.mesh_io.read_faces(obj.data)
    assert sorted(len(face) for face in faces) == [3] * 6 + [4]
    simulates(obj)


def test_non_manifold_edges(scene: bpy.types.Scene) -> None:
    points = [(0, 0, 1), (0, 1, 1), (1, 0, 1), (-1, 0, 1), (0, 0, 2)]
    simulates(mesh_object("Fin", points, [(0, 1, 2), (0, 1, 3), (0, 1, 4)]))


@pytest.mark.parametrize("scale", [(-1, 1, 1), (2, 0.5, 3), (-1, -2, -0.5)])
def test_negative_and_uneven_scale(
    scene: bpy.types.Scene, scale: tuple[float, float, float]
) -> None:
    obj = sheet()
    obj.scale = scale
    obj.xpbd.pin_group = ""
    simulates(obj)


def test_shape_keys_drive_the_start(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Up")
    for point in key.data:
        point.co.z += 2.0
    key.value = 0.5
    simulates(obj)
    start = addon.simulation.session.cached_positions(scene, obj, 1)
    np.testing.assert_allclose(start[:, 2], 2.0, atol=1e-5)


def test_mesh_shared_by_several_objects(scene: bpy.types.Scene) -> None:
    first = sheet("First")
    second = first.copy()
    second.name = "Second"
    scene.collection.objects.link(second)
    second.location.x += 5.0
    plain = bpy.data.objects.new("Plain", first.data)
    scene.collection.objects.link(plain)
    second.xpbd.density = 0.4
    simulates(first)
    scene.frame_set(6)
    from blender_scenes import evaluated_positions

    for obj in (first, second):
        expected = addon.simulation.session.cached_positions(scene, obj, 6)
        np.testing.assert_allclose(evaluated_positions(obj), expected, atol=2e-6)
    assert first.xpbd.cache_id != second.xpbd.cache_id
    np.testing.assert_array_equal(evaluated_positions(plain)[:, 2], 0.0)


def test_thickness_of_a_metre(scene: bpy.types.Scene) -> None:
    obj = sheet("Felt", cuts=80)
    obj.scale = (0.5, 0.5, 0.5)
    obj.xpbd.thickness = 1.0
    refused(r"'Felt' is too thick .* set its thickness from 1 m to 0\.0\d+ m or less")


def test_in_the_middle_of_a_collider(scene: bpy.types.Scene) -> None:
    obj = sheet("Napkin", cuts=16)
    obj.xpbd.pin_group = ""
    bpy.ops.mesh.primitive_cube_add(size=4.0, location=(0.013, 0.007, 1.0))
    bpy.ops.object.modifier_add(type="COLLISION")
    with pytest.raises(RuntimeError, match="'Napkin' is inside of the collider 'Cube'"):
        bpy.ops.xpbd.simulate()
    assert addon.simulation.job.current() is None


def test_flat_collider(scene: bpy.types.Scene) -> None:
    """A ball that is scaled to a disc: closed, but without an inside."""
    obj = sheet("Cloth", cuts=12)
    obj.xpbd.pin_group = ""
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.7, location=(0.0, 0.0, 0.97))
    bpy.context.object.scale.z = 0.0
    bpy.ops.object.modifier_add(type="COLLISION")
    simulates(obj)
    found = addon.simulation.session.cached_positions(scene, obj, 6)
    held = np.hypot(found[:, 0], found[:, 1]) < 0.5
    assert found[held, 2].min() > 0.97
    assert addon.simulation.session.cached_measures(scene, obj, 6).crossings == 0


def test_collider_with_coordinates_that_are_no_numbers(scene: bpy.types.Scene) -> None:
    sheet()
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.object.modifier_add(type="COLLISION")
    bpy.context.object.data.vertices[3].co.x = np.nan
    refused("Collider 'Cube' has a vertex that is not a finite number: delete it")


def test_gravity_that_is_no_number(scene: bpy.types.Scene) -> None:
    sheet()
    scene.gravity[2] = np.nan
    refused(r"gravity of the scene 'Scene' is not a number: type one")


def test_a_setting_that_keyframes_left_without_a_number(scene: bpy.types.Scene) -> None:
    sheet().xpbd.friction = np.nan
    refused("The friction of 'Sheet' is not a number: type one")


def test_an_object_that_is_moved_nowhere(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.keyframe_insert("location", frame=1)
    obj.keyframe_insert("location", frame=6)
    curve = next(addon.scene.animation.curves_of(obj))
    curve.keyframe_points[1].co.y = np.nan
    with pytest.raises(RuntimeError, match="The place of 'Sheet' is not a number: mend its keyfr"):
        bpy.ops.xpbd.simulate()
    assert cached(scene) == (1, 1)


def test_many_objects_that_cannot_be_simulated_are_one_short_message(
    scene: bpy.types.Scene,
) -> None:
    for number in range(6):
        sheet(f"Sheet {number}", cuts=2).xpbd.use_sewing = True
    with pytest.raises(
        RuntimeError, match=r"Sewing off\. 'Sheet 1' has.*3 more objects can't be sim"
    ):
        bpy.ops.xpbd.simulate()


@pytest.mark.parametrize(
    ("setting", "value", "told"),
    [
        ("poisson_ratio", 0.95, "Narrowing of the soft body 'Ball' is 0.95: choose"),
        ("young_modulus", 0.0, "Elastic of 'Ball' is 0 kPa"),
        (
            "young_modulus",
            1e9,
            "'Ball' is so small, stiff or light that it needs [0-9,]+ substeps a fra",
        ),
    ],
)
def test_a_soft_body_of_nothing_that_there_is(
    scene: bpy.types.Scene, setting: str, value: float, told: str
) -> None:
    bpy.ops.mesh.primitive_ico_sphere_add(radius=0.1, subdivisions=2)
    bpy.context.object.name = "Ball"
    bpy.ops.xpbd.add(kind="SOFT_BODY")
    setattr(bpy.context.object.xpbd, setting, value)
    refused(told)


def test_what_core_refuses_names_the_object(scene: bpy.types.Scene) -> None:
    sheet("Kerchief")
    core = addon_module("errors").__name__.rsplit(".", 2)[0] + ".core"
    error = importlib.import_module(core).ModelError
    with (
        pytest.raises(error, match=r"^'Kerchief': The weight is 3\.$"),
        addon.simulation.modelling.named("Kerchief"),
    ):
        raise error("The weight is 3.")


def test_a_collider_without_vertices(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.xpbd.pin_group = ""
    nothing = bpy.data.objects.new("Nothing", bpy.data.meshes.new("Nothing"))
    scene.collection.objects.link(nothing)
    bpy.context.view_layer.objects.active = nothing
    bpy.ops.object.modifier_add(type="COLLISION")
    simulates(obj)
