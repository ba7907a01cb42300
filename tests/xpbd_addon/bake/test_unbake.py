# SPDX-License-Identifier: GPL-3.0-or-later
"""Unbaking takes exactly the bake away."""

import json
from pathlib import Path

import bpy
import pytest
from baking_scenes import (
    Make,
    assert_same,
    deformed,
    each_mode,
    each_scene,
    moving,
    plain,
    simulate,
    state,
)
from blender_scenes import addon_module, animation, empty_scene, evaluated_positions, sheet
from drawing import draw


@each_mode
@each_scene
def test_unbake_leaves_the_scene_as_it_was(make: Make, mode: str) -> None:
    obj = simulate(make)
    preview = animation(obj)
    before = state(obj)
    bpy.ops.xpbd.bake_shape_keys(mode=mode)
    assert state(obj) != before
    assert bpy.ops.xpbd.unbake() == {"FINISHED"}
    assert not addon_module("simulation.session").status(bpy.context.scene).outdated
    assert_same(animation(obj), preview)
    assert state(obj) == before


def test_unbake_shows_the_simulation_at_once() -> None:
    obj = simulate(moving)
    bpy.context.scene.frame_set(4)
    preview = evaluated_positions(obj)
    bpy.ops.xpbd.bake_shape_keys()
    assert_same(evaluated_positions(obj), preview)
    bpy.ops.xpbd.unbake()
    assert_same(evaluated_positions(obj), preview)


def test_modifiers_in_the_bake_are_switched_off_and_others_are_not() -> None:
    obj = simulate(deformed)
    bpy.ops.xpbd.bake_shape_keys()
    assert not obj.modifiers["Lift"].show_viewport
    assert not obj.modifiers["Lift"].show_render
    assert obj.modifiers["Smooth"].show_viewport
    obj.modifiers["Lift"].name = "Renamed"
    bpy.ops.xpbd.unbake()
    assert obj.modifiers["Renamed"].show_viewport
    assert obj.modifiers["Renamed"].show_render


def test_a_modifier_after_the_display_stays_after_it() -> None:
    empty_scene()
    obj = sheet()
    obj.modifiers.new("Wave", "WAVE")
    obj.modifiers.move(obj.modifiers.find("Wave"), 1)
    bpy.ops.xpbd.simulate()
    preview = animation(obj)
    bpy.ops.xpbd.bake_shape_keys()
    assert obj.modifiers["Wave"].show_viewport
    assert_same(animation(obj), preview)
    bpy.ops.xpbd.unbake()
    assert obj.modifiers.find("Wave") == 1
    assert_same(animation(obj), preview)


def test_unbake_keeps_what_the_user_added() -> None:
    obj = simulate(plain)
    bpy.ops.xpbd.bake_shape_keys()
    obj.shape_key_add(name="Mine", from_mix=False).value = 0.25
    obj.data.shape_keys.key_blocks["Mine"].keyframe_insert("value", frame=3)
    bpy.ops.xpbd.unbake()
    keys = obj.data.shape_keys
    assert keys.key_blocks.keys() == ["Basis", "Mine"]
    curves = addon_module("scene.animation").curve_collections(keys.animation_data.action)
    paths = [curve.data_path for collection in curves for curve in collection]
    assert paths == ['key_blocks["Mine"].value']


def test_keys_of_the_object_in_the_action_of_the_bake_stay() -> None:
    """Blender from 4.4 on puts what is keyed later into the action of the mesh's keys."""
    obj = simulate(plain)
    bpy.ops.xpbd.bake_shape_keys()
    for frame in (1, 6):
        obj.location.x = 0.5 * frame
        obj.keyframe_insert("location", frame=frame)
    mine = obj.animation_data.action
    bpy.ops.xpbd.unbake()
    assert obj.animation_data.action == mine
    curves = addon_module("scene.animation").curve_collections(mine)
    paths = [curve.data_path for collection in curves for curve in collection]
    assert paths == ["location"] * 3
    assert [action.name for action in bpy.data.actions] == [mine.name]
    if hasattr(mine, "slots"):
        assert [slot.target_id_type for slot in mine.slots] == ["OBJECT"]


def test_curves_of_the_user_with_the_bakes_paths_stay() -> None:
    """Another object plays the action of the bake, with a slot of its own for shape keys."""
    obj = simulate(plain)
    bpy.ops.xpbd.bake_shape_keys()
    action = obj.data.shape_keys.animation_data.action
    if not hasattr(action, "slots"):
        return
    bpy.ops.mesh.primitive_plane_add()
    other = bpy.context.object
    other.shape_key_add(name="Basis")
    block = other.shape_key_add(name="Frame 1")
    keys = other.data.shape_keys
    keys.animation_data_create().action = action
    keys.animation_data.action_slot = action.slots.new(id_type="KEY", name="Mine")
    block.keyframe_insert("value", frame=2)
    bpy.ops.xpbd.unbake()
    assert keys.animation_data.action == action
    curves = addon_module("scene.animation").curve_collections(action)
    paths = [curve.data_path for collection in curves for curve in collection]
    assert paths == ['key_blocks["Frame 1"].value']
    assert keys.animation_data.action_slot.identifier == "KEMine"


