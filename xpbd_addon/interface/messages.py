# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user is told of a simulation, in the panel and in the viewport, most important first.

Everything is asked anew whenever it is drawn, so that a message goes with its cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

import bpy

from ..bake import bake_record, gone
from ..errors import SceneError
from ..scene import stack
from ..simulation import by_hand, job, rendering, session, validity, waiting, warmup
from ..simulation.status import CacheStatus, ObjectStatus
from . import hints

Level = Literal["STATE", "WAIT", "INFO", "WARNING"]
SHOWN = {"WAIT", "WARNING"}
"""Levels of what is shown in the viewport, too."""

OUTDATED = "Outdated"
_MOST_NAMED = 4
_NO_NEWS = {"", validity.BY_HAND}
"""Why frames are outdated that whoever did it knows about, or are not."""


class Message(NamedTuple):
    """A sentence, and how much it matters: only what is more than a state is a message."""

    text: str
    level: Level


def state(scene: bpy.types.Scene, obj: bpy.types.Object) -> Message:
    """The one line that always stands there: what is cached of an object, or why nothing can be."""
    solver, seconds, why = warmup.state(scene.xpbd.solver)
    if solver == "FAILED":
        return Message(why, "WARNING")
    if solver == "COMPILING" and seconds > 0.0:
        then = ", then it simulates by itself" if waiting.is_waited_for(scene) else ""
        return Message(f"Compiling the solver once ({seconds:.0f} s){then}", "WAIT")
    if (running := job.current()) is not None:
        first, last = session.of(scene).frames()
        held = cache_text(CacheStatus(first, last, outdated=False, reason=""))
        return Message(running.message or held, "STATE")
    if bake_record.exists(obj):
        return _baked(obj)
    status = session.status(scene)
    known = status.objects.get(obj.session_uid)
    if known is not None and known.left_out:
        return Message(known.left_out, "WARNING")
    warn = known is not None and known.last is not None and known.reason not in _NO_NEWS
    return Message(cache_text(status, obj), "WARNING" if warn else "STATE")


def _baked(obj: bpy.types.Object) -> Message:
    try:
        record = bake_record.read(obj)
    except SceneError as error:
        return Message(str(error), "WARNING")
    if lost := gone.what_is_gone(obj, record):
        return Message(lost, "WARNING")
    frames = f"{record.frame_start}–{record.frame_end}"
    return Message(f"Frames {frames} baked: to change it, Delete Bake", "STATE")


def of_bakes(scene: bpy.types.Scene) -> list[Message]:
    """What is baked, of each object that has a bake."""
    found = [(obj.name, _baked(obj)) for obj in scene.objects if bake_record.exists(obj)]
    return [Message(f"'{name}': {told.text}", told.level) for name, told in found]


