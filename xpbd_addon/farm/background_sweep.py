# SPDX-License-Identifier: GPL-3.0-or-later
"""The sweep that runs beside the user's work, looked at by a timer, and the table of the last one.

It simulates a copy of the file, so that the user may go on editing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import bpy

from ...core.frame_cache import plain_file
from ..errors import SceneError
from ..simulation import redraw
from . import pictures, record
from .record import Table
from .sweep import Plan, Sweep

_TICK = 0.25  # seconds between two looks at the Blenders, which may wait for what is next

OnEnd = Callable[[str, bool], None]

_current: Sweep | None = None
_on_end: OnEnd | None = None
_known: tuple[Path, object, Table | None] | None = None


def folder(scene: bpy.types.Scene) -> Path:
    """The folder of the scene's sweeps. Raises SceneError where there is none."""
    chosen: str = scene.xpbd.sweep.folder
    if chosen.startswith("//") and not bpy.data.filepath:
        raise SceneError(
            f"The sweep folder '{chosen}' lies beside the .blend file: save the file first, or "
            "choose a folder that does not begin with //"
        )
    found = Path(os.path.expanduser(bpy.path.abspath(chosen)))
    if not chosen or not found.is_absolute():
        raise SceneError(f"The sweep folder '{chosen}' is no whole path: choose a folder")
    return found


def save_copy(plan: Plan) -> None:
    """Save what is open now as the shot of a plan, in its folder. Raises SceneError."""
    record.prepare(plan.output, [])
    if not (plan.output / record.TABLE).exists():  # the folder is a sweep's from now on
        record.write_table(plan.output, Table(plan.frames, [], []))
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(plan.shot), copy=True)
    except RuntimeError as error:
        raise SceneError(f"'{plan.shot}' can't be saved: {error}") from error


def start(plan: Plan, processes: int, on_end: OnEnd) -> None:
    """Begin a sweep and return.

    Args:
        on_end: told in a sentence how it ended, and whether well, unless it was stopped.

    Raises:
        SceneError: one runs already, or it can't begin.
    """
    global _current, _on_end
    if _current is not None:
        raise SceneError("A sweep is running: wait for it or cancel it")
    _current, _on_end = Sweep(plan, processes), on_end
    bpy.app.timers.register(look, first_interval=0.0)


def current() -> Sweep | None:
    """The sweep that runs."""
    return _current


def stop() -> None:
    """End it; what is simulated is kept, and found again by the next."""
    global _current
    if _current is not None:
        _current.close()
        _current = None
    if bpy.app.timers.is_registered(look):
        bpy.app.timers.unregister(look)


def table(output: Path) -> Table | None:
    """The table of the sweep in a folder; None without one. Read again when it has changed."""
    global _known
    try:
        seen = plain_file.seen(output / record.TABLE)
    except OSError:
        seen = None
    if seen is None:
        return None
    if _known is None or _known[:2] != (output, seen):
        try:
            _known = (output, seen, record.read_table(output))
        except SceneError:
            _known = (output, seen, None)
    return _known[2]


def look() -> float | None:
    """See how far it is. Returns the seconds until the next look, None where nothing runs."""
    global _current
    sweep, on_end = _current, _on_end
    if sweep is None or on_end is None:
        return None
    try:
        sweep.poll()
        if sweep.is_running:
            redraw.physics()
            return _TICK
        said, is_well = _conclude(sweep)
    except SceneError as error:
        said, is_well = str(error), False
    redraw.physics()
    sweep.close()
    _current = None
    on_end(said, is_well)
    return None


def _conclude(sweep: Sweep) -> tuple[str, bool]:
    found = sweep.plan.table()
    if sweep.plan.stills:
        pictures.write_contact_sheet(sweep.plan.output, found)
    failed = sum(result is None or bool(result.error) for result in found.results)
    rest = f", {failed} of them could not be simulated" if failed else ""
    done = f"The sweep of {len(found.results)} variations is done{rest}: see Sweep in the panel"
    return done, failed == 0


def register() -> None:
    """Nothing runs at first."""


def unregister() -> None:
    """Leave nothing running."""
    stop()
