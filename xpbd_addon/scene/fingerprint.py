# SPDX-License-Identifier: GPL-3.0-or-later
"""What simulated objects depend on for good, as text in parts: settings, faces, shape at rest.

Only original data is read, never evaluated data, so that a fingerprint is the same on every
frame. What moves is compared frame by frame (`frame_inputs`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import bpy
import numpy as np

from ..errors import SceneError
from ..settings import inside, materials, painted, sewing, solvers, woven
from ..settings import keyed as keyed_settings
from . import bones, colliders, fibres, ids, keyed, meetings, mesh_io, motion, warp, weights
from .digests import Checksum, checksum, digest

START = "start frame changed"
REASONS = {
    "solver": "solver changed",
    "quality": "solver changed",
    "material": "material changed",
    "settings": "material changed",
    "mesh": "mesh changed",
    "place": "object moved",
    "pins": "pins changed",
    "pull": "pins changed",
    "colliders": "collision changed",
    "follows": "movement changed",
}

FOLLOWED = {"quality", "settings", "pull"}
"""The parts of settings that may change over time."""

_ANY_TIME = set(keyed_settings.ARGUMENTS.values())

_faces: dict[int, tuple[list[mesh_io.Indices], list[Checksum]]] = {}


@dataclass(frozen=True)
class Fingerprint:
    """What a scene's simulation depends on.

    Attributes:
        start: the first frame.
        shared: what else all objects depend on.
        objects: of each object, by its cache id, what it depends on beside that.
        names: of the objects, by cache id.
    """

    start: int
    shared: str
    objects: dict[str, str]
    names: dict[str, str] = field(compare=False)

    def followed(self, object_id: str) -> set[str]:
        """Cache ids of simulated objects that lead an object, or a collider that it meets."""
        return _names(_parts(self.objects[object_id]), "follows")

    def ignored(self, object_id: str) -> set[str]:
        """Cache ids of simulated objects that an object goes through."""
        return _names(_parts(self.objects[object_id]), "ignores")

    def but_for_settings(self, shared: str, objects: Mapping[str, str]) -> Fingerprint:
        """As others have it, where they differ in nothing but settings that may change over time.

        Args:
            shared, objects: of others, as in the attributes.
        """
        texts = {
            each: objects[each] if _alike_but_for_settings(objects.get(each, ""), text) else text
            for each, text in self.objects.items()
        }
        same = _alike_but_for_settings(shared, self.shared)
        return replace(self, shared=shared if same else self.shared, objects=texts)


def compute(scene: bpy.types.Scene, objects: list[bpy.types.Object]) -> Fingerprint:
    """The fingerprint of the scene's simulation as it is set up now.

    Args:
        objects: that are simulated; those without a cache id of their own are left out.
    """
    shared = _text({"solver": digest(_solver(scene)), "quality": digest(_quality(scene))})
    known = {obj: own for obj in objects if (own := ids.own(obj))}
    look = _Look(known, colliders.collision_objects(scene))
    texts = {known[obj]: _text(look.parts(obj)) for obj in known}
    names = {own: obj.name for obj, own in known.items()}
    return Fingerprint(scene.xpbd.frame_start, shared, texts, names)


def difference(before: str, now: str, known: Collection[str] = ()) -> str:
    """Why two fingerprints differ, both shared or both of an object; empty where they don't.

    Args:
        known: cache ids of objects that both tell of: whether others are ignored changes nothing.
    """
    if before == now:
        return ""
    old, new = _parts(before), _parts(now)
    if old.keys() ^ new.keys() == {"place"}:  # what moves is compared frame by frame
        old.pop("place", "")
        new.pop("place", "")
    for name, reason in REASONS.items():
        if old.get(name) != new.get(name):
            return reason
    apart = _names(old, "ignores") ^ _names(new, "ignores")
    return "" if apart.isdisjoint(known) else REASONS["colliders"]


def _alike_but_for_settings(before: str, now: str) -> bool:
    old, new = _parts(before), _parts(now)
    return FOLLOWED >= {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}


def forget_meshes() -> None:
    """Read vertex groups and faces anew: a mesh was edited, or a file loaded."""
    weights.forget()
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
        self._colliders: dict[bpy.types.Object, str] = {}

    def parts(self, obj: bpy.types.Object) -> dict[str, str]:
        """What an object depends on, beside what all do."""
        ignored = self._ignored.get(obj, set())
        met = [other for other in self._hit if other not in ignored]
        followed = {mover for each in (obj, *met) for mover in self._movers(each)} - {obj}
        is_placed = motion.stands_still(obj) and not obj.xpbd.pin_group
        place = {"place": digest(_place(obj))} if is_placed else {}
        over_time = keyed.arguments(obj)
        return {
            "material": digest(_material(obj, over_time)),
            "settings": digest(_settings(obj, over_time)),
            "mesh": digest(_body_mesh(obj)),
            **place,
            "pins": digest(_pins(obj)),
            "pull": digest([None if "pin_stiffness" in over_time else obj.xpbd.pin_stiffness]),
            "colliders": digest(sorted(map(self._collider, met))),
            "follows": self._list(followed),
            "ignores": self._list(ignored),
        }

    def _list(self, objects: set[bpy.types.Object]) -> str:
        return ",".join(sorted(self._simulated[obj] for obj in objects & self._simulated.keys()))

    def _collider(self, obj: bpy.types.Object) -> str:
        if obj not in self._colliders:
            self._colliders[obj] = digest(_collider(obj))
        return self._colliders[obj]

    def _movers(self, obj: bpy.types.Object) -> list[bpy.types.Object]:
        if obj not in self._moved_by:
            self._moved_by[obj] = motion.movers(obj)
        return self._moved_by[obj]


def _solver(scene: bpy.types.Scene) -> list[Any]:
    """But for its quality."""
    settings, render = scene.xpbd, scene.render
    options = solvers.options_of(settings)
    any_time = keyed_settings.SOLVER_OPTIONS
    return [
        settings.solver,
        sorted((name, value) for name, value in options.items() if name not in any_time),
        sorted(options),
        sorted(keyed.solver_options(scene)),
        render.fps,
        render.fps_base,
        scene.unit_settings.scale_length,
    ]


def _quality(scene: bpy.types.Scene) -> list[Any]:
    """What of the solver may change over time, and does not."""
    options = solvers.options_of(scene.xpbd) | {"time_scale": scene.xpbd.time_scale}
    names = set(keyed_settings.SOLVER_OPTIONS) - keyed.solver_options(scene)
    return sorted((name, value) for name, value in options.items() if name in names)


def _material(obj: bpy.types.Object, over_time: set[str]) -> Iterator[Any]:
    """But for the settings."""
    values = materials.core_arguments(obj.xpbd)
    yield sorted((name, value) for name, value in values.items() if name not in _ANY_TIME)
    yield sorted(values)
    yield sorted(over_time)
    yield obj.xpbd.kind
    yield sewing.fingerprint(obj.xpbd, _ANY_TIME)
    yield woven.fingerprint(obj.xpbd)
    yield inside.fingerprint(obj.xpbd)
    for quantity in painted.painted(obj.xpbd):
        name = getattr(obj.xpbd, quantity.group)
        yield quantity.name
        yield name if obj.data.is_editmode else _weights_of(obj, name)


def _settings(obj: bpy.types.Object, over_time: set[str]) -> Iterator[Any]:
    """What of the material may change over time, and does not."""
    values, names = materials.core_arguments(obj.xpbd), _ANY_TIME - over_time
    values |= sewing.forces(obj.xpbd)
    yield sorted((name, value) for name, value in values.items() if name in names)
    for quantity in painted.painted(obj.xpbd):
        if quantity.argument in names:
            yield quantity.name, getattr(obj.xpbd, quantity.most_name)


def _body_mesh(obj: bpy.types.Object) -> Iterator[Any]:
    """Shape and faces; in Edit Mode only their numbers, the rest is not up to date there."""
    mesh = mesh_io.mesh_of(obj)
    yield from _faces_of(mesh)
    yield obj.xpbd.weld
    if obj.xpbd.kind == "CLOTH" and obj.xpbd.use_carried_buttons:
        yield "small parts are carried"
    if mesh.is_editmode:
        return
    yield mesh_io.vectors(mesh, "position")
    yield warp.source(obj)
    yield fibres.source(obj)
    if obj.xpbd.kind == "STRANDS" or obj.xpbd.use_sewing:
        yield mesh_io.read_edges(mesh)
    if obj.xpbd.rest_shape_key and mesh.shape_keys is not None:
        yield mesh_io.read_key(mesh, obj.xpbd.rest_shape_key)
    if mesh.shape_keys is not None and mesh.shape_keys.animation_data is None:
        for key in mesh.shape_keys.key_blocks:
            yield key.value
            shape = np.empty((len(mesh.vertices), 3), np.float32)
            key.points.foreach_get("co", shape.ravel())
            yield shape


def _place(obj: bpy.types.Object) -> Iterator[Any]:
    """Where an object is that stands still and has no pins: nothing of later frames tells."""
    for link in motion.chain(obj):
        yield np.array(link.matrix_basis)
        yield np.array(link.matrix_parent_inverse)


def _faces_of(mesh: bpy.types.Mesh) -> Iterator[Any]:
    """Of what vertices they are; in Edit Mode only how many vertices there are."""
    yield len(mesh.vertices)
    if not mesh.is_editmode and len(mesh.polygons):
        yield from _shape_of_faces(mesh)


def _shape_of_faces(mesh: bpy.types.Mesh) -> list[Checksum]:
    """Of the corners, and of how many each face has, which Blender takes long to tell.

    They are kept while nothing changes that they follow from: where no face has a vertex twice, a
    corner's edge leads to the next corner of its face, or back to the first.
    """
    now = [mesh_io.corner_vertices(mesh), mesh_io.corner_edges(mesh), mesh_io.read_edges(mesh)]
    known = _faces.get(mesh.session_uid)
    if known is not None and len(mesh.edges) and all(map(np.array_equal, known[0], now)):
        return known[1]
    found = [checksum(now[0]), checksum(mesh_io.face_sizes(mesh))]
    _faces[mesh.session_uid] = (now, found)
    return found


def pinned(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> mesh_io.Indices | None:
    """Pinned vertices, shape (p,); None where that is not known."""
    found = _weights_of(obj, obj.xpbd.pin_group, depsgraph)
    return None if found is None or not found.any() else np.flatnonzero(found).astype(np.int32)


def _weights_of(
    obj: bpy.types.Object, name: str, depsgraph: bpy.types.Depsgraph | None = None
) -> weights.Weights | None:
    """Of the vertices in a group, shape (n,); None where they are not known."""
    if not name or obj.data.is_editmode:
        return None
    try:
        return weights.read_weights(obj, name, "", depsgraph)
    except SceneError:
        return None


def _pins(obj: bpy.types.Object) -> Iterator[Any]:
    name = obj.xpbd.pin_group
    yield name if obj.data.is_editmode else _weights_of(obj, name)
    yield None if (armature := bones.of(obj)) is None else bones.names(armature)


def _collider(obj: bpy.types.Object) -> Iterator[Any]:
    yield obj.collision.use_culling
    yield from _faces_of(mesh_io.mesh_of(obj))
