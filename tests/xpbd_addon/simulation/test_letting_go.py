# SPDX-License-Identifier: GPL-3.0-or-later
"""Modifiers before ours let pins go over time, and catch them again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, evaluated_positions, sheet
from playing import addon, cached, frame_by_frame, play
from weighing import first, key, mix

LAST = 16
FREE = range(4, 9)
"""Frames on which nothing is pinned."""

PINNED = 6
"""Of the vertices, the first ones."""

SPEED = 4.8  # m/s, at which the object goes along x
FRAME = 1 / 24


@pytest.fixture
def scene() -> bpy.types.Scene:
    made = empty_scene()
    made.xpbd.frame_end, made.xpbd.checkpoint_interval = LAST, 2
    return made


def moving(kind: str = "CLOTH", *, drag: float = 0.0) -> bpy.types.Object:
    """A sheet, or strands or a soft body of its shape, that moves evenly and lets go."""
    obj = sheet()
    obj.xpbd.kind, obj.xpbd.drag = kind, drag
    for frame in (1, LAST):
        obj.location.x = SPEED * FRAME * (frame - 1)
        obj.keyframe_insert("location", frame=frame, index=0)
    for curve in addon.scene.animation.curves_of(obj):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    modifier = first(mix(obj))
    held = {FREE[0] - 1: 0.0, FREE[0]: 1.0, FREE[-1]: 1.0, FREE[-1] + 1: 0.0}
    key(modifier, "mask_constant", held)
    return obj


def frames(scene: bpy.types.Scene, obj: bpy.types.Object) -> np.ndarray:
    """World positions that are cached, shape (frames, n, 3); frame 1 is the first."""
    session = addon.simulation.session
    held = [session.cached_positions(scene, obj, frame) for frame in range(1, LAST + 1)]
    assert all(each is not None for each in held)
    return np.array(held)


def status(scene: bpy.types.Scene) -> Any:
    return addon.simulation.session.status(scene, exact=True)


@pytest.mark.parametrize("kind", ["CLOTH", "STRANDS"])
def test_what_is_let_go_flies_on_and_what_is_caught_comes_back(
    scene: bpy.types.Scene, kind: str
) -> None:
    obj = moving(kind)
    bpy.ops.xpbd.simulate()
    pins = frames(scene, obj)[:, :PINNED]
    led = pins[0] + np.multiply.outer(np.arange(LAST), [SPEED * FRAME, 0.0, 0.0])[:, None]
    held = [frame - 1 for frame in range(1, LAST + 1) if frame not in FREE]
    np.testing.assert_allclose(pins[: FREE[0] - 1], led[: FREE[0] - 1], atol=1e-6)
    flying = pins[FREE[0] - 1] - pins[FREE[0] - 2]
    np.testing.assert_allclose(flying[:, 0], SPEED * FRAME, rtol=0.25)  # the sheet pulls, too
    away = np.linalg.norm(pins - led, axis=2)
    caught = away[FREE[-1] :]
    assert caught[0].max() > 0.05
    nearer = -np.diff(away[FREE[-1] - 1 :], axis=0)
    assert nearer.max() < 3.0 * FRAME + SPEED * FRAME
    np.testing.assert_allclose(pins[-1], led[-1], atol=1e-6)
    assert len(held) == LAST - len(FREE)


def test_a_soft_body_is_let_go_and_caught(scene: bpy.types.Scene) -> None:
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 3.0))
    obj = bpy.context.object
    obj.vertex_groups.new(name="Pins").add([1, 3, 5, 7], 1.0, "ADD")
    bpy.ops.xpbd.add(kind="SOFT_BODY")
    obj.xpbd.pin_group, obj.xpbd.cell_size, scene.xpbd.substeps = "Pins", 0.5, 40
    modifier = first(mix(obj))
    key(modifier, "mask_constant", {3: 0.0, 4: 1.0, 8: 1.0, 9: 0.0})
    bpy.ops.xpbd.simulate()
    height = frames(scene, obj)[:, [1, 3, 5, 7], 2].mean(axis=1)
    np.testing.assert_allclose(height[:3], 3.5, atol=1e-4)
    assert 0.5 * 9.81 * (5 * FRAME) ** 2 < 3.5 - height[7] < 0.5, "what was stretched is let go"
    np.testing.assert_allclose(height[-1], 3.5, atol=1e-5)


def test_playing_and_simulating_are_the_same(scene: bpy.types.Scene) -> None:
    obj = moving()
    play(scene)
    played = frames(scene, obj)
    assert not status(scene).outdated
    bpy.ops.xpbd.clear_cache()
    bpy.ops.xpbd.simulate()
    np.testing.assert_array_equal(frames(scene, obj), played)
    for frame in range(LAST, 0, -1):
        scene.frame_set(frame)
        np.testing.assert_allclose(evaluated_positions(obj), played[frame - 1], atol=1e-6)
    assert not status(scene).outdated


@pytest.mark.parametrize("stop", [4, 6, 9, 11])
def test_what_goes_on_from_a_checkpoint_is_the_same(
    scene: bpy.types.Scene, stop: int, tmp_path: Path
) -> None:
    """Stopped while it is held, free and on its way back."""
    obj = moving()
    paint_softly(obj)
    bpy.ops.xpbd.simulate()
    expected = frames(scene, obj)
    bpy.ops.xpbd.clear_cache()
    job = addon.simulation.job.Job(scene)
    with frame_by_frame():
        while job.poll():
            if job.frames_done >= stop:
                job.cancel()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    scene = bpy.context.scene
    assert status(scene).goes_on_from == cached(scene)[1]
    bpy.ops.xpbd.simulate()
    np.testing.assert_array_equal(frames(scene, bpy.data.objects["Sheet"]), expected)


def paint_softly(obj: bpy.types.Object) -> None:
    """Some of the pins pull."""
    obj.vertex_groups["Pins"].add([0, 1, 10, 11], 0.5, "REPLACE")


def test_simulating_from_here_goes_on_with_what_is_held_there(scene: bpy.types.Scene) -> None:
    """What was caught before is not led anew."""
    obj = moving()
    bpy.ops.xpbd.simulate()
    before = frames(scene, obj)
    obj.xpbd.areal_density *= 2.0
    for frame in (6, 13):
        scene.frame_set(frame)
        assert bpy.ops.xpbd.simulate_from() == {"FINISHED"}
        after = frames(scene, obj)
        np.testing.assert_array_equal(after[: frame - 2], before[: frame - 2])
        np.testing.assert_allclose(after[-1, :PINNED], before[-1, :PINNED], atol=1e-6)
        if frame == 13:
            held = slice(frame - 1, None)
            np.testing.assert_allclose(after[held, :PINNED], before[held, :PINNED], atol=1e-6)
        assert not status(scene).outdated
        before = after


def test_it_is_let_go_by_hand_while_it_plays(scene: bpy.types.Scene) -> None:
    obj = sheet()
    modifier = first(mix(obj))
    play(scene, 6)
    modifier.mask_constant = 1.0
    bpy.context.view_layer.update()
    for frame in range(7, 12):
        scene.frame_set(frame)
    session = addon.simulation.session
    height = [session.cached_positions(scene, obj, each)[:PINNED, 2].max() for each in (6, 11)]
    assert height[0] == 1.0 and height[1] < 0.9
    assert session.of(scene).touched == 7


def test_a_changed_key_outdates_from_its_frame_on(scene: bpy.types.Scene) -> None:
    obj = moving()
    bpy.ops.xpbd.simulate()
    before = frames(scene, obj)
    (curve,) = [
        each for each in addon.scene.animation.curves_of(obj) if "mask_constant" in each.data_path
    ]
    curve.keyframe_points[3].co.y = 0.5
    curve.update()
    for frame in range(LAST, 0, -1):
        scene.frame_set(frame)
    known = status(scene).objects[obj.session_uid]
    assert known.since == FREE[-1] + 1
    assert known.reason == "modifiers before XPBD give the vertex groups of 'Sheet' other weights"
    bpy.ops.xpbd.simulate()
    assert not status(scene).outdated
    np.testing.assert_array_equal(frames(scene, obj)[: FREE[-1]], before[: FREE[-1]])


def test_what_nothing_weighs_is_read_once(
    scene: bpy.types.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As before: no hash of weights, no material read for a frame, and the same bytes."""
    obj = sheet()
    obj.modifiers.new("Later", "SUBSURF")
    monkeypatch.setattr(addon.scene.arriving, "weights", None)
    play(scene, 3)
    assert cached(scene) == (1, 3)
    row = addon.scene.frame_inputs.read(scene, bpy.context.evaluated_depsgraph_get())
    assert addon.scene.frame_inputs.WEIGHTS not in row[obj.xpbd.cache_id]


