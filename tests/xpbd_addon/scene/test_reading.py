# SPDX-License-Identifier: GPL-3.0-or-later
"""What simulations read of a scene, against numbers worked out by hand."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, empty_scene, sheet
from mathutils import Quaternion
from playing import addon, play

CORNERS = [0, 5, 30, 35]
"""Of a sheet of 6 × 6 vertices: at (-1, -1), (1, -1), (-1, 1) and (1, 1) [m], before it moves."""


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def read(*objects: bpy.types.Object) -> Any:
    """The SceneInput of the scene with these simulated objects, as it is now."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return addon.simulation.scene_input.read_scene(bpy.context.scene, depsgraph, list(objects), "")


def body_of(obj: bpy.types.Object) -> Any:
    """Its BodyInput."""
    (body,) = read(obj).bodies
    return body


def simulated(scene: bpy.types.Scene, obj: bpy.types.Object) -> np.ndarray:
    """World positions [m] after playing, shape (frames, n, 3)."""
    scene.frame_set(FRAMES.start)
    play(scene)
    frames = [addon.simulation.session.cached_positions(scene, obj, frame) for frame in FRAMES]
    return np.array(frames)


def free_sheet() -> bpy.types.Object:
    """A sheet without pins in a vacuum."""
    obj = sheet()
    obj.xpbd.pin_group = ""
    obj.xpbd.drag = 0.0
    return obj


# --- lengths --------------------------------------------------------------------------------------


def test_lengths_of_cloth_are_metres(scene: bpy.types.Scene) -> None:
    scene.unit_settings.scale_length = 0.25
    obj = sheet()
    obj.location, obj.scale = (4.0, 0.0, 2.0), (2.0, 1.0, 1.0)
    obj.xpbd.thickness = 0.125
    inputs = read(obj)
    (body,) = inputs.bodies
    expected = [(0.5, -0.25, 0.5), (1.5, -0.25, 0.5), (0.5, 0.25, 0.5), (1.5, 0.25, 0.5)]
    np.testing.assert_allclose(body.positions[CORNERS], expected, atol=1e-7)
    assert body.material["thickness"] == 0.03125
    np.testing.assert_allclose(inputs.gravity, (0.0, 0.0, -2.4525), rtol=1e-6)


def test_pins_are_held_in_metres(scene: bpy.types.Scene) -> None:
    """An object that rises by 2 Blender units of 25 cm and goes 4 aside."""
    scene.unit_settings.scale_length = 0.25
    obj = sheet()
    for frame, location in ((1, (0.0, 0.0, 1.0)), (6, (4.0, 0.0, 3.0))):
        obj.location = location
        obj.keyframe_insert("location", frame=frame)
    held = simulated(scene, obj)[:, [0, 5]]
    np.testing.assert_allclose(held[0], [(-0.25, -0.25, 0.25), (0.25, -0.25, 0.25)], atol=1e-6)
    np.testing.assert_allclose(held[-1], [(0.75, -0.25, 0.75), (1.25, -0.25, 0.75)], atol=1e-6)


# --- time -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fps", "base", "seconds"), [(24, 1.0, 1 / 24), (25, 1.25, 0.05), (30, 0.5, 1 / 60)]
)
def test_a_frame_takes_fps_base_over_fps(
    scene: bpy.types.Scene, fps: int, base: float, seconds: float
) -> None:
    scene.render.fps, scene.render.fps_base = fps, base
    assert read(sheet()).time_step == pytest.approx(seconds, rel=1e-12)


def test_free_fall_at_twenty_frames_a_second(scene: bpy.types.Scene) -> None:
    """A parabola, in few substeps too."""
    scene.render.fps, scene.render.fps_base = 25, 1.25
    scene.xpbd.automatic, scene.xpbd.substeps = False, 4
    fallen = 1.0 - simulated(scene, free_sheet())[..., 2]
    expected = 0.5 * 9.81 * (0.05 * np.arange(6)[:, None]) ** 2
    np.testing.assert_allclose(fallen, np.broadcast_to(expected, fallen.shape), atol=2e-6)


