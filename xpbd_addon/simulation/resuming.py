# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints of a scene's simulation: which one it can go on from, and going on.

A checkpoint belongs to frames that the cache holds. Where these are valid, what comes after them is
to the byte what it would have been without a stop. Where they are not, the user may still want to
keep them, and what comes after them with everything as it is now.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...core.frame_cache import CacheError, CheckpointHead, checkpoints
from ..errors import SceneError
from ..scene.fingerprint import Fingerprint
from ..scene.frame_inputs import Row
from . import live
from .live import Live
from .measures import Measures
from .scene_input import FrameInput, SceneInput
from .scene_session import Session

NONE_BEFORE = (
    "No checkpoint is kept of frame {frame} or before, of all objects that are to be simulated: "
    "press Simulate, which starts from the first frame"
)


def usable(session: Session, now: Fingerprint, end: int) -> list[CheckpointHead]:
    """Those from which all that is unfinished goes on as if never stopped, the last one first."""
    if session.cache is None or not (wanted := session.wanted(now, end)):
        return []
    outdated = session.outdated(now)
    return [
        head
        for head in checkpoints.held(session.cache)
        if now.start < head.frame < end
        and wanted <= head.frames.keys() <= _simulable(session, now)
        and all(head.frame < outdated[each].frame for each in head.frames.keys() & outdated.keys())
    ]


def before(session: Session, now: Fingerprint, frame: int, end: int) -> list[CheckpointHead]:
    """Those of a frame or before, whatever has changed since, the last one first."""
    if session.cache is None or session.cache.first_frame != now.start:
        return []
    wanted = session.wanted(now, end)
    return [
        head
        for head in checkpoints.held(session.cache)
        if now.start < head.frame <= frame
        and wanted <= head.frames.keys() <= _simulable(session, now)
    ]


def next_from(session: Session, now: Fingerprint, end: int) -> int | None:
    """The frame that Simulate goes on from; None where that is the first one, or nothing lacks."""
    if session.live is not None and session.holds_end(now, end):
        return session.live.frame if now.start < session.live.frame < end else None
    heads = usable(session, now, end)
    return heads[0].frame if heads else None


def _simulable(session: Session, now: Fingerprint) -> set[str]:
    return now.objects.keys() - session.left_out.hindered.keys()


def others(head: CheckpointHead, now: Fingerprint) -> set[str]:
    """Cache ids of the objects that a checkpoint is not of: they are finished."""
    return now.objects.keys() - head.frames.keys()


def build(
    session: Session,
    head: CheckpointHead,
    start: SceneInput,
    there: FrameInput,
    *,
    changed: bool = False,
) -> Live:
    """The simulation that goes on from a checkpoint.

    Args:
        start, there: what was read on the first frame, and on that of the checkpoint.
        changed: whether anything may be other than it was.

    Raises:
        SceneError: the checkpoint is damaged, or what is simulated now can't go on from it.
    """
    assert session.cache is not None
    arrays = checkpoints.read(session.cache, head)
    if arrays is None:
        raise SceneError(f"The checkpoint of frame {head.frame} is damaged")
    bodies = {body.object_id: body for body in start.bodies}
    if bodies.keys() != head.frames.keys():
        raise SceneError(f"The checkpoint of frame {head.frame} is of other objects")
    in_order = replace(start, bodies=[bodies[each] for each in head.frames])
    try:
        return live.resume(in_order, there, arrays, changed=changed)
    except live.OtherSimulation as error:
        if not changed:
            raise
        raise SceneError(_why_not(session, head, start)) from error


def _why_not(session: Session, head: CheckpointHead, start: SceneInput) -> str:
    """Why what is simulated now can't go on from a checkpoint, for the user."""
    assert session.cache is not None
    cached, outdated = session.cache.objects, session.outdated(start.fingerprint)
    cure = f"press Simulate, or play from frame {start.frame}"
    for body in start.bodies:
        if cached[body.object_id].points != len(body.positions):
            return (
                f"'{body.name}' has another number of vertices than when frame {head.frame} was "
                f"simulated: {cure}"
            )
    changes = [
        f"'{body.name}' ({outdated[body.object_id].reason})"
        for body in start.bodies
        if body.object_id in outdated
    ]
    told = " and ".join(changes) or "The simulation"
    return f"{told} can't go on from frame {head.frame}, with too much changed since: {cure}"


def go_on(
    session: Session, simulation: Live, accepted: Mapping[int, Mapping[str, Row]] | None = None
) -> None:
    """Stand at the simulation's frame: later frames of its objects that are outdated are dropped.

    They come back where the change that outdated them is undone.

    Args:
        accepted: of all frames up to this one what they would be simulated from now; given, they
            count as if they had been.

    Raises:
        SceneError: the cache can't be written.
    """
    cache, frame, now = session.cache, simulation.frame, simulation.inputs.fingerprint
    assert cache is not None
    assert session.replaced is not None
    session.live, session.status, session.error = None, None, ""
    ids = simulation.object_ids
    if accepted is None:
        outdated = session.outdated(now)
        ids = [each for each in ids if each in outdated and _reaches(session, each, frame + 1)]
    for number, found in session.faults.items():
        for object_id in ids if number > frame else ():
            found.pop(object_id, None)
    try:
        session.replaced.put(ids, session.inputs, copying=True)
        cache.truncate(frame, ids)
        if accepted is not None:
            _accept(session, simulation, accepted)
        checkpoints.drop_stale(cache)
    except CacheError as error:
        raise SceneError(str(error)) from error
    simulation.touched = session.touched_objects() & set(simulation.object_ids)
    session.live = simulation
    session.compare(frame, simulation.rows)


def _accept(session: Session, simulation: Live, accepted: Mapping[int, Mapping[str, Row]]) -> None:
    """Let frames that are kept count as simulated from what there is now. Raises CacheError."""
    cache, now, first = session.cache, simulation.inputs.fingerprint, simulation.inputs.frame
    assert cache is not None
    for object_id in simulation.object_ids:
        touched = session.inputs[object_id].touched_by(simulation.frame)
        session.forget_inputs(object_id, accepted[first][object_id])
        for frame in range(first, simulation.frame + 1):
            by_hand = touched is not None and frame >= touched
            session.inputs[object_id].write(frame, accepted[frame][object_id], touched=by_hand)
    objects = {
        each: replace(known, fingerprint=now.objects[each])
        if each in simulation.object_ids
        else known
        for each, known in cache.objects.items()
    }
    cache.create(now.shared, objects, first, cache.source, Measures._fields, keep=list(objects))
    for frame, rows in accepted.items():
        session.compare(frame, rows)


def _reaches(session: Session, object_id: str, frame: int) -> bool:
    last = session.cache.last_frame_of(object_id) if session.cache else None
    return last is not None and last >= frame
