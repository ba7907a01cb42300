# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind and force fields of a scene act on what is simulated, and on the frames that are kept."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, animation, empty_scene, sheet
from playing import addon


@pytest.fixture
def scene() -> bpy.types.Scene:
    made = empty_scene()
    made.use_gravity = False
    made.xpbd.substeps = 20
    return made


def free_sheet() -> bpy.types.Object:
    obj = sheet(cuts=4)
    obj.xpbd.pin_group = ""
    obj.xpbd.drag = 0.0
    return obj


def field(kind: Any, **settings: Any) -> bpy.types.Object:
    bpy.ops.object.effector_add(type=kind, location=settings.pop("location", (0.0, 0.0, 0.0)))
    made = bpy.context.object
    for name, value in settings.items():
        setattr(made.field, name, value)
    return made


def rise(obj: bpy.types.Object) -> float:
    """How far the middle of an object has risen at the last frame."""
    bpy.ops.xpbd.simulate()
    shown = animation(obj)[:, :, 2].mean(axis=1)
    return float(shown[-1] - shown[0])


def expected(pressure: float, density: float) -> float:
    time = (len(FRAMES) - 1) / 24.0
    return 0.5 * pressure / density * time**2


def test_wind_is_a_pressure(scene: bpy.types.Scene) -> None:
    obj = free_sheet()
    obj.xpbd.density = 1.0
    obj.xpbd.field_pressure = 0.002
    field("WIND", strength=100.0)
    assert rise(obj) == pytest.approx(expected(0.2, 1.0), rel=0.1)


def test_a_force_pushes_away(scene: bpy.types.Scene) -> None:
    obj = free_sheet()
    obj.xpbd.density = 0.5
    field("FORCE", strength=500.0, shape="PLANE", location=(0.0, 0.0, -3.0))
    assert rise(obj) == pytest.approx(expected(0.6, 0.5), rel=0.05)


def test_weights_and_the_collection_count(scene: bpy.types.Scene) -> None:
    obj = free_sheet()
    field("FORCE", strength=500.0, shape="PLANE", location=(0.0, 0.0, -3.0))
    obj.xpbd.field_weights.force = 0.5
    whole = expected(0.6, obj.xpbd.density)
    assert rise(obj) == pytest.approx(0.5 * whole, rel=0.05)
    obj.xpbd.field_weights.all = -1.0
    assert rise(obj) == 0.0
    obj.xpbd.field_weights.all = 1.0
    empty = bpy.data.collections.new("Empty")
    obj.xpbd.field_weights.collection = empty
    assert rise(obj) == 0.0


def test_gravity_has_a_weight(scene: bpy.types.Scene) -> None:
    scene.use_gravity = True
    obj = free_sheet()
    obj.xpbd.field_weights.gravity = -0.5
    assert rise(obj) == pytest.approx(expected(0.5 * 9.81, 1.0), rel=0.1)


def test_weights_and_air_are_keyed(scene: bpy.types.Scene) -> None:
    """Wind blows from frame 3 on; an edited key outdates frames from there on, and no others."""
    obj = free_sheet()
    field("WIND", strength=10.0)
    weights = obj.xpbd.field_weights
    for frame, value in ((1, 0.0), (2, 0.0), (3, 1.0)):
        weights.wind = value
        obj.keyframe_insert("xpbd.field_weights.wind", frame=frame)
    bpy.ops.xpbd.simulate()
    heights = animation(obj)[:, :, 2].mean(axis=1)
    assert np.ptp(heights[:2]) == 0.0
    assert np.all(np.diff(heights[2:]) > 0.0)
    for frame, value in ((3, 1.2), (4, 0.5)):
        obj.xpbd.air_drag = value
        obj.keyframe_insert("xpbd.air_drag", frame=frame)
    for frame in reversed(FRAMES):
        scene.frame_set(frame)
    known = addon.simulation.session.status(scene, exact=True).objects[obj.session_uid]
    assert known.since == 4


def test_a_field_that_moves_outdates_frames_from_there_on(scene: bpy.types.Scene) -> None:
    obj = free_sheet()
    wind = field("FORCE", strength=100.0, location=(0.0, 0.0, -3.0))
    bpy.ops.xpbd.simulate()
    wind.location.x = 0.0
    wind.keyframe_insert("location", frame=3)
    wind.location.x = 1.0
    wind.keyframe_insert("location", frame=4)
    for frame in reversed(FRAMES):
        scene.frame_set(frame)
    known = addon.simulation.session.status(scene, exact=True).objects[obj.session_uid]
    assert known.reason == "the force field 'Force' changed or moves differently"
    assert known.since == 4


def test_a_setting_that_is_no_number_is_named(scene: bpy.types.Scene) -> None:
    free_sheet()
    field("FORCE").field.strength = float("nan")
    with pytest.raises(RuntimeError, match="force field 'Force' is not a number"):
        bpy.ops.xpbd.simulate()


def test_a_field_that_is_hidden_is_off(scene: bpy.types.Scene) -> None:
    obj = free_sheet()
    made = field("FORCE", strength=500.0, shape="PLANE", location=(0.0, 0.0, -3.0))
    made.hide_viewport = True
    assert rise(obj) == 0.0


@pytest.mark.parametrize("kind", ["FORCE", "WIND", "HARMONIC", "VORTEX"])
def test_whatever_the_strength_the_frames_are_finite(scene: bpy.types.Scene, kind: str) -> None:
    obj = free_sheet()
    field(kind, strength=1e9, location=(0.0, 0.0, 1.0))
    assert abs(rise(obj)) < 1e4


def test_the_speed_that_is_shown_is_that_of_what_the_wind_carries(scene: bpy.types.Scene) -> None:
    obj = free_sheet()
    obj.xpbd.density = 0.005
    wind = field("WIND", strength=400.0)
    scene.frame_end = scene.xpbd.frame_end = 40
    bpy.ops.xpbd.simulate()
    scene.frame_set(40)
    last = animation(obj, range(39, 41))[:, :, 2].mean(axis=1)
    shown = addon.scene.fields.wind_speed(obj, wind.field.strength)
    assert 24.0 * (last[1] - last[0]) == pytest.approx(shown, rel=0.03)
    assert shown == pytest.approx((0.48 / 0.72) ** 0.5)
