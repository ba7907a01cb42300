# SPDX-License-Identifier: GPL-3.0-or-later
"""What simulations read of Collision objects, against numbers worked out by hand."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, empty_scene, sheet
from playing import addon, play

Scale = tuple[float, float, float]


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def with_collision(name: str) -> bpy.types.Object:
    """The active object with Collision physics, 0.25 Blender units thick."""
    obj = bpy.context.object
    obj.name = name
    obj.modifiers.new("Collision", "COLLISION")
    obj.collision.thickness_outer = 0.25
    return obj


def cube(name: str = "Cube") -> bpy.types.Object:
    """From -1 to 1 in each of its axes."""
    bpy.ops.mesh.primitive_cube_add(size=2.0)
    return with_collision(name)


def plane(name: str = "Floor", size: float = 8.0) -> bpy.types.Object:
    bpy.ops.mesh.primitive_plane_add(size=size)
    return with_collision(name)


def light_sheet(height: float) -> bpy.types.Object:
    """A sheet of 1 m without pins at this height, 0.125 Blender units thick."""
    obj = sheet()
    obj.location.z, obj.scale = height, (0.5, 0.5, 0.5)
    obj.xpbd.pin_group = ""
    obj.xpbd.thickness = 0.125
    return obj


def colliders(obj: bpy.types.Object) -> list[Any]:
    """Every ColliderInput of the scene in which this object is simulated."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    scene = bpy.context.scene
    return list(addon.simulation.scene_input.read_scene(scene, depsgraph, [obj], "").colliders)


def lowest(scene: bpy.types.Scene, obj: bpy.types.Object) -> np.ndarray:
    """The lowest height [m] at each frame of playing."""
    scene.frame_set(scene.xpbd.frame_start)
    play(scene)
    frames = range(scene.xpbd.frame_start, scene.xpbd.frame_end + 1)
    shown = [addon.simulation.session.cached_positions(scene, obj, frame) for frame in frames]
    return np.array([positions[:, 2].min() for positions in shown])


# --- lengths and numbers --------------------------------------------------------------------------


def test_lengths_are_metres(scene: bpy.types.Scene) -> None:
    scene.unit_settings.scale_length = 0.25
    obj = cube()
    obj.location, obj.scale = (4.0, 0.0, 0.0), (1.0, 2.0, 1.0)
    (read,) = colliders(sheet())
    assert read.settings.thickness == 0.0625
    np.testing.assert_allclose(read.vertices.min(axis=0), (0.75, -0.5, -0.25), atol=1e-7)
    np.testing.assert_allclose(read.vertices.max(axis=0), (1.25, 0.5, 0.25), atol=1e-7)


@pytest.mark.parametrize("scale", [1.0, 0.25, 4.0])
def test_cloth_lies_as_high_as_both_are_thick(scene: bpy.types.Scene, scale: float) -> None:
    """On a floor at 0, a sheet that starts 0.01 units above 0.25 + 0.125 comes down to that."""
    scene.unit_settings.scale_length = scale
    scene.xpbd.frame_end = 10
    plane()
    heights = lowest(scene, light_sheet(0.385))
    assert heights[0] == pytest.approx(0.385 * scale, rel=1e-6)
    assert heights[-1] == pytest.approx(0.375 * scale, rel=1e-5)
    assert heights.min() >= 0.375 * scale * (1.0 - 1e-5)


def test_a_floor_lifts_cloth_by_its_way_in_metres(scene: bpy.types.Scene) -> None:
    """Evenly by 0.4 units of 25 cm a frame."""
    scene.unit_settings.scale_length = 0.25
    floor = plane()
    for frame in FRAMES:
        floor.location.z = 0.4 * (frame - FRAMES.start)
        floor.keyframe_insert("location", frame=frame)
    heights = lowest(scene, light_sheet(0.375))
    np.testing.assert_allclose(heights, 0.09375 + 0.1 * np.arange(len(FRAMES)), atol=1e-5)


@pytest.mark.parametrize(("blenders", "coulomb"), [(0.0, 0.0), (5.0, 0.5), (12.0, 1.2)])
def test_a_friction_of_five_is_a_half(
    scene: bpy.types.Scene, blenders: float, coulomb: float
) -> None:
    cube().collision.cloth_friction = blenders
    (read,) = colliders(sheet())
    assert read.settings.friction == pytest.approx(coulomb, rel=1e-6)


@pytest.mark.parametrize("single_sided", [False, True])
def test_single_sided_is_not_two_sided(scene: bpy.types.Scene, single_sided: bool) -> None:
    cube().collision.use_culling = single_sided
    (read,) = colliders(sheet())
    assert read.two_sided is not single_sided


def test_hidden_or_switched_off_or_without_faces_is_no_collider(scene: bpy.types.Scene) -> None:
    shown = cube("Shown")
    hidden, off = cube("Hidden"), cube("Off")
    hidden.hide_viewport = True
    off.collision.use = False
    bpy.ops.object.select_all(action="DESELECT")
    apart = bpy.data.collections.new("Apart")
    scene.collection.children.link(apart)
    excluded = cube("Excluded")
    apart.objects.link(excluded)
    scene.collection.objects.unlink(excluded)
    bpy.context.view_layer.layer_collection.children["Apart"].exclude = True
    bpy.ops.mesh.primitive_circle_add()
    with_collision("Wire")
    cloth = sheet()
    cloth.modifiers.new("Collision", "COLLISION")
    (read,) = colliders(cloth)
    assert read.name == shown.name


# --- mirrored -------------------------------------------------------------------------------------

