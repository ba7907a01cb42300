# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo of grabs. What they move is in the cache, where Blender's undo does not reach: each grab is
a step of it that changes a number of the scene, and what lowers that number takes the grab back.
"""

from __future__ import annotations

from typing import NamedTuple

import bpy

from ..errors import SceneError
from ..simulation import session
from ..simulation.by_hand import Drag

_MOST = 16


class _Step(NamedTuple):
    scene_uid: int
    number: int
    drag: Drag


_steps: list[_Step] = []


def note(scene: bpy.types.Scene, drag: Drag) -> None:
    """A hand has let go: a step that can be undone."""
    scene.xpbd.grabs += 1
    _steps.append(_Step(scene.session_uid, scene.xpbd.grabs, drag))
    del _steps[:-_MOST]
    bpy.ops.ed.undo_push(message="Grab")


def follow(scene: bpy.types.Scene) -> None:
    """After undo or redo: have taken back what is undone. What is redone stays taken back."""
    uid, left = scene.session_uid, scene.xpbd.grabs
    undone = [each for each in _steps if each.scene_uid == uid and each.number > left]
    for step in reversed(undone):
        _steps.remove(step)
        try:
            step.drag.cancel(scene)
        except SceneError as error:
            session.of(scene).error = str(error)
            return


def forget() -> None:
    """Another file is loaded."""
    _steps.clear()
