# SPDX-License-Identifier: GPL-3.0-or-later
"""What a frame is simulated from, as a hash of each source: whatever changes, a hash does.

Evaluated data is read, just as simulating reads it, so nobody has to know what could change it.
"""

from __future__ import annotations

from hashlib import blake2b
from itertools import chain

import bpy
import numpy as np
from mathutils import Matrix

from ..errors import SceneError
from ..settings import painted
from . import (
    arriving,
    bones,
    colliders,
    fibres,
    fields,
    fingerprint,
    ids,
    keyed,
    meetings,
    mesh_io,
    motion,
    physics,
    stack,
    warp,
    weights,
)

GRAVITY, PINS, COLLIDER, SETTING = "gravity", "pins", "collider ", "setting "
TOUCH = "touch "  # of a collider: its thickness and friction
BONES = "bones"
WEIGHTS = "weights"  # of vertex groups, where modifiers before ours may change them
AIR, FIELD = "air", "field "
MADE = "made"
HAND = "hand"  # what no scene says: that somebody moved things
# Which only the first frame is simulated from:
SHAPE, FACES, WARP, FIBRES = "shape", "faces ", "warp", "fibres"
NOTHING = 0
LED = 1  # follows what is simulated, whose frames say whether it is as it was

Row = dict[str, int | None]
"""Hash of each source by its name; None: not known.

`COLLIDER`, `TOUCH`, `FACES` and `FIELD` stand before the name of the object, `SETTING` before what
is keyed.
"""


