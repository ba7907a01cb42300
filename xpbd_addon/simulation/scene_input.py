# SPDX-License-Identifier: GPL-3.0-or-later
"""What a simulation is built from and fed with: a scene, read at its first frame and at others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..scene import (
    arriving,
    bones,
    colliders,
    fibres,
    fields,
    frame_inputs,
    keyed,
    meetings,
    mesh_io,
    reduction,
    seams,
    stack,
    warp,
)
from ..scene.colliders import ColliderInput, ColliderSettings
from ..scene.fields import SurroundingsInput
from ..scene.fingerprint import Fingerprint
from ..scene.frame_inputs import MADE, Row
from ..scene.mesh_io import BodyInput, MaterialInput, Positions
from ..scene.reduction import Reduction
from ..settings import solvers

ORIGIN_STEP = 4.0
"""[m] by which the origin goes along with what is carried off: single precision has digits to spare
so near to it."""


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
        checkpoint_interval: frames from one checkpoint to the next; 0: none but at the end.
        encoding: how positions are stored of objects that begin at this frame.
        origin: world position [m] that `core` has its origin at first: single precision is finest
            there. It is within the first object, so that what is added later does not change a
            digit.
        first: that object's session_uid; 0: none can be read.
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
    checkpoint_interval: int
    encoding: str
    origin: Positions
    first: int

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
        bones: how those in bodies have moved since the start, shape (b, 3, 4), likewise.
        materials: pins and material of bodies with keyed settings, or whose weights modifiers may
            change, or of all, likewise.
        collider_settings: thickness and friction of colliders and whether they are on, likewise;
            of those that are off no places are known.
        sewing: how strongly threads of these pull and hold, of each kind, likewise.
        solver_options: those that are keyed, or all that can be.
        shapes: animated shapes [m] of bodies that follow them or start as fast, likewise.
        time_step: of the frame [s].
        surroundings: what else acts on objects, likewise.
        rows: hashes of all that frames of objects are simulated from, by cache id; those included
            that are not simulated now.
        origin: as in `SceneInput`: it goes along with the first object, as that is animated.
    """

    frame: int
    gravity: tuple[float, float, float]
    pins: dict[int, Positions]
    colliders: dict[int, Positions]
    collider_settings: dict[int, ColliderSettings]
    bones: dict[int, Positions]
    materials: dict[int, MaterialInput]
    sewing: dict[int, list[dict[str, Any]]]
    solver_options: dict[str, Any]
    shapes: dict[int, Positions]
    time_step: float
    surroundings: dict[int, SurroundingsInput]
    rows: dict[str, Row]
    origin: Positions


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
    keyed.check(scene, depsgraph)
    scale = scene.unit_settings.scale_length
    hit = {
        obj: collider
        for obj in colliders.collision_objects(scene)
        if (collider := colliders.read_collider(obj, depsgraph, scale)) is not None
    }
    wanted = [obj for obj in objects if obj.xpbd.cache_id not in finished]
    ignored = meetings.ignored(wanted, list(hit))
    bodies, left_out = _read_bodies(scene, depsgraph, wanted)
    origin, first = _first_place(objects, depsgraph, scale)
    return SceneInput(
        frame=depsgraph.scene_eval.frame_current,
        end=scene.xpbd.frame_end,
        bodies=bodies,
        left_out=left_out,
        colliders=list(hit.values()),
        ignored=[(one.session_uid, other.session_uid) for one, other in ignored],
        gravity=_gravity(scene),
        time_step=_time_step(scene, depsgraph),
        solver=scene.xpbd.solver,
        solver_options=solvers.options_of(depsgraph.scene_eval.xpbd),
        fingerprint=fingerprint,
        rows=frame_inputs.read(scene, depsgraph),
        mode=depsgraph.mode,
        checkpoint_interval=scene.xpbd.checkpoint_interval,
        encoding=scene.xpbd.cache_encoding,
        origin=origin,
        first=first,
    )


