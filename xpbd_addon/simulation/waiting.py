# SPDX-License-Identifier: GPL-3.0-or-later
"""Playing that comes before the solver is compiled: it begins by itself when that is done.

Blender stays usable and plays on meanwhile, without simulating. When the solver is ready, and it
still plays, the timeline goes back to the first frame, from where it is simulated.
"""

from __future__ import annotations

import bpy

from ..errors import SceneError
from . import warmup
from .scene_session import Session

_LOOK_EVERY = 0.2  # seconds
_MESSAGE = "The solver is being compiled: simulating starts by itself when that is done"

_waiting: tuple[bpy.types.Scene, Session] | None = None


def may_simulate(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, session: Session) -> bool:
    """Whether the solver is ready. Without a window, and in renders, that is waited for.

    Where it is not, the session's error says why, if playing would have simulated.
    """
    wanted = session.start is not None
    waits = bpy.app.background or depsgraph.mode == "RENDER"
    if waits and (wanted or session.live is not None):
        return _waited(scene, session)
    state, _seconds, message = warmup.state(scene.xpbd.solver)
    if state == "COMPILING":
        warmup.start(scene.xpbd.solver)
        if wanted:
            session.error = _MESSAGE
            _wait_for(scene, session)
    elif state == "FAILED" and wanted:
        session.error = message
    return state == "READY"


def _waited(scene: bpy.types.Scene, session: Session) -> bool:
    try:
        warmup.wait(scene.xpbd.solver)
    except SceneError as error:
        session.error = str(error)
        return False
    return True


def _wait_for(scene: bpy.types.Scene, session: Session) -> None:
    global _waiting
    _waiting = scene, session
    if not bpy.app.timers.is_registered(_look):
        bpy.app.timers.register(_look, first_interval=_LOOK_EVERY)


def _look() -> float | None:
    """Begin where the solver is ready, and give up where nobody waits for it any more."""
    global _waiting
    if _waiting is None:
        return None
    scene, session = _waiting
    try:
        state, _seconds, message = warmup.state(scene.xpbd.solver)
        playing = _plays(scene)
        if state == "COMPILING" and playing:
            return _LOOK_EVERY
        _waiting = None
        if session.error == _MESSAGE:
            session.error = message if state == "FAILED" else ""
        if state == "READY" and playing:
            scene.frame_set(scene.xpbd.frame_start)
    except ReferenceError:  # the scene is gone
        _waiting = None
    return None


def _plays(scene: bpy.types.Scene) -> bool:
    """Whether a window plays the scene."""
    windows = bpy.context.window_manager.windows
    return any(each.screen.is_animation_playing for each in windows if each.scene == scene)


def stop() -> None:
    """Nobody waits any more."""
    global _waiting
    _waiting = None
    if bpy.app.timers.is_registered(_look):
        bpy.app.timers.unregister(_look)
