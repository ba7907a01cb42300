# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender's main thread has to do for another one.

A render in the window calls handlers from a thread of its own, while the main thread evaluates and
draws what is in viewports. Blender's data is written, and operators are called, by the main thread
only. Its timers are none of another thread's business either: one that looks is always there.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

import bpy

_OFTEN, _SELDOM = 0.02, 0.25  # seconds between two looks, while something renders and else
_PATIENCE = 2.0  # seconds until the main thread is taken to wait for the one that asks

_waiting: deque[tuple[Callable[[], None], Future[None]]] = deque()


def later(action: Callable[[], None]) -> Future[None]:
    """Have the main thread do something soon."""
    done: Future[None] = Future()
    _waiting.append((action, done))
    return done


def do(action: Callable[[], None]) -> None:
    """Have the main thread do something, and return when it is done.

    Where the interface is locked, or that thread does not look for long, as while it waits for the
    render to stop, nothing is drawn: then it is done here.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if bpy.app.background or is_main or bpy.context.window_manager.is_interface_locked:
        action()
        return
    done = later(action)
    try:
        done.result(_PATIENCE)
    except TimeoutError:
        if done.cancel():
            action()
        else:
            done.result()


def look() -> float:
    """Do what waits. Returns the seconds until the next look."""
    while _waiting:
        action, done = _waiting.popleft()
        if not done.set_running_or_notify_cancel():
            continue
        try:
            action()
        except Exception as error:
            done.set_exception(error)
        else:
            done.set_result(None)
    return _OFTEN if bpy.app.is_job_running("RENDER") else _SELDOM


def register() -> None:
    """Look from now on, where there is a window."""
    if not bpy.app.background:
        bpy.app.timers.register(look, persistent=True)


def unregister() -> None:
    """Look no more."""
    if bpy.app.timers.is_registered(look):
        bpy.app.timers.unregister(look)
    _waiting.clear()
