# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulations that go on from checkpoints: after the file was opened again, and after changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, sheet
from playing import addon, cached, frame_by_frame, play

FRAMES = 12


@pytest.fixture
def scene() -> bpy.types.Scene:
    scene = empty_scene()
    scene.xpbd.frame_end, scene.xpbd.checkpoint_interval = FRAMES, 4
    sheet()
    return scene


def frames(scene: bpy.types.Scene) -> list[np.ndarray]:
    (obj,) = addon.simulation.session.simulated_objects(scene)
    held = [
        addon.simulation.session.cached_positions(scene, obj, frame)
        for frame in range(1, FRAMES + 1)
    ]
    assert all(each is not None for each in held)
    return held


def simulate(scene: bpy.types.Scene) -> list[int]:
    """Simulate; which frames that took."""
    made: list[int] = []
    advance = addon.simulation.live.advance

    def noted(live: Any, targets: Any) -> None:
        made.append(targets.frame)
        advance(live, targets)

    addon.simulation.live.advance = noted
    try:
        assert addon.simulation.job.run_blocking(scene) == FRAMES
    finally:
        addon.simulation.live.advance = advance
    return made


def straight(scene: bpy.types.Scene) -> list[np.ndarray]:
    """The frames as they come without a stop; then all is cleared."""
    assert simulate(scene) == list(range(2, FRAMES + 1))
    found = frames(scene)
    addon.simulation.session.clear(scene)
    return found


def stop_after(scene: bpy.types.Scene, frame: int) -> None:
    """Simulate, and press Esc."""
    job = addon.simulation.job.Job(scene)
    with frame_by_frame():
        while job.poll():
            if job.frames_done >= frame:
                job.cancel()
    assert cached(scene)[1] in (frame, frame + 1)


