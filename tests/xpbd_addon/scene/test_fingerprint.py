# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking for changes: nothing that a script or a user does to a mesh goes unseen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, sheet
from playing import addon

Faces = list[tuple[int, ...]]


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def patch(faces: Faces) -> bpy.types.Object:
    """A simulated object of these faces."""
    obj = bpy.data.objects.new("Patch", bpy.data.meshes.new("Patch"))
    rebuild(obj, faces)
    bpy.context.collection.objects.link(obj)
    obj.xpbd.use = True
    return obj


def rebuild(obj: bpy.types.Object, faces: Faces) -> None:
    """Other faces on the same points, as a script makes them."""
    points = [(0.1 * k, 0.1 * k * k, 0.0) for k in range(7)]
    mesh = addon.scene.mesh_io.mesh_of(obj)
    mesh.clear_geometry()
    mesh.from_pydata(points, [], faces)


def look(scene: bpy.types.Scene) -> Any:
    """The fingerprint of all that is simulated."""
    simulated = addon.simulation.session.simulated_objects(scene)
    addon.scene.ids.ensure_all(scene, simulated)
    return addon.scene.fingerprint.compute(scene, simulated)


def differences(scene: bpy.types.Scene, before: Any) -> dict[str, str]:
    """What has changed of each object, by its name."""
    now, ids = look(scene), {obj.xpbd.cache_id: obj.name for obj in scene.objects}
    assert now.shared == before.shared
    known = before.objects.keys() & now.objects.keys()
    tell = addon.scene.fingerprint.difference
    return {ids[each]: tell(before.objects[each], now.objects[each], known) for each in known}


def difference(scene: bpy.types.Scene, before: Any) -> str:
    """What has changed of the only object."""
    (text,) = differences(scene, before).values()
    return text


@pytest.mark.parametrize(
    "faces",
    [
        [(0, 1, 2, 3), (4, 5, 6)],
        [(0, 1, 2), (3, 4, 6, 5)],
        [(3, 4, 5, 6), (0, 1, 2)],
        [(0, 1, 2)],
        [(0, 1, 2), (3, 4, 5, 6), (0, 3, 6)],
    ],
    ids=["another cut", "another turn", "another order", "a face less", "a face more"],
)
def test_faces_made_anew_without_a_word_to_blender(scene: bpy.types.Scene, faces: Faces) -> None:
    first: Faces = [(0, 1, 2), (3, 4, 5, 6)]
    obj = patch(first)
    before = look(scene)
    assert difference(scene, before) == ""
    rebuild(obj, faces)
    assert difference(scene, before) == "mesh changed"
    rebuild(obj, first)
    assert difference(scene, before) == ""


def test_faces_without_edges_are_looked_at_each_time(scene: bpy.types.Scene) -> None:
    mesh = patch([]).data
    mesh.loops.add(7)
    mesh.loops.foreach_set("vertex_index", range(7))
    mesh.polygons.add(2)
    mesh.polygons.foreach_set("loop_start", [0, 3])
    before = look(scene)
    assert len(mesh.edges) == 0
    assert difference(scene, before) == ""
    mesh.polygons.foreach_set("loop_start", [0, 4])
    assert difference(scene, before) == "mesh changed"


def move_points(obj: bpy.types.Object) -> None:
    positions = np.zeros(3 * len(obj.data.vertices), np.float32)
    obj.data.attributes["position"].data.foreach_set("vector", positions)


def move_key(obj: bpy.types.Object) -> None:
    obj.data.shape_keys.key_blocks["Up"].data[0].co.z += 1e-6


def raise_key(obj: bpy.types.Object) -> None:
    obj.data.shape_keys.key_blocks["Up"].value = 0.5


@pytest.mark.parametrize("change", [move_points, move_key, raise_key])
def test_points_and_shape_keys(
    scene: bpy.types.Scene, change: Callable[[bpy.types.Object], None]
) -> None:
    obj = sheet()
    obj.shape_key_add(name="Basis")
    obj.shape_key_add(name="Up")
    before = look(scene)
    assert difference(scene, before) == ""
    change(obj)
    assert difference(scene, before) == "mesh changed"


def test_faces_of_colliders(scene: bpy.types.Scene) -> None:
    sheet()
    obj = patch([(0, 1, 2), (3, 4, 5, 6)])
    obj.xpbd.use = False
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.modifier_add(type="COLLISION")
    before = look(scene)
    assert difference(scene, before) == ""
    rebuild(obj, [(0, 1, 2, 3), (4, 5, 6)])
    assert difference(scene, before) == "collision changed"


def test_what_is_kept_says_what_a_first_look_says(scene: bpy.types.Scene) -> None:
    patch([(0, 1, 2), (3, 4, 5, 6)])
    looks = [look(scene), look(scene)]
    addon.scene.fingerprint.forget_meshes()
    assert [look(scene)] * 2 == looks


@pytest.mark.parametrize("way", ["parent", "hook", "shrinkwrap", "bone", "driven by nodes"])
def test_what_is_followed(scene: bpy.types.Scene, way: str) -> None:
    leader, follower = sheet("Leader"), sheet("Follower")
    if way == "parent":
        follower.parent = leader
    elif way == "hook":
        follower.modifiers.new("Hook", "HOOK").object = leader
    elif way == "shrinkwrap":
        follower.modifiers.new("Shrinkwrap", "SHRINKWRAP").target = leader
    elif way == "bone":
        bpy.ops.object.armature_add()
        rig = bpy.context.object
        rig.pose.bones[0].constraints.new("COPY_LOCATION").target = leader
        follower.modifiers.new("Rig", "ARMATURE").object = rig
    else:
        tree: Any = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
        tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        tree.interface.new_socket("Leader", in_out="INPUT", socket_type="NodeSocketObject")
        modifier = follower.modifiers.new("Nodes", "NODES")
        modifier.node_group = tree
        addon.scene.node_inputs.write(modifier, "Leader", leader)
    found = look(scene)
    assert found.followed(follower.xpbd.cache_id) == {leader.xpbd.cache_id}
    assert found.followed(leader.xpbd.cache_id) == set()
