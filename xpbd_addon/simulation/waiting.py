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

_waiting: bpy.types.Scene | None = None


def may_simulate(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, session: Session) -> bool:
    """Whether the solver is ready. Without a window, and in renders, that is waited for.

    Where that was in vain, the session's error says why.
    """
    wanted = session.start_of(depsgraph) is not None
    waits = bpy.app.background or depsgraph.mode == "RENDER"
    if waits and (wanted or session.live is not None):
        return _waited(scene, session)
    state = warmup.state(scene.xpbd.solver)[0]
    if state == "COMPILING":
        warmup.start(scene.xpbd.solver)
        if wanted:
            _wait_for(scene)
    return state == "READY"


def is_waited_for(scene: bpy.types.Scene) -> bool:
    """Whether the scene plays and will be simulated when the solver is ready."""
    return _waiting == scene


def _waited(scene: bpy.types.Scene, session: Session) -> bool:
    try:
        warmup.wait(scene.xpbd.solver)
    except SceneError as error:
        session.error = str(error)
        return False
    return True


def _wait_for(scene: bpy.types.Scene) -> None:
    global _waiting
    _waiting = scene
    if not bpy.app.timers.is_registered(_look):
        bpy.app.timers.register(_look, first_interval=_LOOK_EVERY)


def _look() -> float | None:
    """Begin where the solver is ready, and give up where nobody waits for it any more."""
    global _waiting
    if _waiting is None:
        return None
    scene = _waiting
    try:
        state = warmup.state(scene.xpbd.solver)[0]
        playing = plays(scene)
        if state == "COMPILING" and playing:
            return _LOOK_EVERY
        _waiting = None
        if state == "READY" and playing:
            scene.frame_set(scene.xpbd.frame_start)
    except ReferenceError:  # the scene is gone
        _waiting = None
    return None


def plays(scene: bpy.types.Scene) -> bool:
    """Whether a window plays the scene."""
    windows = bpy.context.window_manager.windows
    return any(each.screen.is_animation_playing for each in windows if each.scene == scene)


def stop() -> None:
    """Nobody waits any more."""
    global _waiting
    _waiting = None
    if bpy.app.timers.is_registered(_look):
        bpy.app.timers.unregister(_look)
