# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation in memory: `core` filled from what was read of a scene, and advanced by frames.

Nothing here touches Blender: it may run in any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..scene.fields import SurroundingsInput
from ..scene.frame_inputs import Row
from ..scene.mesh_io import BodyInput, Positions
from ..settings import solvers
from .grip import Grip
from .modelling import GROWTH, as_on, model_of, named, of_particles, only_grows
from .scene_input import FrameInput, SceneInput

if TYPE_CHECKING:
    from ...core import Simulation, Surroundings

Checkpoint = dict[str, NDArray[Any]]
"""Arrays by name."""

ORIGIN = "origin"

# Two numba calls at once can end the process with some threading layers.
solver_lock = threading.Lock()


@dataclass
class Live:
    """A simulation that has arrived at `frame` from `start`, with pinned vertices at `pins`.

    `origin` is the world position [m] that `core` has its origin at now. `rows` is what it arrived
    there from. `touched` are the cache ids of what was moved by hand on the way, or is otherwise
    set up than it was, and `grip` is what is pulled.
    """

    simulation: Simulation
    handles: dict[int, Any]
    inputs: SceneInput
    origin: Positions
    frame: int
    start: int
    pins: dict[int, Positions] = field(default_factory=dict)
    rows: dict[str, Row] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    grip: Grip | None = None

    @property
    def object_ids(self) -> list[str]:
        """Cache ids of what is simulated."""
        return [body.object_id for body in self.inputs.bodies]

    @property
    def positions(self) -> dict[str, NDArray[np.float32]]:
        """World positions [m] of each object, shape (n, 3), by cache id."""
        found = {}
        for body in self.inputs.bodies:
            local = self.simulation.surface(self.handles[body.uid])
            if body.reduction is not None:
                local = body.reduction.of_vertices(local)
            world = np.empty(local.shape, np.float32)
            for to, from_origin, start in zip(world.T, local.T, self.origin, strict=True):
                np.add(from_origin, start, out=to, dtype=np.float64, casting="same_kind")
            if body.uid in self.pins and self.simulation.has_caught(self.handles[body.uid]):
                world[body.pins[body.held]] = self.pins[body.uid][body.held]
            found[body.object_id] = world
        return found


class OtherSimulation(SceneError):
    """A checkpoint is not of what is simulated now."""


class Cancelled(Exception):
    """What was being built is not wanted any more."""


def build(inputs: SceneInput, is_cancelled: Callable[[], bool] = lambda: False) -> Live:
    """Make a simulation at its first frame, without the objects that `core` refuses.

    Args:
        is_cancelled: asked now and then.

    Raises:
        SceneError: it refuses all of them, or something else.
        Cancelled: it was.
    """
    try:
        return _build(inputs, is_cancelled)
    except SceneError:
        refused = _refused_alone(inputs, is_cancelled)
        bodies = [body for body in inputs.bodies if body.object_id not in refused]
        if not refused or not bodies:
            raise
    left_out = inputs.left_out | refused
    return _build(replace(inputs, bodies=bodies, left_out=left_out), is_cancelled)


def _refused_alone(inputs: SceneInput, is_cancelled: Callable[[], bool]) -> dict[str, str]:
    """Why objects can't be simulated even without the others, by cache id."""
    refused = {}
    for body in inputs.bodies:
        try:
            _build(replace(inputs, bodies=[body]), is_cancelled)
        except SceneError as error:
            refused[body.object_id] = str(error)
    return refused


def _build(inputs: SceneInput, is_cancelled: Callable[[], bool] = lambda: False) -> Live:
    """Raises SceneError where `core` refuses something."""
    from ... import core
    from ...core.interruption import asking

    def ask() -> None:
        if is_cancelled():
            raise Cancelled

    try:
        with solver_lock, asking(ask):
            model, handles = model_of(inputs)
            solver = solvers.make(inputs.solver, inputs.solver_options)
            simulation = core.Simulation(model, solver=solver, gravity=inputs.gravity)
            simulation.watch()
    except core.ModelError as error:
        raise SceneError(str(error)) from error
    return Live(simulation, handles, inputs, inputs.origin, inputs.frame, inputs.frame)


