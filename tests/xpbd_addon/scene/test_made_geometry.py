# SPDX-License-Identifier: GPL-3.0-or-later
"""Modifiers before XPBD make geometry: what stands there is what is simulated and shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, animation, empty_scene, evaluated_positions
from playing import addon, cached, play

Positions = np.ndarray


def half(cuts: int = 4) -> bpy.types.Object:
    """One half of a sheet, from x = 0 on; the row of largest y is painted."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=cuts, y_subdivisions=cuts, size=2.0)
    obj = bpy.context.object
    obj.name = "Shirt"
    for vertex in obj.data.vertices:
        vertex.co.x += 1.0
    group = obj.vertex_groups.new(name="Pins")
    group.add([v.index for v in obj.data.vertices if v.co.y > 0.99], 1.0, "ADD")
    return obj


def add(obj: bpy.types.Object) -> None:
    assert bpy.ops.xpbd.add(kind="CLOTH") == {"FINISHED"}
    obj.xpbd.pin_group = "Pins"


def mirrored(*after: Any) -> bpy.types.Object:
    obj = half()
    obj.modifiers.new("Mirror", "MIRROR").merge_threshold = 0.001
    add(obj)
    for name in after:
        obj.modifiers.new(name.title(), name)
    return obj


def subdivided() -> bpy.types.Object:
    obj = half()
    obj.modifiers.new("Fine", "SUBSURF").levels = 1
    obj.modifiers["Fine"].render_levels = 1
    add(obj)
    move_to_the_end(obj)
    return obj


def sculpted() -> bpy.types.Object:
    """With Multires, which has to stand before XPBD, and a modifier after both."""
    obj = half()
    obj.modifiers.new("Sculpt", "MULTIRES")
    bpy.ops.object.multires_subdivide(modifier="Sculpt")
    obj.modifiers.new("Fine", "SUBSURF").levels = 1
    add(obj)
    assert [modifier.name for modifier in obj.modifiers] == ["Sculpt", "XPBD", "Fine"]
    obj.modifiers.remove(obj.modifiers["Fine"])
    return obj


def decimated() -> bpy.types.Object:
    obj = half(8)
    obj.modifiers.new("Coarse", "DECIMATE").ratio = 0.5
    add(obj)
    return obj


def array() -> bpy.types.Object:
    obj = half()
    copies = obj.modifiers.new("Array", "ARRAY")
    copies.use_merge_vertices = True
    add(obj)
    return obj


def solid() -> bpy.types.Object:
    obj = half()
    obj.modifiers.new("Solid", "SOLIDIFY").thickness = 0.1
    add(obj)
    move_to_the_end(obj)
    return obj


