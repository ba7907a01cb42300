# SPDX-License-Identifier: GPL-3.0-or-later
"""Rest shapes from shape keys and animation, shrinking, initial velocity, speed, plasticity."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, sheet
from playing import addon, play


@pytest.fixture
def scene() -> bpy.types.Scene:
    made = empty_scene()
    made.use_gravity = False
    made.xpbd.frame_end = 24
    return made


def free_sheet() -> bpy.types.Object:
    obj = sheet()
    obj.xpbd.pin_group, obj.xpbd.drag = "", 4.0
    return obj


def frames_of(scene: bpy.types.Scene, obj: bpy.types.Object) -> np.ndarray:
    """World positions, shape (frames, n, 3)."""
    scene.frame_set(scene.xpbd.frame_start)
    play(scene)
    frames = range(scene.xpbd.frame_start, scene.xpbd.frame_end + 1)
    found = [addon.simulation.session.cached_positions(scene, obj, frame) for frame in frames]
    assert all(each is not None for each in found), addon.simulation.session.status(scene)
    return np.array(found)


def width(points: np.ndarray) -> float:
    return float(np.ptp(points, axis=0).max())


def test_a_shape_key_is_the_rest_shape(scene: bpy.types.Scene) -> None:
    obj = free_sheet()
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Smaller")
    key.value = 0.0
    for point in key.data:
        point.co *= 0.8
    obj.xpbd.rest_shape_key = "Smaller"
    found = frames_of(scene, obj)
    assert width(found[0]) == pytest.approx(2.0, abs=1e-5)
    assert width(found[-1]) == pytest.approx(1.6, rel=0.01)
    for point in key.data:
        point.co *= 1.1
    assert addon.simulation.session.status(scene, exact=True).outdated
    obj.shape_key_remove(key)
    body = addon.scene.mesh_io.read_rest
    with pytest.raises(addon.errors.SceneError, match="'Sheet' has no shape key 'Smaller'"):
        body(obj, bpy.context.evaluated_depsgraph_get(), 1.0)


def test_cloth_shrinks_as_keyed(scene: bpy.types.Scene) -> None:
    obj = free_sheet()
    for frame, value in ((1, 0.0), (12, 0.1)):
        obj.xpbd.shrinkage = value
        obj.keyframe_insert("xpbd.shrinkage", frame=frame)
    assert width(frames_of(scene, obj)[-1]) == pytest.approx(1.8, rel=0.01)


def test_the_animated_shape_is_the_rest_shape_of_each_frame(scene: bpy.types.Scene) -> None:
    """A key that grows the mesh by half: with Dynamic Mesh the cloth grows with it."""
    obj = free_sheet()
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Larger")
    for point in key.data:
        point.co *= 1.5
    for frame, value in ((1, 0.0), (16, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    assert width(frames_of(scene, obj)[-1]) == pytest.approx(2.0, rel=0.01)
    obj.xpbd.use_dynamic_mesh = True
    assert addon.simulation.session.status(scene, exact=True).outdated
    assert width(frames_of(scene, obj)[-1]) == pytest.approx(3.0, rel=0.01)
    measures = addon.simulation.session.cached_measures(scene, obj, 24)
    assert abs(measures.largest_strain) < 0.01


def test_what_was_moved_starts_moving(scene: bpy.types.Scene) -> None:
    """2 m/s along x, and no drag: it goes on like that."""
    obj = free_sheet()
    obj.xpbd.drag = 0.0
    for frame, x in ((1, 0.0), (25, 2.0)):
        obj.location.x = x
        obj.keyframe_insert("location", index=0, frame=frame)
    for curve in addon.scene.animation.curves_of(obj):
        curve.extrapolation = "LINEAR"
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    still = frames_of(scene, obj)[:, :, 0].mean(axis=1)
    assert np.ptp(still) < 1e-5
    obj.xpbd.use_initial_velocity = True
    moved = frames_of(scene, obj)[:, :, 0].mean(axis=1)
    np.testing.assert_allclose(moved - moved[0], np.arange(24) * 2.0 / 24.0, atol=0.01)


@pytest.mark.parametrize("keyed", [False, True])
def test_slow_motion(scene: bpy.types.Scene, keyed: bool) -> None:
    """Half of the speed: it falls by a quarter as far."""
    scene.use_gravity = True
    obj = free_sheet()
    obj.xpbd.drag = 0.0
    fallen = np.ptp(frames_of(scene, obj)[:, :, 2].mean(axis=1))
    scene.xpbd.time_scale = 0.5
    if keyed:
        scene.keyframe_insert("xpbd.time_scale", frame=1)
    slow = np.ptp(frames_of(scene, obj)[:, :, 2].mean(axis=1))
    assert slow == pytest.approx(0.25 * fallen, rel=0.02)


def test_what_yields_stays_longer(scene: bpy.types.Scene) -> None:
    """Pulled by 30% between two rows of pins, and led back to 3%: of what was beyond 10% most
    stays, in folds.
    """
    obj = sheet()
    obj.vertex_groups["Pins"].add(range(30, 36), 1.0, "ADD")
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Pulled")
    for point in key.data[30:36]:
        point.co.y += 0.6
    for frame, value in ((1, 0.0), (12, 1.0), (23, 0.1)):
        key.value = value
        key.keyframe_insert("value", frame=frame)

    def strains() -> list[float]:
        frames_of(scene, obj)
        measures = addon.simulation.session.cached_measures
        return [measures(scene, obj, frame).largest_strain for frame in (12, 24)]

    pulled, left = strains()
    assert pulled > 0.25
    assert left < 0.05
    obj.xpbd.use_plasticity, obj.xpbd.yield_stretch = True, 0.1
    assert strains()[1] > 1.5 * left
