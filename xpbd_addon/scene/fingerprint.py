# SPDX-License-Identifier: GPL-3.0-or-later
"""What simulated objects depend on, as text in parts, to tell when cached frames are outdated.

Only original data is read, never evaluated data, so that a fingerprint is the same on every
frame: values that are animated are replaced by the curves that animate them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import Any
from zlib import crc32

import bpy
import numpy as np

from ..errors import SceneError
from ..settings import materials, solvers
from . import animation, colliders, hair_nodes, ids, meetings, mesh_io

REASONS = {
    "range": "start frame changed",
    "solver": "solver changed",
    "material": "material changed",
    "mesh": "mesh changed",
    "pins": "pins changed",
    "colliders": "collision changed",
    "motion": "movement changed",
}

Checksum = tuple[tuple[int, ...], int]

_weights: dict[tuple[int, str, int], str] = {}
_faces: dict[int, tuple[list[mesh_io.Indices], list[Checksum]]] = {}


@dataclass(frozen=True)
class Fingerprint:
    """What a scene's simulation depends on.

    Attributes:
        shared: what all objects depend on.
        objects: of each object, by its cache id, what it depends on beside that.
    """

    shared: str
    objects: dict[str, str]

    def followed(self, object_id: str) -> set[str]:
        """Cache ids of simulated objects that lead an object, or a collider that it meets."""
        return _names(_parts(self.objects[object_id]), "follows")

    def ignored(self, object_id: str) -> set[str]:
        """Cache ids of simulated objects that an object goes through."""
        return _names(_parts(self.objects[object_id]), "ignores")


def compute(scene: bpy.types.Scene, objects: list[bpy.types.Object]) -> Fingerprint:
    """The fingerprint of the scene's simulation as it is set up now.

    Args:
        objects: that are simulated; those without a cache id of their own are left out.
    """
    shared = {"range": _digest([scene.xpbd.frame_start]), "solver": _digest(_solver(scene))}
    known = {obj: own for obj in objects if (own := ids.own(obj))}
    look = _Look(known, colliders.collision_objects(scene))
    return Fingerprint(_text(shared), {known[obj]: _text(look.parts(obj)) for obj in known})


def difference(before: str, now: str, known: Collection[str] = ()) -> str:
    """Why two fingerprints differ, both shared or both of an object; empty where they don't.

    Args:
        known: cache ids of objects that both tell of: whether others are ignored changes nothing.
    """
    if before == now:
        return ""
    old, new = _parts(before), _parts(now)
    for name, reason in REASONS.items():
        if old.get(name) != new.get(name):
            return reason
    if old.get("follows") != new.get("follows"):
        return REASONS["motion"]
    apart = _names(old, "ignores") ^ _names(new, "ignores")
    return "" if apart.isdisjoint(known) else REASONS["colliders"]


def forget_meshes() -> None:
    """Read vertex groups and faces anew: a mesh was edited, or a file loaded."""
    _weights.clear()
    _faces.clear()


def _text(parts: dict[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in parts.items())


def _parts(text: str) -> dict[str, str]:
    return dict(part.partition("=")[::2] for part in text.split())


def _names(parts: dict[str, str], part: str) -> set[str]:
    """The cache ids that a part lists."""
    return set(filter(None, parts.get(part, "").split(",")))


class _Look:
    """A look at all simulated objects, and at the colliders that they share.

    Args:
        simulated: the objects, with their cache ids.
        hit: the colliders.
    """

    def __init__(self, simulated: dict[bpy.types.Object, str], hit: list[bpy.types.Object]) -> None:
        self._simulated = simulated
        self._hit = hit
        self._ignored: dict[bpy.types.Object, set[bpy.types.Object]] = {}
        for one, other in meetings.ignored(list(simulated), hit):
            self._ignored.setdefault(one, set()).add(other)
            self._ignored.setdefault(other, set()).add(one)
        self._moved_by: dict[bpy.types.Object, list[bpy.types.Object]] = {}
        self._motions: dict[bpy.types.Object, str] = {}
        self._colliders: dict[bpy.types.Object, str] = {}

    def parts(self, obj: bpy.types.Object) -> dict[str, str]:
        """What an object depends on, beside what all do."""
        ignored = self._ignored.get(obj, set())
        met = [other for other in self._hit if other not in ignored]
        followed = {mover for each in (obj, *met) for mover in self._movers(each)} - {obj}
        return {
            "material": _digest(_material(obj)),
            "mesh": _digest(_body_mesh(obj)),
            "pins": _digest([_pins(obj)]),
            "colliders": _digest(sorted(map(self._collider, met))),
            "motion": self._motion(obj),
            "follows": self._list(followed),
            "ignores": self._list(ignored),
        }

    def _list(self, objects: set[bpy.types.Object]) -> str:
        return ",".join(sorted(self._simulated[obj] for obj in objects & self._simulated.keys()))

    def _collider(self, obj: bpy.types.Object) -> str:
        if obj not in self._colliders:
            self._colliders[obj] = _digest([*_collider(obj), self._motion(obj)])
        return self._colliders[obj]

    def _movers(self, obj: bpy.types.Object) -> list[bpy.types.Object]:
        if obj not in self._moved_by:
            self._moved_by[obj] = _movers(obj)
        return self._moved_by[obj]

    def _motion(self, obj: bpy.types.Object) -> str:
        """That of the object and of all that it follows."""
        movers = self._movers(obj)
        for mover in movers:
            if mover not in self._motions:
                self._motions[mover] = _digest(_motion(mover))
        return _digest(sorted(self._motions[mover] for mover in movers))


def _digest(items: Iterable[Any]) -> str:
    state = blake2b(digest_size=8)
    for item in items:
        if isinstance(item, np.ndarray):
            item = _checksum(item)
        state.update(repr(item).encode())
        state.update(b"|")
    return state.hexdigest()


def _checksum(values: np.ndarray) -> Checksum:
    """Looked at on every frame of playing; this is five times faster than a hash."""
    return values.shape, crc32(np.ascontiguousarray(values).data)


def _solver(scene: bpy.types.Scene) -> list[Any]:
    settings, render = scene.xpbd, scene.render
    return [
        settings.solver,
        sorted(solvers.options_of(settings).items()),
        _gravity(scene),
        render.fps,
        render.fps_base,
        scene.unit_settings.scale_length,
    ]


def _gravity(scene: bpy.types.Scene) -> list[Any]:
    """The vector, or the keyframes of what animates it."""
    if not scene.use_gravity:
        return []
    animated = [
        (curve.array_index, _checksum(_keyframes(curve)))
        for curve in _animation_of(scene)
        if curve.data_path == "gravity"
    ]
    return animated or [scene.gravity[axis] for axis in range(3)]


def _material(obj: bpy.types.Object) -> list[Any]:
    settings = obj.xpbd
    values = materials.core_arguments(settings)
    return [sorted(values.items()), settings.kind, settings.thickness]


def _body_mesh(obj: bpy.types.Object) -> Iterator[Any]:
    mesh = mesh_io.mesh_of(obj)
    yield from _mesh(mesh)
    if obj.xpbd.kind == "STRANDS" and not mesh.is_editmode:
        yield mesh_io.read_edges(mesh)


def _mesh(mesh: bpy.types.Mesh) -> Iterator[Any]:
    """Shape and faces; in Edit Mode only their numbers, the rest is not up to date there."""
    yield len(mesh.vertices)
    if mesh.is_editmode:
        return
    yield mesh_io.vectors(mesh, "position")
    if len(mesh.polygons):
        yield from _shape_of_faces(mesh)
    if mesh.shape_keys is not None and mesh.shape_keys.animation_data is None:
        for key in mesh.shape_keys.key_blocks:
            yield key.value
            shape = np.empty((len(mesh.vertices), 3), np.float32)
            key.points.foreach_get("co", shape.ravel())
            yield shape


def _shape_of_faces(mesh: bpy.types.Mesh) -> list[Checksum]:
    """Of the corners, and of how many each face has, which Blender takes long to tell.

    They are kept while nothing changes that they follow from: where no face has a vertex twice, a
    corner's edge leads to the next corner of its face, or back to the first.
    """
    now = [mesh_io.corner_vertices(mesh), mesh_io.corner_edges(mesh), mesh_io.read_edges(mesh)]
    known = _faces.get(mesh.session_uid)
    if known is not None and len(mesh.edges) and all(map(np.array_equal, known[0], now)):
        return known[1]
    found = [_checksum(now[0]), _checksum(mesh_io.face_sizes(mesh))]
    _faces[mesh.session_uid] = (now, found)
    return found


def _pins(obj: bpy.types.Object) -> str:
    """Kept until the mesh is edited: reading vertex groups is slow."""
    name = obj.xpbd.pin_group
    if not name or obj.data.is_editmode:
        return name
    key = (obj.session_uid, name, len(obj.data.vertices))
    if key not in _weights:
        try:
            pinned = mesh_io.pin_weights(obj) >= mesh_io.PIN_WEIGHT
        except SceneError:
            return "missing"
        _weights[key] = _digest([pinned])
    return _weights[key]


def _collider(obj: bpy.types.Object) -> Iterator[Any]:
    settings = obj.collision
    yield (colliders.thickness_of(obj), settings.cloth_friction, settings.use_culling)
    yield from _mesh(mesh_io.mesh_of(obj))


def _movers(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """The object and all that it follows by parenting, modifiers or constraints."""
    found: dict[int, bpy.types.Object] = {}
    waiting = [obj]
    while waiting:
        obj = waiting.pop()
        if obj.session_uid in found:
            continue
        found[obj.session_uid] = obj
        followed = [obj.parent]
        followed += [getattr(modifier, "object", None) for modifier in obj.modifiers]
        followed += [hair_nodes.followed(modifier) for modifier in obj.modifiers]
        followed += [obj.data.surface] if obj.type == "CURVES" else []
        followed += [getattr(constraint, "target", None) for constraint in obj.constraints]
        waiting += [other for other in followed if other is not None]
    return list(found.values())


def _motion(obj: bpy.types.Object) -> Iterator[Any]:
    keys = obj.data.shape_keys if obj.type == "MESH" else None
    for block in (obj, obj.data, keys):
        if block is not None:
            yield from _curves(block)
    if isinstance(obj.data, bpy.types.Curves):
        yield mesh_io.vectors(obj.data, "position")
    if obj.animation_data is not None:
        return
    if obj.rigid_body is None:
        yield [tuple(row) for row in obj.matrix_basis]
    yield [tuple(row) for row in obj.matrix_parent_inverse]
    if obj.pose is not None:
        yield [[tuple(row) for row in bone.matrix_basis] for bone in obj.pose.bones]
    for modifier in obj.modifiers:
        yield _values(modifier)


def _values(modifier: bpy.types.Modifier) -> list[Any]:
    """The settings of a modifier that can change what it does."""
    return [
        (name, tuple(value) if hasattr(value, "__len__") else value)
        for name in _settings_of(modifier.bl_rna.identifier)
        for value in [getattr(modifier, name)]
    ]


@cache
def _settings_of(kind: str) -> list[str]:
    return [
        prop.identifier
        for prop in getattr(bpy.types, kind).bl_rna.properties
        if prop.type in {"BOOLEAN", "INT", "FLOAT", "ENUM", "STRING"}
        and not prop.is_readonly
        and not prop.identifier.startswith(("show_expanded", "show_on_cage", "is_active"))
    ]


def _curves(block: bpy.types.ID) -> Iterator[Any]:
    """All keyframes and drivers of a data-block."""
    animated = block.animation_data
    if animated is None:
        return
    strips = [strip for track in animated.nla_tracks for strip in track.strips]
    for strip in strips:
        yield (strip.frame_start, strip.frame_end, strip.repeat, strip.scale)
    actions = [animated.action, *(strip.action for strip in strips)]
    for action in (action for action in actions if action is not None):
        for curves in animation.curve_collections(action):
            for curve in curves:
                yield (curve.data_path, curve.array_index)
                yield _keyframes(curve)
    yield [(curve.data_path, curve.driver.expression) for curve in animated.drivers]


def _keyframes(curve: bpy.types.FCurve) -> Any:
    points = curve.keyframe_points
    values = np.empty((3, 2 * len(points)), np.float32)
    for row, name in zip(values, ("co", "handle_left", "handle_right"), strict=True):
        points.foreach_get(name, row)
    return values


def _animation_of(block: bpy.types.ID) -> Iterator[bpy.types.FCurve]:
    """The curves of a data-block's own action."""
    animated = block.animation_data
    if animated is not None and animated.action is not None:
        for curves in animation.curve_collections(animated.action):
            yield from curves
