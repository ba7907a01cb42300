# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies around the bones of an armature, and muscles along them."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from blender_scenes import animation, empty_scene
from playing import addon, play

LAST = 20
LENGTH = 1.0


@pytest.fixture
def scene() -> bpy.types.Scene:
    made = empty_scene()
    made.xpbd.frame_end, made.use_gravity = LAST, False
    return made


def rig(*, turned: float = 0.0) -> bpy.types.Object:
    """Two bones of half a metre, one on the other, of which the upper one is turned."""
    bpy.ops.object.armature_add(enter_editmode=True)
    armature = bpy.context.object
    bones = armature.data.edit_bones
    bones[0].name, bones[0].tail = "Lower", (0.0, 0.0, 0.5)
    upper = bones.new("Upper")
    upper.head, upper.tail, upper.parent = (0.0, 0.0, 0.5), (0.0, 0.0, LENGTH), bones[0]
    bpy.ops.object.mode_set(mode="OBJECT")
    pose = armature.pose.bones["Upper"]
    pose.rotation_mode = "XYZ"
    pose.keyframe_insert("rotation_euler", frame=1)
    pose.rotation_euler.x = turned
    pose.keyframe_insert("rotation_euler", frame=8)
    return armature


def limb(armature: bpy.types.Object, reach: float = 0.12) -> bpy.types.Object:
    """A box of 0.3 m around both bones that nothing but them leads."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 0.5))
    obj = bpy.context.object
    obj.scale = 0.3, 0.3, LENGTH
    bpy.ops.object.transform_apply(location=True, scale=True)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.subdivide(number_cuts=7)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.xpbd.add(kind="SOFT_BODY")
    settings = obj.xpbd
    settings.cell_size, settings.drag = 0.1, 10.0
    settings.bones, settings.bone_reach = armature, reach
    return obj


def outdated(scene: bpy.types.Scene) -> str:
    """Why frames are, if they are."""
    (known,) = addon.simulation.session.status(scene, exact=True).objects.values()
    return str(known.reason)


def beginning(obj: bpy.types.Object) -> np.ndarray:
    """Where it is on the first frame, in the world."""
    bpy.context.view_layer.update()
    points = np.array([vertex.co for vertex in obj.data.vertices])
    return points + np.array(obj.matrix_world.translation)


def end(scene: bpy.types.Scene, obj: bpy.types.Object, last: int = LAST) -> np.ndarray:
    play(scene, last)
    found: np.ndarray = addon.simulation.session.cached_positions(scene, obj, last)
    return found


def test_flesh_goes_where_its_bones_go(scene: bpy.types.Scene) -> None:
    armature = rig(turned=0.5 * np.pi)
    obj = limb(armature)
    armature.location = 0.0, 2.0, 0.0
    obj.location = 0.0, 2.0, 0.0
    start = beginning(obj)
    found = end(scene, obj)
    upper, lower = start[:, 2] > 0.75, start[:, 2] < 0.25
    joint = np.array([0.0, 2.0, 0.5])
    away = start[upper] - joint
    turned = np.stack([away[:, 0], -away[:, 2], away[:, 1]], axis=1)
    np.testing.assert_allclose(found[upper], joint + turned, atol=0.02)
    np.testing.assert_allclose(found[lower], start[lower], atol=0.02)


def test_only_deforming_bones_lead(scene: bpy.types.Scene) -> None:
    armature = rig(turned=0.5 * np.pi)
    armature.data.bones["Upper"].use_deform = False
    obj = limb(armature)
    start = beginning(obj)
    np.testing.assert_allclose(end(scene, obj), start, atol=1e-3)


def test_bones_that_move_otherwise_outdate_frames(scene: bpy.types.Scene) -> None:
    armature = rig(turned=0.2)
    obj = limb(armature)
    end(scene, obj)
    assert outdated(scene) == ""
    armature.pose.bones["Upper"].rotation_euler.x = 0.4
    armature.pose.bones["Upper"].keyframe_insert("rotation_euler", frame=8)
    scene.frame_set(6)
    assert outdated(scene) == "the bones in 'Cube' move differently"
    armature.pose.bones["Upper"].rotation_euler.x = 0.2
    armature.pose.bones["Upper"].keyframe_insert("rotation_euler", frame=8)
    scene.frame_set(6)
    assert outdated(scene) == ""
    obj.xpbd.bone_reach *= 2.0
    assert outdated(scene) == "material changed"
    obj.xpbd.bone_reach *= 0.5
    armature.data.bones["Lower"].use_deform = False
    assert outdated(scene) == "pins changed"


def test_a_muscle_contracts_along_its_bone(scene: bpy.types.Scene) -> None:
    """It lies across, at the foot, where it holds a little."""
    armature = rig()
    armature.rotation_euler.y = 0.5 * np.pi
    obj = limb(armature, reach=0.06)
    obj.xpbd.contraction = 0.36
    obj.xpbd.fibre_source = "BONES"
    ways = np.ptp(end(scene, obj), axis=0) / np.ptp(beginning(obj), axis=0)
    assert ways[0] < 0.95
    assert ways[2] > 1.05


def test_fibres_of_an_attribute(scene: bpy.types.Scene) -> None:
    obj = limb(rig(), reach=0.06)
    obj.xpbd.bones = None
    attribute = obj.data.attributes.new("Way", "FLOAT_VECTOR", "POINT")
    attribute.data.foreach_set("vector", np.tile([0.0, 3.0, 0.0], len(obj.data.vertices)))
    obj.xpbd.fibre_source, obj.xpbd.fibre_attribute = "ATTRIBUTE", "Way"
    obj.xpbd.contraction = 0.36
    ways = np.ptp(end(scene, obj), axis=0) / np.ptp(beginning(obj), axis=0)
    np.testing.assert_allclose(ways, [1.25, 0.64, 1.25], atol=0.02)
    attribute = obj.data.attributes["Way"]
    attribute.data.foreach_set("vector", np.zeros(3 * len(obj.data.vertices)))
    ways = np.ptp(end(scene, obj), axis=0) / np.ptp(beginning(obj), axis=0)
    np.testing.assert_allclose(ways, [1.25, 1.25, 0.64], atol=0.02)


def test_the_bake_is_what_was_played(scene: bpy.types.Scene) -> None:
    obj = limb(rig(turned=0.6))
    play(scene, LAST)
    played = animation(obj, range(1, LAST + 1))
    assert bpy.ops.xpbd.bake_shape_keys() == {"FINISHED"}
    np.testing.assert_allclose(animation(obj, range(1, LAST + 1)), played, atol=1e-5)


def hide(armature: bpy.types.Object) -> None:
    armature.hide_viewport = True


def have_none(armature: bpy.types.Object) -> None:
    for bone in armature.data.bones:
        bone.use_deform = False


def flatten(armature: bpy.types.Object) -> None:
    armature.pose.bones["Lower"].scale = 0.0, 0.0, 0.0


def go_away(armature: bpy.types.Object) -> None:
    armature.location.x = 5.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (hide, "'Armature', whose bones lead 'Cube', is hidden"),
        (have_none, "'Armature' has no deforming bones to lead 'Cube'"),
        (flatten, "Bone 'Lower' of 'Armature', which leads 'Cube', is scaled to zero"),
        (go_away, r"No cell of 'Cube' is within 0\.12 m of a bone"),
    ],
)
def test_bones_that_can_lead_nothing_are_told(
    scene: bpy.types.Scene, change: Callable[[bpy.types.Object], None], message: str
) -> None:
    armature = rig()
    limb(armature)
    change(armature)
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.xpbd.simulate()


def test_fibres_along_bones_need_bones(scene: bpy.types.Scene) -> None:
    obj = limb(rig())
    obj.xpbd.bones, obj.xpbd.fibre_source = None, "BONES"
    with pytest.raises(RuntimeError, match="'Cube' has no bones along which its fibres"):
        bpy.ops.xpbd.simulate()
