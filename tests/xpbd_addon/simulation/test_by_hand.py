# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving things by hand, while the timeline stands or plays: what is shown, kept and taken back."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import FRAMES, animation, empty_scene, evaluated_positions, sheet
from playing import addon, cached, play

SIDE = np.array([0.0, 1.0, 1.0])
"""In the middle of the free side of the sheet."""


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def by_hand() -> ModuleType:
    return addon.simulation.by_hand


def status(scene: bpy.types.Scene) -> Any:
    return addon.simulation.session.status(scene, exact=True)


def grab(obj: bpy.types.Object, way: tuple[float, float, float], frames: int = 12) -> None:
    """Around the vertex that is nearest to the middle of the free side."""
    now = evaluated_positions(obj)
    vertex = int(np.argmin(np.linalg.norm(start_of(obj) - SIDE, axis=1)))
    options = {"movement": way, "radius": 0.5, "frames": frames}
    assert bpy.ops.xpbd.grab(center=now[vertex].tolist(), **options) == {"FINISHED"}


def start_of(obj: bpy.types.Object) -> np.ndarray:
    local = addon.scene.mesh_io.vectors(obj.data, "position")
    return local + np.array(obj.matrix_world.translation, np.float32)


def held(scene: bpy.types.Scene, obj: bpy.types.Object) -> np.ndarray:
    """What is cached of all frames, without playing, shape (frames, n, 3)."""
    session = addon.simulation.session
    return np.array([session.cached_positions(scene, obj, frame) for frame in FRAMES])


def middle(obj: bpy.types.Object) -> np.ndarray:
    """Of the free side, as shown."""
    side = np.isclose(start_of(obj)[:, 1], 1.0)
    return evaluated_positions(obj)[side].mean(axis=0)


def test_what_is_grabbed_follows_while_the_timeline_stands(scene: bpy.types.Scene) -> None:
    obj = sheet(cuts=10)
    play(scene, 4)
    before, frames = middle(obj), animation(obj, range(1, 5))
    scene.frame_set(4)
    grab(obj, (0.3, 0.0, 0.6))
    assert scene.frame_current == 4
    moved = middle(obj) - before
    assert moved[2] > 0.25
    assert moved[0] > 0.1
    pins = np.isclose(start_of(obj)[:, 1], -1.0)
    np.testing.assert_allclose(evaluated_positions(obj)[pins], frames[0][pins], atol=1e-6)
    np.testing.assert_array_equal(animation(obj, range(1, 4)), frames[:3])


def test_the_cache_says_that_it_was_touched(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene)
    assert not status(scene).outdated
    scene.frame_set(3)
    grab(obj, (0.0, 0.0, 0.3))
    known = status(scene).objects[obj.session_uid]
    assert (known.last, known.since, known.reason) == (3, 3, "it was changed by hand")
    assert by_hand().touched_from(scene) == 3
    scene.frame_set(2)
    assert by_hand().touched_from(scene) == 3


def test_simulating_anew_clears_it(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene)
    untouched = animation(obj)
    scene.frame_set(3)
    grab(obj, (0.0, 0.0, 0.3))
    bpy.ops.xpbd.simulate()
    assert not status(scene).outdated
    assert by_hand().touched_from(scene) is None
    np.testing.assert_array_equal(animation(obj), untouched)
    scene.frame_set(3)
    grab(obj, (0.0, 0.0, 0.3))
    play(scene)
    assert not status(scene).outdated
    np.testing.assert_array_equal(animation(obj), untouched)


def test_playing_goes_on_from_what_was_arranged(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene)
    untouched = animation(obj)
    scene.frame_set(3)
    grab(obj, (0.5, 0.0, 0.5))
    arranged = evaluated_positions(obj)
    for frame in range(4, 7):
        scene.frame_set(frame)
    assert cached(scene) == (1, 6)
    assert status(scene).objects[obj.session_uid].since == 3
    shown = held(scene, obj)
    np.testing.assert_allclose(shown[2], arranged, atol=1e-6)
    assert abs(shown[3] - shown[2]).max() < 0.3
    assert abs(shown[3:] - untouched[3:]).max(axis=(1, 2)).min() > 0.05


def test_the_lock_keeps_it_and_it_is_baked(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene)
    scene.frame_set(3)
    grab(obj, (0.5, 0.0, 0.5))
    for frame in range(4, 7):
        scene.frame_set(frame)
    touched = held(scene, obj)
    scene.xpbd.lock_cache = True
    play(scene)
    np.testing.assert_allclose(animation(obj), touched, atol=1e-6)
    assert bpy.ops.xpbd.bake_shape_keys(mode="RELATIVE") == {"FINISHED"}
    np.testing.assert_allclose(animation(obj), touched, atol=1e-5)


