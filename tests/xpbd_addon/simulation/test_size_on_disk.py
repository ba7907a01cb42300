# SPDX-License-Identifier: GPL-3.0-or-later
"""A cache in half the bytes: simulated as ever, shown as it is stored, and never mixed up."""

from __future__ import annotations

import struct
from pathlib import Path

import bpy
import numpy as np
import pytest
from baking_scenes import assert_same
from blender_scenes import FRAMES, animation, empty_scene, evaluated_positions, sheet
from playing import addon, cached, frame_by_frame, play

LAST = FRAMES.stop - 1
HALF, FULL = "LATTICE", "FULL"
SIZE = 2.0  # of the sheet, m


@pytest.fixture
def scene() -> bpy.types.Scene:
    scene = empty_scene()
    scene.xpbd.cache_encoding, scene.xpbd.checkpoint_interval = HALF, 2
    sheet()
    return scene


def folder(scene: bpy.types.Scene) -> Path:
    return Path(addon.simulation.session.of(scene).cache.folder)


def files(scene: bpy.types.Scene, kind: str) -> list[Path]:
    return sorted(folder(scene).glob(f"*.{kind}"))


def shown_while_simulating(scene: bpy.types.Scene) -> dict[int, np.ndarray]:
    """What is seen of frames as soon as they are done."""
    obj, shown = bpy.context.object, {}
    job = addon.simulation.job.Job(scene)
    with frame_by_frame():
        while job.poll():
            last = cached(scene)[1]
            addon.show.display.show(scene)
            positions = evaluated_positions(obj)
            if last is not None and cached(scene)[1] == last <= scene.frame_current:
                shown[last] = positions
    return shown


def stop_after(scene: bpy.types.Scene, frame: int) -> None:
    job = addon.simulation.job.Job(scene)
    with frame_by_frame():
        while job.poll():
            if job.frames_done >= frame:
                job.cancel()


def live_positions(scene: bpy.types.Scene) -> np.ndarray:
    (found,) = addon.simulation.session.of(scene).live.positions.values()
    return found


def test_what_is_simulated_is_the_same_and_what_is_shown_is_near(scene: bpy.types.Scene) -> None:
    obj = bpy.context.object
    bpy.ops.xpbd.simulate()
    half, ended = animation(obj), live_positions(scene)
    (path,) = files(scene, "lattice")
    assert not files(scene, "pc2")
    small = path.stat().st_size
    bpy.ops.xpbd.clear_cache()
    scene.xpbd.cache_encoding = FULL
    bpy.ops.xpbd.simulate()
    np.testing.assert_array_equal(live_positions(scene), ended)
    full = animation(obj)
    assert 0.0 < np.abs(half - full).max() < 1e-5 * SIZE
    (path,) = files(scene, "pc2")
    assert small - 16 * LAST - 32 == (path.stat().st_size - 32) / 2


def test_what_playing_shows_is_what_is_read_afterwards(scene: bpy.types.Scene) -> None:
    """But for the first frame, which is the mesh itself as long as nothing is simulated."""
    obj = bpy.context.object
    shown = animation(obj)
    assert cached(scene) == (1, LAST)
    assert not np.array_equal(shown[-1], live_positions(scene))
    addon.simulation.session.forget()
    np.testing.assert_array_equal(animation(obj)[1:], shown[1:])
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    np.testing.assert_array_equal(animation(obj)[1:], shown[1:])


def test_what_simulate_shows_is_what_is_read_afterwards(scene: bpy.types.Scene) -> None:
    shown = shown_while_simulating(scene)
    assert shown, "how many are seen in time is a matter of the machine"
    addon.simulation.session.forget()
    afterwards = animation(bpy.context.object)
    for frame, positions in shown.items():
        np.testing.assert_array_equal(afterwards[frame - FRAMES.start], positions)


@pytest.mark.parametrize(("before", "after"), [(FULL, HALF), (HALF, FULL)])
def test_switching_outdates_nothing_and_rewrites_nothing(
    scene: bpy.types.Scene, before: str, after: str
) -> None:
    obj = bpy.context.object
    scene.xpbd.cache_encoding = before
    bpy.ops.xpbd.simulate()
    frames = animation(obj)
    contents = {path: path.read_bytes() for path in folder(scene).iterdir()}
    scene.xpbd.cache_encoding = after
    assert not addon.simulation.session.status(scene, exact=True).outdated
    play(scene)
    bpy.ops.xpbd.simulate()
    np.testing.assert_array_equal(animation(obj), frames)
    assert {path: path.read_bytes() for path in folder(scene).iterdir()} == contents
    kinds = {FULL: "pc2", HALF: "lattice"}
    scene.xpbd.frame_end = LAST + 2
    bpy.ops.xpbd.simulate()
    assert cached(scene) == (1, LAST + 2)
    assert files(scene, kinds[before])
    assert not files(scene, kinds[after])
    obj.xpbd.density *= 2.0
    bpy.ops.xpbd.simulate()
    assert files(scene, kinds[after])
    assert not files(scene, kinds[before])


def test_frames_that_come_back_are_as_they_were_stored(scene: bpy.types.Scene) -> None:
    obj = bpy.context.object
    scene.xpbd.cache_encoding = FULL
    bpy.ops.xpbd.simulate()
    frames = animation(obj)
    scene.xpbd.cache_encoding = HALF
    obj.xpbd.density *= 2.0
    play(scene, 3)
    assert files(scene, "lattice")
    obj.xpbd.density /= 2.0
    assert addon.simulation.session.take_back(scene)
    assert not files(scene, "lattice")
    np.testing.assert_array_equal(animation(obj), frames)
    assert cached(scene) == (1, LAST)