def _read_bodies(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, objects: list[bpy.types.Object]
) -> tuple[list[BodyInput], dict[str, str]]:
    """Those that can be simulated, and by cache id why the others can't."""
    bodies: list[BodyInput] = []
    left_out: dict[str, str] = {}
    for obj in objects:
        try:
            scale = scene.unit_settings.scale_length
            body = mesh_io.read_body(obj, depsgraph, scale)
            rest = body.positions if body.rest_positions is None else body.rest_positions
            body = replace(
                body,
                threads=seams.read_threads(obj, depsgraph),
                warp=warp.read(obj, depsgraph, rest),
                **_inside(obj, depsgraph, body, scale),
            )
            body = replace(body, reduction=_reduction(obj, body, scale))
            solvers.check(scene.xpbd, body.name, body.needs)
        except SceneError as error:
            left_out[obj.xpbd.cache_id] = str(error)
        else:
            bodies.append(body)
    return bodies, left_out


def _reduction(obj: bpy.types.Object, body: BodyInput, scale: float) -> Reduction | None:
    """What of a body is simulated."""
    joined = None
    if body.kind == "CLOTH" and obj.xpbd.use_carried_buttons:
        joined = reduction.tables(body.elements)
        joined += [np.ascontiguousarray(pairs, np.int64) for pairs, _ in body.threads]
    return reduction.find(body.positions, obj.xpbd.weld * scale, joined, body.pins)


def _inside(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, body: BodyInput, scale: float
) -> dict[str, Any]:
    """What leads the inside of a soft body, and how its fibres run."""
    if body.kind != "SOFT_BODY":
        return {}
    led = bones.read(obj, depsgraph, scale)
    along = fibres.read(obj, depsgraph, body.positions, led)
    return {"bones": led, "material": body.material | {"fibres": along}}


def _first_place(
    objects: list[bpy.types.Object], depsgraph: bpy.types.Depsgraph, scale: float
) -> tuple[Positions, int]:
    """The middle of the first object that can be read, in whole metres, and its session_uid."""
    for obj in objects:
        if (middle := _middle(obj, depsgraph, scale)) is not None:
            return np.round(middle), obj.session_uid
    return np.zeros(3), 0


def _middle(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, scale: float
) -> Positions | None:
    """Of an object as it arrives [m]; None where it can't be read."""
    try:
        mesh_io.check_body(obj)
        points = mesh_io.read_positions(obj, depsgraph, scale)
    except SceneError:
        return None
    return np.asarray(0.5 * (points.min(axis=0) + points.max(axis=0)))


def _origin_beside(
    first: bpy.types.Object | None, depsgraph: bpy.types.Depsgraph, scale: float, start: SceneInput
) -> Positions:
    """The origin of a frame, by whole steps from where it was at the start."""
    if first is None or (middle := _middle(first, depsgraph, scale)) is None:
        return start.origin
    return np.asarray(start.origin + ORIGIN_STEP * np.round((middle - start.origin) / ORIGIN_STEP))