# --- gravity --------------------------------------------------------------------------------------


def test_gravity_has_a_direction(scene: bpy.types.Scene) -> None:
    scene.gravity = (1.0, -2.0, 3.0)
    np.testing.assert_array_equal(read(sheet()).gravity, (1.0, -2.0, 3.0))


def test_gravity_that_is_switched_off_pulls_nothing(scene: bpy.types.Scene) -> None:
    scene.use_gravity = False
    obj = free_sheet()
    assert read(obj).gravity == (0.0, 0.0, 0.0)
    shown = simulated(scene, obj)
    np.testing.assert_allclose(shown, np.broadcast_to(shown[0], shown.shape), atol=1e-6)


def test_animated_gravity_is_that_of_the_frame_read(scene: bpy.types.Scene) -> None:
    for frame, pull in ((1, 0.0), (6, -10.0)):
        scene.gravity = (0.0, 0.0, pull)
        scene.keyframe_insert("gravity", frame=frame)
    obj = sheet()
    for frame, pull in ((6, -10.0), (1, 0.0)):
        scene.frame_set(frame)
        np.testing.assert_allclose(read(obj).gravity, (0.0, 0.0, pull), atol=1e-6)


# --- the direction of the threads -----------------------------------------------------------------


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (2.0, 3.0, 5.0), (0.1, 1.0, -4.0)])
def test_threads_turn_with_the_object(
    scene: bpy.types.Scene, scale: tuple[float, float, float]
) -> None:
    """A third of a turn about (1, 1, 1) takes x to y, y to z and z to x."""
    obj = sheet()
    obj.rotation_mode = "QUATERNION"
    obj.rotation_quaternion = Quaternion((1.0, 1.0, 1.0), 2.0 * np.pi / 3.0)
    obj.scale = scale
    np.testing.assert_allclose(body_of(obj).material["warp"], (0.0, 1.0, 0.0), atol=1e-6)


def test_threads_turn_and_stretch_with_the_parent(scene: bpy.types.Scene) -> None:
    """Turned by 45° x is (1, 1, 0) / √2; then three times as long in y and y turned up."""
    obj = sheet()
    parent = bpy.data.objects.new("Parent", None)
    scene.collection.objects.link(parent)
    obj.parent = parent
    obj.rotation_euler = (0.0, 0.0, np.pi / 4)
    parent.scale = (1.0, 3.0, 1.0)
    parent.rotation_euler = (np.pi / 2, 0.0, 0.0)
    expected = np.array([1.0, 0.0, 3.0]) / np.sqrt(10.0)
    np.testing.assert_allclose(body_of(obj).material["warp"], expected, atol=1e-6)


def test_a_turned_curtain_hangs_by_its_threads(scene: bpy.types.Scene) -> None:
    """By its weight it gets longer by ρ g L² / 2 K, if the threads run down and across.

    About the vertical it is turned so that the first row of its matrix, taken for the direction of
    the threads, lies at 45° to them, where only the shear stiffness holds.
    """
    obj = sheet()
    angle = np.arcsin((np.sqrt(5.0) - 1.0) / 2.0)
    obj.rotation_mode = "QUATERNION"
    obj.rotation_quaternion = Quaternion((0, 0, 1), angle) @ Quaternion((1, 0, 0), -np.pi / 2)
    settings = obj.xpbd
    settings.membrane, settings.poisson_ratio, settings.areal_density = "CONTINUUM", 0.0, 0.2
    settings.stretch_compliance, settings.shear_compliance = 1 / 400, 1 / 10
    settings.drag = 60.0
    scene.xpbd.frame_end = 30
    scene.xpbd.automatic, scene.xpbd.substeps = False, 60
    play(scene)
    end = addon.simulation.session.cached_positions(scene, obj, 30)
    longer = end[[0, 5], 2].mean() - end[[30, 35], 2].mean() - 2.0
    assert longer == pytest.approx(0.2 * 9.81 * 4.0 / (2.0 * 400.0), rel=0.04)


