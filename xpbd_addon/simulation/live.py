# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation in memory: `core` filled from a scene, and advanced frame by frame.

Nothing here touches bpy except `read_scene` and `read_frame`; the rest may run in any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..scene import colliders, frame_inputs, meetings, mesh_io
from ..scene.colliders import ColliderInput
from ..scene.fingerprint import Fingerprint
from ..scene.frame_inputs import Row
from ..scene.mesh_io import BodyInput, Positions
from ..settings import solvers
from . import measures
from .measures import Measures

if TYPE_CHECKING:
    from ...core import Simulation
    from ...core.solvers.common.report import Report

Faults = dict[str, NDArray[np.int64]]
"""Vertices of an object, by the measure that counts them."""

# Two numba calls at once can end the process with some threading layers.
_solver_lock = threading.Lock()


@dataclass(frozen=True)
class SceneInput:
    """All that a simulation is built from, at its first frame.

    Attributes:
        end: the last frame that is wanted.
        left_out: why objects are not among the bodies that should be, by cache id.
        ignored: pairs of bodies and colliders that don't touch, by the objects' session_uid.
        gravity: [m/s²]. time_step: of a frame [s].
        fingerprint: of all objects, those included that are not simulated now.
        rows: hashes of what the first frame of these objects is simulated from, by cache id.
        mode: of the dependency graph that was read, 'VIEWPORT' or 'RENDER', in which other objects
            and modifiers may take part.
        origin: world position [m] that `core` has its origin at: single precision is finest there.
            It is within the first object, so that what is added later does not change a digit.
    """

    frame: int
    end: int
    bodies: list[BodyInput]
    left_out: dict[str, str]
    colliders: list[ColliderInput]
    ignored: list[tuple[int, int]]
    gravity: tuple[float, float, float]
    time_step: float
    solver: str
    solver_options: dict[str, Any]
    fingerprint: Fingerprint
    rows: dict[str, Row]
    mode: str
    origin: Positions

    @property
    def positions(self) -> dict[str, NDArray[np.float32]]:
        """World positions [m] of each object, shape (n, 3), by cache id."""
        return {body.object_id: body.positions.astype(np.float32) for body in self.bodies}


@dataclass(frozen=True)
class FrameInput:
    """What a frame is simulated with.

    Attributes:
        gravity: [m/s²].
        pins, colliders: where they are at the frame [m], shapes (p, 3) and (v, 3), by the objects'
            session_uid.
        rows: hashes of all that frames of objects are simulated from, by cache id; those included
            that are not simulated now.
    """

    frame: int
    gravity: tuple[float, float, float]
    pins: dict[int, Positions]
    colliders: dict[int, Positions]
    rows: dict[str, Row]


@dataclass
class Live:
    """A simulation that has arrived at `frame`, with pinned vertices at `pins`, from `rows`."""

    simulation: Simulation
    handles: dict[int, Any]
    inputs: SceneInput
    frame: int
    pins: dict[int, Positions] = field(default_factory=dict)
    rows: dict[str, Row] = field(default_factory=dict)

    @property
    def object_ids(self) -> list[str]:
        """Cache ids of what is simulated."""
        return [body.object_id for body in self.inputs.bodies]

    @property
    def positions(self) -> dict[str, NDArray[np.float32]]:
        """World positions [m] of each object, shape (n, 3), by cache id."""
        found = {}
        for body in self.inputs.bodies:
            particles = self.handles[body.uid].particles  # one after the other
            local = self.simulation.positions[particles[0] : particles[-1] + 1]
            world = np.empty(local.shape, np.float32)
            for to, from_origin, start in zip(world.T, local.T, self.inputs.origin, strict=True):
                np.add(from_origin, start, out=to, dtype=np.float64, casting="same_kind")
            if body.uid in self.pins:
                world[body.pins] = self.pins[body.uid]
            found[body.object_id] = world
        return found


def read_scene(
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    objects: list[bpy.types.Object],
    fingerprint: Fingerprint,
    finished: Collection[str] = (),
) -> SceneInput:
    """Read everything at the current frame.

    Args:
        objects: that are simulated.
        finished: cache ids of those that need not be simulated again.

    Raises:
        SceneError: something can't be used that is not one of the objects.
    """
    scale = scene.unit_settings.scale_length
    hit = {
        obj: collider
        for obj in colliders.collision_objects(scene)
        if (collider := colliders.read_collider(obj, depsgraph, scale)) is not None
    }
    wanted = [obj for obj in objects if obj.xpbd.cache_id not in finished]
    ignored = meetings.ignored(wanted, list(hit))
    bodies, left_out = _read_bodies(scene, depsgraph, wanted)
    return SceneInput(
        frame=depsgraph.scene_eval.frame_current,
        end=scene.xpbd.frame_end,
        bodies=bodies,
        left_out=left_out,
        colliders=list(hit.values()),
        ignored=[(one.session_uid, other.session_uid) for one, other in ignored],
        gravity=frame_inputs.gravity_of(scene),
        time_step=scene.render.fps_base / scene.render.fps,
        solver=scene.xpbd.solver,
        solver_options=solvers.options_of(scene.xpbd),
        fingerprint=fingerprint,
        rows=frame_inputs.read(scene, depsgraph),
        mode=depsgraph.mode,
        origin=_origin(objects, depsgraph, scale),
    )


