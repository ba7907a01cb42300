# SPDX-License-Identifier: GPL-3.0-or-later
"""The long simulation: operator, job, resuming, errors on the way."""

from __future__ import annotations

import contextlib
import importlib
import threading
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_scenes import evaluated_positions, sheet
from playing import addon, cached, frame_by_frame, play


def test_operator_equals_function(scene: bpy.types.Scene) -> None:
    obj = sheet()
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    by_operator = [
        addon.simulation.session.cached_positions(scene, obj, frame) for frame in range(1, 7)
    ]
    addon.simulation.session.clear(scene)
    assert addon.simulation.job.run_blocking(scene) == 6
    by_function = [
        addon.simulation.session.cached_positions(scene, obj, frame) for frame in range(1, 7)
    ]
    np.testing.assert_array_equal(by_operator, by_function)


def test_an_object_that_is_added_far_away_changes_no_digit(scene: bpy.types.Scene) -> None:
    obj = sheet()
    addon.simulation.job.run_blocking(scene)
    alone = addon.simulation.session.cached_positions(scene, obj, 6)
    sheet("Another", cuts=9).location.x = 7.0
    addon.simulation.job.run_blocking(scene)
    np.testing.assert_array_equal(addon.simulation.session.cached_positions(scene, obj, 6), alone)


def test_it_ends_on_the_frame_where_it_began_and_shows_it(scene: bpy.types.Scene) -> None:
    obj = sheet()
    scene.frame_set(4)
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    assert scene.frame_current == 4
    expected = addon.simulation.session.cached_positions(scene, obj, 4)
    np.testing.assert_allclose(evaluated_positions(obj), expected, atol=1e-6)
    assert addon.simulation.session.status(scene).source == "simulate"


def test_progress_counts_all_frames(scene: bpy.types.Scene) -> None:
    sheet()
    seen: list[tuple[int, int]] = []
    addon.simulation.job.run_blocking(
        scene, progress=lambda done, total: seen.append((done, total))
    )
    assert seen[-1] == (6, 6)
    assert [done for done, _total in seen] == sorted(done for done, _total in seen)


def test_a_range_given_becomes_the_scenes(scene: bpy.types.Scene) -> None:
    sheet()
    assert addon.simulation.job.run_blocking(scene, 3, 8) == 6
    assert (scene.xpbd.frame_start, scene.xpbd.frame_end) == (3, 8)
    assert cached(scene) == (3, 8)
    assert not addon.simulation.session.status(scene).outdated


def test_a_range_that_was_made_longer_goes_on(scene: bpy.types.Scene) -> None:
    obj = sheet()
    addon.simulation.job.run_blocking(scene, 1, 3)
    addon.simulation.session.forget()
    addon.simulation.job.run_blocking(scene, 1, 6)
    assert cached(scene) == (1, 6)
    continued = addon.simulation.session.cached_positions(scene, obj, 6)
    addon.simulation.session.clear(scene)
    addon.simulation.job.run_blocking(scene)
    np.testing.assert_array_equal(
        addon.simulation.session.cached_positions(scene, obj, 6), continued
    )


def test_a_complete_cache_is_not_simulated_again(scene: bpy.types.Scene) -> None:
    sheet()
    addon.simulation.job.run_blocking(scene)
    file = next(Path(addon.simulation.session.of(scene).cache.folder).glob("*.pc2"))
    before = file.stat().st_mtime_ns
    assert addon.simulation.job.run_blocking(scene) == 6
    assert file.stat().st_mtime_ns == before


def test_playing_goes_on_after_a_cancelled_simulation(scene: bpy.types.Scene) -> None:
    sheet()
    addon.simulation.job.run_blocking(scene, 1, 3)
    scene.xpbd.frame_end = 6
    assert not addon.simulation.session.status(scene).outdated
    scene.frame_set(3)
    scene.frame_set(4)
    assert cached(scene) == (1, 4)


