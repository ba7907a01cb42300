# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision Collections: what touches what, and when a cache is outdated by it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import bpy
import pytest
from blender_scenes import empty_scene, sheet
from playing import addon

Objects = dict[str, bpy.types.Object]


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


@pytest.fixture
def objects(scene: bpy.types.Scene) -> Objects:
    """Two sheets and two balls that are alike, but for where they are."""
    for number, name in enumerate(("Ball", "Post")):
        bpy.ops.mesh.primitive_cube_add(location=(3.0 * number, 0, 0))
        bpy.context.object.name = name
        bpy.ops.object.modifier_add(type="COLLISION")
    made = [sheet("Shirt"), sheet("Coat"), *map(bpy.data.objects.get, ("Ball", "Post"))]
    return {obj.name: obj for obj in made if obj is not None}


def collection(
    *objects: bpy.types.Object, inside: bpy.types.Collection | None = None
) -> bpy.types.Collection:
    """A collection of objects, in the scene's own one or inside of another one."""
    made = bpy.data.collections.new("Chosen")
    (inside or bpy.context.scene.collection).children.link(made)
    for obj in objects:
        made.objects.link(obj)
    return made


def ignored(scene: bpy.types.Scene) -> set[frozenset[str]]:
    """Names of those that simulating lets go through each other."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    simulated = addon.simulation.session.simulated_objects(scene)
    read = addon.simulation.scene_input.read_scene(scene, depsgraph, simulated, look(scene))
    names = {obj.session_uid: obj.name for obj in scene.objects}
    return {frozenset(names[uid] for uid in pair) for pair in read.ignored}


def pairs(*names: str) -> set[frozenset[str]]:
    return {frozenset(name.split()) for name in names}


def test_everything_touches_where_none_is_chosen(scene: bpy.types.Scene, objects: Objects) -> None:
    assert ignored(scene) == set()


def test_colliders_and_simulated_objects_outside_are_ignored(
    scene: bpy.types.Scene, objects: Objects
) -> None:
    objects["Shirt"].xpbd.collision_collection = collection(objects["Ball"])
    assert ignored(scene) == pairs("Shirt Post", "Shirt Coat")


def test_collections_inside_count(scene: bpy.types.Scene, objects: Objects) -> None:
    outer = collection(objects["Ball"])
    collection(objects["Coat"], inside=outer)
    objects["Shirt"].xpbd.collision_collection = outer
    assert ignored(scene) == pairs("Shirt Post")


def test_of_two_simulated_ones_each_must_be_in_the_others(
    scene: bpy.types.Scene, objects: Objects
) -> None:
    objects["Shirt"].xpbd.collision_collection = collection(objects["Coat"], objects["Ball"])
    objects["Coat"].xpbd.collision_collection = collection(objects["Post"])
    assert ignored(scene) == pairs("Shirt Post", "Coat Ball", "Shirt Coat")


def test_nothing_is_in_an_empty_one_and_a_deleted_one_is_none(
    scene: bpy.types.Scene, objects: Objects
) -> None:
    chosen = collection()
    for name in ("Shirt", "Coat"):
        objects[name].xpbd.collision_collection = chosen
    every = {frozenset(pair) for pair in combinations(objects, 2)} - pairs("Ball Post")
    assert ignored(scene) == every
    bpy.data.collections.remove(chosen)
    assert objects["Shirt"].xpbd.collision_collection is None
    assert ignored(scene) == set()


def test_copies_have_it_and_removing_xpbd_clears_it(
    scene: bpy.types.Scene, objects: Objects
) -> None:
    chosen = collection(objects["Ball"])
    objects["Shirt"].xpbd.collision_collection = chosen
    bpy.context.view_layer.objects.active = objects["Shirt"]
    bpy.ops.object.select_all(action="DESELECT")
    objects["Shirt"].select_set(True)
    bpy.ops.object.duplicate()
    assert bpy.context.object.xpbd.collision_collection == chosen
    bpy.ops.xpbd.remove()
    assert bpy.context.object.xpbd.collision_collection is None


def test_it_is_saved(scene: bpy.types.Scene, objects: Objects, tmp_path: Path) -> None:
    objects["Shirt"].xpbd.collision_collection = collection(objects["Ball"])
    before = look(scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert look(bpy.context.scene) == before
    assert ignored(bpy.context.scene) == pairs("Shirt Post", "Shirt Coat")


@pytest.mark.parametrize("hide", ["exclude", "collection", "object"])
def test_what_is_hidden_does_not_take_part_for_being_in_it(
    scene: bpy.types.Scene, objects: Objects, hide: str
) -> None:
    """Blender evaluates hidden objects, too, if something refers to their collection."""
    ball = objects["Ball"]
    chosen = collection(ball)
    scene.collection.objects.unlink(ball)
    objects["Shirt"].xpbd.collision_collection = chosen
    bpy.context.view_layer.update()
    if hide == "exclude":
        bpy.context.view_layer.layer_collection.children["Chosen"].exclude = True
    else:
        (chosen if hide == "collection" else ball).hide_viewport = True
    depsgraph = bpy.context.evaluated_depsgraph_get()
    assert ball.evaluated_get(depsgraph).is_evaluated
    simulated = [objects["Shirt"]]
    seen = addon.simulation.scene_input.read_scene(scene, depsgraph, simulated, look(scene))
    (read,) = seen.colliders
    assert read.name == "Post"


# --- the cache ------------------------------------------------------------------------------------


def look(scene: bpy.types.Scene) -> Any:
    """The fingerprint of all that is simulated."""
    simulated = addon.simulation.session.simulated_objects(scene)
    addon.scene.ids.ensure_all(scene, simulated)
    return addon.scene.fingerprint.compute(scene, simulated)


def _put_in(chosen: bpy.types.Collection, objects: Objects) -> None:
    chosen.objects.link(objects["Post"])


def _take_out(chosen: bpy.types.Collection, objects: Objects) -> None:
    chosen.objects.unlink(objects["Ball"])


def _exchange(chosen: bpy.types.Collection, objects: Objects) -> None:
    _put_in(chosen, objects)
    _take_out(chosen, objects)


def _delete(chosen: bpy.types.Collection, objects: Objects) -> None:
    bpy.data.collections.remove(chosen)


def _choose_none(chosen: bpy.types.Collection, objects: Objects) -> None:
    objects["Shirt"].xpbd.collision_collection = None


@pytest.mark.parametrize("change", [_put_in, _take_out, _exchange, _delete, _choose_none])
def test_what_is_in_it_outdates_the_cache(
    scene: bpy.types.Scene, objects: Objects, change: Callable[..., None]
) -> None:
    session = addon.simulation.session
    chosen = collection(objects["Ball"], objects["Coat"])
    objects["Shirt"].xpbd.collision_collection = chosen
    bpy.ops.xpbd.simulate()
    assert not session.status(scene, exact=True).outdated
    change(chosen, objects)
    bpy.context.view_layer.update()
    status = session.status(scene)
    exchanged = "the collider 'Ball' is switched off or gone"
    reason = exchanged if change is _exchange else "collision changed"
    assert (status.outdated, status.reason) == (True, reason)


def test_what_does_not_matter_does_not(scene: bpy.types.Scene, objects: Objects) -> None:
    chosen = collection(objects["Ball"], objects["Coat"])
    before = look(scene)
    objects["Shirt"].xpbd.collision_collection = collection(*objects.values())
    assert look(scene) == before
    objects["Shirt"].xpbd.collision_collection = chosen
    assert look(scene) != before
    before = look(scene)
    for obj in (chosen, *objects.values()):
        obj.name = f"Renamed {obj.name}"
    scene.collection.objects.unlink(objects["Ball"])
    bpy.ops.object.light_add()
    chosen.objects.link(bpy.context.object)
    assert look(scene) == before
