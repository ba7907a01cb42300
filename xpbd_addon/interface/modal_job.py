# SPDX-License-Identifier: GPL-3.0-or-later
"""A long simulation that an operator runs beside the user's work: a timer polls it, Esc ends it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import bpy

from ..errors import SceneError
from ..simulation import job, redraw, session
from . import progress

_TICK = 0.02  # seconds between two looks at the worker
_SHORTEST_LOOK, _LONGEST_LOOK = 0.03, 0.35  # seconds, so that Blender stays responsive
_SHOW_EVERY = 0.25  # seconds, or so many times what drawing takes
_DRAWINGS = 6.0
_FORGET = 0.98  # of what drawing took, from one look to the next


class RunsJob(bpy.types.Operator if TYPE_CHECKING else object):
    """An operator that runs a job without stopping the user's work."""

    _job: job.Job
    _left = _shown = 0.0
    _frame_shown = 0
    _drawing = _LONGEST_LOOK  # seconds that Blender lately took to draw, before it is known

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return job.poll_idle(cls)

    def start(self, context: bpy.types.Context, kept_until: int | None = None) -> set[str]:
        """Begin to simulate, up to a frame with what is cached; what ``invoke`` has to return."""
        try:
            self._job = job.Job(context.scene, kept_until)
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
        return self.ended(running)

    def ended(self, running: job.Job) -> set[str]:
        """What becomes of the operator when the job has ended, to its end or stopped; the window
        may show another scene by now.
        """
        raise NotImplementedError

    def tell(self, scene: bpy.types.Scene, text: str) -> None:
        """Tell the user what was done, and last, so that it stays on the screen, what was not."""
        self.report({"INFO"}, text)
        for sentence in session.left_out(scene):
            self.report({"WARNING"}, f"Left out: {sentence}")

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender takes the operator away: another file is loaded, or it closes."""
        self._job.close(restore_frame=False)

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
        """Have Blender draw how far it is when it draws anyway, or has not drawn for a while."""
        due = self._shown + max(_SHOW_EVERY, _DRAWINGS * self._drawing)
        if time.monotonic() > due or running.frame_read != self._frame_shown:
            running.show_done()
            _show_progress(context, running)
            self._shown, self._frame_shown = time.monotonic(), running.frame_read


def progress_text(running: job.Job) -> str:
    """One line for the status bar."""
    doing = f" ({running.message})" if running.message else ""
    way_out = "" if running.is_cancelled else "    Esc: stop and keep these frames"
    return f"XPBD: {progress.text(running)}{doing}{way_out}"


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
