# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings with keyframes and drivers."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, sheet
from playing import addon, cached, play

LAST = 12


@pytest.fixture
def scene() -> bpy.types.Scene:
    made = empty_scene()
    made.xpbd.automatic, made.xpbd.frame_end = False, LAST
    return made


def key(block: bpy.types.ID, name: str, values: dict[int, Any]) -> None:
    """Keyframes of a setting."""
    for frame, value in values.items():
        setattr(block.xpbd, name, value)
        block.keyframe_insert(f"xpbd.{name}", frame=frame)


def simulated(scene: bpy.types.Scene, obj: bpy.types.Object) -> np.ndarray:
    """World positions after playing, shape (frames, n, 3)."""
    scene.frame_set(scene.xpbd.frame_start)
    play(scene)
    frames = range(1, scene.xpbd.frame_end + 1)
    found = [addon.simulation.session.cached_positions(scene, obj, frame) for frame in frames]
    assert all(each is not None for each in found)
    return np.array(found)


def status(scene: bpy.types.Scene) -> Any:
    return addon.simulation.session.status(scene, exact=True)


def test_keys_that_change_nothing_yet_change_no_byte(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.xpbd.stretch_stiffness = 700.0
    plain = simulated(scene, obj)
    later = LAST + 5
    key(obj, "stretch_stiffness", {1: 700.0, LAST: 700.0, later: 90.0})
    key(obj, "friction", {1: 0.5, LAST: 0.5, later: 0.9})
    key(scene, "substeps", {1: 2, LAST: 2, later: 9})
    scene.frame_set(1)
    assert addon.scene.keyed.arguments(obj) == {"stretch_compliance", "friction"}
    assert status(scene).outdated
    np.testing.assert_array_equal(simulated(scene, obj), plain)


@pytest.mark.parametrize("automatic", [True, False])
def test_cloth_gets_softer_over_time(scene: bpy.types.Scene, automatic: bool) -> None:
    """Up to the first key nothing changes, and then it hangs longer."""
    scene.xpbd.automatic, scene.xpbd.substeps = automatic, 20
    obj = sheet()
    obj.xpbd.stretch_stiffness, obj.xpbd.drag = 5000.0, 5.0
    stiff = simulated(scene, obj)
    before = addon.simulation.session.cached_measures(scene, obj, LAST).largest_strain
    key(obj, "stretch_stiffness", {1: 5000.0, 6: 5000.0, 7: 10.0, LAST: 10.0})
    for curve in addon.scene.animation.curves_of(obj):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    soft = simulated(scene, obj)
    np.testing.assert_array_equal(soft[:6], stiff[:6])
    strain = addon.simulation.session.cached_measures(scene, obj, LAST).largest_strain
    assert strain > 5.0 * before
    assert np.abs(soft[6] - soft[5]).max() < 0.3, "no jump"


def test_simulate_and_playing_are_the_same(scene: bpy.types.Scene) -> None:
    obj = sheet()
    key(obj, "stretch_stiffness", {1: 2000.0, LAST: 20.0})
    key(obj, "friction", {1: 0.1, LAST: 0.9})
    played = simulated(scene, obj)
    bpy.ops.xpbd.clear_cache()
    bpy.ops.xpbd.simulate()
    session = addon.simulation.session
    found = [session.cached_positions(scene, obj, frame) for frame in range(1, LAST + 1)]
    np.testing.assert_array_equal(found, played)


def test_a_driver_is_a_key_on_every_frame(scene: bpy.types.Scene) -> None:
    obj = sheet()
    key(obj, "drag", {frame: 0.5 * frame for frame in range(1, LAST + 1)})
    keyed = simulated(scene, obj)
    obj.animation_data_clear()
    obj.driver_add("xpbd.drag").driver.expression = "0.5 * frame"
    np.testing.assert_array_equal(simulated(scene, obj), keyed)


def test_an_inflating_balloon(scene: bpy.types.Scene) -> None:
    scene.use_gravity = False
    scene.xpbd.substeps = 20
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2)
    ball = bpy.context.object
    bpy.ops.xpbd.add(kind="CLOTH")
    ball.xpbd.use_volume, ball.xpbd.stretch_stiffness = True, 200.0
    ball.xpbd.inflation_time = 0.0
    key(ball, "inflation", {1: 1.0, 6: 2.0})
    size = np.linalg.norm(simulated(scene, ball), axis=2).mean(axis=1)
    assert size[0] == pytest.approx(1.0, abs=0.02)
    assert size[-1] == pytest.approx(2.0 ** (1 / 3), rel=0.03)


def test_substeps_are_keyed(scene: bpy.types.Scene) -> None:
    obj = sheet()
    key(scene, "substeps", {1: 2, 2: 2, 3: 7, LAST: 7})
    simulated(scene, obj)
    measures = addon.simulation.session.cached_measures
    assert [measures(scene, obj, frame).substeps for frame in (2, 3, LAST)] == [2, 7, 7]


def test_every_argument_that_can_be_keyed_takes_part(scene: bpy.types.Scene) -> None:
    """Each setting is keyed to another value on frame 3; the next frames differ, or it is told.

    What the surroundings are is read on each frame anyway.
    """
    obj = sheet()
    keyed = addon.settings.keyed
    for prop in obj.xpbd.bl_rna.properties:
        if prop.is_animatable and not prop.is_readonly and prop.identifier != "name":
            of_surroundings = prop.identifier.startswith(("use_air", "air_", "field_pressure"))
            assert of_surroundings or keyed.argument_of(prop.identifier), prop.identifier
    for name in keyed.ARGUMENTS:
        assert obj.xpbd.bl_rna.properties[name].is_animatable, name
    for name in keyed.SOLVER_OPTIONS:
        assert scene.xpbd.bl_rna.properties[name].is_animatable, name