def resume(
    inputs: SceneInput, there: FrameInput, checkpoint: Checkpoint, *, changed: bool = False
) -> Live:
    """Make a simulation at a frame in the middle.

    Args:
        inputs: as read at the first frame.
        there: what was read at the frame of the checkpoint.
        checkpoint: of :func:`checkpoint_of`.
        changed: whether anything may be other than it was; else the next frames are those that
            would have come.

    Raises:
        OtherSimulation: it is not a checkpoint of this scene.
        SceneError: something of the scene is refused.
    """
    from ... import core

    bodies = [as_on(body, there) for body in inputs.bodies]
    live = _build(replace(inputs, bodies=bodies))
    try:
        with solver_lock:
            for option, value in there.solver_options.items():
                setattr(live.simulation.solver, option, value)
            live.origin = _origin_of(checkpoint)
            if changed:
                for uid, vertices in there.colliders.items():
                    live.handles[uid].set_target(vertices - live.origin)
            live.simulation.restore(checkpoint, changed=changed)
            if changed:
                _set_targets(live, there)
    except core.CheckpointError as error:
        raise OtherSimulation(str(error)) from error
    live.frame, live.pins, live.rows = there.frame, there.pins, there.rows
    if not changed and not _stands_as_read(live, there):
        raise OtherSimulation("The checkpoint is of other movement: simulate from the first frame")
    return live


def checkpoint_of(live: Live) -> Checkpoint:
    """All that the next frame depends on beside what is read for it."""
    return {**live.simulation.checkpoint(), ORIGIN: live.origin}


def _origin_of(checkpoint: Checkpoint) -> Positions:
    origin = checkpoint.get(ORIGIN, np.empty(0))
    if origin.shape != (3,) or origin.dtype != np.float64 or not np.isfinite(origin).all():
        raise SceneError("The checkpoint is of another version: simulate from the first frame")
    return origin


def _stands_as_read(live: Live, there: FrameInput) -> bool:
    """Whether pins and colliders are where they were read, but for what the origin's way rounds."""
    origin, state = live.origin, live.simulation.state
    colliders = all(
        _are_same(live.handles[uid].vertices, vertices - origin)
        for uid, vertices in there.colliders.items()
    )
    led = [
        (live.handles[body.uid].pins, _at_leading(body, there.pins[body.uid]) - origin)
        for body in live.inputs.bodies
        if body.uid in there.pins
    ]
    return colliders and all(
        _are_same(state.wanted[np.searchsorted(state.kinematic, particles)], points)
        for particles, points in led
    )


def _are_same(places: NDArray[np.floating[Any]], others: Positions) -> bool:
    return places.shape == others.shape and np.allclose(places, others, rtol=1e-6, atol=1e-6)


def advance(live: Live, targets: FrameInput) -> None:
    """Simulate for a frame, at whose end pins and colliders are at the targets.

    That is the next one, or the same once more, where time of the scene stands still.

    Raises:
        SceneError: a position is not a number any more; names the frame and the object.
    """
    from ... import core

    frame = targets.frame
    try:
        with solver_lock:
            origin = _seen_from(live, targets.origin)
            _renew(live, targets)
            _set_targets(live, targets)
            for uid, touch in targets.collider_settings.items():
                collider = live.handles[uid]
                collider.thickness, collider.friction, collider.is_on = touch
            for uid, vertices in targets.colliders.items():
                live.handles[uid].set_target(vertices - origin)
            _follow(live, targets)
            live.simulation.gravity = targets.gravity
            for uid, given in targets.surroundings.items():
                live.simulation.surround(_surroundings(live, given), live.handles[uid])
            if live.grip is not None:
                live.grip.lead(live.simulation, live.handles)
                live.touched = set(live.object_ids)
            live.simulation.advance(targets.time_step)
    except (core.SimulationError, core.ModelError) as error:
        raise SceneError(f"Frame {frame}: {error}") from error
    live.frame, live.pins, live.rows = frame, targets.pins, targets.rows


def _set_targets(live: Live, targets: FrameInput) -> None:
    """Say where pins are led, what bones take along, and what has goals."""
    origin, set_targets = live.origin, live.simulation.set_targets
    for body in live.inputs.bodies:
        handle = live.handles[body.uid]
        if body.uid in targets.pins:
            set_targets(*handle.led(_at_leading(body, targets.pins[body.uid]) - origin))
        if body.has_goal and body.uid in targets.shapes:
            set_targets(*handle.wanted(_at_particles(body, targets.shapes[body.uid]) - origin))
    for uid, movements in targets.bones.items():
        about = _about(movements, live.inputs.origin, origin)
        set_targets(*live.handles[uid].led_by_bones(about))


