# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of each scene's simulation while Blender runs: its cache, and the live solver.

Playing onto the frame after the last cached one simulates that frame. The start is read just
before the timeline leaves the first frame (`prepare`), the step is made just after (`play`).
A cache made by Simulate is never thrown away by playing; one made by playing is replaced when it
is outdated and the timeline plays from the first frame again.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.frame_cache import CacheError, FrameCache
from ..errors import SceneError
from ..scene import fingerprint, ids, paths
from . import live, measures, warmup
from .live import Faults, Live, SceneInput

Source = Literal["play", "simulate"]
Shown = NDArray[np.float32]
Vertices = NDArray[np.int64]
_SHORTEST_CHECK = 0.3  # seconds between two looks at the meshes while panels are drawn
_CHECK_SHARE = 0.1  # of the time may be spent on them


@dataclass(frozen=True)
class CacheStatus:
    """What is cached of a scene.

    Attributes:
        first, last: frames held, None where there are none.
        outdated: something changed since; reason says what.
        baked: there is nothing to simulate, because all objects are baked.
        source: who made it: 'play', 'simulate' or ''.
        error: why playing does not simulate; empty where it does.
    """

    first: int | None
    last: int | None
    outdated: bool
    reason: str
    baked: bool = False
    source: str = ""
    error: str = ""


class Session:
    """One scene's simulation.

    Attributes:
        faults: of each frame simulated the vertices that have any.
    """

    def __init__(self) -> None:
        self.cache: FrameCache | None = None
        self.live: Live | None = None
        self.start: SceneInput | None = None
        self.error = ""
        self.status: CacheStatus | None = None
        self.check_again = 0.0
        self.faults: dict[int, Faults] = {}

    def frames(self) -> tuple[int | None, int | None]:
        """First and last cached frame."""
        return (self.cache.first_frame, self.cache.last_frame) if self.cache else (None, None)

    def begin(self, inputs: SceneInput, simulation: Live, source: Source) -> None:
        """Replace the cache by a new one that holds the first frame. Raises SceneError."""
        assert self.cache is not None
        positions = inputs.positions
        counts = {object_id: len(points) for object_id, points in positions.items()}
        at_rest = measures.at_rest(positions)
        self.live, self.status, self.faults = None, None, {}
        try:
            self.cache.create(inputs.fingerprint, counts, inputs.frame, source, list(at_rest))
            self.cache.append(inputs.frame, positions, at_rest)
        except CacheError as error:
            raise SceneError(str(error)) from error
        self.live = simulation

    def take_over(self) -> None:
        """Playing must not throw the frames away from now on. Raises SceneError."""
        assert self.cache is not None
        try:
            self.cache.set_source("simulate")
        except CacheError as error:
            raise SceneError(str(error)) from error

    def store(self) -> None:
        """Append the live frame where the cache lacks it. Raises SceneError."""
        assert self.cache is not None
        assert self.live is not None
        self.status = None
        if self.cache.last_frame != self.live.frame - 1:
            return
        found, faults = live.measure(self.live)
        try:
            self.cache.append(self.live.frame, self.live.positions, found)
        except CacheError as error:
            self.live = None
            raise SceneError(str(error)) from error
        self.faults[self.live.frame] = faults

    def holds_end(self, fingerprint_now: str) -> bool:
        """Whether the live solver stands at the last cached frame of a cache that is valid."""
        if self.cache is None or self.live is None:
            return False
        return (
            self.live.frame == self.cache.last_frame
            and self.live.inputs.fingerprint == self.cache.fingerprint == fingerprint_now
        )


_sessions: dict[int, Session] = {}


def of(scene: bpy.types.Scene) -> Session:
    """The scene's session, with its cache opened where there is one. Never writes."""
    session = _sessions.setdefault(scene.session_uid, Session())
    cache_id = scene.xpbd.cache_id
    try:
        folder = paths.cache_folder(scene, cache_id) if cache_id else None
    except SceneError:
        folder = None
    if folder is None:
        session.cache = None
    elif session.cache is None or session.cache.folder != folder:
        session.cache, session.status, session.live = FrameCache(folder), None, None
        session.faults = {}
    return session