@each_mode
@pytest.mark.parametrize("renamed", [["Frame 3"], ["Basis", *(f"Frame {i}" for i in range(1, 7))]])
def test_renamed_shape_keys_are_those_of_the_bake(mode: str, renamed: list[str]) -> None:
    """Blender plays them as before, and so all is well; the user's own key stays."""
    obj = simulate(plain)
    preview = animation(obj)
    before = state(obj)
    bpy.ops.xpbd.bake_shape_keys(mode=mode)
    for name in renamed:
        obj.data.shape_keys.key_blocks[name].name = f'My "{name}"'
    assert_same(animation(obj), preview)
    assert addon_module("interface.messages").in_panel(bpy.context.scene, obj)[0].level == "STATE"
    bpy.ops.xpbd.unbake()
    assert state(obj) == before
    bpy.ops.xpbd.bake_shape_keys(mode=mode)
    mine = obj.shape_key_add(name="Mine", from_mix=False)
    mine.value = 1.0
    mine.keyframe_insert("value", frame=3)
    for name in renamed:
        obj.data.shape_keys.key_blocks[name].name = f'My "{name}"'
    bpy.ops.xpbd.unbake()
    assert obj.data.shape_keys.key_blocks.keys()[1:] == ["Mine"]


def test_an_action_of_the_user_on_the_keys_is_not_touched() -> None:
    obj = simulate(plain)
    bpy.ops.xpbd.bake_shape_keys()
    mine = bpy.data.actions.new("Mine")
    obj.data.shape_keys.animation_data.action = mine
    bpy.ops.xpbd.unbake()
    assert "Mine" in bpy.data.actions


@each_mode
def test_bake_survives_the_file_and_can_be_taken_away_there(mode: str, tmp_path: Path) -> None:
    obj = simulate(deformed)
    before = [(m.name, m.show_viewport, m.show_render) for m in obj.modifiers]
    preview = animation(obj)
    bpy.ops.xpbd.bake_shape_keys(mode=mode)
    path = str(tmp_path / "baked.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    obj = bpy.data.objects["Sheet"]
    assert_same(animation(obj), preview)
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.xpbd.unbake() == {"FINISHED"}
    assert [(m.name, m.show_viewport, m.show_render) for m in obj.modifiers] == before


def test_unbake_all_or_the_selected() -> None:
    empty_scene()
    left, right = sheet("Left"), sheet("Right")
    bpy.ops.xpbd.bake_shape_keys()
    left.select_set(False)
    right.select_set(True)
    assert bpy.ops.xpbd.unbake(selected_only=True) == {"FINISHED"}
    assert right.data.shape_keys is None
    assert left.data.shape_keys is not None
    bpy.ops.xpbd.bake_shape_keys()
    assert bpy.ops.xpbd.unbake() == {"FINISHED"}
    assert left.data.shape_keys is None
    assert right.data.shape_keys is None


def test_objects_that_share_a_bake_lose_it_together() -> None:
    obj = simulate(plain)
    bpy.ops.xpbd.bake_shape_keys()
    twin = obj.copy()
    bpy.context.scene.collection.objects.link(twin)
    bpy.ops.xpbd.unbake()
    assert twin.get("xpbd_bake") is None
    assert not twin.xpbd.baked
    assert obj.data.shape_keys is None


def test_a_duplicate_keeps_its_bake() -> None:
    obj = simulate(plain)
    bpy.ops.xpbd.bake_shape_keys()
    baked = animation(obj)
    twin = obj.copy()
    twin.data = obj.data.copy()
    bpy.context.scene.collection.objects.link(twin)
    addon_module("bake.unbaking").unbake(obj)
    assert obj.data.shape_keys is None
    assert_same(animation(twin), baked)
    addon_module("bake.unbaking").unbake(twin)
    assert twin.data.shape_keys is None
    assert len(bpy.data.actions) == 0


DAMAGED = [
    "",
    "{",
    "7",
    "[1]",
    "null",
    "[" * 100_000,
    7,
    {"version": None},
    {"version": "1"},
    {"frame_end": None},
    {"further": 1},
    {"keys": 5},
    {"keys": [5]},
    {"modifiers": [5]},
    {"modifiers": [{"uid": 1}]},
]


@pytest.mark.parametrize("damage", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_record_is_forgotten(damage: str | int | dict[str, object]) -> None:
    obj = simulate(plain)
    bpy.ops.xpbd.bake_shape_keys()
    if isinstance(damage, dict):
        changed = json.loads(obj["xpbd_bake"]) | damage
        damage = json.dumps({key: value for key, value in changed.items() if value is not None})
    obj["xpbd_bake"] = damage
    said = "What 'Sheet' remembers of its bake is damaged: use Delete Bake"
    assert said in " ".join((*draw().drawn, *draw("cache").drawn))
    assert bpy.ops.xpbd.unbake() == {"FINISHED"}
    assert "xpbd_bake" not in obj
    obj.shape_key_clear()
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    assert bpy.ops.xpbd.bake_shape_keys() == {"FINISHED"}


def test_a_record_of_a_newer_version_is_kept() -> None:
    obj = simulate(plain)
    bpy.ops.xpbd.bake_shape_keys()
    newer = json.dumps(json.loads(obj["xpbd_bake"]) | {"version": 3, "further": 1})
    obj["xpbd_bake"] = newer
    with pytest.raises(RuntimeError, match="newer version of the extension"):
        bpy.ops.xpbd.unbake()
    assert obj["xpbd_bake"] == newer