def _read_bodies(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, objects: list[bpy.types.Object]
) -> tuple[list[BodyInput], dict[str, str]]:
    """Those that can be simulated, and by cache id why the others can't."""
    bodies: list[BodyInput] = []
    left_out: dict[str, str] = {}
    for obj in objects:
        try:
            body = mesh_io.read_body(obj, depsgraph, scene.unit_settings.scale_length)
            if "volume_compliance" in body.material:
                solvers.check_volume(scene.xpbd, body.name)
        except SceneError as error:
            left_out[obj.xpbd.cache_id] = str(error)
        else:
            bodies.append(body)
    return bodies, left_out


def _origin(
    objects: list[bpy.types.Object], depsgraph: bpy.types.Depsgraph, scale: float
) -> Positions:
    """The middle of the first object that can be read."""
    for obj in objects:
        try:
            mesh_io.check_body(obj)
            first = mesh_io.read_positions(obj, depsgraph, scale)
        except SceneError:
            continue
        return np.round(0.5 * (first.min(axis=0) + first.max(axis=0)))
    return np.zeros(3)


def read_frame(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, live: Live) -> FrameInput:
    """Read what moves at the current frame. Raises SceneError where something has gone."""
    scale = scene.unit_settings.scale_length
    objects = {obj.session_uid: obj for obj in scene.objects}
    pins: dict[int, Positions] = {}
    for body in live.inputs.bodies:
        obj = _existing(objects, body)
        _check_count(obj.name, len(obj.data.vertices), len(body.positions))
        if len(body.pins):
            mesh_io.check_body(obj)
            pins[body.uid] = mesh_io.read_positions(obj, depsgraph, scale, body.pins)
    moved: dict[int, Positions] = {}
    for collider in live.inputs.colliders:
        obj = _existing(objects, collider)
        moved[collider.uid] = colliders.read_vertices(obj, depsgraph, scale)
        _check_count(obj.name, len(moved[collider.uid]), len(collider.vertices))
    return FrameInput(
        frame=depsgraph.scene_eval.frame_current,
        gravity=frame_inputs.gravity_of(scene),
        pins=pins,
        colliders=moved,
        rows=frame_inputs.read(scene, depsgraph),
    )


def check_unchanged(scene: bpy.types.Scene, live: Live) -> None:
    """Raise SceneError where an object has gone, or a simulated one has other vertices."""
    objects = {obj.session_uid: obj for obj in scene.objects}
    for body in live.inputs.bodies:
        obj = _existing(objects, body)
        _check_count(obj.name, len(obj.data.vertices), len(body.positions))
    for collider in live.inputs.colliders:
        _existing(objects, collider)


def build(inputs: SceneInput) -> Live:
    """Make a simulation at its first frame, without the objects that `core` refuses.

    Raises:
        SceneError: it refuses all of them, or something else.
    """
    try:
        return _build(inputs)
    except SceneError:
        refused = _refused_alone(inputs)
        bodies = [body for body in inputs.bodies if body.object_id not in refused]
        if not refused or not bodies:
            raise
    return _build(replace(inputs, bodies=bodies, left_out=inputs.left_out | refused))


def _refused_alone(inputs: SceneInput) -> dict[str, str]:
    """Why objects can't be simulated even without the others, by cache id."""
    refused = {}
    for body in inputs.bodies:
        try:
            _build(replace(inputs, bodies=[body]))
        except SceneError as error:
            refused[body.object_id] = str(error)
    return refused