def _seen_from(live: Live, origin: Positions) -> Positions:
    """The origin, moved there."""
    way = origin - live.origin
    if way.any():
        live.simulation.move_origin(way)
        live.origin = origin
        if live.grip is not None:
            live.grip.starts -= way
    return origin


def _renew(live: Live, targets: FrameInput) -> None:
    """Take over settings that have changed since the last frame."""
    for option, value in targets.solver_options.items():
        setattr(live.simulation.solver, option, value)
    bodies = [as_on(body, targets) for body in live.inputs.bodies]
    changed = [
        (old, new) for old, new in zip(live.inputs.bodies, bodies, strict=True) if new is not old
    ]
    if not all(only_grows(old, new) for old, new in changed):
        _go_on_with(live, bodies)
        return
    live.inputs = replace(live.inputs, bodies=bodies)
    for _, body in changed:
        material = of_particles(body).material
        growth = {name: material[name] for name in GROWTH}
        with named(body.name):
            live.simulation.grow(live.handles[body.uid], **growth)


def _go_on_with(live: Live, bodies: list[BodyInput]) -> None:
    """Go on with other settings or pins of bodies, as these move now."""
    live.inputs = replace(live.inputs, bodies=bodies)
    model, live.handles = model_of(live.inputs)
    live.simulation.go_on_with(model)


def go_back(live: Live, bodies: list[BodyInput], checkpoint: Checkpoint) -> None:
    """Be where it was at one of its checkpoints, with bodies as they were there."""
    with solver_lock:
        if any(old is not new for old, new in zip(bodies, live.inputs.bodies, strict=True)):
            _go_on_with(live, bodies)
        live.origin = _origin_of(checkpoint)
        live.simulation.restore(checkpoint)


def _follow(live: Live, targets: FrameInput) -> None:
    """Take over animated shapes: at rest, and how fast they begin to move."""
    for body in live.inputs.bodies:
        if body.uid not in targets.shapes:
            continue
        handle, shape = live.handles[body.uid], targets.shapes[body.uid]
        shape, start = _at_particles(body, shape), _at_particles(body, body.positions)
        if body.starts_moving and live.frame == live.start < targets.frame:
            way = shape - start
            live.simulation.set_velocities(handle, way / targets.time_step)
        if body.follows_animation:
            live.simulation.follow_rest(handle, shape - live.inputs.origin)


def put(live: Live, body: BodyInput, shape: Positions) -> None:
    """Let the vertices of cloth or strands be somewhere else, at once.

    Args:
        shape: in the world [m], shape (n, 3).
    """
    handle, simulation = live.handles[body.uid], live.simulation
    simulation.positions[handle.particles] = _at_particles(body, shape) - live.origin
    if body.uid in live.pins:
        to = _at_leading(body, live.pins[body.uid]) - live.origin
        simulation.positions[handle.pins] = to
        simulation.set_targets(handle.pins, to)


def set_velocities(live: Live, body: BodyInput, speeds: Positions) -> None:
    """Let the vertices of cloth or strands move like this [m/s], shape (n, 3)."""
    live.simulation.set_velocities(live.handles[body.uid], _at_particles(body, speeds))


def _at_particles(body: BodyInput, values: Positions) -> Positions:
    return values if body.reduction is None else body.reduction.of_particles(values)


def _at_leading(body: BodyInput, places: Positions) -> Positions:
    """Of pinned vertices those whose particles are led, one each."""
    if body.reduction is None:
        return places
    return places[body.reduction.pins(body.pins, body.pin_stiffness)]


def _surroundings(live: Live, given: SurroundingsInput) -> Surroundings:
    from ... import core

    return core.Surroundings(
        gravity=given.gravity,
        fields=[
            core.Field(
                **field | {"origin": _from_origin(live, field["origin"])},
                world=_from_origin(live, (0.0, 0.0, 0.0)),
            )
            for field in given.fields
        ],
        pascals=given.pascals,
        air=None if given.air is None else core.Air(*given.air),
    )


def _about(movements: Positions, start: Positions, origin: Positions) -> Positions:
    """Movements in the world, shape (b, 3, 4), of what was seen from one origin, from another."""
    result = movements.copy()
    result[:, :, 3] += movements[:, :, :3] @ start - origin
    return result


def _from_origin(live: Live, place: tuple[float, float, float]) -> tuple[float, float, float]:
    x, y, z = np.array(place) - live.origin
    return float(x), float(y), float(z)