def test_what_cannot_change_over_time_takes_no_keyframes(scene: bpy.types.Scene) -> None:
    obj = sheet()
    for name in ("use", "kind", "pin_group", "membrane", "use_volume"):
        with pytest.raises(TypeError, match="not animatable"):
            obj.keyframe_insert(f"xpbd.{name}", frame=1)


# --- outdating ------------------------------------------------------------------------------------


def look_at_all_frames(scene: bpy.types.Scene) -> None:
    """Backward, so that nothing plays."""
    for frame in range(LAST, 0, -1):
        scene.frame_set(frame)


def test_a_changed_key_outdates_from_its_frame_on(scene: bpy.types.Scene) -> None:
    obj = sheet()
    key(obj, "stretch_stiffness", {1: 900.0, 6: 900.0, 8: 500.0, LAST: 500.0})
    simulated(scene, obj)
    look_at_all_frames(scene)
    assert not status(scene).outdated
    (curve,) = addon.scene.animation.curves_of(obj)
    curve.keyframe_points[2].co.y = 300.0
    curve.update()
    look_at_all_frames(scene)
    known = status(scene).objects[obj.session_uid]
    assert known.since == 7
    assert known.reason == "the stretch stiffness of 'Sheet' is keyed differently"


def test_keys_of_the_value_that_was_simulated_outdate_nothing(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.xpbd.stretch_stiffness = 700.0
    simulated(scene, obj)
    key(obj, "stretch_stiffness", {4: 700.0})
    key(obj, "friction", {1: obj.xpbd.friction, LAST: obj.xpbd.friction})
    key(obj, "use_self_collision", {3: obj.xpbd.use_self_collision})
    key(scene, "substeps", {1: scene.xpbd.substeps})
    look_at_all_frames(scene)
    assert not status(scene).outdated
    assert obj.xpbd.stretch_stiffness == 700.0
    key(obj, "stretch_stiffness", {4: 500.0})
    look_at_all_frames(scene)
    assert status(scene).reason == "material changed"
    key(obj, "stretch_stiffness", {4: 700.0})
    look_at_all_frames(scene)
    assert not status(scene).outdated
    key(obj, "stretch_stiffness", {9: 500.0})
    assert status(scene).outdated


@pytest.mark.parametrize("how", ["unkeyed", "modifier", "elastic", "handle", "driver", "strip"])
def test_what_is_not_the_same_on_all_frames_outdates(scene: bpy.types.Scene, how: str) -> None:
    """Though all keys have the value that was simulated."""
    obj = sheet()
    simulated(scene, obj)
    key(obj, "drag", dict.fromkeys((1, LAST), obj.xpbd.drag))
    assert not status(scene).outdated
    (curve,) = addon.scene.animation.curves_of(obj)
    first = curve.keyframe_points[0]
    if how == "unkeyed":
        obj.xpbd.drag = 3.0
    elif how == "modifier":
        curve.modifiers.new("NOISE")
    elif how == "elastic":
        first.interpolation, first.amplitude = "ELASTIC", 2.0
    elif how == "handle":
        first.handle_right_type, first.handle_right = "FREE", (5.0, 9.0)
    elif how == "driver":
        obj.driver_add("xpbd.drag").driver.expression = "0.1 * frame"
    else:
        track = obj.animation_data.nla_tracks.new()
        track.strips.new("Strip", 1, obj.animation_data.action)
    addon.simulation.session.touch()
    assert status(scene).outdated


def test_a_new_key_outdates(scene: bpy.types.Scene) -> None:
    obj = sheet()
    simulated(scene, obj)
    key(obj, "bend_stiffness", {1: 1e-5, LAST: 1e-3})
    assert status(scene).outdated


# --- copies and overrides -------------------------------------------------------------------------


def test_a_copy_keeps_its_keys(scene: bpy.types.Scene) -> None:
    obj = sheet()
    key(obj, "drag", {1: 0.0, LAST: 5.0})
    bpy.ops.object.duplicate()
    other = bpy.context.object
    assert other != obj
    assert addon.scene.keyed.arguments(other) == {"drag"}
    other.location.x = 50.0
    simulated(scene, obj)
    read = addon.simulation.session.cached_positions
    first, second = (read(scene, each, LAST) for each in (obj, other))
    np.testing.assert_allclose(second - first, np.tile([50.0, 0, 0], (len(first), 1)), atol=1e-4)


# --- bad input ------------------------------------------------------------------------------------


def test_a_driver_that_fails(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.driver_add("xpbd.drag").driver.expression = "1 / 0 * frame"
    with pytest.raises(RuntimeError, match="The driver of drag of 'Sheet' fails: mend it"):
        bpy.ops.xpbd.simulate()


def test_a_driver_that_fails_later_keeps_the_frames_before(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.driver_add("xpbd.drag").driver.expression = "1 / (frame < 6)"
    with pytest.raises(RuntimeError, match="The driver of drag of 'Sheet' fails"):
        bpy.ops.xpbd.simulate()
    assert cached(scene) == (1, 5)


def test_keys_that_are_no_numbers(scene: bpy.types.Scene) -> None:
    obj = sheet()
    key(obj, "drag", {1: 0.0, 6: 1.0, LAST: 2.0})
    (curve,) = addon.scene.animation.curves_of(obj)
    curve.keyframe_points[1].co.y = float("nan")
    with pytest.raises(RuntimeError, match="keyframes of drag of 'Sheet' are not numbers on frame"):
        bpy.ops.xpbd.simulate()
