# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of each scene's simulation while Blender runs: its cache, and the live solver."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..scene import fingerprint, frame_inputs, ids, paths
from ..scene.fingerprint import Fingerprint
from ..scene.physics import simulated_objects as simulated_objects
from . import measures, resuming, scene_cache, taking_part, validity, waiting
from .depsgraphs import evaluated_depsgraph as evaluated_depsgraph
from .depsgraphs import is_evaluated
from .measuring import Faults
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
    session = with_folder(scene)
    scene_cache.have_own(scene, session)
    return session


def with_folder(scene: bpy.types.Scene) -> Session:
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
    session.left_out.hindered = {_key(obj): why for obj, why in found.items()}
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
            left_out=session.left_out.why(_key(obj), now),
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


def frames_cached(scene: bpy.types.Scene) -> int:
    """How many frames of the scene's range are held of all objects."""
    found = status(scene, exact=True)
    return found.count(scene.xpbd.frame_start, scene.xpbd.frame_end)


def is_complete(scene: bpy.types.Scene) -> bool:
    """Whether the cache holds the whole range of every object, as far as frames were compared.

    Every frame's files are looked at.
    """
    scene_cache.look_at_files(of(scene), at_all=True)
    found = status(scene, exact=True)
    if of(scene).left_out.refused:  # by now there may be nothing against them
        return False
    return found.is_whole(scene.xpbd.frame_start, scene.xpbd.frame_end)


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
    session.live, session.status, session.error = None, None, ""
    session.start = session.render_start = session.goes_on = None
    session.faults, session.left_out.refused = {}, {}
    scene_cache.clear(scene, session)


def forget() -> None:
    """Drop everything in memory; caches stay on disk."""
    waiting.stop()
    for session in _sessions.values():
        session.open(None)
    _sessions.clear()
    fingerprint.forget_meshes()
    ids.forget()
