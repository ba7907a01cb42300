# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings that are changed while the timeline plays: at once, and known to be by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, sheet
from playing import addon, cached, play

CHANGED, LAST = 4, 8
"""The frame after which a setting is changed, and the last one."""


@pytest.fixture
def scene() -> bpy.types.Scene:
    made = empty_scene()
    made.xpbd.automatic, made.xpbd.frame_end = False, LAST
    return made


def status(scene: bpy.types.Scene) -> Any:
    return addon.simulation.session.status(scene, exact=True)


def shown(scene: bpy.types.Scene, obj: bpy.types.Object) -> np.ndarray:
    """World positions of all frames, shape (frames, n, 3)."""
    frames = range(1, LAST + 1)
    return np.array([addon.simulation.session.cached_positions(scene, obj, f) for f in frames])


def tune(scene: bpy.types.Scene, change: Callable[[], None]) -> None:
    """Play, with a change on the way."""
    scene.frame_set(1)
    play(scene, CHANGED)
    change()
    bpy.context.view_layer.update()
    for frame in range(CHANGED + 1, LAST + 1):
        scene.frame_set(frame)


@pytest.mark.parametrize(
    ("of_scene", "name", "values"),
    [
        (False, "stretch_stiffness", (3000.0, 8.0)),
        (False, "density", (0.2, 4.0)),
        (False, "bend_damping", (0.0, 0.2)),
        (False, "pin_stiffness", (500.0, 5.0)),
        (True, "substeps", (3, 20)),
        (True, "time_scale", (1.0, 0.4)),
    ],
)
def test_a_setting_is_taken_over_as_if_it_were_keyed(
    scene: bpy.types.Scene, of_scene: bool, name: str, values: tuple[float, float]
) -> None:
    obj = sheet()
    obj.vertex_groups[obj.xpbd.pin_group].add(list(range(4)), 0.5, "REPLACE")
    owner = scene if of_scene else obj
    before, after = values
    setattr(owner.xpbd, name, before)
    tune(scene, lambda: setattr(owner.xpbd, name, after))
    assert cached(scene) == (1, LAST)
    assert status(scene).outdated
    tuned = shown(scene, obj)
    addon.simulation.session.clear(scene)
    for frame, value in ((1, before), (CHANGED, before), (CHANGED + 1, after)):
        setattr(owner.xpbd, name, value)
        owner.keyframe_insert(f"xpbd.{name}", frame=frame)
    scene.frame_set(1)
    play(scene)
    assert not status(scene).outdated
    np.testing.assert_array_equal(tuned, shown(scene, obj))
    assert np.any(tuned[-1] != tuned[CHANGED - 1])


def collider() -> bpy.types.Object:
    bpy.ops.mesh.primitive_cube_add(size=1.0)
    made: bpy.types.Object = bpy.context.object
    bpy.ops.object.modifier_add(type="COLLISION")
    return made


def test_a_collider_that_is_moved_is_felt_where_it_is(scene: bpy.types.Scene) -> None:
    """As one that is keyed to be there from then on; so is gravity."""
    obj, ground = sheet(), collider()
    ground.location.z = -9.0
    scene.frame_set(1)

    def lift() -> None:
        ground.location.z = 0.35
        scene.gravity[2] = -30.0

    tune(scene, lift)
    assert cached(scene) == (1, LAST)
    assert status(scene).outdated
    tuned = shown(scene, obj)
    addon.simulation.session.clear(scene)
    for frame, height, pull in ((1, -9.0, -9.81), (CHANGED, -9.0, -9.81), (CHANGED + 1, 0.35, -30)):
        ground.location.z, scene.gravity[2] = height, pull
        ground.keyframe_insert("location", frame=frame)
        scene.keyframe_insert("gravity", frame=frame)
    scene.frame_set(1)
    play(scene)
    np.testing.assert_allclose(tuned, shown(scene, obj), atol=1e-6)
    ground.animation_data_clear()
    scene.animation_data_clear()