def _build(inputs: SceneInput) -> Live:
    """Raises SceneError where `core` refuses something."""
    from ... import core

    try:
        with _solver_lock:
            model = core.Model(dtype=np.float32)
            handles: dict[int, Any] = {}
            adders: dict[str, Callable[..., Any]] = {
                "CLOTH": model.add_cloth,
                "STRANDS": model.add_strands,
            }
            for body in inputs.bodies:
                handles[body.uid] = adders[body.kind](
                    body.positions - inputs.origin,
                    body.elements,
                    pins=body.pins,
                    thickness=body.thickness,
                    name=body.name,
                    **body.material,
                )
            for collider in inputs.colliders:
                handles[collider.uid] = model.add_collider(
                    collider.vertices - inputs.origin,
                    collider.triangles,
                    thickness=collider.thickness,
                    friction=collider.friction,
                    two_sided=collider.two_sided,
                    name=collider.name,
                )
            for one, other in inputs.ignored:
                if one not in handles or other not in handles:
                    continue
                model.ignore_contact(handles[one], handles[other])
            solver = solvers.make(inputs.solver, inputs.solver_options)
            simulation = core.Simulation(model, solver=solver, gravity=inputs.gravity)
            simulation.watch()
    except core.ModelError as error:
        raise SceneError(str(error)) from error
    return Live(simulation, handles, inputs, inputs.frame)


def advance(live: Live, targets: FrameInput) -> None:
    """Simulate the next frame, at whose end pins and colliders are at the targets.

    Raises:
        SceneError: a position is not a number any more; names the frame and the object.
    """
    from ... import core

    frame, origin = live.frame + 1, live.inputs.origin
    try:
        with _solver_lock:
            for body in live.inputs.bodies:
                if body.uid in targets.pins:
                    pinned = live.handles[body.uid].particles[body.pins]
                    live.simulation.set_targets(pinned, targets.pins[body.uid] - origin)
            for uid, vertices in targets.colliders.items():
                live.handles[uid].set_target(vertices - origin)
            live.simulation.gravity = targets.gravity
            live.simulation.advance(live.inputs.time_step)
    except (core.SimulationError, core.ModelError) as error:
        raise SceneError(f"Frame {frame}: {error}") from error
    live.frame, live.pins, live.rows = frame, targets.pins, targets.rows


def together(live: Live) -> list[set[str]]:
    """Cache ids of the objects of each island of the last frame: only these can have met."""
    handles = [live.handles[body.uid] for body in live.inputs.bodies]
    islands: dict[int, set[str]] = {}
    for body, island in zip(live.inputs.bodies, live.simulation.islands_of(*handles), strict=True):
        islands.setdefault(island, set()).add(body.object_id)
    return list(islands.values())


def measure(live: Live) -> tuple[dict[str, Measures], dict[str, Faults]]:
    """What is known of the frame that the simulation has arrived at, by cache id.

    Returns:
        what the cache keeps beside positions, and which vertices have which fault.
    """
    simulation, objects = live.simulation, live.inputs.bodies
    handles = [live.handles[body.uid] for body in objects]
    found: dict[str, Measures] = {}
    faults: dict[str, Faults] = {}
    for body, handle, report, overstretch, crossings, reach in zip(
        objects,
        handles,
        simulation.reports_of(*handles),
        simulation.overstretches_of(*handles),
        simulation.crossings_of(*handles),
        simulation.reach_of(*handles),
        strict=True,
    ):
        own = {
            "held_apart": overstretch.held_apart,
            "crossings": crossings.vertices,
            "squeezed": simulation.squeezed(handle),
        }
        counts = {name: len(vertices) for name, vertices in own.items()}
        counts["crossings"] = crossings.pairs
        faults[body.object_id] = own
        found[body.object_id] = _measure(simulation, handle, report)._replace(
            overstretch=overstretch.error, **counts, **_world(live, *reach)
        )
    return found, faults


def _world(live: Live, low: Positions, high: Positions) -> dict[str, Any]:
    """The corners [m] of a box in the world, rounded outward to single precision."""
    corners = np.array([low, high]) + live.inputs.origin
    rounded = np.nextafter(corners.astype(np.float32), np.array([[-np.inf], [np.inf]], np.float32))
    return dict(zip(measures.CORNERS, rounded.ravel().tolist(), strict=True))


def _measure(simulation: Simulation, handle: Any, report: Report) -> Measures:
    from ... import core

    measured = measures.AT_REST._replace(
        residual=report.residual,
        substeps=report.substeps,
        iterations=report.iterations,
    )
    if not len(handle.edges):
        return measured
    strain = core.edge_strain(simulation.positions, handle.edges, handle.rest_lengths)
    return measured._replace(
        largest_strain=float(strain.max()), mean_strain=float(np.abs(strain).mean())
    )


def _existing(
    objects: dict[int, bpy.types.Object], wanted: BodyInput | ColliderInput
) -> bpy.types.Object:
    if wanted.uid not in objects:
        raise SceneError(f"'{wanted.name}' was deleted during the simulation: simulate again")
    return objects[wanted.uid]


def _check_count(name: str, count: int, expected: int) -> None:
    if count != expected:
        raise SceneError(
            f"'{name}' now has {count} vertices instead of {expected}: simulate again from the "
            "start, and keep its number of vertices over time"
        )
