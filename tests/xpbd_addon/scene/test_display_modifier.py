# SPDX-License-Identifier: GPL-3.0-or-later
"""The display modifier: its place in the stack, what it shows, and what it leaves behind."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, evaluated_positions, sheet
from playing import addon, play


@pytest.fixture
def grid() -> bpy.types.Object:
    empty_scene()
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=3, y_subdivisions=3)
    return bpy.context.object


def test_place_before_the_first_generative_modifier(grid: bpy.types.Object) -> None:
    for name in ("HOOK", "SUBSURF", "SOLIDIFY"):
        grid.modifiers.new(name, name)
    added = addon.scene.display_modifier.ensure(grid)
    assert [m.name for m in grid.modifiers] == ["HOOK", "XPBD", "SUBSURF", "SOLIDIFY"]
    assert addon.scene.display_modifier.ensure(grid) == added
    assert addon.scene.stack.modifier(grid) == added
    assert len(grid.modifiers) == 4


def test_last_without_generative_modifiers(grid: bpy.types.Object) -> None:
    grid.modifiers.new("Hook", "HOOK")
    addon.scene.display_modifier.ensure(grid)
    assert [m.name for m in grid.modifiers] == ["Hook", "XPBD"]


def test_one_node_group_for_all_objects(grid: bpy.types.Object) -> None:
    addon.scene.display_modifier.ensure(grid)
    bpy.ops.mesh.primitive_plane_add()
    addon.scene.display_modifier.ensure(bpy.context.object)
    assert [group.name for group in bpy.data.node_groups] == ["XPBD Display"]
    addon.scene.display_modifier.remove(grid)
    addon.scene.display_modifier.remove(bpy.context.object)
    assert not bpy.data.node_groups


def test_renamed_modifier_is_found(grid: bpy.types.Object) -> None:
    addon.scene.display_modifier.ensure(grid).name = "My cloth"
    assert addon.scene.stack.modifier(grid).name == "My cloth"
    addon.scene.display_modifier.remove(grid)
    assert not grid.modifiers


def test_use_adds_and_removes_the_modifier(grid: bpy.types.Object) -> None:
    grid.xpbd.use = True
    assert addon.scene.stack.modifier(grid) is not None
    grid.xpbd.use = False
    assert addon.scene.stack.modifier(grid) is None


def reopened(folder: Path) -> bpy.types.Object:
    """The sheet in the file that was saved and opened again, on the last frame."""
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "scene.blend"))
    bpy.context.scene.frame_set(6)
    return bpy.data.objects["Sheet"]


@pytest.mark.parametrize("how", ["simulate", "play", "play on", "reopen"])
def test_who_removed_it_gets_it_back(how: str, tmp_path: Path) -> None:
    scene = empty_scene()
    obj = sheet()
    bpy.ops.xpbd.simulate()
    scene.frame_set(6)
    shown = evaluated_positions(obj)
    scene.frame_set(1)
    obj.modifiers.remove(obj.modifiers["XPBD"])
    for frame in (4, 6):
        scene.frame_set(frame)
    assert not obj.modifiers
    if how == "simulate":
        assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    elif how == "play":
        play(scene)
    elif how == "play on":
        scene.frame_set(2)
        scene.frame_set(6)
    else:
        obj = reopened(tmp_path)
    assert [modifier.name for modifier in obj.modifiers] == ["XPBD"]
    np.testing.assert_array_equal(evaluated_positions(obj), shown)


@pytest.mark.parametrize("how", ["APPLY", "CONVERT", "COPY"])
def test_who_applied_it_keeps_the_shape(how: str) -> None:
    """As with Blender's cloth nothing is simulated any more, and nothing of ours stays."""
    scene = empty_scene()
    obj = sheet()
    attributes = set(obj.data.attributes.keys())
    bpy.ops.xpbd.simulate()
    scene.frame_set(5)
    shown = evaluated_positions(obj)
    if how == "APPLY":
        bpy.ops.object.modifier_apply(modifier="XPBD")
    else:
        bpy.ops.object.convert(target="MESH", keep_original=how == "COPY")
    applied = bpy.context.object
    assert (applied == obj) == (how != "COPY")
    for frame in (1, 2, 5):
        scene.frame_set(frame)
        np.testing.assert_allclose(evaluated_positions(applied), shown, atol=1e-6)
    assert not applied.xpbd.use
    assert not applied.modifiers
    assert set(applied.data.attributes.keys()) <= attributes
    if how == "COPY":
        assert not addon.simulation.session.status(scene, exact=True).outdated
        np.testing.assert_allclose(evaluated_positions(obj), shown, atol=1e-6)