def read_frame(
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    start: SceneInput,
    *,
    all_settings: bool = False,
) -> FrameInput:
    """Read what moves at the current frame.

    Args:
        all_settings: also those that may change over time and are not keyed.

    Raises:
        SceneError: something has gone.
    """
    scale = scene.unit_settings.scale_length
    objects = {obj.session_uid: obj for obj in scene.objects}
    keyed.check(scene, depsgraph)
    pins: dict[int, Positions] = {}
    led: dict[int, Positions] = {}
    changing: dict[int, MaterialInput] = {}
    sewing = {}
    surroundings: dict[int, SurroundingsInput] = {}
    shapes: dict[int, Positions] = {}
    known = fields.field_objects(scene)
    rows = frame_inputs.read(scene, depsgraph)
    options = keyed.solver_values(scene, depsgraph, all_settings=all_settings)
    for body in start.bodies:
        obj = _existing(objects, body)
        _check_made(body, rows, start, depsgraph.scene_eval.frame_current)
        _, vertices = arriving.vertices(obj, depsgraph)
        _check_count(obj.name, len(vertices), len(body.positions))
        surroundings[body.uid] = fields.read_surroundings(obj, known, depsgraph)
        if all_settings or keyed.arguments(obj) or stack.is_weighed(obj):
            changing[body.uid] = mesh_io.read_material(obj, depsgraph, scale)
            sewing[body.uid] = seams.read_options(obj, depsgraph)
        pinned = changing[body.uid].pins if body.uid in changing else body.pins
        if len(pinned):
            mesh_io.check_body(obj)
            pins[body.uid] = mesh_io.read_positions(obj, depsgraph, scale, pinned)
        if body.bones is not None and (now := bones.read(obj, depsgraph, scale)) is not None:
            led[body.uid] = body.bones.movements(now)
        if frame_inputs.is_followed(obj, scene, depsgraph):
            shapes[body.uid] = mesh_io.read_positions(obj, depsgraph, scale)
    moved, touch = _read_colliders(start, objects, depsgraph, scale)
    return FrameInput(
        frame=depsgraph.scene_eval.frame_current,
        gravity=_gravity(scene),
        pins=pins,
        colliders=moved,
        collider_settings=touch,
        bones=led,
        materials=changing,
        sewing=sewing,
        solver_options={n: v for n, v in options.items() if n != "time_scale"},
        shapes=shapes,
        time_step=_time_step(scene, depsgraph),
        surroundings=surroundings,
        rows=rows,
        origin=_origin_beside(objects.get(start.first), depsgraph, scale, start),
    )


def _read_colliders(
    start: SceneInput,
    objects: dict[int, bpy.types.Object],
    depsgraph: bpy.types.Depsgraph,
    scale: float,
) -> tuple[dict[int, Positions], dict[int, ColliderSettings]]:
    """Where vertices of colliders that are on are [m], and settings of all colliders."""
    moved: dict[int, Positions] = {}
    touch: dict[int, ColliderSettings] = {}
    for collider in start.colliders:
        obj = _existing(objects, collider)
        touch[collider.uid] = colliders.read_settings(obj, depsgraph, scale)
        if touch[collider.uid].is_on:
            moved[collider.uid] = colliders.read_vertices(obj, depsgraph, scale)
            _check_count(obj.name, len(moved[collider.uid]), len(collider.vertices))
    return moved, touch


def _gravity(scene: bpy.types.Scene) -> tuple[float, float, float]:
    """[m/s²]. Raises SceneError where it is no number."""
    found = frame_inputs.gravity_of(scene)
    if not np.isfinite(found).all():
        raise SceneError(f"The gravity of the scene '{scene.name}' is not a number: type one")
    return found


def _time_step(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> float:
    """Of a frame [s], as simulated objects feel it."""
    return depsgraph.scene_eval.xpbd.time_scale * scene.render.fps_base / scene.render.fps


def check_unchanged(scene: bpy.types.Scene, start: SceneInput) -> None:
    """Raise SceneError where an object has gone, or a simulated one has other vertices."""
    objects = {obj.session_uid: obj for obj in scene.objects}
    for body in start.bodies:
        obj = _existing(objects, body)
        if not stack.is_made(obj):
            _check_count(obj.name, len(obj.data.vertices), len(body.positions))
    for collider in start.colliders:
        _existing(objects, collider)


def _existing(
    objects: dict[int, bpy.types.Object], wanted: BodyInput | ColliderInput
) -> bpy.types.Object:
    if wanted.uid not in objects:
        raise SceneError(f"'{wanted.name}' was deleted during the simulation: simulate again")
    return objects[wanted.uid]


def _check_made(body: BodyInput, rows: dict[str, Row], start: SceneInput, frame: int) -> None:
    """Raise SceneError where modifiers before ours make something else than at the start."""
    own = body.object_id
    if rows[own].get(MADE) != start.rows[own].get(MADE):
        raise SceneError(
            f"Frame {frame}: a modifier before XPBD gives '{body.name}' other vertices or faces "
            f"than on frame {start.frame}: have it make the same on all frames, or move it below "
            "XPBD"
        )


def _check_count(name: str, count: int, expected: int) -> None:
    if count != expected:
        raise SceneError(
            f"'{name}' now has {count} vertices instead of {expected}: simulate again from the "
            "start, and keep its number of vertices over time"
        )