def test_one_that_is_new_is_stored_as_is_wanted_now(scene: bpy.types.Scene) -> None:
    obj = bpy.context.object
    bpy.ops.xpbd.simulate()
    frames = animation(obj)
    scene.xpbd.cache_encoding = FULL
    other = sheet("Other")
    other.location.x = 9.0
    bpy.ops.xpbd.simulate()
    for kind, each in (("lattice", obj), ("pc2", other)):
        assert [path.stem for path in files(scene, kind)] == [each.xpbd.cache_id]
    np.testing.assert_array_equal(animation(obj), frames)


@pytest.mark.parametrize("wanted_later", [HALF, FULL])
def test_what_was_stopped_goes_on_to_the_same_frames_and_in_the_same_way(
    scene: bpy.types.Scene, tmp_path: Path, wanted_later: str
) -> None:
    obj = bpy.context.object
    bpy.ops.xpbd.simulate()
    expected, ended = animation(obj), live_positions(scene)
    bpy.ops.xpbd.clear_cache()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    stop_after(scene, 3)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    scene = bpy.context.scene
    assert scene.xpbd.cache_encoding == HALF
    last = cached(scene)[1]
    assert last < LAST
    assert addon.simulation.session.status(scene).goes_on_from == last
    scene.xpbd.cache_encoding = wanted_later
    bpy.ops.xpbd.simulate()
    np.testing.assert_array_equal(live_positions(scene), ended)
    np.testing.assert_array_equal(animation(bpy.data.objects["Sheet"]), expected)
    assert not files(scene, "pc2")


def test_simulate_from_here_keeps_frames_as_they_are_stored(scene: bpy.types.Scene) -> None:
    obj = bpy.context.object
    bpy.ops.xpbd.simulate()
    frames = animation(obj)
    scene.frame_set(4)
    obj.xpbd.density *= 2.0
    scene.xpbd.cache_encoding = FULL
    assert bpy.ops.xpbd.simulate_from() == {"FINISHED"}
    assert cached(scene) == (1, LAST)
    np.testing.assert_array_equal(animation(obj, range(1, 4)), frames[:3])
    assert not files(scene, "pc2")


def test_a_hand_takes_hold_of_what_is_stored_and_gives_it_back(scene: bpy.types.Scene) -> None:
    obj = bpy.context.object
    bpy.ops.xpbd.simulate()
    frames = animation(obj)
    addon.simulation.session.forget()  # and with it the live solver
    scene.frame_set(4)
    place = frames[3].mean(axis=0).tolist()
    options = {"movement": (0.0, 0.0, 0.5), "radius": 1.0, "frames": 6}
    assert bpy.ops.xpbd.grab(center=place, **options) == {"FINISHED"}
    moved = evaluated_positions(obj)
    assert np.abs(moved - frames[3]).max() > 0.02
    np.testing.assert_array_equal(animation(obj, range(4, 5))[0], moved)
    assert bpy.ops.xpbd.take_back() == {"FINISHED"}
    np.testing.assert_array_equal(animation(obj), frames)


@pytest.mark.parametrize("mode", ["RELATIVE", "ABSOLUTE"])
def test_shape_keys_are_what_the_preview_shows(scene: bpy.types.Scene, mode: str) -> None:
    obj = bpy.context.object
    bpy.ops.xpbd.simulate()
    preview = animation(obj)
    assert bpy.ops.xpbd.bake_shape_keys(mode=mode) == {"FINISHED"}
    assert_same(animation(obj), preview)


def test_a_mesh_cache_is_a_pc2_file_of_what_the_preview_shows(
    scene: bpy.types.Scene, tmp_path: Path
) -> None:
    obj, path = bpy.context.object, tmp_path / "mine.pc2"
    bpy.ops.xpbd.simulate()
    preview = animation(obj)
    assert bpy.ops.xpbd.bake_mesh_cache(filepath=str(path)) == {"FINISHED"}
    assert_same(animation(obj), preview)
    content = path.read_bytes()
    points = len(obj.data.vertices)
    header = (b"POINTCACHE2\0", 1, points, 1.0, 1.0, LAST)
    assert struct.unpack("<12siiffi", content[:32]) == header
    stored = np.frombuffer(content[32:], "<f4").reshape(LAST, points, 3)
    assert_same(stored + np.array(obj.matrix_world.translation, np.float32), preview)


def test_a_copy_of_the_file_copies_what_is_stored(scene: bpy.types.Scene, tmp_path: Path) -> None:
    obj = bpy.context.object
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "one.blend"))
    bpy.ops.xpbd.simulate()
    frames, first = animation(obj), folder(scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "two.blend"))
    scene.xpbd.frame_end = LAST + 1
    bpy.ops.xpbd.simulate()
    assert folder(scene) != first
    assert len(files(scene, "lattice")) == 1
    np.testing.assert_array_equal(animation(obj), frames)


def test_a_damaged_frame_is_simulated_again(scene: bpy.types.Scene) -> None:
    obj = bpy.context.object
    bpy.ops.xpbd.simulate()
    frames = animation(obj)
    (path,) = files(scene, "lattice")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x20
    path.write_bytes(content)
    animation(obj)
    assert cached(scene) != (1, LAST)
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    np.testing.assert_array_equal(animation(obj), frames)