def read(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> dict[str, Row]:
    """What the current frame of each simulated object is simulated from, by its cache id."""
    own = {obj: key for obj in physics.simulated_objects(scene) if (key := ids.own(obj))}
    hit = colliders.collision_objects(scene)
    is_start = depsgraph.scene_eval.frame_current == scene.xpbd.frame_start
    walls = {obj: _collider(obj, depsgraph, own, is_start) for obj in hit}
    options = _settings(keyed.solver_values(scene, depsgraph))
    blowing = fields.field_objects(scene)
    apart = {frozenset(pair) for pair in meetings.ignored(list(own), hit)}
    rows: dict[str, Row] = {}
    for obj, key in own.items():
        felt = obj.evaluated_get(depsgraph).xpbd.field_weights
        gravity = np.array(gravity_of(scene)) * felt.gravity
        body = _body(obj, depsgraph, own)
        if is_followed(obj, scene, depsgraph):
            body[PINS] = body[SHAPE]
        row: Row = {GRAVITY: _hash(gravity), **body, **options}
        row |= _bones(obj, depsgraph, own) | _made(obj, depsgraph)
        row |= _weights(obj, depsgraph, own)
        row |= _settings(keyed.values(obj, depsgraph))
        row |= dict.fromkeys((FIELD + each.name_full for each in blowing if each != obj), NOTHING)
        row[AIR] = NOTHING
        if not is_start:
            row |= _outside(obj, blowing, depsgraph, own)
        for other, wall in walls.items():
            if frozenset((obj, other)) not in apart:
                row |= wall
        rows[key] = row
    return rows


def is_followed(
    obj: bpy.types.Object, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph
) -> bool:
    """Whether where all vertices are led counts on the current frame, not only the pinned ones."""
    if obj.xpbd.kind == "CLOTH" and obj.xpbd.use_dynamic_mesh:
        return True
    if obj.xpbd.kind == "SOFT_BODY" and obj.xpbd.use_goal:
        return True
    second = depsgraph.scene_eval.frame_current == scene.xpbd.frame_start + 1
    return second and bool(obj.xpbd.use_initial_velocity)


def gravity_of(scene: bpy.types.Scene) -> tuple[float, float, float]:
    """[m/s²], as it is at the current frame."""
    if not scene.use_gravity:
        return 0.0, 0.0, 0.0
    x, y, z = np.array(scene.gravity, np.float64) * scene.unit_settings.scale_length
    return float(x), float(y), float(z)


def _body(
    obj: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    simulated: dict[bpy.types.Object, str],
) -> Row:
    """Of where all vertices are, and of where the pinned ones are led."""
    if _follows(obj, simulated):
        return {SHAPE: LED, PINS: LED}
    try:
        local = None if obj.data.is_editmode else mesh_io.read_local(obj, depsgraph)
    except SceneError:
        local = None
    if local is None:
        return {SHAPE: None, PINS: None}
    matrix, pins = (
        _matrix(obj.evaluated_get(depsgraph).matrix_world),
        fingerprint.pinned(obj, depsgraph),
    )
    led = NOTHING if pins is None else _hash(local[pins], matrix)
    return {SHAPE: _hash(local, matrix), PINS: led}


def _bones(
    obj: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    simulated: dict[bpy.types.Object, str],
) -> Row:
    """Of where the bones are that lead its inside, if any do."""
    if (armature := bones.of(obj)) is None:
        return {}
    if _follows(armature, simulated):
        return {BONES: LED}
    try:
        read = bones.read(obj, depsgraph, 1.0)
    except SceneError:
        return {BONES: None}
    return {BONES: None if read is None else _hash(read.places, read.lengths)}


def _made(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Row:
    """Of what vertices and faces modifiers before ours make, if any do."""
    if not stack.is_made(obj, depsgraph.mode):
        return {}
    try:
        _, places = arriving.vertices(obj, depsgraph)
        elements = mesh_io.read_elements(obj, depsgraph)
    except SceneError:
        return {MADE: None}
    if not isinstance(elements, np.ndarray):
        elements = np.fromiter(chain.from_iterable(elements), np.int32)
    row: Row = {MADE: _hash(np.array([len(places)]), elements)}
    for source, read in ((WARP, warp.source), (FIBRES, fibres.source)):
        if (directions := read(obj, depsgraph)) is not None:
            row[source] = _hash(directions)
    return row


def _weights(
    obj: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    simulated: dict[bpy.types.Object, str],
) -> Row:
    """Of the weights of its vertex groups, if modifiers before ours may change them."""
    groups = painted.groups(obj.xpbd)
    if not groups or not stack.is_weighed(obj):
        return {}
    if _follows(obj, simulated):
        return {WEIGHTS: LED}
    if obj.data.is_editmode:
        return {WEIGHTS: None}
    try:
        read = [weights.read_weights(obj, name, "", depsgraph) for name in groups]
    except SceneError:
        return {WEIGHTS: None}
    return {WEIGHTS: _hash(*read)}


def _settings(values: keyed.Values) -> Row:
    """Of what is keyed."""
    texts = {name: np.frombuffer(repr(value).encode(), np.uint8) for name, value in values.items()}
    return {SETTING + name: _hash(text) for name, text in texts.items()}


def _outside(
    obj: bpy.types.Object,
    blowing: list[bpy.types.Object],
    depsgraph: bpy.types.Depsgraph,
    simulated: dict[bpy.types.Object, str],
) -> Row:
    """Of the air and of each force field that acts on an object."""
    settings = obj.evaluated_get(depsgraph).xpbd
    acting = list(fields.acting_on(obj, blowing, depsgraph))
    row: Row = {}
    if settings.use_air or any(other.field.type == "WIND" for other, _ in acting):
        row[AIR] = _hash(np.array([settings.air_density, settings.air_drag, settings.air_friction]))
    for other, weight in acting:
        source = FIELD + other.name_full
        if _follows(other, simulated):
            row[source] = LED
            continue
        try:
            read = fields.read_field(other, depsgraph, weight * settings.field_pressure)
        except SceneError:
            row[source] = None
        else:
            row[source] = _hash(np.frombuffer(repr(read | {"name": ""}).encode(), np.uint8))
    return row


def _collider(
    obj: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    simulated: dict[bpy.types.Object, str],
    is_start: bool,
) -> Row:
    """Of where its vertices are, of its thickness and friction, and of its triangles, which are
    only looked at on the start.
    """
    points, touch, faces = (source + obj.name_full for source in (COLLIDER, TOUCH, FACES))
    if obj.data.is_editmode:
        return {points: None, touch: None, faces: None}
    settings = colliders.read_settings(obj, depsgraph, 1.0)
    if not settings.is_on:
        return {points: NOTHING, touch: NOTHING, faces: None}
    numbers = _hash(np.array(settings))
    evaluated = obj.evaluated_get(depsgraph)
    mesh = mesh_io.mesh_of(evaluated)
    triangles = _hash(mesh_io.loop_triangles(mesh)) if is_start else None
    if _follows(obj, simulated):
        return {points: LED, touch: numbers, faces: triangles}
    vertices = mesh_io.vectors(mesh, "position")
    places = _hash(vertices, _matrix(evaluated.matrix_world))
    return {points: places, touch: numbers, faces: triangles}


def _follows(obj: bpy.types.Object, simulated: dict[bpy.types.Object, str]) -> bool:
    """Whether something else that is simulated leads an object."""
    return any(mover in simulated and mover != obj for mover in motion.movers(obj))


def _matrix(matrix: Matrix) -> np.ndarray:
    return np.array(matrix, np.float32)


def _hash(*arrays: np.ndarray) -> int:
    """Of numbers and shapes, above those that mean something else."""
    state = blake2b(digest_size=8)
    for array in arrays:
        state.update(repr(array.shape).encode())
        state.update(np.ascontiguousarray(array).data)
    return max(int.from_bytes(state.digest(), "little"), LED + 1)
