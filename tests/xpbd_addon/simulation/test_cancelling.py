# SPDX-License-Identifier: GPL-3.0-or-later
"""*Simulate* that is cancelled, or undone, while it runs."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from blender_scenes import sheet
from playing import addon, cached, frame_by_frame


def test_cancel_keeps_frames_and_a_later_run_continues(scene: bpy.types.Scene) -> None:
    obj = sheet()
    addon.simulation.job.run_blocking(scene)
    straight = addon.simulation.session.cached_positions(scene, obj, 6)
    addon.simulation.session.clear(scene)
    job = addon.simulation.job.Job(scene)
    assert addon.simulation.job.current() is job
    with frame_by_frame():
        while job.poll():
            if job.frames_done == 3:
                job.cancel()
    assert addon.simulation.job.current() is None
    assert cached(scene) in ((1, 3), (1, 4)), "a frame in work is kept too"
    job = addon.simulation.job.Job(scene)
    job.poll()
    assert "Comparing" in job.message
    while job.poll() and not job.frames_done:
        pass
    assert job.frames_done >= 3
    while job.poll():
        assert 0.0 < job.factor <= 1.0
    np.testing.assert_array_equal(
        addon.simulation.session.cached_positions(scene, obj, 6), straight
    )


def test_cancelling_while_it_is_prepared_keeps_the_frames_of_before(
    scene: bpy.types.Scene,
) -> None:
    obj = sheet()
    addon.simulation.job.run_blocking(scene)
    before = addon.simulation.session.cached_positions(scene, obj, 6)
    obj.xpbd.density = 2.0 * obj.xpbd.density
    job = addon.simulation.job.Job(scene)
    while job.message != "Preparing the simulation":
        assert job.poll()
    job.cancel()
    told = addon.interface.modal_job.progress_text(job)
    assert "Stopping, after this: Preparing the simulation" in told
    assert "Esc" not in told
    assert not job.poll()
    outcome = addon.interface.simulate.outcome_text(job)
    assert outcome == "Stopped before the first frame: the cache is as it was"
    assert job.frames_done == 6
    assert cached(scene) == (1, 6)
    np.testing.assert_array_equal(addon.simulation.session.cached_positions(scene, obj, 6), before)


def test_undoing_meanwhile_does_not_stop_it_and_brings_frames_back_when_that_has_stopped(
    scene: bpy.types.Scene,
) -> None:
    obj = sheet()
    scene.xpbd.frame_end = 100
    addon.simulation.job.run_blocking(scene)
    before = addon.simulation.session.cached_positions(scene, obj, 6)
    density = obj.xpbd.density
    obj.xpbd.density = 2.0 * density
    job = addon.simulation.job.Job(scene)
    while job.frames_done < 3 or job.was_complete:
        assert job.poll()
    obj.xpbd.density = density  # as undo leaves it
    addon.handlers.after_undo(scene)
    done = job.frames_done
    while job.frames_done == done:
        assert job.poll()
    job.cancel()
    while job.poll():
        pass
    np.testing.assert_array_equal(addon.simulation.session.cached_positions(scene, obj, 6), before)
    assert addon.simulation.session.status(scene, exact=True).is_whole(1, 100)


def test_what_is_shown_meanwhile_is_of_one_frame(scene: bpy.types.Scene) -> None:
    sheet()
    scene.frame_end = scene.xpbd.frame_end = 400
    job = addon.simulation.job.Job(scene)
    for far in (400, 1):  # as reading ahead leaves it, and long ago
        done = job.frames_done
        while job.frames_done <= done + 1:
            assert job.poll()
        scene.frame_set(far)
        before = job.frames_done
        job.show_done()
        assert before <= scene.frame_current <= job.frames_done + 1
    job.cancel()
    while job.poll():
        pass
    assert scene.frame_current == 1


def test_cancelling_does_not_wait_for_all_objects_to_be_prepared(
    scene: bpy.types.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        sheet(f"Sheet {number}")
    job, added = addon.simulation.job.Job(scene), []
    add = addon.simulation.modelling._add

    def add_and_cancel(model: object, body: object, inputs: object) -> object:
        added.append(body)
        if len(added) == 2:
            job.cancel()
        return add(model, body, inputs)

    monkeypatch.setattr(addon.simulation.modelling, "_add", add_and_cancel)
    while job.poll():
        pass
    assert len(added) == 2
    assert addon.simulation.job.current() is None
    assert addon.simulation.session.of(scene).error == ""
    assert cached(scene) == (None, None)
