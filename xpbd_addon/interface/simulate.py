# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that fill and empty the cache; the work is in `job` and `session`."""

from __future__ import annotations

import time

import bpy

from .. import log
from ..errors import SceneError, shown_to_user
from ..show import display
from ..simulation import job, redraw, session
from . import progress

_TICK = 0.02  # seconds between two looks at the worker
_SHORTEST_LOOK, _LONGEST_LOOK = 0.03, 0.35  # seconds, so that Blender stays responsive
_SHOW_EVERY = 0.25  # seconds, or so many times what drawing takes
_DRAWINGS = 6.0
_FORGET = 0.98  # of what drawing took, from one look to the next


class _Simulating(bpy.types.Operator):
    """Runs a job without stopping the user's work."""

    bl_options = {"REGISTER"}

    _job: job.Job
    _left = _shown = 0.0
    _frame_shown = 0
    _drawing = _LONGEST_LOOK  # seconds that Blender lately took to draw, before it is known

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return job.poll_idle(cls)

    def _kept_until(self, _scene: bpy.types.Scene) -> int | None:
        """Up to which frame those that are cached are kept, whatever has changed."""
        return None

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        """Block until all frames are done."""
        printed = _PrintedProgress() if bpy.app.background else None
        kept_until = self._kept_until(context.scene)
        done = job.run_blocking(context.scene, progress=printed, kept_until=kept_until)
        self._report(context.scene, f"{done} frames are in the cache")
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Simulate beside the user's work."""
        if bpy.app.background:
            return self.execute(context)
        try:
            self._job = job.Job(context.scene, self._kept_until(context.scene))
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        manager = context.window_manager
        timer = manager.event_timer_add(_TICK, window=context.window)
        manager.progress_begin(0.0, 1.0)
        manager.modal_handler_add(self)
        self._job.on_close.append(lambda: _end_progress(timer))
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        running = self._job
        if job.current() is not running:
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            running.cancel()
            return {"RUNNING_MODAL"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        try:
            more = self._poll_for_a_moment(running)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if more:
            self._show(context, running)
            return {"PASS_THROUGH"}
        self._report(context.scene, outcome_text(running))
        return {"FINISHED"}

    def _poll_for_a_moment(self, running: job.Job) -> bool:
        """Let the job go on until it can do without the main thread while Blender draws.

        But not much longer than drawing takes, so that Blender stays responsive.
        """
        now = time.monotonic()
        if self._left:
            self._drawing = max(now - self._left, _FORGET * self._drawing)
        until = now + min(max(_SHORTEST_LOOK, 2.0 * self._drawing), _LONGEST_LOOK)
        more = running.poll(0.0)
        while more and not running.can_do_without(self._drawing):
            if (left := until - time.monotonic()) <= 0.0:
                break
            more = running.poll(min(left, _SHORTEST_LOOK))
        self._left = time.monotonic()
        return more

    def _show(self, context: bpy.types.Context, running: job.Job) -> None:
        """Have the progress drawn when Blender draws anyway, or has not drawn for a while."""
        due = self._shown + max(_SHOW_EVERY, _DRAWINGS * self._drawing)
        if time.monotonic() > due or running.frame_read != self._frame_shown:
            _show_progress(context, running)
            self._shown, self._frame_shown = time.monotonic(), running.frame_read

    def _report(self, scene: bpy.types.Scene, text: str) -> None:
        """Tell the user what was done, and last, so that it stays on the screen, what was not."""
        self.report({"INFO"}, text)
        for sentence in session.left_out(scene):
            self.report({"WARNING"}, f"Left out: {sentence}")

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender takes the operator away: another file is loaded, or it closes."""
        self._job.close(restore_frame=False)


class XPBD_OT_simulate(_Simulating):
    """Fills the cache."""

    bl_idname = "xpbd.simulate"
    bl_label = "Simulate"
    bl_description = (
        "Simulate what the cache lacks of the range: objects that are new, outdated or not "
        "finished. Esc stops and keeps the frames done, and Simulate goes on from there, also "
        "after the file was opened again"
    )


class XPBD_OT_simulate_from(_Simulating):
    """Fills the cache anew from a frame on."""

    bl_idname = "xpbd.simulate_from"
    bl_label = "Simulate from Here"
    bl_description = (
        "Keep the cached frames up to the current one, or up to the last checkpoint before it, "
        "and simulate those after it with everything as it is now"
    )

    def _kept_until(self, scene: bpy.types.Scene) -> int | None:
        return scene.frame_current


class XPBD_OT_clear_cache(bpy.types.Operator):
    """Delete the cached frames of the scene's simulation"""

    bl_idname = "xpbd.clear_cache"
    bl_label = "Clear Cache"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return job.poll_idle(cls)

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        session.clear(context.scene)
        display.show(context.scene)
        return {"FINISHED"}


class _PrintedProgress:
    """Prints a line at most once a second, and one at the end."""

    def __init__(self) -> None:
        self._next = 0.0
        self._last = 0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done != self._last and (now >= self._next or done == total):
            log.say(f"{done} of {total} frames simulated")
            self._next, self._last = now + 1.0, done


def progress_text(running: job.Job) -> str:
    """One line for the status bar."""
    doing = f" ({running.message})" if running.message else ""
    way_out = "" if running.is_cancelled else "    Esc: stop and keep these frames"
    return f"XPBD: {progress.text(running)}{doing}{way_out}"


def outcome_text(running: job.Job) -> str:
    """What came of it, when it has ended."""
    if running.is_cancelled and not running.has_begun:
        return "Stopped before the first frame: the cache is as it was"
    if running.was_complete:
        return "All frames are in the cache already"
    stopped = "Stopped: " if running.is_cancelled else ""
    return f"{stopped}{running.frames_done} frames are in the cache"


def _show_progress(context: bpy.types.Context, running: job.Job) -> None:
    context.window_manager.progress_update(running.factor)
    for window in context.window_manager.windows:
        window.workspace.status_text_set(progress_text(running))
    redraw.physics()


def _end_progress(timer: bpy.types.Timer) -> None:
    manager = bpy.context.window_manager
    manager.event_timer_remove(timer)
    manager.progress_end()
    for window in manager.windows:
        window.workspace.status_text_set(None)
    redraw.physics(viewports=True)


CLASSES = (XPBD_OT_simulate, XPBD_OT_simulate_from, XPBD_OT_clear_cache)


register, unregister = bpy.utils.register_classes_factory(CLASSES)
