# SPDX-License-Identifier: GPL-3.0-or-later
"""Playing the timeline: what simulates, what only shows, what is thrown away and what is kept."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, animation, empty_scene, evaluated_positions, sheet
from playing import addon, cached, play


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def test_playing_simulates_and_shows(scene: bpy.types.Scene) -> None:
    obj = sheet()
    scene.frame_set(1)
    at_rest = evaluated_positions(obj)
    play(scene, 4)
    assert cached(scene) == (1, 4)
    assert addon.simulation.session.status(scene).source == "play"
    shown = evaluated_positions(obj)
    assert shown[:, 2].min() < at_rest[:, 2].min() - 0.01
    np.testing.assert_allclose(
        shown, addon.simulation.session.cached_positions(scene, obj, 4), atol=1e-6
    )
    np.testing.assert_allclose(
        addon.simulation.session.cached_positions(scene, obj, 1), at_rest, atol=1e-6
    )


def test_jumps_only_show(scene: bpy.types.Scene) -> None:
    obj = sheet()
    scene.frame_set(1)
    scene.frame_set(3)
    assert cached(scene) == (None, None)
    play(scene, 3)
    scene.frame_set(6)
    assert cached(scene) == (1, 3)
    held = evaluated_positions(obj)
    scene.frame_set(3)
    np.testing.assert_array_equal(held, evaluated_positions(obj))
    scene.frame_set(1)
    assert cached(scene) == (1, 3)


def test_playing_goes_on_after_scrubbing(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene)
    straight = addon.simulation.session.cached_positions(scene, obj, 6)
    addon.simulation.session.clear(scene)
    play(scene, 3)
    for frame in (1, 2, 3, 4, 5, 6):
        scene.frame_set(frame)
    np.testing.assert_array_equal(
        addon.simulation.session.cached_positions(scene, obj, 6), straight
    )


def test_nothing_is_simulated_after_the_end_or_before_the_start(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene, 9)
    assert cached(scene) == (1, 6)
    scene.frame_set(0)
    np.testing.assert_allclose(evaluated_positions(obj)[:, 2], 1.0)


def test_subframes_are_interpolated_and_never_simulated(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene, 3)
    scene.frame_set(2, subframe=0.5)
    before, after = (
        addon.simulation.session.cached_positions(scene, obj, frame) for frame in (2, 3)
    )
    np.testing.assert_allclose(evaluated_positions(obj), (before + after) / 2, atol=1e-6)
    scene.frame_set(3, subframe=0.5)
    scene.frame_set(4, subframe=0.25)
    assert cached(scene) == (1, 3)


def test_a_setting_outdates_and_playing_from_the_start_begins_anew(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene, 4)
    obj.xpbd.density = 3.0
    status = addon.simulation.session.status(scene)
    assert status.outdated
    assert "material" in status.reason
    scene.frame_set(6)
    assert cached(scene) == (1, 4), "a jump must not simulate"
    scene.frame_set(1)
    assert cached(scene) == (1, 4), "looking at the first frame must not delete anything"
    scene.frame_set(2)
    assert cached(scene) == (1, 2)
    assert not addon.simulation.session.status(scene).outdated


def test_undoing_a_setting_makes_the_cache_valid_again(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene, 3)
    before = obj.xpbd.stretch_stiffness
    obj.xpbd.stretch_stiffness = 7.0
    assert addon.simulation.session.status(scene).outdated
    obj.xpbd.stretch_stiffness = before
    assert not addon.simulation.session.status(scene).outdated


def test_playing_replaces_what_is_outdated_unless_it_is_locked(scene: bpy.types.Scene) -> None:
    obj = sheet()
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    kept = addon.simulation.session.cached_positions(scene, obj, 6)
    obj.xpbd.density = 3.0
    scene.xpbd.lock_cache = True
    play(scene)
    assert addon.simulation.session.status(scene).outdated
    np.testing.assert_array_equal(addon.simulation.session.cached_positions(scene, obj, 6), kept)
    scene.xpbd.lock_cache = False
    play(scene)
    assert not addon.simulation.session.status(scene).outdated
    assert np.any(addon.simulation.session.cached_positions(scene, obj, 6) != kept)


def test_playing_equals_simulating(scene: bpy.types.Scene) -> None:
    obj = sheet()
    played = animation(obj)
    addon.simulation.session.clear(scene)
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    np.testing.assert_array_equal(animation(obj), played)


def test_playing_continues_a_cache_of_an_earlier_session(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene)
    straight = addon.simulation.session.cached_positions(scene, obj, 6)
    addon.simulation.session.clear(scene)
    play(scene, 3)
    addon.simulation.session.forget()
    scene.frame_set(1)
    play(scene)
    assert cached(scene) == (1, 6)
    np.testing.assert_array_equal(
        addon.simulation.session.cached_positions(scene, obj, 6), straight
    )


def test_pins_follow_the_object_exactly(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.scale = (1.0, -2.0, 0.5)
    obj.keyframe_insert("location", frame=1)
    obj.location = (1.0, 2.0, 3.0)
    obj.keyframe_insert("location", frame=6)
    obj.rotation_euler = (0.3, 0.2, 0.1)
    rest = np.array([vertex.co for vertex in obj.data.vertices])
    pinned = [v.index for v in obj.data.vertices if v.groups]
    scene.frame_set(1)
    for frame in FRAMES:
        scene.frame_set(frame)
        matrix = np.array(obj.matrix_world)
        targets = rest[pinned] @ matrix[:3, :3].T + matrix[:3, 3]
        np.testing.assert_allclose(evaluated_positions(obj)[pinned], targets, atol=2e-6)
    assert cached(scene) == (1, 6)


def test_the_frame_simulated_last_is_compared_like_others(scene: bpy.types.Scene) -> None:
    obj = sheet()
    for frame, place in ((1, 0.0), (6, 2.0)):
        obj.location.x = place
        obj.keyframe_insert("location", index=0, frame=frame)
    assert addon.simulation.job.run_blocking(scene) == 6
    scene.frame_set(1)
    obj.location.x = 7.0
    obj.keyframe_insert("location", index=0, frame=6)
    obj.location.x = 0.0
    bpy.context.view_layer.update()
    scene.frame_set(6)
    status = addon.simulation.session.status(scene)
    assert status.outdated
    assert "the pins of 'Sheet' move differently" in status.reason
    scene.frame_set(1)
    play(scene)
    assert not addon.simulation.session.status(scene, exact=True).outdated
    assert cached(scene) == (1, 6)


def test_pins_follow_an_armature(scene: bpy.types.Scene) -> None:
    obj = sheet()
    bpy.ops.object.armature_add(location=(0, 0, 0))
    rig = bpy.context.object
    obj.vertex_groups.new(name="Bone").add(range(len(obj.data.vertices)), 1.0, "ADD")
    modifier = obj.modifiers.new("Armature", "ARMATURE")
    modifier.object = rig
    obj.modifiers.move(1, 0)
    subdivision = obj.modifiers.new("Subdivision", "SUBSURF")
    assert [m.type for m in obj.modifiers] == ["ARMATURE", "NODES", "SUBSURF"]
    bone = rig.pose.bones["Bone"]
    bone.keyframe_insert("location", frame=1)
    bone.location = (0.0, 0.5, 0.0)
    bone.keyframe_insert("location", frame=6)
    scene.frame_set(1)
    play(scene)
    subdivision.show_viewport = False
    obj.modifiers["XPBD"].show_viewport = False
    pinned = [v.index for v in obj.data.vertices if any(g.group == 0 for g in v.groups)]
    for frame in FRAMES:
        scene.frame_set(frame)
        followed = evaluated_positions(obj)[pinned]
        held = addon.simulation.session.cached_positions(scene, obj, frame)[pinned]
        np.testing.assert_allclose(held, followed, atol=2e-6)
    assert followed[:, 2].min() > 1.4


def test_a_collider_stops_the_fall_and_one_that_moves_pushes(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.xpbd.pin_group = ""
    scene.xpbd.frame_end = 30
    bpy.ops.mesh.primitive_cube_add(size=8, location=(0, 0, -4))
    floor = bpy.context.object
    bpy.ops.object.modifier_add(type="COLLISION")
    floor.keyframe_insert("location", frame=20)
    floor.location.z += 1.0
    floor.keyframe_insert("location", frame=28)
    scene.frame_set(1)
    play(scene, 18)
    assert addon.simulation.session.cached_positions(scene, obj, 18)[:, 2].min() > -0.01
    for frame in range(19, 31):
        scene.frame_set(frame)
    assert addon.simulation.session.cached_positions(scene, obj, 30)[:, 2].min() > 0.98


def test_a_broken_object_stops_playing_with_a_reason(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.xpbd.pin_group = "Nowhere"
    play(scene, 3)
    assert cached(scene) == (None, None)
    assert "Nowhere" in addon.simulation.session.left_out(scene)[0]
    obj.xpbd.pin_group = ""
    play(scene, 3)
    assert addon.simulation.session.left_out(scene) == []
    assert cached(scene) == (1, 3)


def test_gravity_frame_rate_and_units(scene: bpy.types.Scene) -> None:
    obj = sheet()
    obj.xpbd.pin_group = ""
    scene.render.fps = 48
    scene.xpbd.substeps = 50
    play(scene, 5)
    fallen = 1.0 - addon.simulation.session.cached_positions(scene, obj, 5)[:, 2].mean()
    assert fallen == pytest.approx(0.5 * 9.81 * (4 / 48) ** 2, rel=0.02)
    scene.use_gravity = False
    play(scene, 5)
    np.testing.assert_allclose(
        addon.simulation.session.cached_positions(scene, obj, 5)[:, 2], 1.0, atol=1e-6
    )


def test_unit_scale_keeps_what_is_shown(scene: bpy.types.Scene) -> None:
    scene.unit_settings.scale_length = 0.01
    scene.xpbd.substeps = 50
    obj = sheet()
    obj.xpbd.pin_group = ""
    obj.xpbd.drag = 0.0
    scene.frame_set(1)
    play(scene, 5)
    metres = addon.simulation.session.cached_positions(scene, obj, 5)
    np.testing.assert_allclose(metres[:, :2], 0.01 * evaluated_positions(obj)[:, :2], atol=1e-6)
    fallen = 1.0 - evaluated_positions(obj)[:, 2].mean()
    assert fallen == pytest.approx(0.5 * 9.81 * (4 / 24) ** 2, rel=0.02)


def test_two_objects_collide_with_nothing_of_another_scene(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene, 3)
    other = bpy.data.scenes.new("Other")
    other.xpbd.frame_end = 4
    assert cached(other) == (None, None)
    twin = obj.copy()
    twin.data = obj.data.copy()
    other.collection.objects.link(twin)
    for frame in range(1, 5):
        other.frame_set(frame)
    assert cached(other) == (1, 4)
    assert cached(scene) == (1, 3)
    assert twin.xpbd.cache_id != obj.xpbd.cache_id
    assert other.xpbd.cache_id != scene.xpbd.cache_id