def test_simulate_continues_what_was_played(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene, 3)
    before = addon.simulation.session.cached_positions(scene, obj, 3)
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    assert cached(scene) == (1, 6)
    np.testing.assert_array_equal(addon.simulation.session.cached_positions(scene, obj, 3), before)


def test_the_timeline_does_not_simulate_while_a_job_runs(scene: bpy.types.Scene) -> None:
    sheet()
    play(scene, 3)
    job = addon.simulation.job.Job(scene)
    with pytest.raises(addon.errors.SceneError, match="is running"):
        addon.simulation.job.Job(scene)
    scene.frame_set(4)
    assert cached(scene) == (1, 3)
    job.close()
    assert addon.simulation.job.current() is None


def test_not_a_number_names_frame_and_object_and_keeps_frames(
    scene: bpy.types.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet("Wild sheet")
    advance = addon.simulation.live.advance

    def explode(live: object, targets: object) -> None:
        if targets.frame == 4:
            live.simulation.positions[:] = np.nan
        advance(live, targets)

    monkeypatch.setattr(addon.simulation.live, "advance", explode)
    with pytest.raises(RuntimeError, match=r"Frame 4: 'Wild sheet'.*(unstable|not a)"):
        bpy.ops.xpbd.simulate()
    assert cached(scene) == (1, 3)
    assert addon.simulation.job.current() is None
    assert scene.frame_current == 1


def test_an_object_deleted_on_the_way_stops_it(scene: bpy.types.Scene) -> None:
    sheet("Doomed")
    keeper = sheet("Keeper")
    job = addon.simulation.job.Job(scene)

    def go_on() -> None:
        while job.poll():
            if job.frames_done >= 2 and "Doomed" in bpy.data.objects:
                bpy.data.objects.remove(bpy.data.objects["Doomed"])

    with frame_by_frame(), pytest.raises(addon.errors.SceneError, match=r"'Doomed' was deleted"):
        go_on()
    assert cached(scene)[1] in (2, 3)
    assert addon.simulation.session.cached_positions(scene, keeper, 2) is not None


def test_a_mesh_changed_on_the_way_stops_it(scene: bpy.types.Scene) -> None:
    obj = sheet("Growing")
    job = addon.simulation.job.Job(scene)

    def go_on() -> None:
        while job.poll():
            if job.frames_done >= 2 and len(obj.data.vertices) == 36:
                obj.data.vertices.add(1)

    told = r"'Growing' now has 37 vertices"
    with frame_by_frame(), pytest.raises(addon.errors.SceneError, match=told):
        go_on()
    assert cached(scene)[1] in (2, 3)


def test_a_full_disk_names_the_folder_and_keeps_frames(
    scene: bpy.types.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet()
    package = addon.simulation.scene_session.FrameCache.__module__.rpartition(".")[0]
    frame_file = importlib.import_module(f"{package}.frame_file").FrameFile
    write = frame_file.write

    def full(self: object, index: int, values: object) -> object:
        if index == 3:
            raise OSError(28, "No space left on device")
        return write(self, index, values)

    monkeypatch.setattr(frame_file, "write", full)
    with pytest.raises(RuntimeError, match="No space left on device"):
        bpy.ops.xpbd.simulate()
    assert cached(scene) == (1, 3)


def test_a_folder_that_cannot_be_written(scene: bpy.types.Scene, tmp_path: Path) -> None:
    obj = sheet()
    (tmp_path / "file").write_text("in the way")
    scene.xpbd.cache_directory = str(tmp_path / "file")
    with pytest.raises(RuntimeError, match="choose another cache folder"):
        bpy.ops.xpbd.simulate()
    play(scene, 3)
    assert "choose another cache folder" in addon.simulation.session.status(scene).error
    np.testing.assert_allclose(evaluated_positions(obj)[:, 2], 1.0)


def test_a_chosen_folder(scene: bpy.types.Scene, tmp_path: Path) -> None:
    obj = sheet()
    scene.xpbd.cache_directory = str(tmp_path / "frames")
    bpy.ops.xpbd.simulate()
    files = {path.name for path in (tmp_path / "frames").rglob("*.*")}
    own = obj.xpbd.cache_id
    assert files == {f"{own}.{kind}" for kind in ("pc2", "f32", "inputs", "checksums")} | {
        "cache.json",
        "cache.lock",
        "checkpoint-6.state",
    }
    bpy.ops.xpbd.clear_cache()
    assert not list((tmp_path / "frames").iterdir())


def test_clear_cache_shows_the_object_at_rest(scene: bpy.types.Scene) -> None:
    obj = sheet()
    play(scene, 4)
    assert bpy.ops.xpbd.clear_cache() == {"FINISHED"}
    assert cached(scene) == (None, None)
    assert "xp_pos" not in obj.data.attributes
    np.testing.assert_allclose(evaluated_positions(obj)[:, 2], 1.0)


def test_the_worker_thread_ends_with_the_job(scene: bpy.types.Scene) -> None:
    sheet()
    job = addon.simulation.job.Job(scene)
    for _step in range(4):
        job.poll()
    addon.simulation.job.stop()
    assert not [t for t in threading.enumerate() if t.name.startswith("xpbd solver")]
    assert not job.poll()


def test_several_cloths_in_one_simulation(scene: bpy.types.Scene) -> None:
    first, second = sheet("First"), sheet("Second", cuts=3)
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}
    assert len(addon.simulation.session.cached_positions(scene, first, 6)) == 36
    assert len(addon.simulation.session.cached_positions(scene, second, 6)) == 16


def test_what_was_read_ahead_gives_the_same_bytes(scene: bpy.types.Scene) -> None:
    """However many frames are read before they are simulated, and while playing."""
    obj = sheet()
    obj.keyframe_insert("location", frame=1)
    obj.location.x += 0.5
    obj.keyframe_insert("location", frame=6)
    found: list[list[np.ndarray]] = []
    for _ in range(2):
        with frame_by_frame() if found else contextlib.nullcontext():
            bpy.ops.xpbd.simulate()
        found.append([positions(scene, obj, frame) for frame in range(1, 7)])
        bpy.ops.xpbd.clear_cache()
    play(scene)
    found.append([positions(scene, obj, frame) for frame in range(1, 7)])
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def positions(scene: bpy.types.Scene, obj: bpy.types.Object, frame: int) -> np.ndarray:
    found: np.ndarray = addon.simulation.session.cached_positions(scene, obj, frame)
    return found


def test_what_follows_a_simulated_object_is_read_when_that_is_done(
    scene: bpy.types.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    leader = sheet("Leader")
    follower = sheet("Follower")
    follower.location.x = 9.0
    simulated: list[int] = []
    late: list[bool] = []
    live, scene_input = addon.simulation.live, addon.simulation.scene_input
    advance, read_frame = live.advance, scene_input.read_frame

    def watch_advance(simulation: object, targets: object) -> None:
        advance(simulation, targets)
        simulated.append(targets.frame)

    def watch_read(scene: object, depsgraph: object, start: object) -> object:
        targets = read_frame(scene, depsgraph, start)
        late.append(targets.frame > 2 and simulated[-1:] != [targets.frame - 1])
        return targets

    monkeypatch.setattr(live, "advance", watch_advance)
    monkeypatch.setattr(scene_input, "read_frame", watch_read)
    bpy.ops.xpbd.simulate()
    assert any(late), "frames are read ahead"
    late.clear()
    bpy.ops.xpbd.clear_cache()
    follower.parent = leader
    follower.parent_type = "VERTEX"
    bpy.ops.xpbd.simulate()
    assert simulated[-5:] == [2, 3, 4, 5, 6]
    assert not any(late)