# --- the shape at rest ----------------------------------------------------------------------------


def test_a_shape_key_counts_as_far_as_it_is_on(scene: bpy.types.Scene) -> None:
    """Half of a key that doubles the width: corners at ± 1.5 m."""
    scene.use_gravity = False
    obj = free_sheet()
    obj.shape_key_add(name="Basis")
    wide = obj.shape_key_add(name="Wide", from_mix=False)
    for point in wide.points:
        point.co.x *= 2.0
    wide.value = 0.5
    expected = [(-1.5, -1, 1), (1.5, -1, 1), (-1.5, 1, 1), (1.5, 1, 1)]
    np.testing.assert_allclose(body_of(obj).positions[CORNERS], expected, atol=1e-6)
    for shown in simulated(scene, obj):
        np.testing.assert_allclose(shown[CORNERS], expected, atol=1e-5)


def test_modifiers_before_ours_count_and_those_after_it_do_not(scene: bpy.types.Scene) -> None:
    obj = sheet()
    for name, place, way in (("Before", 0, 0.25), ("After", 2, 4.0)):
        lift = obj.modifiers.new(name, "DISPLACE")
        lift.direction, lift.mid_level, lift.strength = "Z", 0.0, way
        obj.modifiers.move(obj.modifiers.find(name), place)
    assert [modifier.name for modifier in obj.modifiers] == ["Before", "XPBD", "After"]
    np.testing.assert_allclose(body_of(obj).positions[:, 2], 1.25, atol=1e-6)
    obj.modifiers["Before"].show_viewport = False
    np.testing.assert_allclose(body_of(obj).positions[:, 2], 1.0, atol=1e-6)


# --- over time ------------------------------------------------------------------------------------


def test_the_start_is_not_read_between_frames(scene: bpy.types.Scene) -> None:
    """Frame 1 is where the object is at 1, not at the 1.5 that the timeline came from."""
    obj = sheet()
    for frame in FRAMES:
        obj.location.x = frame - 1.0
        obj.keyframe_insert("location", frame=frame)
    scene.frame_set(1, subframe=0.5)
    scene.frame_set(2)
    first = addon.simulation.session.cached_positions(scene, obj, 1)
    assert first is None or first[0, 0] == pytest.approx(-1.0, abs=1e-5)


def test_animated_gravity_pulls_as_it_is_at_each_frame(scene: bpy.types.Scene) -> None:
    """From 0 by 2 m/s² a frame: through each frame pulls what pulls at its end."""
    for frame in FRAMES:
        scene.gravity = (0.0, 0.0, -2.0 * (frame - 1))
        scene.keyframe_insert("gravity", frame=frame)
    scene.xpbd.automatic, scene.xpbd.substeps = False, 100
    heights = simulated(scene, free_sheet())[:, :, 2].mean(axis=1)
    step = scene.render.fps_base / scene.render.fps
    pulls = np.array([-2.0 * (frame - 1) for frame in FRAMES])
    speeds = np.cumsum(pulls * step)
    np.testing.assert_allclose(
        heights, 1.0 + np.cumsum((speeds - 0.5 * pulls * step) * step), atol=4e-4
    )


def test_other_keyframes_of_gravity_outdate_the_cache(scene: bpy.types.Scene) -> None:
    for frame, pull in ((1, -5.0), (6, -10.0)):
        scene.gravity = (0.0, 0.0, pull)
        scene.keyframe_insert("gravity", frame=frame)
    simulated(scene, sheet())
    assert not addon.simulation.session.status(scene, exact=True).outdated
    scene.frame_set(1)
    scene.gravity = (0.0, 0.0, -1.0)
    scene.keyframe_insert("gravity", frame=1)
    assert addon.simulation.session.status(scene, exact=True).outdated