def ball() -> bpy.types.Object:
    """A collider that rises and turns."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8, radius=0.4)
    obj = bpy.context.object
    obj.modifiers.new("Collision", "COLLISION")
    for frame, height in ((1, 0.0), (FRAMES, 0.9)):
        obj.location.z, obj.rotation_euler.y = height, height
        obj.keyframe_insert("location", frame=frame)
        obj.keyframe_insert("rotation_euler", frame=frame)
    return obj


def push_aside(obj: bpy.types.Object) -> None:
    """Move it on frame 11, in which nothing changes before frame 10."""
    obj.keyframe_insert("location", index=0, frame=10)
    obj.location.x = 0.3
    obj.keyframe_insert("location", index=0, frame=11)
    obj.location.x = 0.0


def test_what_was_stopped_goes_on_after_the_file_was_opened_again(
    scene: bpy.types.Scene, tmp_path: Path
) -> None:
    ball()
    expected = straight(scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    stop_after(scene, 7)
    last = cached(scene)[1]
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    scene = bpy.context.scene
    assert addon.simulation.session.status(scene).goes_on_from == last
    assert simulate(scene) == list(range(last + 1, FRAMES + 1))
    np.testing.assert_array_equal(frames(scene), expected)


def test_a_longer_range_goes_on_from_the_end(scene: bpy.types.Scene) -> None:
    expected = straight(scene)
    scene.xpbd.frame_end = 6
    assert addon.simulation.job.run_blocking(scene) == 6
    scene.xpbd.frame_end = FRAMES
    addon.simulation.session.forget()
    assert simulate(scene) == list(range(7, FRAMES + 1))
    np.testing.assert_array_equal(frames(scene), expected)


def test_playing_goes_on_where_cached_frames_end(scene: bpy.types.Scene) -> None:
    ball()
    expected = straight(scene)
    stop_after(scene, 6)
    addon.simulation.session.forget()
    play(scene)
    assert cached(scene) == (1, FRAMES)
    np.testing.assert_array_equal(frames(scene), expected)


def goes_on_after(scene: bpy.types.Scene, stops: Sequence[int], expected: Any) -> None:
    """Stop after each of these frames, forget all but the files, and go on to the same frames."""
    for stop in stops:
        stop_after(scene, stop)
        addon.simulation.session.forget()
        assert simulate(scene)[0] > stop
        np.testing.assert_array_equal(frames(scene), expected)
        addon.simulation.session.clear(scene)


def test_keyed_settings_go_on_as_they_were(scene: bpy.types.Scene) -> None:
    obj = bpy.context.object
    for frame, density in ((3, 0.2), (9, 2.0)):
        obj.xpbd.density = density
        obj.xpbd.keyframe_insert("density", frame=frame)
    expected = straight(scene)
    goes_on_after(scene, (2, 5, 10), expected)


def test_a_keyed_muscle_goes_on_as_it_was(
    scene: bpy.types.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    bpy.data.objects.remove(bpy.context.object)
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.xpbd.add(kind="SOFT_BODY")
    settings = bpy.context.object.xpbd
    settings.use_plasticity, settings.yield_stretch, settings.cell_size = True, 0.02, 0.5
    for frame, contraction in ((2, 0.0), (6, 0.4), (10, 0.1)):
        settings.contraction = contraction
        settings.keyframe_insert("contraction", frame=frame)
    made: list[Any] = []
    model_of = addon.simulation.live.model_of

    def noted(inputs: Any, *others: Any) -> Any:
        made.append(inputs)
        return model_of(inputs, *others)

    monkeypatch.setattr(addon.simulation.live, "model_of", noted)
    expected = straight(scene)
    assert len(made) == 1, "it is not laid out anew for that"
    assert np.ptp(expected[5], axis=0)[2] < 0.9 * np.ptp(expected[0], axis=0)[2]
    goes_on_after(scene, (3, 5, 11), expected)


def test_what_is_broken_goes_on_as_it_was(scene: bpy.types.Scene) -> None:
    bpy.data.objects.remove(bpy.context.object)
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.xpbd.add(kind="SOFT_BODY")
    obj = bpy.context.object
    bpy.ops.xpbd.cut_into_pieces(count=6)
    group = obj.vertex_groups.new(name="Pins")
    group.add([v.index for v in obj.data.vertices if v.co.z > 0.999], 1.0, "REPLACE")
    obj.xpbd.pin_group, obj.xpbd.strength, obj.xpbd.cell_size = "Pins", 3000.0, 0.5
    expected = straight(scene)
    assert np.ptp(expected[-1], axis=0)[2] > 1.3 * np.ptp(expected[0], axis=0)[2]
    goes_on_after(scene, (3, 7, 11), expected)


def test_what_changes_late_is_simulated_from_the_checkpoint_before(scene: bpy.types.Scene) -> None:
    obj = ball()
    simulate(scene)
    before = frames(scene)
    push_aside(obj)
    assert simulate(scene) == list(range(10, FRAMES + 1))
    found = frames(scene)
    np.testing.assert_array_equal(found[:10], before[:10])
    assert np.abs(found[-1] - before[-1]).max() > 1e-4
    addon.simulation.session.clear(scene)
    simulate(scene)
    np.testing.assert_array_equal(frames(scene), found)


def test_what_was_replaced_from_the_middle_comes_back(scene: bpy.types.Scene) -> None:
    obj = ball()
    simulate(scene)
    before = frames(scene)
    push_aside(obj)
    job = addon.simulation.job.Job(scene)
    stopped = job.session.live
    with frame_by_frame():
        while job.poll():
            if job.session.live is not stopped:
                job.cancel()
    assert 9 <= cached(scene)[1] < FRAMES
    obj.keyframe_delete("location", index=0, frame=11)
    play(scene)
    np.testing.assert_array_equal(frames(scene), before)


def test_simulating_from_here_keeps_what_was_before(scene: bpy.types.Scene) -> None:
    obj = bpy.context.object
    simulate(scene)
    before = frames(scene)
    obj.xpbd.density = 5.0 * obj.xpbd.density
    obj.xpbd.use_self_collision = not obj.xpbd.use_self_collision
    scene.gravity.x = 4.0
    scene.frame_set(7)
    assert addon.simulation.session.status(scene, exact=True).outdated
    assert bpy.ops.xpbd.simulate_from() == {"FINISHED"}
    found = frames(scene)
    np.testing.assert_array_equal(found[:5], before[:5])
    assert np.abs(found[5] - before[5]).max() > 1e-6
    assert np.abs(np.diff(found, axis=0)).max() < 3.0 * np.abs(np.diff(before, axis=0)).max()
    assert not addon.simulation.session.status(scene, exact=True).outdated
    assert simulate(scene) == []


def floor(height: float = 0.6) -> bpy.types.Object:
    bpy.ops.mesh.primitive_plane_add(size=6.0, location=(0.0, 0.0, height))
    obj = bpy.context.object
    obj.modifiers.new("Collision", "COLLISION")
    return obj


def delete(collider: bpy.types.Object, _cloth: bpy.types.Object) -> None:
    bpy.data.objects.remove(collider)


def subdivide(collider: bpy.types.Object, _cloth: bpy.types.Object) -> None:
    collider.modifiers.new("Subdivision", "SUBSURF")


def add_another(_collider: bpy.types.Object, _cloth: bpy.types.Object) -> None:
    floor(0.4)


def clear_pins(_collider: bpy.types.Object, cloth: bpy.types.Object) -> None:
    cloth.xpbd.pin_group = ""


def pin_more(_collider: bpy.types.Object, cloth: bpy.types.Object) -> None:
    cloth.vertex_groups["Pins"].add([20], 1.0, "ADD")
    cloth.data.update()


@pytest.mark.parametrize("change", [delete, subdivide, add_another, clear_pins, pin_more])
def test_simulating_from_here_goes_on_with_other_colliders_and_pins(
    scene: bpy.types.Scene, change: Callable[[bpy.types.Object, bpy.types.Object], None]
) -> None:
    cloth, collider = bpy.context.object, floor()
    simulate(scene)
    before = frames(scene)
    scene.frame_set(7)
    change(collider, cloth)
    bpy.context.view_layer.update()
    assert bpy.ops.xpbd.simulate_from() == {"FINISHED"}
    found = frames(scene)
    np.testing.assert_array_equal(found[:5], before[:5])
    assert np.isfinite(found).all()
    lowest = {delete: -9.0, add_another: 0.5, clear_pins: 0.5}.get(change, 0.55)
    assert min(each[:, 2].min() for each in found) > lowest
    assert not addon.simulation.session.status(scene, exact=True).outdated


def test_simulating_from_here_names_what_has_other_vertices(scene: bpy.types.Scene) -> None:
    cloth = bpy.context.object
    simulate(scene)
    scene.frame_set(7)
    cloth.data.vertices.add(1)
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="'Sheet' has another number of vertices than when"):
        bpy.ops.xpbd.simulate_from()


def test_without_a_checkpoint_before_it_says_so(scene: bpy.types.Scene) -> None:
    simulate(scene)
    scene.frame_set(3)
    with pytest.raises(RuntimeError, match="No checkpoint is kept of frame 3 or before"):
        bpy.ops.xpbd.simulate_from()
    assert cached(scene) == (1, FRAMES)


def test_a_damaged_checkpoint_is_passed_over(scene: bpy.types.Scene) -> None:
    expected = straight(scene)
    stop_after(scene, 9)
    last = cached(scene)[1]
    folder = addon.simulation.session.of(scene).cache.folder
    path = folder / f"checkpoint-{last}.state"
    content = bytearray(path.read_bytes())
    content[-9] ^= 1
    path.write_bytes(content)
    addon.simulation.session.forget()
    assert simulate(scene)[0] == (10 if last > 9 else 6)
    np.testing.assert_array_equal(frames(scene), expected)


def test_an_object_that_is_new_starts_from_the_first_frame(scene: bpy.types.Scene) -> None:
    stop_after(scene, 6)
    sheet("Another").location.x = 9.0
    addon.simulation.session.forget()
    assert addon.simulation.session.status(scene, exact=True).goes_on_from is None
    assert simulate(scene)[0] == 2


def test_an_interval_of_nothing_keeps_one_at_the_end(scene: bpy.types.Scene) -> None:
    scene.xpbd.checkpoint_interval = 0
    simulate(scene)
    folder = addon.simulation.session.of(scene).cache.folder
    assert [path.name for path in folder.glob("checkpoint*")] == [f"checkpoint-{FRAMES}.state"]