def test_frames_after_a_change_are_never_valid(scene: bpy.types.Scene) -> None:
    """Neither with the new value nor where the old one is back, till they are simulated anew."""
    obj = sheet()
    before = obj.xpbd.density
    tune(scene, lambda: setattr(obj.xpbd, "density", 4.0))
    assert status(scene).reason == "material changed"
    assert status(scene).objects[obj.session_uid].since == 1
    obj.xpbd.density = before
    known = status(scene).objects[obj.session_uid]
    assert (known.since, known.reason) == (CHANGED + 1, "it was changed by hand")
    assert addon.simulation.by_hand.touched_from(scene) == CHANGED + 1
    scene.frame_set(1)
    play(scene)
    assert not status(scene).outdated


def test_what_is_changed_twice_ends_with_the_last_value(scene: bpy.types.Scene) -> None:
    obj = sheet()
    before = obj.xpbd.density
    scene.frame_set(1)
    play(scene)
    straight = shown(scene, obj)
    addon.simulation.session.clear(scene)
    scene.frame_set(1)
    play(scene, CHANGED)
    obj.xpbd.density = 9.0
    scene.frame_set(CHANGED + 1)
    obj.xpbd.density = before
    for frame in range(CHANGED + 2, LAST + 1):
        scene.frame_set(frame)
    now = addon.simulation.session.of(scene).live
    (body,) = now.inputs.bodies
    assert body.material["density"] == pytest.approx(before)
    assert np.any(shown(scene, obj)[-1] != straight[-1])
    assert status(scene).objects[obj.session_uid].since == CHANGED + 1


def test_what_is_far_from_it_stays_valid(scene: bpy.types.Scene) -> None:
    first = sheet()
    second = sheet("Second")
    second.location.x = 30.0
    bpy.context.view_layer.update()
    scene.frame_set(1)
    play(scene)
    straight = shown(scene, second)
    addon.simulation.session.clear(scene)
    tune(scene, lambda: setattr(first.xpbd, "density", 4.0))
    assert cached(scene) == (1, LAST)
    np.testing.assert_array_equal(shown(scene, second), straight)
    objects = status(scene).objects
    assert objects[second.session_uid].reason == ""
    assert objects[first.session_uid].reason == "material changed"
    scene.frame_set(1)
    scene.frame_set(2)
    objects = status(scene).objects
    assert (objects[first.session_uid].last, objects[second.session_uid].last) == (2, LAST)


def test_taking_back_leaves_what_was_before_the_change(scene: bpy.types.Scene) -> None:
    obj = sheet()
    before = obj.xpbd.density
    tune(scene, lambda: setattr(obj.xpbd, "density", 4.0))
    obj.xpbd.density = before
    assert bpy.ops.xpbd.take_back() == {"FINISHED"}
    assert cached(scene) == (1, CHANGED)
    assert status(scene).objects[obj.session_uid].reason == ""


def weld(obj: bpy.types.Object) -> None:
    obj.xpbd.weld = not obj.xpbd.weld


def limit(obj: bpy.types.Object) -> None:
    obj.xpbd.use_strain_limits = True


def move_a_corner(obj: bpy.types.Object) -> None:
    obj.data.vertices[0].co.z += 0.1
    obj.data.update()


def key_it(obj: bpy.types.Object) -> None:
    for frame, value in ((1, 0.2), (LAST, 0.9)):
        obj.xpbd.density = value
        obj.keyframe_insert("xpbd.density", frame=frame)


def lock(obj: bpy.types.Object) -> None:
    bpy.context.scene.xpbd.lock_cache = True
    obj.xpbd.density = 5.0


@pytest.mark.parametrize("change", [weld, limit, move_a_corner, key_it, lock])
def test_what_can_not_change_over_time_waits_for_the_first_frame(
    scene: bpy.types.Scene, change: Callable[[bpy.types.Object], None]
) -> None:
    obj = sheet()
    tune(scene, lambda: change(obj))
    assert cached(scene) == (1, CHANGED)
    assert status(scene).outdated
    scene.xpbd.lock_cache = False
    scene.frame_set(1)
    play(scene)
    assert cached(scene) == (1, LAST)
    assert not status(scene).outdated
