# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of each scene's simulation while Blender runs: its cache, and the live solver.

Playing onto the frame after the last cached one simulates that frame. The start is read just
before the timeline leaves the first frame (`prepare`), the step is made just after (`play`).
Playing from the first frame again replaces what is outdated of a cache that was made by playing; of
one made by Simulate it never throws anything away.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..scene import fingerprint, ids, paths
from ..scene.fingerprint import Fingerprint
from . import live, measures, scene_cache, validity, warmup
from .live import Faults, Live, SceneInput
from .scene_session import Session, Source
from .status import CacheStatus, ObjectStatus

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
    objects = simulated_objects(scene)
    ids.ensure_all(scene, objects)
    for obj in objects:
        if not ids.own(obj):
            raise SceneError(
                f"'{obj.name}' is linked from another file and has no frames of its own: make it "
                "local (Object > Relations > Make Local > Selected Objects and Data) first"
            )
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


def simulated_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """XPBD objects of the scene that are in use and not baked."""
    return [
        obj for obj in scene.objects if obj.type == "MESH" and obj.xpbd.use and not obj.xpbd.baked
    ]


def evaluated_depsgraph(scene: bpy.types.Scene) -> bpy.types.Depsgraph | None:
    """The dependency graph of the window, or of the scene's first view layer."""
    layer = bpy.context.view_layer if bpy.context.scene == scene else scene.view_layers[0]
    return layer.depsgraph


def status(scene: bpy.types.Scene, *, exact: bool = False) -> CacheStatus:
    """What is cached, cheap enough to draw: meshes are looked at now and then.

    Args:
        exact: look at the meshes in any case. Without a window that is always done.
    """
    session = of(scene)
    now = time.monotonic()
    if session.status is None or exact or bpy.app.background or now >= session.check_again:
        session.status = _status(scene, session)
        took = time.monotonic() - now
        session.check_again = now + max(_SHORTEST_CHECK, took / _CHECK_SHARE)
    return session.status


def _status(scene: bpy.types.Scene, session: Session) -> CacheStatus:
    scene_cache.look_at_files(session)
    objects = _status_of_objects(scene, session)
    first, last = session.frames()
    reasons = [each.reason for each in objects.values() if each.reason and first is not None]
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
        objects=objects,
    )


def _status_of_objects(scene: bpy.types.Scene, session: Session) -> dict[int, ObjectStatus]:
    objects, cache = simulated_objects(scene), session.cache
    if cache is None or cache.first_frame is None:
        return {obj.session_uid: ObjectStatus(None, validity.NEW) for obj in objects}
    reasons = session.reasons(fingerprint.compute(scene, objects))
    return {
        obj.session_uid: ObjectStatus(
            cache.last_frame_of(own) if (own := ids.own(obj)) else None,
            reasons.get(own, validity.NEW),
        )
        for obj in objects
    }


def touch() -> None:
    """Settings or meshes changed: look at them before the next status is given."""
    for session in _sessions.values():
        session.status = None


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
    session.faults = {}
    scene_cache.clear(scene, session)


def forget() -> None:
    """Drop everything in memory; caches stay on disk."""
    for session in _sessions.values():
        session.open(None)
    _sessions.clear()
    fingerprint.forget_meshes()
    ids.forget()


def prepare(scene: bpy.types.Scene) -> None:
    """Before the timeline moves from the first frame to the second: read the start."""
    session = of(scene)
    session.start = None
    depsgraph = evaluated_depsgraph(scene)
    start = scene.xpbd.frame_start
    if depsgraph is None or scene.frame_current != start + 1 or scene.frame_subframe != 0.0:
        return
    shown = depsgraph.scene_eval
    if (shown.frame_current, shown.frame_subframe) != (start, 0.0) or not simulated_objects(scene):
        return
    session.error = ""
    try:
        session = _with_ids(scene)
        scene_cache.look_at_files(session)
        objects = simulated_objects(scene)
        now = fingerprint.compute(scene, objects)
        if _starts_anew(scene, session, now):
            scene_cache.have_own(scene, session)
            finished = now.objects.keys() - session.unfinished(now, scene.xpbd.frame_end)
            session.start = live.read_scene(scene, depsgraph, objects, now, finished)
    except SceneError as error:
        session.error = str(error)


def play(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """After the timeline moved to a frame: simulate it if it is the next one."""
    session = of(scene)
    frame = scene.frame_current
    if frame > scene.xpbd.frame_end or not _kernels_ready(scene, session):
        return
    try:
        if session.start is not None and frame == session.start.frame + 1:
            _begin_play(session, session.start)
        session.start = None
        if session.live is not None and session.live.frame == frame - 1:
            scene_cache.have_own(scene, session)
            _step(scene, depsgraph, session, session.live)
    except SceneError as error:
        session.error, session.live, session.status = str(error), None, None


def _starts_anew(scene: bpy.types.Scene, session: Session, now: Fingerprint) -> bool:
    """Whether playing from the first frame needs the solver."""
    cache, end = session.cache, scene.xpbd.frame_end
    if not session.unfinished(now, end):
        return False
    if cache is not None and cache.source == "simulate" and session.would_lose_frames(now):
        return False
    return not session.holds_end(now, end)


def _begin_play(session: Session, inputs: SceneInput) -> None:
    """Stand at the first frame: with a new cache, or beside a valid one to continue it later."""
    cache = session.cache
    source: Source = "simulate" if cache and cache.source == "simulate" else "play"
    session.begin(inputs, live.build(inputs), source)


def _step(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, session: Session, simulation: Live
) -> None:
    if not session.can_step(fingerprint.compute(scene, simulated_objects(scene))):
        return
    live.advance(simulation, live.read_frame(scene, depsgraph, simulation))
    if met := session.store():
        raise SceneError(
            f"Frame {simulation.frame}: {_names(scene, met)} was simulated without what comes near "
            "it now: play or simulate again from the first frame"
        )


def _names(scene: bpy.types.Scene, object_ids: set[str]) -> str:
    """The names of objects, for the user."""
    found = [f"'{obj.name}'" for obj in scene.objects if obj.xpbd.cache_id in object_ids]
    return " and ".join(found)


def _kernels_ready(scene: bpy.types.Scene, session: Session) -> bool:
    """Without a window wait for them; with one playing goes on without simulating."""
    if bpy.app.background and (session.start is not None or session.live is not None):
        warmup.wait(scene.xpbd.solver)
    if warmup.state(scene.xpbd.solver)[0] == "READY":
        return True
    warmup.start(scene.xpbd.solver)
    if session.start is not None:
        session.error = "The solver is still being compiled: play again when it is ready"
    return False


def frames_in_range(scene: bpy.types.Scene) -> int:
    """How many frames of the scene's simulation range are cached of all objects."""
    found = status(scene, exact=True)
    if found.first is None or found.last is None:
        return 0
    begin, end = max(found.first, scene.xpbd.frame_start), min(found.last, scene.xpbd.frame_end)
    return max(0, math.floor(end - begin) + 1)