def others(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[Message]:
    """What else there is to say; nothing, and without looking at meshes, while a job runs."""
    if job.current() is not None:
        return []
    return [*_troubles(scene, obj), *_notices(scene), *to_be_simulated(scene, obj)]


def _troubles(scene: bpy.types.Scene, obj: bpy.types.Object) -> Iterator[Message]:
    """What hinders simulating, or has hindered rendering."""
    status = session.status(scene)
    if status.error:
        yield Message(status.error, "WARNING")
    left_out = [
        each.left_out
        for uid, each in status.objects.items()
        if each.left_out and uid != obj.session_uid
    ]
    for sentence in left_out[:_MOST_NAMED]:
        yield Message(f"Left out: {sentence}", "WARNING")
    if len(left_out) > _MOST_NAMED:
        yield Message(f"{len(left_out) - _MOST_NAMED} more are left out", "WARNING")
    yield from _unseen(scene, obj)
    if rendered := rendering.summary(scene):
        yield Message(rendered, "WARNING")


def _unseen(scene: bpy.types.Scene, obj: bpy.types.Object) -> Iterator[Message]:
    """Where nothing simulated is seen of an object, as its modifier is gone or switched off."""
    if not obj.xpbd.use or obj.xpbd.baked or not stack.is_writable(obj):
        return
    ours = stack.modifier(obj)
    if ours is None:
        yield Message(
            f"'{obj.name}' has lost its modifier {stack.MODIFIER}: play from frame "
            f"{scene.xpbd.frame_start}, or press Simulate, and it is there again",
            "WARNING",
        )
        return
    modes = {"VIEWPORT": "viewports", "RENDER": "renders"}
    if off := [name for mode, name in modes.items() if not stack.is_on(ours, mode)]:
        yield Message(
            f"'{ours.name}' is switched off in {' and '.join(off)}, where '{obj.name}' isn't seen "
            "as simulated: switch it on among its modifiers",
            "WARNING",
        )


def _notices(scene: bpy.types.Scene) -> Iterator[Message]:
    """What of the frame that is shown is not as it would be simulated."""
    touched = by_hand.touched_from(scene)
    if touched is not None and scene.frame_current >= touched:
        yield Message(
            f"Play from frame {scene.xpbd.frame_start} to have it as it is without a hand, or lock "
            "the cache to keep it",
            "INFO",
        )
    elif (notice := session.notice(scene)) and not waiting.is_waited_for(scene):
        yield Message(notice, "WARNING")


def to_be_simulated(scene: bpy.types.Scene, obj: bpy.types.Object) -> Iterator[Message]:
    """Which other objects have to be simulated, if any."""
    objects = [each for each in session.simulated_objects(scene) if each != obj]
    if text := others_text(session.status(scene), objects):
        yield Message(text, "INFO")


def in_panel(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[Message]:
    """What stands above an object's settings.

    An edit changes the first line only, so that nothing moves away under the mouse: that the frame
    is outdated, too, is said in the viewport, what the edit means for others in the Cache panel.
    """
    now = state(scene, obj)
    if job.current() is not None:
        return [now]
    told = [now, *_troubles(scene, obj)]
    if not now.text.startswith(OUTDATED):
        told += _notices(scene)
    return [*told, *(Message(hint, "INFO") for hint in hints.hints(scene, obj))]


def of_scene(scene: bpy.types.Scene) -> Message | None:
    """The most important message of all objects, None where all is well."""
    objects = session.simulated_objects(scene)
    if not objects or job.current() is not None:
        return None
    active = bpy.context.view_layer.objects.active
    obj = active if active in objects else objects[0]
    found = [each for each in (state(scene, obj), *others(scene, obj)) if each.level in SHOWN]
    if not found:
        return _outdated(scene, objects)
    first = found[0]
    if first.text.startswith(OUTDATED):
        return first._replace(text=f"'{obj.name}' is o{first.text[1:]}. {_cure(scene)}")
    return first


def _cure(scene: bpy.types.Scene) -> str:
    """When what is outdated will be as it should, or how."""
    if scene.xpbd.lock_cache:
        return "Unlock the cache and play, or press Simulate"
    start = scene.xpbd.frame_start
    if waiting.plays(scene):
        return f"It is simulated anew when playing comes to frame {start}"
    return f"Play from frame {start}, or press Simulate"


def _outdated(scene: bpy.types.Scene, objects: list[bpy.types.Object]) -> Message | None:
    status = session.status(scene)
    held = [status.objects[each.session_uid] for each in objects]
    lost = [
        each
        for each in held
        if each.reason not in _NO_NEWS and each.last is not None and not each.left_out
    ]
    return Message(others_text(status, objects), "WARNING") if lost else None


def cache_text(status: CacheStatus, obj: bpy.types.Object | None = None) -> str:
    """What the cache holds of an object, or of all that is simulated, in one line."""
    found = ObjectStatus(status.last, status.reason)
    if obj is not None:
        found = status.objects.get(obj.session_uid, found)
    if status.first is None:
        return (
            "Made by an earlier version: simulate again" if status.earlier else "No frames cached"
        )
    if found.last is None:
        return "Not simulated yet"
    if found.reason == validity.BY_HAND:
        return f"Changed by hand from frame {found.since} on"
    if found.reason:
        return found.outdated_text(status.first)
    if status.first == found.last:
        return f"Frame {found.last} cached"
    return f"Frames {status.first}–{found.last} cached"


def others_text(status: CacheStatus, objects: Iterable[bpy.types.Object]) -> str:
    """Which of these objects have to be simulated, and why; empty where none has."""
    found = [
        f"'{obj.name}' ({known.reason})"
        for obj in objects
        if (known := status.objects.get(obj.session_uid)) is not None
        and known.reason
        and not known.left_out
    ]
    if status.first is None or not found:
        return ""
    further = [f"{len(found) - _MOST_NAMED} more"] if len(found) > _MOST_NAMED else []
    return f"To be simulated: {', '.join(found[:_MOST_NAMED] + further)}"
