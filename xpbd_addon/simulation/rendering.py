# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders: frames that follow one another are simulated; of others it is told that they were not.

In a render Blender calls from a thread of its own, once for each view layer, with the dependency
graph of the render. An export evaluates its frames likewise, or as viewports do. Nothing is read
from anything else, and nothing is written but the cache.
"""

from __future__ import annotations

from itertools import groupby

import bpy

from .. import log
from ..errors import SceneError
from ..scene import arriving, ids, stack, visible
from . import playing, session

NOT_SIMULATED = "not simulated"
AFTER_THE_END = "after the end of the simulation"
OTHER_VERTICES = (
    "with other vertices than in viewports (give modifiers before XPBD the same settings in both)"
)
HALF_BLURRED = "without the second half of its motion blur"

_lacking: dict[tuple[int, str, str], set[int]] = {}
_told: set[str] = set()
_made: set[int] = set()


def begin() -> None:
    """A render starts."""
    _lacking.clear()
    _told.clear()
    _made.clear()


def advance(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Simulate the frame that is rendered if it is the next one."""
    if scene.frame_current == scene.xpbd.frame_start:
        playing.prepare_render(scene, depsgraph)
        return
    before = session.of(scene).frames()
    playing.play(scene, depsgraph)
    if session.of(scene).frames() != before:
        _made.add(scene.frame_current)


def is_export(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether an exporter evaluates a frame, be it as in viewports: by a graph of its own."""
    return all(layer.depsgraph != depsgraph for layer in scene.view_layers)


def note(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Remember, and say in the log, which objects are rendered as they should not be, and why."""
    frame = scene.frame_current
    found = _wrong(scene, depsgraph, frame)
    for obj, reason in found.items():
        _lacking.setdefault((obj.session_uid, obj.name, reason), set()).add(frame)
    if found:
        objects = ", ".join(f"'{obj.name}' ({reason})" for obj, reason in found.items())
        _say(f"Warning: frame {frame} is rendered or exported with {objects}")
    if error := session.of(scene).error:
        _say(f"Warning: {error}")


def summary(scene: bpy.types.Scene | None = None) -> str:
    """Which frames of which objects the last render or export shows as they should not be.

    Empty where there are none.

    Args:
        scene: tell only of objects that still are in it and would be rendered like that again.
    """
    parts = [
        f"'{name}' {reason} on {_ranges(sorted(frames))}"
        for (uid, name, reason), frames in _lacking.items()
        if scene is None or _is_still(scene, uid, reason, max(frames))
    ]
    if not parts:
        return ""
    told = "; ".join(parts)
    return f"The last render or export shows {told}: press Simulate, and render or export again"


def _is_still(scene: bpy.types.Scene, uid: int, reason: str, last_frame: int) -> bool:
    known = session.status(scene).objects.get(uid)
    if known is None or reason == HALF_BLURRED:
        return False
    if reason == OTHER_VERTICES:
        return True
    if reason == AFTER_THE_END:
        return bool(scene.xpbd.frame_end < last_frame)
    if reason == NOT_SIMULATED:
        return known.last is None or known.last < min(last_frame, scene.xpbd.frame_end)
    return bool(known.reason)


def _say(text: str) -> None:
    """Once in a render, however many view layers it has."""
    if text not in _told:
        _told.add(text)
        log.say(text)


def _wrong(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, frame: int
) -> dict[bpy.types.Object, str]:
    """Objects that are not as they should be on a frame, with a reason."""
    if frame <= scene.xpbd.frame_start:
        return {}  # in the shape in which they start
    outdated = session.of(scene).outdated(session.look(scene, depsgraph))
    reasons = {each: why.reason for each, why in outdated.items() if frame >= why.frame}
    objects = (
        each for each in session.simulated_objects(scene) if visible.is_shown(each, depsgraph)
    )
    found = {obj: _reason(scene, obj, frame, reasons.get(ids.own(obj), "")) for obj in objects}
    found |= {obj: OTHER_VERTICES for obj in found if not _fits(scene, obj, frame, depsgraph)}
    return {obj: reason for obj, reason in found.items() if reason}


def _fits(
    scene: bpy.types.Scene, obj: bpy.types.Object, frame: int, depsgraph: bpy.types.Depsgraph
) -> bool:
    """Whether modifiers before ours make as many vertices in the render as were simulated."""
    shown = session.shown_positions(scene, obj, frame)
    if shown is None or not stack.is_made(obj):
        return True
    try:
        return len(arriving.vertices(obj, depsgraph)[1]) == len(shown)
    except SceneError:  # they can't be told, and so can't be shown
        return False


def _reason(scene: bpy.types.Scene, obj: bpy.types.Object, frame: int, outdated: str) -> str:
    known = session.of(scene)
    last = known.cache.last_frame_of(ids.own(obj)) if known.cache else None
    if last is None or last < min(frame, scene.xpbd.frame_end):
        return NOT_SIMULATED
    if outdated:
        return f"outdated: {outdated}"
    if last < frame:
        return AFTER_THE_END
    return HALF_BLURRED if frame in _made and scene.render.use_motion_blur else ""


def _ranges(frames: list[int]) -> str:
    """'frames 1–3, 7': what follows one another together."""
    runs = []
    for _, run in groupby(enumerate(frames), lambda each: each[1] - each[0]):
        numbers = [frame for _, frame in run]
        runs.append(f"{numbers[0]}–{numbers[-1]}" if len(numbers) > 1 else f"{numbers[0]}")
    return f"frame{'s' if len(frames) > 1 else ''} {', '.join(runs)}"
