# SPDX-License-Identifier: GPL-3.0-or-later
"""What a hand does to a simulation: it takes hold of something, leads it, and lets it go.

While the timeline plays, the frames that come are simulated with the hand's pull. While it stands,
the frame that it stands on is simulated on, and replaces itself in the cache. Either way what was
cached before is set aside, and the cache knows from which frame on it was touched.
"""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.frame_cache import CacheError
from ..errors import SceneError
from ..scene.mesh_io import BodyInput
from . import grip, job, live, measuring, scene_input, session, warmup
from .live import Live
from .scene_input import FrameInput
from .scene_session import Session

Numbers = NDArray[np.float64]


class Drag:
    """A hand that holds something of an object.

    Args:
        place: where it takes hold, in the world [m].
        radius: how far around that [m].
        moving: whether what is held moves already, as while the timeline plays.

    Attributes:
        frame: on which it began.

    Raises:
        SceneError: the object is not simulated on the frame shown, or can't be.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        obj: bpy.types.Object,
        place: Numbers,
        radius: float,
        *,
        moving: bool = False,
    ) -> None:
        _check_ready(scene)
        self._scene = scene
        self._session = session.open_for_writing(scene)
        self.frame = scene.frame_current
        depsgraph = session.evaluated_depsgraph(scene)
        known = self._session
        before = known.live
        simulation, is_begun = _in_hand(scene, depsgraph, known, obj, moving=moving)
        self._live = simulation
        self._goes_on = simulation is before
        self._checkpoint = live.checkpoint_of(simulation)
        self._bodies = simulation.inputs.bodies
        self._arrived = simulation.rows, simulation.pins
        self._was_touched = set(simulation.object_ids) if known.touched is not None else set()
        simulation.touched = self._was_touched
        self._there: FrameInput = scene_input.read_frame(scene, depsgraph, simulation.inputs)
        body = next(b for b in simulation.inputs.bodies if b.object_id == obj.xpbd.cache_id)
        simulation.grip = grip.around(
            simulation.simulation,
            body.uid,
            simulation.handles[body.uid],
            place - simulation.origin,
            radius,
            scene.xpbd.grab_pull,
        )
        self._set_aside(anew=is_begun)
        known.live = simulation

    @property
    def is_over(self) -> bool:
        """Whether something else is simulated by now, as from the first frame on."""
        return self._session.live is not self._live

    def lead(self, way: Numbers) -> None:
        """The hand is so far [m] from where it began, shape (3,), at the end of the next frame."""
        if self._live.grip is not None:
            self._live.grip.way = np.array(way, np.float64)

    def step(self) -> None:
        """Simulate the frame that is shown for as long as it takes, and put it into the cache.

        Raises:
            SceneError: it can't be simulated any more, or be written.
        """
        if self._live.frame != self._scene.frame_current:
            return
        if self._there.frame != self._live.frame:
            depsgraph = session.evaluated_depsgraph(self._scene)
            self._there = scene_input.read_frame(self._scene, depsgraph, self._live.inputs)
        try:
            live.advance(self._live, self._there)
        except SceneError:
            self._session.live = None
            raise
        self._live.touched = set(self._live.object_ids)
        self._store()

    def release(self) -> None:
        """Let go; what was held goes on by itself. Raises SceneError where it can't be written."""
        self.let_go()
        if not self.is_over and self._live.touched:
            self._session.keep_checkpoint()

    def cancel(self, scene: bpy.types.Scene) -> None:
        """Have all as it was when the hand took hold; nothing where it is over. Raises SceneError.

        Args:
            scene: the one that it began in: undo may have put other data in its place.
        """
        self.let_go()
        if self.is_over:
            return
        known, simulation = self._session, self._live
        if self._was_touched or self._goes_on:
            live.go_back(simulation, self._bodies, self._checkpoint)
            simulation.frame, simulation.touched = self.frame, self._was_touched
            simulation.rows, simulation.pins = self._arrived
        if self._was_touched:
            self._store()
        else:
            known.have_back()
            known.live = simulation if self._goes_on else None
        if scene.frame_current != self.frame:
            scene.frame_set(self.frame)

    def let_go(self) -> None:
        """Pull no more, and leave all as it is."""
        self._live.grip = None
        grip.let_go(self._live.simulation)

    def _set_aside(self, *, anew: bool) -> None:
        """Frames after this one are not what follows from it any more."""
        known, ids = self._session, self._live.object_ids
        assert known.cache is not None
        assert known.replaced is not None
        try:
            if not self._was_touched:
                if not anew:
                    known.replaced.drop()
                known.replaced.put(ids, known.inputs, copying=True)
            known.cache.truncate(self.frame, ids)
        except CacheError as error:
            raise SceneError(str(error)) from error
        known.status = None

    def _store(self) -> None:
        """The frame as it is now in the place of what the cache has of it."""
        known, simulation, frame = self._session, self._live, self._live.frame
        assert known.cache is not None
        known.status = None
        measured, faults = measuring.measure(simulation)
        try:
            known.cache.truncate(frame - 1, measured)
            for object_id in measured:
                known.inputs[object_id].write(frame, simulation.rows[object_id], touched=True)
            figures = {each: measured[each]._asdict() for each in measured}
            known.cache.append(frame, simulation.positions, figures)
        except CacheError as error:
            known.live = None
            raise SceneError(str(error)) from error
        known.faults.setdefault(frame, {}).update(faults)


