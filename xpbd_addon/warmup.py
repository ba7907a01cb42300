# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles the solver in a background thread, so that the first use does not freeze Blender."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Literal

import bpy

from . import paths
from .errors import SceneError

State = Literal["READY", "COMPILING", "FAILED"]
_START_AFTER = 0.5  # seconds: the window is there by then
_REDRAW_EVERY = 0.5

_lock = threading.Lock()
_thread: threading.Thread | None = None
_state: State = "COMPILING"
_seconds = 0.0
_started = 0.0
_message = "The solver is compiled when it is first needed"


def state() -> tuple[State, float, str]:
    """How far it is, the seconds it takes or took, and a sentence for the user."""
    running = _state == "COMPILING" and _thread is not None
    return _state, time.monotonic() - _started if running else _seconds, _message


def start() -> None:
    """Begin to compile, unless that was done."""
    global _thread, _started, _state, _message
    with _lock:
        if _thread is not None:
            return
        _started, _state = time.monotonic(), "COMPILING"
        _message = "Compiling the solver, once after installation"
        folder = paths.user_folder("kernels")
        _thread = threading.Thread(target=_compile, args=(folder,), name="xpbd warm-up")
        _thread.start()


def wait() -> None:
    """Return when the solver is ready. Safe in any thread once start() was called.

    Raises:
        SceneError: it can't be compiled on this computer.
    """
    start()
    thread = _thread
    if thread is not None:
        thread.join()
    if _state == "FAILED":
        raise SceneError(_message)


def _compile(folder: Path) -> None:
    global _state, _seconds, _message
    from ..core import kernels

    try:
        folder.mkdir(parents=True, exist_ok=True)
        kernels.use_cache(folder)
        kernels.warm_up()
    except ImportError as error:
        _fail(f"A part of the extension is missing ({error}): install it again from its zip")
        return
    except OSError as error:
        _fail(f"The folder of the compiled solver can't be written ({error}): make room there")
        return
    except Exception as error:
        _fail(f"The solver can't be compiled on this computer: {error}")
        return
    _seconds = time.monotonic() - _started
    _message = f"The solver was ready after {_seconds:.1f} s"
    _state = "READY"


def _fail(message: str) -> None:
    global _state, _seconds, _message
    _seconds, _message, _state = time.monotonic() - _started, message, "FAILED"


def redraw_physics() -> None:
    """Draw the physics panels again."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "PROPERTIES":
                area.tag_redraw()


def _start_later() -> None:
    start()
    if not bpy.app.timers.is_registered(_redraw_while_compiling):
        bpy.app.timers.register(_redraw_while_compiling)


def _redraw_while_compiling() -> float | None:
    redraw_physics()
    return _REDRAW_EVERY if _state == "COMPILING" else None


def register() -> None:
    """Compile soon; without a window, only when it is needed."""
    if not bpy.app.background:
        bpy.app.timers.register(_start_later, first_interval=_START_AFTER)


def unregister() -> None:
    """Stop watching; a compilation under way ends by itself."""
    for timer in (_start_later, _redraw_while_compiling):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)