def test_influence_of_nothing_changes_no_byte(scene: bpy.types.Scene) -> None:
    obj = sheet()
    bpy.ops.xpbd.simulate()
    plain = frames(scene, obj)
    first(mix(obj))
    bpy.ops.xpbd.clear_cache()
    bpy.ops.xpbd.simulate()
    np.testing.assert_array_equal(frames(scene, obj), plain)


def test_painted_quantities_change_over_time(scene: bpy.types.Scene) -> None:
    """A sheet that hangs gets stiffer where a group comes to have weights."""
    obj = sheet()
    obj.vertex_groups.new(name="Firm")
    obj.xpbd.stretch_group, obj.xpbd.stretch_stiffness, obj.xpbd.stretch_max = "Firm", 5.0, 5000.0
    obj.rotation_euler.x = -np.pi / 2  # it hangs by its pinned row
    modifier = first(mix(obj, "Firm", 1.0))
    bpy.ops.xpbd.simulate()
    soft = frames(scene, obj)
    key(modifier, "mask_constant", {6: 0.0, 7: 1.0})
    bpy.ops.xpbd.simulate()
    firm = frames(scene, obj)
    np.testing.assert_array_equal(firm[:6], soft[:6])
    lengths = [np.ptp(each[-1, :, 2]) for each in (soft, firm)]
    assert lengths[0] > 2.3 and lengths[1] < 2.1


