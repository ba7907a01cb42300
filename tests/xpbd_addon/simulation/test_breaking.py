# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies that break into pieces."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene
from playing import addon, play

LAST = 20


@pytest.fixture
def scene() -> bpy.types.Scene:
    made = empty_scene()
    made.xpbd.frame_end = LAST
    return made


def block(height: float = 1.0, pieces: int = 8) -> bpy.types.Object:
    """A cube of 0.4 m, cut and so high above the floor."""
    bpy.ops.mesh.primitive_cube_add(size=0.4, location=(0.0, 0.0, height))
    obj = bpy.context.object
    bpy.ops.xpbd.add(kind="SOFT_BODY")
    obj.xpbd.cell_size = 0.1
    if pieces:
        assert bpy.ops.xpbd.cut_into_pieces(count=pieces) == {"FINISHED"}
    return obj


def hang(obj: bpy.types.Object) -> None:
    """Pin its top, which 4 kPa pull at."""
    group = obj.vertex_groups.new(name="Pins")
    top = [vertex.index for vertex in obj.data.vertices if vertex.co.z > 0.199]
    group.add(top, 1.0, "REPLACE")
    obj.xpbd.pin_group = "Pins"


def parts_of(obj: bpy.types.Object) -> np.ndarray:
    """The loose part of each vertex."""
    count = len(obj.data.vertices)
    part = np.arange(count)
    ends = np.array([edge.vertices for edge in obj.data.edges])
    for _ in range(count):
        least = part.copy()
        np.minimum.at(least, ends[:, 0], part[ends[:, 1]])
        np.minimum.at(least, ends[:, 1], part[ends[:, 0]])
        if np.array_equal(least, part):
            break
        part = least
    return part


def shapes(obj: bpy.types.Object, frame: int) -> np.ndarray:
    found: np.ndarray = addon.simulation.session.cached_positions(bpy.context.scene, obj, frame)
    return found


def lowest(obj: bpy.types.Object, frame: int) -> float:
    """How far below the pins its lowest point is [m]."""
    points = shapes(obj, frame)
    return float(points[:, 2].max() - points[:, 2].min())


def test_pieces_fill_the_mesh_and_have_no_vertex_in_common(scene: bpy.types.Scene) -> None:
    import bmesh

    obj = block()
    mesh = bmesh.new()
    mesh.from_mesh(addon.scene.mesh_io.mesh_of(obj))
    assert all(edge.is_manifold for edge in mesh.edges)
    assert mesh.calc_volume() == pytest.approx(0.4**3, rel=1e-4)
    mesh.free()
    assert len(np.unique(parts_of(obj))) == 8
    assert obj.xpbd.use_breaking


def test_pieces_fall_off_what_hangs(scene: bpy.types.Scene) -> None:
    """Weak enough that all of them come off: at 500 Pa some may stay caught between others."""
    obj = block()
    hang(obj)
    obj.xpbd.strength = 200.0
    play(scene, LAST)
    assert lowest(obj, 3) < 0.6
    assert lowest(obj, LAST) > 1.2


def test_what_is_strong_stays_whole(scene: bpy.types.Scene) -> None:
    obj = block()
    hang(obj)
    obj.xpbd.strength = 1e9
    play(scene, LAST)
    assert 0.4 < lowest(obj, LAST) < 0.6


def test_it_stays_whole_where_it_is_painted_strong(scene: bpy.types.Scene) -> None:
    obj = block()
    hang(obj)
    group = obj.vertex_groups.new(name="Strong")
    obj.xpbd.strength, obj.xpbd.strength_group, obj.xpbd.strength_max = 500.0, "Strong", 1e9
    group.add(range(len(obj.data.vertices)), 1.0, "REPLACE")
    play(scene, LAST)
    assert 0.4 < lowest(obj, LAST) < 0.6


def test_one_piece_is_told_what_it_wants(scene: bpy.types.Scene) -> None:
    obj = block(pieces=0)
    obj.xpbd.use_breaking = True
    play(scene, 3)
    said = addon.simulation.session.status(scene, exact=True).error
    assert said.startswith("Nothing of 'Cube' can break")
    obj.xpbd.use_breaking = False
    play(scene, 3)
    assert not addon.simulation.session.status(scene, exact=True).error


def test_strength_is_shown_in_kilopascals(scene: bpy.types.Scene) -> None:
    settings = block().xpbd
    settings.strength_shown = 2.5
    assert settings.strength == pytest.approx(2500.0)
    settings.strength = 7000.0
    assert settings.strength_shown == pytest.approx(7.0)


def test_a_mesh_that_can_not_be_cut_says_why(scene: bpy.types.Scene) -> None:
    bpy.ops.mesh.primitive_plane_add(size=1.0)
    bpy.ops.xpbd.add(kind="SOFT_BODY")
    with pytest.raises(RuntimeError, match=r"'Plane' is not closed"):
        bpy.ops.xpbd.cut_into_pieces()
    obj = block(pieces=0)
    obj.shape_key_add(name="Basis")
    with pytest.raises(RuntimeError, match=r"'Cube' has shape keys"):
        bpy.ops.xpbd.cut_into_pieces()
    bpy.ops.object.mode_set(mode="EDIT")
    assert not bpy.ops.xpbd.cut_into_pieces.poll()
    bpy.ops.object.mode_set(mode="OBJECT")


def test_another_user_of_the_mesh_keeps_it(scene: bpy.types.Scene) -> None:
    obj = block(pieces=0)
    other = bpy.data.objects.new("Other", obj.data)
    scene.collection.objects.link(other)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.xpbd.cut_into_pieces(count=4)
    assert len(other.data.vertices) == 8
    assert len(obj.data.vertices) > 16


def test_it_is_cut_as_it_was_modelled_whatever_is_shown(scene: bpy.types.Scene) -> None:
    obj = block(height=0.5, pieces=0)
    far = obj.copy()
    far.data = obj.data.copy()
    bpy.ops.xpbd.simulate()
    scene.frame_set(LAST)
    bpy.ops.xpbd.cut_into_pieces(count=6)
    shown = [vertex.co[:] for vertex in obj.data.vertices]
    obj.data = far.data
    scene.frame_set(1)
    bpy.ops.xpbd.cut_into_pieces(count=6)
    assert [vertex.co[:] for vertex in obj.data.vertices] == shown