def noded() -> bpy.types.Object:
    """A mesh of one vertex, of which nodes make a grid."""
    tree: Any = bpy.data.node_groups.new("Grid", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    grid = tree.nodes.new("GeometryNodeMeshGrid")
    tree.links.new(grid.outputs["Mesh"], tree.nodes.new("NodeGroupOutput").inputs["Geometry"])
    mesh = bpy.data.meshes.new("Point")
    mesh.from_pydata([(0, 0, 0)], [], [])
    obj = bpy.data.objects.new("Shirt", mesh)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    obj.modifiers.new("Nodes", "NODES").node_group = tree
    obj.xpbd.use = True
    move_to_the_end(obj)
    return obj


def move_to_the_end(obj: bpy.types.Object) -> None:
    obj.modifiers.move(obj.modifiers.find("XPBD"), len(obj.modifiers) - 1)


MAKERS = (mirrored, subdivided, sculpted, decimated, array, solid, noded)
each_maker = pytest.mark.parametrize("make", MAKERS)


def shown_and_cached(
    scene: bpy.types.Scene, obj: bpy.types.Object, frame: int
) -> tuple[Positions, Positions]:
    scene.frame_set(frame)
    return evaluated_positions(obj), addon.simulation.session.cached_positions(scene, obj, frame)


def without_xpbd(obj: bpy.types.Object) -> Any:
    """The mesh as the modifiers before ours leave it."""
    shown = [modifier.show_viewport for modifier in obj.modifiers]
    ours = obj.modifiers.find("XPBD")
    for modifier in obj.modifiers[ours:]:
        modifier.show_viewport = False
    depsgraph = bpy.context.evaluated_depsgraph_get()
    mesh = bpy.data.meshes.new_from_object(obj.evaluated_get(depsgraph))
    for modifier, value in zip(obj.modifiers, shown, strict=True):
        modifier.show_viewport = value
    return mesh


@each_maker
def test_what_modifiers_make_is_simulated_and_shown(make: Callable[[], bpy.types.Object]) -> None:
    scene = empty_scene()
    obj = make()
    expected = without_xpbd(obj)
    base = [vertex.co[:] for vertex in obj.data.vertices]
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    assert addon.simulation.session.left_out(scene) == []
    body = addon.simulation.session.of(scene).live.inputs.bodies[0]
    assert len(body.positions) == len(expected.vertices) != len(base)
    faces = sorted(sorted(map(int, face)) for face in body.elements)
    assert faces == sorted(sorted(face.vertices[:]) for face in expected.polygons)
    for frame in FRAMES:
        shown, held = shown_and_cached(scene, obj, frame)
        np.testing.assert_allclose(shown, held, atol=1e-6)
    assert shown[:, 2].min() < -0.05
    assert [vertex.co[:] for vertex in obj.data.vertices] == base
    assert not addon.simulation.session.status(scene).outdated


@each_maker
def test_playing_gives_the_same(make: Callable[[], bpy.types.Object]) -> None:
    scene = empty_scene()
    make()
    play(scene)
    assert cached(scene) == (1, 6)
    played = animation(bpy.context.object)
    bpy.ops.xpbd.clear_cache()
    scene.frame_set(1)
    bpy.ops.xpbd.simulate()
    np.testing.assert_array_equal(animation(bpy.context.object), played)


def test_a_mirrored_half_is_one_piece_with_pins_on_both_sides() -> None:
    """It moves as the whole sheet does that has no modifier."""
    scene = empty_scene()
    obj = mirrored()
    whole = bpy.data.objects.new("Whole", without_xpbd(obj))
    bpy.ops.xpbd.simulate()
    held = addon.simulation.session.cached_positions(scene, obj, 6)
    body = addon.simulation.session.of(scene).live.inputs.bodies[0]
    assert (len(body.positions), len(body.pins)) == (9 * 5, 9)
    obj.xpbd.use = False
    scene.collection.objects.link(whole)
    bpy.context.view_layer.objects.active = whole
    whole.vertex_groups.new(name="Pins")
    add(whole)
    scene.frame_set(1)
    bpy.ops.xpbd.simulate()
    expected = addon.simulation.session.cached_positions(scene, whole, 6)
    np.testing.assert_array_equal(held, expected)


@pytest.mark.parametrize(
    "after", [("SUBSURF",), ("SOLIDIFY", "SUBSURF"), ("MIRROR",), ("ARRAY",), ("WIREFRAME",)]
)
def test_modifiers_after_it_see_what_is_simulated(after: tuple[Any, ...]) -> None:
    scene = empty_scene()
    obj = mirrored(*after)
    expected = without_xpbd(obj)
    bpy.ops.xpbd.simulate()
    assert addon.simulation.session.left_out(scene) == []
    body = addon.simulation.session.of(scene).live.inputs.bodies[0]
    faces = sorted(sorted(map(int, face)) for face in body.elements)
    assert faces == sorted(sorted(face.vertices[:]) for face in expected.polygons)
    held = addon.simulation.session.cached_positions(scene, obj, 6)
    for modifier in list(obj.modifiers)[obj.modifiers.find("XPBD") + 1 :]:
        modifier.show_viewport = False
    scene.frame_set(6)
    np.testing.assert_allclose(evaluated_positions(obj), held, atol=1e-6)


def test_edges_that_modifiers_make() -> None:
    scene = empty_scene()
    mesh = bpy.data.meshes.new("Edges")
    mesh.from_pydata([(0, 0, 1), (0.5, 0, 1)], [(0, 1)], [])
    obj = bpy.data.objects.new("Rope", mesh)
    scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    copies = obj.modifiers.new("Array", "ARRAY")
    copies.count, copies.use_merge_vertices = 5, True
    assert bpy.ops.xpbd.add(kind="STRANDS") == {"FINISHED"}
    obj.modifiers.new("Again", "ARRAY")
    bpy.ops.xpbd.simulate()
    body = addon.simulation.session.of(scene).live.inputs.bodies[0]
    assert (len(body.positions), len(body.elements)) == (6, 5)
    shown, held = shown_and_cached(scene, obj, 6)
    np.testing.assert_allclose(shown[:6], held, atol=1e-6)


# --- weights ----------------------------------------------------------------------------------


def test_painted_weights_are_those_of_the_vertices_that_are_made() -> None:
    scene = empty_scene()
    obj = mirrored("SUBSURF")
    obj.vertex_groups.new(name="Heavy").add([v.index for v in obj.data.vertices], 0.5, "ADD")
    obj.xpbd.density_group, obj.xpbd.density_max = "Heavy", 2.0 * obj.xpbd.density
    bpy.ops.xpbd.simulate()
    body = addon.simulation.session.of(scene).live.inputs.bodies[0]
    np.testing.assert_allclose(body.material["density"], np.full(45, 1.5 * obj.xpbd.density))


def test_pins_follow_what_moves_them_before_and_after_they_are_made() -> None:
    scene = empty_scene()
    obj = half()
    empty = bpy.data.objects.new("Hand", None)
    scene.collection.objects.link(empty)
    hook = obj.modifiers.new("Hook", "HOOK")
    hook.object, hook.vertex_group = empty, "Pins"
    obj.modifiers.new("Mirror", "MIRROR")
    add(obj)
    for frame in (1, 6):
        empty.location.z = 0.1 * frame
        empty.keyframe_insert("location", frame=frame)
    bpy.ops.xpbd.simulate()
    body = addon.simulation.session.of(scene).live.inputs.bodies[0]
    led = addon.simulation.session.cached_positions(scene, obj, 6)[body.pins]
    np.testing.assert_allclose(led[:, 2], 0.6, atol=1e-6)
    assert len(led) == 9


# --- what changes -----------------------------------------------------------------------------


def change_at(obj: bpy.types.Object, path: str, values: tuple[float, float]) -> None:
    """Keep one value up to frame 3, and have another one from frame 4 on."""
    modifier = obj.modifiers["Coarse"]
    for frame, value in zip((3, 4), values, strict=True):
        setattr(modifier, path, value)
        modifier.keyframe_insert(path, frame=frame)


@pytest.mark.parametrize("run", [play, lambda _: bpy.ops.xpbd.simulate()])
def test_other_vertices_on_a_frame_are_named_and_frames_before_kept(run: Any) -> None:
    scene = empty_scene()
    obj = decimated()
    change_at(obj, "ratio", (0.5, 0.3))
    scene.frame_set(1)
    sentence = (
        "Frame 4: a modifier before XPBD gives 'Shirt' other vertices or faces than on frame 1: "
        "have it make the same on all frames, or move it below XPBD"
    )
    if run is play:
        play(scene)
        assert addon.simulation.session.status(scene).error == sentence
    else:
        with pytest.raises(RuntimeError, match=sentence):
            run(scene)
    assert cached(scene) == (1, 3)


def test_a_changed_modifier_outdates_and_shows_nothing_wrong() -> None:
    scene = empty_scene()
    obj = array()
    bpy.ops.xpbd.simulate()
    scene.frame_set(4)
    obj.modifiers["Array"].count = 3
    expected = without_xpbd(obj)
    assert len(evaluated_positions(obj)) == len(expected.vertices)
    scene.frame_set(5)
    status = addon.simulation.session.status(scene)
    assert status.outdated
    assert "modifiers before XPBD give 'Shirt' other vertices or faces" in status.reason
    obj.modifiers["Array"].count = 2
    scene.frame_set(4)
    shown, held = shown_and_cached(scene, obj, 5)
    np.testing.assert_allclose(shown, held, atol=1e-6)
    obj.modifiers["Array"].count = 3
    scene.frame_set(1)
    bpy.ops.xpbd.simulate()
    shown, held = shown_and_cached(scene, obj, 6)
    assert len(held) == len(expected.vertices)
    np.testing.assert_allclose(shown, held, atol=1e-6)


# --- bad input --------------------------------------------------------------------------------


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


# --- where positions are held -----------------------------------------------------------------


def shapes() -> list[bpy.types.Object]:
    return [obj for obj in bpy.data.objects if obj.get("xpbd_shape")]


def test_a_duplicate_shows_its_own() -> None:
    scene = empty_scene()
    obj = mirrored()
    bpy.ops.xpbd.simulate()
    scene.frame_set(6)
    before = evaluated_positions(obj)
    other = obj.copy()
    scene.collection.objects.link(other)
    other.location.x = 7.0
    other.xpbd.density = 3.0
    scene.frame_set(1)
    bpy.ops.xpbd.simulate()
    for each in (obj, other):
        shown, held = shown_and_cached(scene, each, 6)
        np.testing.assert_allclose(shown, held, atol=2e-6)
    np.testing.assert_allclose(evaluated_positions(obj), before, atol=1e-5)
    assert len(shapes()) == 2
    bpy.data.objects.remove(other)
    addon.scene.display_modifier.strip_all()
    assert len(shapes()) == 1


def test_files_hold_no_positions_and_show_them_again(tmp_path: Path) -> None:
    scene = empty_scene()
    obj = mirrored("SUBSURF")
    bpy.ops.xpbd.simulate()
    scene.frame_set(6)
    before = evaluated_positions(obj)
    path = str(tmp_path / "file.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    np.testing.assert_array_equal(evaluated_positions(obj), before)
    empty_scene()
    with bpy.data.libraries.load(path) as (_, wanted):  # type: ignore[func-returns-value]
        wanted.objects = ["XPBD Shape"]
    assert len(wanted.objects[0].data.vertices) == 0
    bpy.ops.wm.open_mainfile(filepath=path)
    np.testing.assert_array_equal(evaluated_positions(bpy.data.objects["Shirt"]), before)


def test_removing_leaves_nothing_behind() -> None:
    scene = empty_scene()
    obj = mirrored()
    play(scene)
    assert len(shapes()) == 1
    bpy.ops.xpbd.clear_cache()
    bpy.ops.xpbd.remove()
    assert [modifier.name for modifier in obj.modifiers] == ["Mirror"]
    assert (shapes(), list(bpy.data.meshes), list(bpy.data.node_groups)) == ([], [obj.data], [])


def test_undo_brings_no_old_positions_back() -> None:
    scene = empty_scene()
    mirrored()
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.xpbd.simulate()
    scene.frame_set(6)
    bpy.context.object.location.x = 1.0
    bpy.ops.ed.undo_push(message="Moved")
    bpy.ops.ed.undo()
    obj, scene = bpy.data.objects["Shirt"], bpy.context.scene
    shown, held = shown_and_cached(scene, obj, 6)
    np.testing.assert_allclose(shown, held, atol=1e-6)


def test_an_object_of_the_users_is_never_written_to() -> None:
    scene = empty_scene()
    bpy.ops.mesh.primitive_plane_add()
    mine = bpy.context.object
    before = [vertex.co[:] for vertex in mine.data.vertices]
    obj = mirrored()
    addon.scene.node_inputs.write(obj.modifiers["XPBD"], "Shape", mine)
    play(scene)
    assert [vertex.co[:] for vertex in mine.data.vertices] == before
    shown, held = shown_and_cached(scene, obj, 6)
    np.testing.assert_allclose(shown, held, atol=1e-6)


def test_an_override_shows_what_is_made(tmp_path: Path) -> None:
    empty_scene()
    mirrored()
    bpy.ops.xpbd.simulate()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    scene = empty_scene()
    path = str(tmp_path / "library.blend")
    with bpy.data.libraries.load(path, link=True) as (_, wanted):  # type: ignore[func-returns-value]
        wanted.objects = ["Shirt"]
    scene.collection.objects.link(wanted.objects[0])
    obj = wanted.objects[0].override_create(remap_local_usages=True)
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    shown, held = shown_and_cached(scene, obj, 6)
    np.testing.assert_allclose(shown, held, atol=1e-6)
    assert held[:, 2].min() < -0.05