def test_what_is_grabbed_while_it_is_let_go(scene: bpy.types.Scene) -> None:
    """Another object's pins change what particles are called; cancelled, all is as it was."""
    obj = moving()
    paint_softly(obj)
    other = sheet("Other")
    other.location.x = 30.0
    play(scene, 3)
    before = addon.simulation.session.cached_positions(scene, other, 3)
    corner = int(np.argmax(before[:, 1] - before[:, 0]))
    drag = addon.simulation.by_hand.Drag(
        scene, other, np.array(before[corner], np.float64), 0.1, moving=True
    )
    drag.lead(np.array([0.0, 0.0, 1.0]))
    for frame in (4, 5, 6):
        scene.frame_set(frame)
    led = addon.simulation.session.cached_positions(scene, other, 6)
    away = np.linalg.norm(led - before, axis=1)
    assert led[corner, 2] > before[corner, 2] + 0.3
    assert np.argmax(led[:, 2] - before[:, 2]) == corner
    assert away[:PINNED].max() < 1e-5
    drag.cancel(scene)
    assert scene.frame_current == 3
    np.testing.assert_array_equal(
        addon.simulation.session.cached_positions(scene, other, 3), before
    )
    play(scene)
    assert not status(scene).outdated


def test_a_render_lets_go_too(scene: bpy.types.Scene, tmp_path: Path) -> None:
    obj = moving()
    bpy.ops.xpbd.simulate()
    expected = frames(scene, obj)
    bpy.ops.xpbd.clear_cache()
    bpy.ops.object.camera_add(location=(0, -5, 1), rotation=(1.5, 0, 0))
    scene.camera, scene.cycles.samples = bpy.context.object, 1
    render: Any = scene.render
    render.engine, render.filepath = "CYCLES", f"{tmp_path}/render-"
    render.resolution_x = render.resolution_y = 8
    scene.frame_start, scene.frame_end = 1, LAST
    bpy.ops.render.render(animation=True)
    np.testing.assert_array_equal(frames(scene, obj), expected)
