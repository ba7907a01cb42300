# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles the solver in a background thread, so that the first use does not freeze Blender."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import bpy

from ..errors import SceneError
from ..scene import paths
from ..settings import solvers
from ..settings.scene_settings import SceneSettings
from . import redraw

State = Literal["READY", "COMPILING", "FAILED"]
_START_AFTER = 0.5  # seconds: the window is there by then
_REDRAW_EVERY = 0.5

_lock = threading.Lock()
_thread: threading.Thread | None = None
_waiting: list[str] = []
_asked_for: dict[str, _Compilation] = {}


class _Compilation:
    """One solver's: since when, whether and after how long it is done, and why it failed."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.seconds = 0.0
        self.done = threading.Event()
        self.why = ""

    def finish(self) -> None:
        """Let those go on who wait for it; after the first time nobody does."""
        if not self.done.is_set():
            self.seconds = time.monotonic() - self.started
            self.done.set()


def state(solver: str = "XPBD") -> tuple[State, float, str]:
    """How far a solver is, the seconds it takes or took, and a sentence for the user."""
    known = _asked_for.get(solver)
    if known is None:
        return "COMPILING", 0.0, "The solver is compiled when it is first needed"
    if not known.done.is_set():
        seconds = time.monotonic() - known.started
        return "COMPILING", seconds, "Compiling the solver, once after installation"
    if known.why:
        return "FAILED", known.seconds, known.why
    return "READY", known.seconds, f"The solver was ready after {known.seconds:.1f} s"


def is_compiling() -> bool:
    """Whether a thread imports and compiles: another one that imports the same may block it."""
    return _thread is not None


def start(solver: str = "XPBD", *, again: bool = False) -> None:
    """Begin to compile a solver before all others, unless that was done.

    Args:
        again: also where it failed before.
    """
    global _thread
    with _lock:
        known = _asked_for.get(solver)
        if known is None or (again and known.why):
            _asked_for[solver] = _Compilation()
            _waiting.append(solver)
        if solver in _waiting:
            _waiting.remove(solver)
            _waiting.insert(0, solver)
        if _waiting and (_thread is None or not _thread.is_alive()):
            folder = paths.kernels_folder()
            _thread = threading.Thread(target=_compile, args=(folder,), name="xpbd warm-up")
            _thread.start()


def wait(solver: str = "XPBD") -> None:
    """Return when the solver is ready. Safe in any thread.

    Raises:
        SceneError: it can't be compiled on this computer.
    """
    start(solver)
    known = _asked_for[solver]
    known.done.wait()
    if known.why:
        raise SceneError(known.why)


def _compile(folder: Path) -> None:
    """Compile what waits, one solver after the other."""
    while (solver := _next()) is not None:
        known = _asked_for[solver]
        try:
            _compile_one(solver, folder)
            known.finish()
            _compile_one(solver, folder, soft=True)  # nobody else has to wait for that
        except ImportError as error:
            known.why = (
                f"A part of the extension is missing ({error}): install it again from its zip"
            )
        except OSError as error:
            known.why = (
                f"The folder of the compiled solver can't be written ({error}): make room there, "
                "then press Simulate"
            )
        except Exception as error:
            known.why = (
                f"The solver {solver} can't be compiled on this computer: {error}. "
                "Simulate tries again"
            )
        known.finish()


def _next() -> str | None:
    """The solver to compile next; None ends the thread, which then starts no more."""
    global _thread
    with _lock:
        if _waiting:
            return _waiting.pop(0)
        _thread = None
        return None


def _compile_one(solver: str, folder: Path, *, soft: bool = False) -> None:
    """What a solver needs for cloth and strands, or for soft bodies if it can simulate any."""
    from ...core import warm_up

    entry = solvers.entry_of(solver)
    if soft and "soft body" in entry.lacks:
        return
    folder.mkdir(parents=True, exist_ok=True)
    warm_up.use_cache(folder)
    options = _options_of_a_new_scene(entry) | dict(entry.fixed)
    volume = "volume" not in entry.lacks
    warm_up.warm_up(entry.factory, volume=volume, soft=soft, **options)


def _options_of_a_new_scene(entry: solvers.SolverEntry) -> dict[str, Any]:
    """What simulating passes on where no setting but the solver was changed."""
    properties = SceneSettings.bl_rna.properties
    settings = {key: each.default for key, each in properties.items() if hasattr(each, "default")}
    settings["solver"] = entry.identifier
    counts = entry.counts(settings["automatic"])
    return solvers.options_of(SimpleNamespace(**settings | dict(zip(solvers.COUNTS, counts))))


def _start_later() -> None:
    """All solvers, first the one that the scene uses."""
    chosen = bpy.context.scene.xpbd.solver
    for entry in reversed(solvers.SOLVERS):
        start(entry.identifier)
    start(chosen)
    if not bpy.app.timers.is_registered(_redraw_while_compiling):
        bpy.app.timers.register(_redraw_while_compiling)


def _redraw_while_compiling() -> float | None:
    compiling = is_compiling()
    redraw.physics(viewports=not compiling)
    return _REDRAW_EVERY if compiling else None


def register() -> None:
    """Compile soon; without a window, only when it is needed."""
    if not bpy.app.background:
        bpy.app.timers.register(_start_later, first_interval=_START_AFTER)


def unregister() -> None:
    """Stop watching; a compilation under way ends by itself."""
    for timer in (_start_later, _redraw_while_compiling):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)
