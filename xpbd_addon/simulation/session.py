# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of each scene's simulation while Blender runs: its cache, and the live solver.

Playing onto the frame after the last cached one simulates that frame. The start is read just
before the timeline leaves the first frame (`prepare`), the step is made just after (`play`).
Playing from the first frame again replaces what is outdated, unless the cache is locked.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.frame_cache import CheckpointHead
from ..errors import SceneError
from ..scene import fingerprint, frame_inputs, ids, paths
from ..scene.fingerprint import Fingerprint
from ..scene.physics import simulated_objects as simulated_objects
from . import live, measures, resuming, scene_cache, scene_input, taking_part, validity, waiting
from .depsgraphs import evaluated_depsgraph as evaluated_depsgraph
from .depsgraphs import is_evaluated
from .live import Live
from .measuring import Faults
from .scene_input import SceneInput
from .scene_session import Session
from .status import CacheStatus, ObjectStatus, unsimulated
from .validity import Outdated

Shown = NDArray[np.float32]
_SHORTEST_CHECK = 0.3  # seconds between two looks at the meshes while panels are drawn
_CHECK_SHARE = 0.1  # of the time may be spent on them


_sessions: dict[int, Session] = {}


def of(scene: bpy.types.Scene) -> Session:
    """The scene's session, with its cache opened where there is one. Never writes."""
    session = _sessions.setdefault(scene.session_uid, Session())
    scene_cache.follow(scene, session)
    return session


def open_for_writing(scene: bpy.types.Scene) -> Session:
    """The scene's session with a cache that frames can be written to. Raises SceneError."""
    session = _with_ids(scene)
    scene_cache.have_own(scene, session)
    return session


def _with_ids(scene: bpy.types.Scene) -> Session:
    """The scene's session with a folder to write frames to. Raises SceneError."""
    ids.ensure_all(scene, simulated_objects(scene))
    paths.cache_folder(scene, scene.xpbd.cache_id)
    return of(scene)


def remember_file() -> None:
    """After saving: caches that were begun before the first save belong to the file from now on."""
    for scene in bpy.data.scenes:
        session = of(scene)
        try:
            scene_cache.remember_file(scene, session)
        except SceneError as error:
            session.error = str(error)


