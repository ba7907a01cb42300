# SPDX-License-Identifier: GPL-3.0-or-later
"""Where positions of vertices that modifiers make are held: in no file, and never mixed up."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from blender_scenes import empty_scene, evaluated_positions
from made_geometry import (
    mirrored,
    shown_and_cached,
)
from playing import addon, play


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