MIRRORED = [(-1.0, 1.0, 1.0), (1.0, -2.0, 0.5), (1.0, 1.0, -1.0), (-1.0, -1.0, -3.0)]
NOT_MIRRORED = [(1.0, 1.0, 1.0), (-1.0, -1.0, 1.0), (-2.0, 1.0, -0.5)]
each_scale = pytest.mark.parametrize("scale", MIRRORED + NOT_MIRRORED)


def outward(read: Any) -> np.ndarray:
    """How far each triangle looks away from the middle of a box: normal · its own middle."""
    points = read.vertices[read.triangles] - read.vertices.mean(axis=0)
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    return np.asarray((normals * points.mean(axis=1)).sum(axis=1))


@each_scale
def test_triangles_look_outside_whatever_is_mirrored(scene: bpy.types.Scene, scale: Scale) -> None:
    """The sum is six volumes of pyramids: 6 · 8 |s_x s_y s_z|."""
    obj = cube()
    obj.scale, obj.rotation_euler, obj.location = scale, (0.3, 0.4, 0.5), (1.0, 2.0, 3.0)
    (read,) = colliders(sheet())
    assert (outward(read) > 0.0).all()
    assert outward(read).sum() == pytest.approx(48.0 * abs(np.prod(scale)), rel=1e-5)


@pytest.mark.parametrize("own", [1.0, -1.0])
@pytest.mark.parametrize("parents", [1.0, -1.0])
def test_triangles_look_outside_below_a_mirrored_parent(
    scene: bpy.types.Scene, own: float, parents: float
) -> None:
    parent = bpy.data.objects.new("Parent", None)
    scene.collection.objects.link(parent)
    parent.scale, parent.rotation_euler = (1.0, 2.0 * parents, 1.0), (0.2, 0.0, 0.7)
    obj = cube()
    obj.parent = parent
    obj.scale = (own, 1.0, 1.0)
    (read,) = colliders(sheet())
    assert (outward(read) > 0.0).all()
    assert outward(read).sum() == pytest.approx(96.0, rel=1e-5)


@pytest.mark.parametrize(("scale", "way"), [((-1, 1, 1), 1.0), ((1, 1, -1), -1.0)])
def test_an_open_plane_looks_where_blender_shows_its_front(
    scene: bpy.types.Scene, scale: Scale, way: float
) -> None:
    """Mirrored along itself it looks up as before, mirrored in z it looks down."""
    plane().scale = scale
    (read,) = colliders(sheet())
    a, b, c = read.vertices[read.triangles].swapaxes(0, 1)
    assert (np.sign(np.cross(b - a, c - a)[:, 2]) == way).all()


@each_scale
def test_cloth_stays_outside_of_a_mirrored_box(scene: bpy.types.Scene, scale: Scale) -> None:
    """It falls on the top, at |s_z|, by 0.01, and lies as high above it as both are thick."""
    scene.xpbd.frame_end = 10
    obj = cube()
    obj.scale = scale
    obj.collision.use_culling = True
    top = abs(scale[2])
    heights = lowest(scene, light_sheet(top + 0.385))
    assert heights[-1] == pytest.approx(top + 0.375, abs=1e-5)


# --- what is keyed --------------------------------------------------------------------------------


def key(owner: Any, name: str, *values: tuple[int, Any]) -> None:
    """Keyframes of a property, each of a frame and a value."""
    for frame, value in values:
        setattr(owner, name, value)
        owner.keyframe_insert(name, frame=frame)


def switches(floor: bpy.types.Object) -> dict[str, tuple[Any, str, bool]]:
    """What switches a collider on and off, and its value for on."""
    return {
        "collision": (floor.collision, "use", True),
        "modifier": (floor.modifiers["Collision"], "show_viewport", True),
        "object": (floor, "hide_viewport", False),
    }


@pytest.mark.parametrize("name", ["collision", "modifier", "object"])
def test_a_collider_can_be_switched_off_and_on_over_time(scene: bpy.types.Scene, name: str) -> None:
    """What it holds falls on without it, on a floor that waits below, as frames say ever after."""
    scene.xpbd.frame_end = 24
    obj = light_sheet(0.385)
    floor, below = plane(), plane("Below")
    below.location.z = -2.0
    owner, switch, on = switches(floor)[name]
    key(owner, switch, (1, on), (6, not on))
    owner, switch, on = switches(below)[name]
    key(owner, switch, (1, not on), (10, on))
    heights = lowest(scene, obj)
    assert heights[4] == pytest.approx(0.375, abs=1e-4)
    assert heights[9] < 0.3
    assert heights[-1] == pytest.approx(-1.625, abs=1e-3)
    for frame in (1, 5, 12, 24):
        scene.frame_set(frame)
        assert reason(scene, obj) == ""
    scene.frame_set(1)
    for curve in addon.scene.animation.curves_of(floor):
        curve.keyframe_points[1].co.x = 8
    scene.frame_set(6)
    assert reason(scene, obj) == "the collider 'Floor' was not there"


def test_thickness_and_friction_can_be_keyed(scene: bpy.types.Scene) -> None:
    scene.xpbd.frame_end = 24
    obj, floor = light_sheet(0.385), plane()
    key(floor.collision, "thickness_outer", (1, 0.25), (20, 0.5))
    heights = lowest(scene, obj)
    assert heights[-1] == pytest.approx(0.625, abs=1e-3)
    scene.frame_set(1)
    assert reason(scene, obj) == ""
    key(floor.collision, "cloth_friction", (1, 5.0), (20, 10.0))
    scene.frame_set(12)
    assert reason(scene, obj) == "the thickness or friction of the collider 'Floor' changed"


def reason(scene: bpy.types.Scene, obj: bpy.types.Object) -> str:
    """Why an object's frames are outdated; empty where they are valid."""
    return str(addon.simulation.session.status(scene).objects[obj.session_uid].reason)