def test_taking_back_has_the_frames_that_were_there(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene)
    untouched = animation(obj)
    for frame in (5, 2):
        scene.frame_set(frame)
        grab(obj, (0.0, 0.0, 0.3))
    assert cached(scene) == (1, 2)
    bpy.context.view_layer.update()
    assert cached(scene) == (1, 2), "they come back by themselves"
    assert bpy.ops.xpbd.take_back() == {"FINISHED"}
    assert not status(scene).outdated
    np.testing.assert_array_equal(animation(obj), untouched)
    with pytest.raises(RuntimeError, match="Nothing in the cache was changed by hand"):
        bpy.ops.xpbd.take_back()


@pytest.mark.parametrize("goes_on", [False, True])
def test_cancelled_it_is_as_it_was(scene: bpy.types.Scene, goes_on: bool) -> None:
    """Also what comes next, to the byte, where the live solver stood there."""
    obj = sheet()
    play(scene)
    expected = animation(obj)
    bpy.ops.xpbd.clear_cache()
    play(scene, 4)
    if not goes_on:
        scene.frame_set(3)
    frame = scene.frame_current
    for _ in range(2):
        drag = by_hand().Drag(scene, obj, SIDE, 1.5)
        for _ in range(3):
            drag.lead(np.array([0.0, 0.0, 0.3]))
            drag.step()
        assert status(scene).outdated
        drag.cancel(scene)
        assert not status(scene).outdated
        assert cached(scene) == (1, 4)
        assert scene.frame_current == frame
        np.testing.assert_array_equal(animation(obj, range(1, 5)), expected[:4])
        scene.frame_set(frame)
    if goes_on:
        for later in (5, 6):
            scene.frame_set(later)
        np.testing.assert_array_equal(animation(obj), expected)
        assert not status(scene).outdated


def test_a_second_drag_is_cancelled_to_the_first(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene, 4)
    grab(obj, (0.0, 0.0, 0.3))
    arranged = evaluated_positions(obj)
    drag = by_hand().Drag(scene, obj, SIDE, 1.5)
    drag.lead(np.array([0.5, 0.0, 0.0]))
    drag.step()
    drag.cancel(scene)
    addon.show.display.show(scene)
    np.testing.assert_allclose(evaluated_positions(obj), arranged, atol=1e-6)
    assert by_hand().touched_from(scene) == 4


def test_grabbed_while_it_plays(scene: bpy.types.Scene) -> None:
    """Through frames that are cached already: these are simulated with the hand's pull."""
    obj = sheet(cuts=10)
    play(scene)
    untouched = animation(obj)
    scene.frame_set(3)
    drag = by_hand().Drag(scene, obj, SIDE, 0.5, moving=True)
    for frame in (4, 5):
        drag.lead(np.array([0.0, 0.0, 0.2 * (frame - 3)]))
        scene.frame_set(frame)
    drag.release()
    scene.frame_set(6)
    assert cached(scene) == (1, 6)
    assert status(scene).objects[obj.session_uid].since == 4
    moved = held(scene, obj) - untouched
    assert abs(moved[:3]).max() == 0.0
    assert abs(moved[3:]).max(axis=(1, 2)).min() > 0.02
    assert not drag.is_over
    scene.frame_set(1)
    scene.frame_set(2)
    assert drag.is_over


def test_colliders_stand_where_the_timeline_does(scene: bpy.types.Scene) -> None:
    """A floor that rises by 0.1 m a frame: pushed down for long, the sheet stays on it."""
    bpy.ops.mesh.primitive_plane_add(size=10.0)
    floor = bpy.context.object
    for frame in (1, 6):
        floor.location.z = 0.1 * frame
        floor.keyframe_insert("location", index=2, frame=frame)
    for curve in addon.scene.animation.curves_of(floor):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    floor.modifiers.new("Collision", "COLLISION")
    obj = sheet(cuts=10)
    obj.xpbd.pin_group = ""
    play(scene, 4)
    grab(obj, (0.0, 0.0, -0.8), frames=40)
    lowest = evaluated_positions(obj)[:, 2].min()
    assert 0.4 < lowest < 0.42


def test_what_was_changed_counts(scene: bpy.types.Scene) -> None:
    """Settings are those of now, not those that the live solver was made with."""
    obj = sheet(cuts=10)
    play(scene, 4)
    before = addon.simulation.session.of(scene).live
    obj.xpbd.density = 5.0
    bpy.context.view_layer.update()
    drag = by_hand().Drag(scene, obj, SIDE, 0.5)
    now = addon.simulation.session.of(scene).live
    assert now is not before
    assert now.inputs.bodies[0].material["density"] == 5.0
    drag.cancel(scene)
    assert addon.simulation.session.of(scene).live is None


def test_on_the_first_frame_of_what_was_never_simulated(scene: bpy.types.Scene) -> None:
    obj = sheet()
    scene.frame_set(1)
    start = evaluated_positions(obj)
    grab(obj, (0.0, 0.0, 0.5))
    assert abs(evaluated_positions(obj) - start).max() > 0.1
    arranged = evaluated_positions(obj)
    known = status(scene).objects[obj.session_uid]
    assert (known.last, known.since, known.reason) == (1, 1, "it was changed by hand")
    addon.simulation.session.of(scene).live = None
    grab(obj, (0.0, 0.0, 0.0), frames=1)
    assert abs(evaluated_positions(obj) - arranged).max() < 0.1
    play(scene)
    np.testing.assert_allclose(animation(obj)[0], start, atol=1e-6)
    assert not status(scene).outdated