def open_for_writing(scene: bpy.types.Scene) -> Session:
    """The scene's session with a cache that frames can be written to. Raises SceneError."""
    ids.ensure_all(scene, simulated_objects(scene))
    paths.cache_folder(scene, scene.xpbd.cache_id)
    return of(scene)


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
    objects = simulated_objects(scene)
    first, last = session.frames()
    reason = ""
    if first is not None and session.cache is not None and objects:
        now = fingerprint.compute(scene, objects)
        reason = fingerprint.difference(session.cache.fingerprint, now)
    in_use = any(obj.type == "MESH" and obj.xpbd.use for obj in scene.objects)
    return CacheStatus(
        first=first,
        last=last,
        outdated=bool(reason),
        reason=reason,
        baked=in_use and not objects,
        source=session.cache.source if session.cache else "",
        error=session.error,
    )


def touch() -> None:
    """Settings or meshes changed: look at them before the next status is given."""
    for session in _sessions.values():
        session.status = None


def cached_positions(scene: bpy.types.Scene, obj: bpy.types.Object, frame: float) -> Shown | None:
    """World positions [m], shape (n, 3), of a cached frame or between two; None without."""
    cache = of(scene).cache
    return cache.read(obj.xpbd.cache_id, frame) if cache else None


def shown_positions(scene: bpy.types.Scene, obj: bpy.types.Object, frame: float) -> Shown | None:
    """As cached_positions, and after the last cached frame those of the last."""
    cache = of(scene).cache
    if cache is None or cache.last_frame is None:
        return None
    return cache.read(obj.xpbd.cache_id, min(frame, cache.last_frame))


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


def faults(
    scene: bpy.types.Scene, obj: bpy.types.Object, frame: float
) -> dict[str, Vertices] | None:
    """The object's vertices that have a fault on a frame, by the measure that counts these.

    Known of frames that were simulated since the file was opened; of others None.
    """
    found = of(scene).faults.get(math.floor(frame))
    return None if found is None else found.get(obj.xpbd.cache_id, {})


def clear(scene: bpy.types.Scene) -> None:
    """Delete the cached frames. Raises SceneError where the files can't be deleted."""
    session = of(scene)
    session.live, session.start, session.status, session.error = None, None, None, ""
    session.faults = {}
    if session.cache is not None:
        try:
            session.cache.clear()
        except CacheError as error:
            raise SceneError(str(error)) from error


def forget() -> None:
    """Drop everything in memory; caches stay on disk."""
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
        session = open_for_writing(scene)
        objects = simulated_objects(scene)
        now = fingerprint.compute(scene, objects)
        if _starts_anew(scene, session, now):
            session.start = live.read_scene(scene, depsgraph, objects, now)
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
            _step(scene, depsgraph, session, session.live)
    except SceneError as error:
        session.error, session.live, session.status = str(error), None, None


def _starts_anew(scene: bpy.types.Scene, session: Session, now: str) -> bool:
    """Whether playing from the first frame needs the solver."""
    _first, last = session.frames()
    if last is None or session.cache is None:
        return True
    if session.cache.fingerprint != now:
        return session.cache.source == "play"
    return last < scene.xpbd.frame_end and not session.holds_end(now)


def _begin_play(session: Session, inputs: SceneInput) -> None:
    """Stand at the first frame: with a new cache, or beside a valid one to continue it later."""
    simulation = live.build(inputs)
    cache = session.cache
    valid = cache is not None and cache.fingerprint == inputs.fingerprint
    if cache is not None and valid and cache.last_frame is not None:
        session.live = simulation
    else:
        session.begin(inputs, simulation, "play")


def _step(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, session: Session, simulation: Live
) -> None:
    objects = simulated_objects(scene)
    if fingerprint.compute(scene, objects) != simulation.inputs.fingerprint:
        return
    live.advance(simulation, live.read_frame(scene, depsgraph, simulation))
    session.store()


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
    """How many frames of the scene's simulation range are cached."""
    first, last = of(scene).frames()
    if first is None or last is None:
        return 0
    begin, end = max(first, scene.xpbd.frame_start), min(last, scene.xpbd.frame_end)
    return max(0, math.floor(end - begin) + 1)