def touched_from(scene: bpy.types.Scene) -> int | None:
    """The first cached frame that a hand has changed; None where there is none."""
    return session.of(scene).touched


def take_back(scene: bpy.types.Scene) -> None:
    """Have the frames that were there before a hand changed them. Raises SceneError."""
    known = session.open_for_writing(scene)
    touched = known.touched
    if touched is None or known.cache is None or known.replaced is None:
        raise SceneError("Nothing in the cache was changed by hand")
    if not known.replaced.is_empty:
        known.have_back()
        return
    try:
        known.cache.truncate(touched - 1, known.cache.objects)
    except CacheError as error:
        raise SceneError(str(error)) from error
    known.live, known.status = None, None


def is_whole(scene: bpy.types.Scene) -> bool:
    """Whether the cache holds all frames, and nothing is wrong with them but what a hand did."""
    known, end = session.of(scene), scene.xpbd.frame_end
    if known.touched is None or known.cache is None:
        return False
    now = session.look(scene)
    last = [known.cache.last_frame_of(each) for each in now.objects]
    return not known.outdated(now, accept_by_hand=True) and all(
        frame is not None and frame >= end for frame in last
    )


def _check_ready(scene: bpy.types.Scene) -> None:
    """Raise SceneError where nothing can be simulated now. Without a window that is waited for."""
    if job.current() is not None:
        raise SceneError("A simulation is running: wait for it or cancel it with Esc")
    if bpy.app.background:
        warmup.wait(scene.xpbd.solver)
        return
    state, _seconds, why = warmup.state(scene.xpbd.solver)
    if state == "COMPILING":
        warmup.start(scene.xpbd.solver)
        raise SceneError("The solver is being compiled: grab again in some seconds")
    if state == "FAILED":
        raise SceneError(why)


def _in_hand(
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    known: Session,
    obj: bpy.types.Object,
    *,
    moving: bool,
) -> tuple[Live, bool]:
    """A simulation that has arrived at the frame shown, and whether it was begun for that."""
    frame, own = scene.frame_current, obj.xpbd.cache_id
    now, simulation = session.look(scene, depsgraph), known.live
    is_good = own in known.valid(now, accept_by_hand=True)
    arrived = simulation is not None and simulation.frame == frame
    if simulation is not None and arrived and is_good and own in simulation.object_ids:
        return simulation, False
    if frame == scene.xpbd.frame_start and not is_good:
        inputs = scene_input.read_scene(scene, depsgraph, session.simulated_objects(scene), now)
        if own in inputs.left_out:
            raise SceneError(inputs.left_out[own])
        known.begin(begun := live.build(inputs), "play")
        return begun, True
    return _rebuilt(scene, depsgraph, known, obj, moving=moving), False


def _rebuilt(
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    known: Session,
    obj: bpy.types.Object,
    *,
    moving: bool,
) -> Live:
    """A simulation of what is cached of the frame shown, at rest as on the first frame."""
    frame, start, cache = scene.frame_current, scene.xpbd.frame_start, known.cache
    touched = known.touched
    if touched is not None and touched == start < frame:
        raise SceneError(
            f"Frame {start} was changed by hand, so that the shape at rest is not known here: go "
            f"to frame {start}, or press Simulate"
        )
    now = session.look(scene, depsgraph)
    inputs = scene_input.read_scene(scene, depsgraph, session.simulated_objects(scene), now)
    bodies, shapes = [], {}
    for body in inputs.bodies:
        shown = cache.read(body.object_id, frame) if cache else None
        first = cache.read(body.object_id, start) if cache and frame > start else body.positions
        if shown is None or first is None or len(shown) != len(body.positions):
            continue
        shapes[body.object_id] = np.array(shown, np.float64)
        bodies.append(_as_shown(body, shapes[body.object_id], np.array(first, np.float64)))
    if obj.xpbd.cache_id not in shapes:
        raise SceneError(
            inputs.left_out.get(obj.xpbd.cache_id)
            or f"'{obj.name}' is not simulated on frame {frame}: play or simulate up to it first"
        )
    built = live.build(replace(inputs, frame=start, bodies=bodies, left_out={}))
    there = scene_input.read_frame(scene, depsgraph, built.inputs)
    built.frame, built.pins, built.rows = frame, there.pins, there.rows
    for body in built.inputs.bodies:
        if body.kind == "STRANDS":
            live.put(built, body, shapes[body.object_id])
        if moving and body.kind != "SOFT_BODY" and frame > start and cache is not None:
            before = cache.read(body.object_id, frame - 1)
            if before is not None:
                speed = (shapes[body.object_id] - before) / there.time_step
                live.set_velocities(built, body, speed)
    return built


def _as_shown(body: BodyInput, shown: Numbers, first: Numbers) -> BodyInput:
    """A body that stands where it is shown. Strands are put there once they are built."""
    if body.kind == "STRANDS":
        return replace(body, positions=first, starts_moving=False)
    rest = first if body.rest_positions is None else body.rest_positions
    return replace(body, positions=shown, rest_positions=rest, starts_moving=False)