def look(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> Fingerprint:
    """What the scene's frames depend on now, and what hinders objects from taking part.

    Args:
        depsgraph: the one in which they take part; by default the window's.
    """
    objects = simulated_objects(scene)
    session, depsgraph = of(scene), depsgraph or evaluated_depsgraph(scene)
    found = taking_part.left_out(objects, depsgraph) if depsgraph else {}
    session.hindered = {_key(obj): why for obj, why in found.items()}
    return fingerprint.compute(scene, objects)


def _key(obj: bpy.types.Object) -> str:
    """Its cache id, or what stands for that while it has none, as linked objects."""
    return ids.own(obj) or f"object {obj.session_uid}"


def status(scene: bpy.types.Scene, *, exact: bool = False) -> CacheStatus:
    """What is cached, cheap enough to draw: meshes are looked at now and then.

    Args:
        exact: look at the meshes in any case, as they are now. Without a window they are always
            looked at.
    """
    session = of(scene)
    now = time.monotonic()
    if session.status is None or exact or bpy.app.background or now >= session.check_again:
        depsgraph = evaluated_depsgraph(scene)
        if exact and depsgraph is not None:
            depsgraph.update()
        if (exact or session.edited) and depsgraph is not None:
            compare(scene, depsgraph)
        session.status = _status(scene, session)
        took = time.monotonic() - now
        session.check_again = now + max(_SHORTEST_CHECK, took / _CHECK_SHARE)
    return session.status


def _status(scene: bpy.types.Scene, session: Session) -> CacheStatus:
    scene_cache.look_at_files(session)
    now = look(scene)
    objects = _status_of_objects(scene, session, now)
    depsgraph = evaluated_depsgraph(scene)
    if session.error and depsgraph is not None:
        unfinished = session.unfinished(now, scene.xpbd.frame_end)
        rows = frame_inputs.read(scene, depsgraph)
        session.check_error((now, unfinished, bpy.data.filepath), scene.frame_current, rows)
    first, last = session.frames()
    reasons = [each.reason for each in objects.values() if each.reason and not each.left_out]
    reasons = reasons if first is not None else []
    in_use = any(obj.type == "MESH" and obj.xpbd.use for obj in scene.objects)
    return CacheStatus(
        first=first,
        last=min((each.last for each in objects.values() if each.last is not None), default=last),
        outdated=bool(reasons),
        reason=reasons[0] if reasons else "",
        baked=in_use and not objects,
        source=session.cache.source if session.cache else "",
        error=session.trouble,
        earlier=session.cache is not None and session.cache.is_earlier,
        goes_on_from=resuming.next_from(session, now, scene.xpbd.frame_end),
        objects=objects,
    )


def _status_of_objects(
    scene: bpy.types.Scene, session: Session, now: Fingerprint
) -> dict[int, ObjectStatus]:
    cache, outdated, new = session.cache, session.outdated(now), Outdated(now.start, validity.NEW)
    found: dict[int, ObjectStatus] = {}
    for obj in simulated_objects(scene):
        own = ids.own(obj)
        known = outdated.get(own) if own else new
        found[obj.session_uid] = ObjectStatus(
            last=cache.last_frame_of(own) if own and cache else None,
            reason=known.reason if known else "",
            since=known.frame if known else None,
            left_out=session.why_left_out(_key(obj), now),
        )
    return found


def notice(scene: bpy.types.Scene) -> str:
    """Why what is shown on the current frame is not what simulating gives; empty where it is."""
    simulation, settings = of(scene).live, scene.xpbd
    return unsimulated(
        status(scene),
        {obj.session_uid: obj.name for obj in simulated_objects(scene)},
        frame=scene.frame_current,
        start=settings.frame_start,
        end=settings.frame_end,
        arrived=simulation.frame if simulation else None,
        locked=settings.lock_cache,
    )


def left_out(scene: bpy.types.Scene) -> list[str]:
    """Why objects are not simulated with the others, a sentence each."""
    return [each.left_out for each in status(scene).objects.values() if each.left_out]


def compare(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Compare what the frame that is evaluated would be simulated from now with what it was."""
    session, shown = of(scene), depsgraph.scene_eval
    if not is_evaluated(depsgraph) or depsgraph.mode != "VIEWPORT" or shown.frame_subframe != 0.0:
        return
    session.edited = False
    if session.holds(shown.frame_current):
        session.compare(shown.frame_current, frame_inputs.read(scene, depsgraph))


def take_back(scene: bpy.types.Scene) -> bool:
    """Have frames back that were being replaced, where the change that outdated them is undone.

    Returns:
        Whether there are other frames to be shown.
    """
    session, depsgraph = of(scene), evaluated_depsgraph(scene)
    if depsgraph is None or session.replaced is None or session.replaced.is_empty:
        return False
    if scene_cache.is_shared(session):
        return False
    if session.edited:
        compare(scene, depsgraph)
    try:
        return session.take_back(look(scene))
    except SceneError as error:
        session.error = str(error)
        return False


def touch() -> None:
    """Settings or meshes changed: look at them before the next status is given."""
    for session in _sessions.values():
        session.touch()


def forget_errors() -> None:
    """Why playing or simulating stopped may be so no more."""
    for session in _sessions.values():
        session.error = ""


def cached_positions(scene: bpy.types.Scene, obj: bpy.types.Object, frame: float) -> Shown | None:
    """World positions [m], shape (n, 3), of a cached frame or between two; None without."""
    cache = of(scene).cache
    return cache.read(obj.xpbd.cache_id, frame) if cache else None


def shown_positions(scene: bpy.types.Scene, obj: bpy.types.Object, frame: float) -> Shown | None:
    """As cached_positions, and after the object's last frame that is good those of the last."""
    cache, own = of(scene).cache, obj.xpbd.cache_id
    last = cache.last_frame_of(own) if cache else None
    while cache is not None and last is not None:
        found = cache.read(own, min(frame, last))
        before, last = last, cache.last_frame_of(own)
        if found is not None or last == before:
            return found
    return None


def cached_measures(
    scene: bpy.types.Scene, obj: bpy.types.Object, frame: float
) -> measures.Measures | None:
    """Strain and residual of a cached frame; None where it is not cached."""
    return measures_of(scene, [obj], frame).get(obj.xpbd.cache_id)


def measures_of(
    scene: bpy.types.Scene, objects: Iterable[bpy.types.Object], frame: float
) -> dict[str, measures.Measures]:
    """The measures of those objects that are cached, by cache id."""
    cache = of(scene).cache
    return measures.read(cache, [obj.xpbd.cache_id for obj in objects], frame) if cache else {}


def faults(scene: bpy.types.Scene, obj: bpy.types.Object, frame: float) -> Faults | None:
    """The object's vertices that have a fault on a frame, by the measure that counts these.

    Known of frames that were simulated since the file was opened; of others None.
    """
    return of(scene).faults.get(math.floor(frame), {}).get(obj.xpbd.cache_id)


def clear(scene: bpy.types.Scene) -> None:
    """Delete the cached frames. Raises SceneError where the files can't be deleted."""
    session = of(scene)
    session.live, session.start, session.status, session.error = None, None, None, ""
    session.goes_on = None
    session.faults, session.refused = {}, {}
    scene_cache.clear(scene, session)


def forget() -> None:
    """Drop everything in memory; caches stay on disk."""
    waiting.stop()
    for session in _sessions.values():
        session.open(None)
    _sessions.clear()
    fingerprint.forget_meshes()
    ids.forget()


def prepare(scene: bpy.types.Scene) -> None:
    """Before the timeline moves on: see what was changed; from the first frame, read the start."""
    session = of(scene)
    if session.goes_on is None or scene.frame_current > session.goes_on.frame:
        session.start = session.goes_on = None
    depsgraph = evaluated_depsgraph(scene)
    start = scene.xpbd.frame_start
    if depsgraph is None or not is_evaluated(depsgraph):
        return
    if session.edited:
        compare(scene, depsgraph)
    if scene.frame_current != start + 1 or scene.frame_subframe != 0.0:
        return
    shown = depsgraph.scene_eval
    if (shown.frame_current, shown.frame_subframe) == (start, 0.0) and simulated_objects(scene):
        _read_start(scene, depsgraph, session)


def prepare_render(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """While the first frame is rendered: read the start, in the first of the view layers."""
    session = of(scene)
    if session.start is None or session.start.mode != depsgraph.mode:
        _read_start(scene, depsgraph, session)


def _read_start(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, session: Session) -> None:
    session.error, session.goes_on = "", None
    try:
        if depsgraph.mode == "RENDER":
            taking_part.check_colliders(scene, evaluated_depsgraph(scene), depsgraph)
        session = _with_ids(scene)
        scene_cache.look_at_files(session)
        compare(scene, depsgraph)
        objects = simulated_objects(scene)
        now = look(scene, depsgraph)
        if not scene_cache.is_shared(session):
            session.take_back(now)
        if session.live is not None and session.live.inputs.mode != depsgraph.mode:
            session.live = None
        if _starts_anew(scene, session, now):
            scene_cache.have_own(scene, session)
            finished = session.finished(now, scene.xpbd.frame_end)
            heads = resuming.usable(session, now, scene.xpbd.frame_end)
            if heads and depsgraph.mode != "RENDER":
                session.goes_on, finished = heads[0], resuming.others(heads[0], now)
            start = scene_input.read_scene(scene, depsgraph, objects, now, finished)
            session.refuse(start)
            session.start = start if start.bodies else None
    except SceneError as error:
        session.error = str(error)


def play(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """After the timeline moved to a frame: simulate it if it is the next one, else compare it."""
    session, frame = of(scene), scene.frame_current
    _advance(scene, depsgraph, session)
    if session.live is None or session.live.frame != frame:
        compare(scene, depsgraph)


def _advance(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, session: Session) -> None:
    frame = scene.frame_current
    if frame > scene.xpbd.frame_end or not waiting.may_simulate(scene, depsgraph, session):
        return
    try:
        if session.goes_on is not None:
            if frame == session.goes_on.frame and session.start is not None:
                _go_on(scene, depsgraph, session, session.goes_on, session.start)
            return
        if session.start is not None and frame == session.start.frame + 1:
            session.begin(live.build(session.start), "play")
        session.start = None
        if session.live is not None and _comes_next(session.live, frame, depsgraph):
            scene_cache.have_own(scene, session)
            _step(scene, depsgraph, session, session.live)
    except SceneError as error:
        session.error, session.live, session.status = str(error), None, None


def _go_on(
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    session: Session,
    head: CheckpointHead,
    start: SceneInput,
) -> None:
    """Playing has come to a checkpoint through cached frames. Raises SceneError."""
    session.start = session.goes_on = None
    compare(scene, depsgraph)
    now = look(scene, depsgraph)
    if (start.fingerprint, start.mode) != (now, depsgraph.mode):
        return
    if head not in resuming.usable(session, now, scene.xpbd.frame_end):
        return
    scene_cache.have_own(scene, session)
    there = scene_input.read_frame(scene, depsgraph, start)
    resuming.go_on(session, resuming.build(session, head, start, there))


def _comes_next(simulation: Live, frame: int, depsgraph: bpy.types.Depsgraph) -> bool:
    return simulation.frame == frame - 1 and simulation.inputs.mode == depsgraph.mode


def _starts_anew(scene: bpy.types.Scene, session: Session, now: Fingerprint) -> bool:
    """Whether playing from the first frame needs the solver."""
    end = scene.xpbd.frame_end
    if not session.unfinished(now, end):
        return False
    if scene.xpbd.lock_cache and session.losing(now):
        return False
    return not session.holds_end(now, end)


def _step(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, session: Session, simulation: Live
) -> None:
    if not session.can_step(look(scene, depsgraph)):
        return
    live.advance(simulation, scene_input.read_frame(scene, depsgraph, simulation.inputs))
    if met := session.store():
        raise SceneError(
            f"Frame {simulation.frame}: {_names(scene, met)} was simulated without what comes near "
            "it now: play or simulate again from the first frame"
        )


def _names(scene: bpy.types.Scene, object_ids: set[str]) -> str:
    """The names of objects, for the user."""
    found = [f"'{obj.name}'" for obj in scene.objects if obj.xpbd.cache_id in object_ids]
    return " and ".join(found)
