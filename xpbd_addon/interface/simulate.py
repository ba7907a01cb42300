# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that fill and empty the cache; the work is in `job` and `session`."""

from __future__ import annotations

import time

import bpy

from .. import log
from ..errors import shown_to_user
from ..show import display
from ..simulation import job, session
from .modal_job import RunsJob


class _Simulating(RunsJob):
    """What operators that fill the cache have in common."""

    def kept_until(self, _scene: bpy.types.Scene) -> int | None:
        """Up to which frame those that are cached are kept, whatever has changed."""
        return None

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        """Block until all frames are done."""
        printed = _PrintedProgress() if bpy.app.background else None
        kept_until = self.kept_until(context.scene)
        done = job.run_blocking(context.scene, progress=printed, kept_until=kept_until)
        self.tell(context.scene, f"{done} frames are in the cache")
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Simulate beside the user's work."""
        if bpy.app.background:
            return self.execute(context)
        return self.start(context, self.kept_until(context.scene))

    def ended(self, running: job.Job) -> set[str]:
        self.tell(running.scene(), outcome_text(running))
        return {"FINISHED"}


class XPBD_OT_simulate(_Simulating, bpy.types.Operator):
    """Fills the cache."""

    bl_idname = "xpbd.simulate"
    bl_label = "Simulate"
    bl_options = {"REGISTER"}
    bl_description = (
        "Simulate what the cache lacks of the range: objects that are new, outdated or not "
        "finished. Esc stops and keeps the frames done, and Simulate goes on from there, also "
        "after the file was opened again"
    )


class XPBD_OT_simulate_from(_Simulating, bpy.types.Operator):
    """Fills the cache anew from a frame on."""

    bl_idname = "xpbd.simulate_from"
    bl_label = "Simulate from Here"
    bl_options = {"REGISTER"}
    bl_description = (
        "Keep the cached frames up to the current one, or up to the last checkpoint before it, "
        "and simulate those after it with everything as it is now"
    )

    def kept_until(self, scene: bpy.types.Scene) -> int | None:
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


def outcome_text(running: job.Job) -> str:
    """What came of it, when it has ended."""
    if running.is_cancelled and not running.has_begun:
        return "Stopped before the first frame: the cache is as it was"
    if running.was_complete:
        return "All frames are in the cache already"
    stopped = "Stopped: " if running.is_cancelled else ""
    return f"{stopped}{running.frames_done} frames are in the cache"


CLASSES = (XPBD_OT_simulate, XPBD_OT_simulate_from, XPBD_OT_clear_cache)


register, unregister = bpy.utils.register_classes_factory(CLASSES)