def test_undo_of_applying_it_simulates_as_before() -> None:
    scene = empty_scene()
    bpy.ops.ed.undo_push(message="Start")
    obj = sheet()
    bpy.ops.xpbd.simulate()
    scene.frame_set(5)
    shown = evaluated_positions(obj)
    bpy.ops.ed.undo_push(message="Simulated")
    bpy.ops.object.modifier_apply(modifier="XPBD")
    bpy.ops.ed.undo_push(message="Applied")
    bpy.context.view_layer.update()
    bpy.ops.ed.undo()
    obj, scene = bpy.data.objects["Sheet"], bpy.context.scene
    assert obj.xpbd.use
    assert addon.scene.stack.modifier(obj) is not None
    for frame in (1, 5):
        scene.frame_set(frame)
    assert not addon.simulation.session.status(scene, exact=True).outdated
    np.testing.assert_allclose(evaluated_positions(obj), shown, atol=1e-6)


def test_undo_of_removing_it_is_not_disturbed() -> None:
    scene = empty_scene()
    sheet()
    bpy.ops.xpbd.simulate()
    bpy.ops.ed.undo_push(message="Simulated")
    bpy.ops.object.modifier_remove(modifier="XPBD")
    bpy.ops.ed.undo_push(message="Removed")
    play(scene)
    bpy.ops.ed.undo()
    assert [modifier.name for modifier in bpy.data.objects["Sheet"].modifiers] == ["XPBD"]
    bpy.ops.ed.redo()
    assert not bpy.data.objects["Sheet"].modifiers


def test_without_frames_the_object_is_untouched(grid: bpy.types.Object) -> None:
    before = evaluated_positions(grid)
    addon.scene.display_modifier.ensure(grid)
    np.testing.assert_array_equal(evaluated_positions(grid), before)


def test_written_positions_are_shown_and_hidden(grid: bpy.types.Object) -> None:
    addon.scene.display_modifier.ensure(grid)
    moved = evaluated_positions(grid) + np.float32(3)
    addon.scene.display_modifier.write(grid, moved)
    np.testing.assert_array_equal(evaluated_positions(grid), moved)
    np.testing.assert_array_equal([v.co.z for v in grid.data.vertices], 0.0)
    addon.scene.display_modifier.hide(grid)
    np.testing.assert_allclose(evaluated_positions(grid)[:, 2], 0.0)


def test_to_local_inverts_the_object_and_the_unit_scale(grid: bpy.types.Object) -> None:
    grid.location, grid.rotation_euler = (1, 2, 3), (0.1, 0.2, 0.3)
    grid.scale = (-1, 2, 0.5)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    local = np.random.default_rng(1).normal(size=(16, 3))
    world = addon.scene.mesh_io.to_world(grid.evaluated_get(depsgraph), local, 0.01)
    back = addon.scene.mesh_io.to_local(grid, world, depsgraph, 0.01)
    assert back.dtype == np.float32
    np.testing.assert_allclose(back, local, atol=1e-5)


# --- what somebody typed as the attribute's name --------------------------------------------------


def asked_for(obj: bpy.types.Object) -> str:
    """The name that stands in the modifier."""
    return str(addon.scene.node_inputs.read(obj.modifiers["XPBD"], "Attribute", ""))


def ask_for(obj: bpy.types.Object, name: str) -> None:
    addon.scene.node_inputs.write(obj.modifiers["XPBD"], "Attribute", name)
    obj.update_tag()


@pytest.mark.parametrize("name", ["position", "UVMap", "my_vectors", ".corner_vert", "", "xp_posX"])
def test_only_attributes_of_ours_are_written_and_removed(name: str, tmp_path: Path) -> None:
    scene = empty_scene()
    obj = sheet()
    mine = obj.data.attributes.new("my_vectors", "FLOAT_VECTOR", "POINT")
    mine.data.foreach_set("vector", np.arange(108, dtype=np.float32))
    obj.data.attributes.new("xp_posX", "FLOAT_VECTOR", "POINT")
    names = {attribute.name for attribute in obj.data.attributes}
    rest = [tuple(vertex.co) for vertex in obj.data.vertices]
    ask_for(obj, name)
    play(scene)
    assert asked_for(obj) == "xp_pos"
    expected = addon.simulation.session.cached_positions(scene, obj, 6)
    np.testing.assert_allclose(evaluated_positions(obj), expected, atol=1e-6)
    ask_for(obj, name)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    assert [tuple(vertex.co) for vertex in obj.data.vertices] == rest
    bpy.ops.xpbd.clear_cache()
    bpy.ops.xpbd.remove()
    assert names <= {attribute.name for attribute in obj.data.attributes}
    held = np.empty(108, np.float32)
    obj.data.attributes["my_vectors"].data.foreach_get("vector", held)
    np.testing.assert_array_equal(held, np.arange(108))


def test_an_attribute_of_the_users_that_is_called_as_ours() -> None:
    scene = empty_scene()
    obj = sheet()
    obj.data.attributes.new("xp_pos", "FLOAT", "FACE")
    play(scene)
    assert asked_for(obj) == "xp_pos_2"
    expected = addon.simulation.session.cached_positions(scene, obj, 6)
    np.testing.assert_allclose(evaluated_positions(obj), expected, atol=1e-6)
    bpy.ops.xpbd.clear_cache()
    bpy.ops.xpbd.remove()
    assert obj.data.attributes["xp_pos"].data_type == "FLOAT"
    assert "xp_pos_2" not in obj.data.attributes