def test_it_keeps_its_rest_shape(scene: bpy.types.Scene) -> None:
    """Rebuilt in the middle, from what is shown there: at rest it is what it was at the start."""
    scene.use_gravity = False
    obj = sheet()
    obj.xpbd.pin_group = ""
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Larger")
    for point in key.data:
        point.co *= 1.2
    obj.xpbd.rest_shape_key, obj.xpbd.drag = "Larger", 4.0
    play(scene, 2)
    addon.simulation.session.of(scene).live = None
    grab(obj, (0.0, 0.0, 0.0), frames=60)
    assert np.ptp(evaluated_positions(obj), axis=0).max() == pytest.approx(2.4, rel=0.02)


@pytest.mark.parametrize("kind", ["SOFT_BODY", "STRANDS"])
@pytest.mark.parametrize("rebuilt", [False, True])
def test_other_kinds_are_grabbed(scene: bpy.types.Scene, kind: str, rebuilt: bool) -> None:
    if kind == "SOFT_BODY":
        bpy.ops.mesh.primitive_cube_add(size=0.5)
        bpy.ops.xpbd.add(kind=kind)
    else:
        mesh = bpy.data.meshes.new("Hair")
        points = [(0.0, 0.0, 0.05 * k) for k in range(11)]
        mesh.from_pydata(points, [(k, k + 1) for k in range(10)], [])
        obj = bpy.data.objects.new("Hair", mesh)
        scene.collection.objects.link(obj)
        bpy.context.view_layer.objects.active = obj
        bpy.ops.xpbd.add(kind=kind)
        obj.vertex_groups.new(name="Pins").add([0, 1], 1.0, "ADD")
        obj.xpbd.pin_group = "Pins"
    obj, scene.use_gravity = bpy.context.object, False
    play(scene, 3)
    if rebuilt:
        addon.simulation.session.of(scene).live = None
    before = evaluated_positions(obj)
    top = before[np.argmax(before[:, 2])].tolist()
    bpy.ops.xpbd.grab(center=top, movement=(0.1, 0.0, 0.0), radius=0.3, frames=24)
    after = evaluated_positions(obj)
    assert (after - before)[np.argmax(before[:, 2]), 0] == pytest.approx(0.1, abs=0.05)
    lengths = [np.linalg.norm(np.diff(each, axis=0), axis=1).sum() for each in (before, after)]
    assert lengths[1] == pytest.approx(lengths[0], rel=0.1)


def test_it_is_known_after_the_file_was_opened_again(
    scene: bpy.types.Scene, tmp_path: Path
) -> None:
    obj = sheet()
    play(scene)
    untouched = animation(obj)
    scene.frame_set(3)
    grab(obj, (0.0, 0.0, 0.3))
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    scene, obj = bpy.context.scene, bpy.data.objects["Sheet"]
    assert status(scene).objects[obj.session_uid].since == 3
    assert by_hand().touched_from(scene) == 3
    bpy.ops.xpbd.take_back()
    np.testing.assert_array_equal(animation(obj), untouched)


def test_simulating_from_here_goes_on_from_what_was_arranged(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene)
    scene.frame_set(3)
    grab(obj, (0.5, 0.0, 0.5))
    arranged = evaluated_positions(obj)
    assert bpy.ops.xpbd.simulate_from() == {"FINISHED"}
    assert cached(scene) == (1, 6)
    assert status(scene).objects[obj.session_uid].since == 3
    np.testing.assert_allclose(held(scene, obj)[2], arranged, atol=1e-6)


def test_old_caches_learn_of_hands(tmp_path: Path) -> None:
    """Files of inputs that know no hand get to know it."""
    inputs = addon.simulation.inputs
    path = tmp_path / "object.inputs"
    from core.frame_cache import InputsFile

    InputsFile(path, 1).create(["gravity"])
    own = inputs.ObjectInputs(path, 1)
    own.write(1, {"gravity": 5})
    own.write(2, {"gravity": 6}, touched=True)
    again = inputs.ObjectInputs(path, 1)
    assert (again.touched_by(2), again.touched_by(1), again.touched_by(None)) == (2, None, None)
    assert InputsFile(path, 1).row(1) == {"gravity": 5, "hand": 0}
    again.write(2, {"gravity": 6})
    assert inputs.ObjectInputs(path, 1).touched_by(2) is None


def test_refusals(scene: bpy.types.Scene) -> None:
    obj = sheet()
    scene.frame_set(4)
    with pytest.raises(RuntimeError, match="'Sheet' is not simulated on frame 4: play or"):
        bpy.ops.xpbd.grab()
    obj.xpbd.use = False
    assert not bpy.ops.xpbd.grab.poll()
