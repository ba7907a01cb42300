# SPDX-License-Identifier: GPL-3.0-or-later
"""What will surprise whoever simulates an object, one line each, before an hour is lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import bpy
import numpy as np

from ..errors import SceneError
from ..scene import (
    animation,
    colliders,
    fields,
    meetings,
    mesh_io,
    physics,
    sizes,
    stack,
    trims,
    weights,
)
from ..scene.conversion import takeover
from ..scene.digests import checksum
from ..settings import painted
from ..settings.surroundings import WEIGHTS
from ..simulation import job, session, warmup

_FEWEST_DOUBLE, _SHARE_DOUBLE = 4, 0.01
_WIDE = 20.0  # metres
_MOST_NAMED = 3
_COARSE = 3.0  # thicknesses
_STRONGEST = 1e6  # of a field: 1200 Pa
_TORN = 10.0  # strain: eleven times the length

_looked: dict[int, tuple[object, _Look]] = {}


class _Look(NamedTuple):
    """What a mesh looks like.

    Attributes:
        double: how many vertices lie on another one.
        has_back: whether the surface is open and faces all ways.
        small_parts: vertices of what is joined to nothing, and small beside the rest.
        depth: how thick it is in the mean, twice its volume over its area, in its own units.
    """

    double: int
    has_back: bool
    small_parts: list[np.ndarray]
    depth: float


def hints(scene: bpy.types.Scene, obj: bpy.types.Object) -> Iterator[str]:
    """Sentences on an object that is simulated, cheap enough to draw; none while it compiles."""
    if warmup.is_compiling():
        return
    yield from _of_parts(obj)
    yield from _of_cells(obj)
    yield from _of_pins(scene, obj)
    width = max(obj.dimensions[axis] for axis in range(3)) * scene.unit_settings.scale_length
    if width > _WIDE:
        yield (
            f"'{obj.name}' is {width:.0f} m wide and moves like something of that size: scale it "
            "down, or raise the scene's Gravity as many times as it is too large"
        )
    if scaled := _scaled_over_time(obj):
        yield f"The scale of '{scaled.name}' is animated: pins follow it, cloth keeps its size"
    yield from _of_weights(obj)
    yield from _of_instances(scene)
    if open_ones := _open_colliders(scene, obj):
        yield (
            f"{_names(open_ones)} collides on one side only but is not closed: close it, or switch "
            "Single Sided off in its Collision panel"
        )
    yield from _of_fields(scene)
    yield from _of_blender(scene, obj)


def _of_parts(obj: bpy.types.Object) -> Iterator[str]:
    """What is not joined: vertices that lie on others, else buttons and the like."""
    if not _is_as_modelled(obj):
        return
    look = _look(obj)
    if look.double >= max(_FEWEST_DOUBLE, _SHARE_DOUBLE * len(obj.data.vertices)):
        yield (
            f"{look.double} vertices of '{obj.name}' lie on others, where it comes apart: set Weld "
            "under Shape to a tenth of a millimetre, or join them with Mesh > Merge > By Distance "
            "in Edit Mode"
        )
    elif not obj.xpbd.use_carried_buttons and (loose := _unpinned(obj, look.small_parts)):
        yield (
            f"{sum(map(len, loose))} vertices of '{obj.name}' are joined to nothing and may fall "
            f"off (loose parts: {len(loose)}): tick Carry Buttons under Shape, or put them "
            "into the pin group"
        )


def _is_as_modelled(obj: bpy.types.Object) -> bool:
    """Whether its vertices hold together as in its mesh, and not by stitches or Weld."""
    settings = obj.xpbd
    joined = settings.weld > 0.0 or settings.use_stitches
    return settings.kind == "CLOTH" and not joined and not stack.is_made(obj)


def _unpinned(obj: bpy.types.Object, parts: list[np.ndarray]) -> list[np.ndarray]:
    """Those of which no vertex is painted into the pin group; none where that is not known."""
    name = obj.xpbd.pin_group
    if not parts or name not in obj.vertex_groups:
        return parts
    if stack.is_weighed(obj):
        return []
    try:
        held = weights.read_weights(obj, name, "Pin Group") > 0.0
    except SceneError:  # which the panel tells of above
        return []
    return [part for part in parts if not held[part].any()]


def _of_cells(obj: bpy.types.Object) -> Iterator[str]:
    """Cells much wider than the body is thick, which throw it about where it is pushed."""
    if obj.xpbd.kind != "SOFT_BODY" or stack.is_made(obj):
        return
    scale = obj.matrix_world.to_scale()
    depth = _look(obj).depth * abs(scale[0] * scale[1] * scale[2]) ** (1.0 / 3.0)
    if 0.0 < _COARSE * depth < obj.xpbd.cell_size:
        yield (
            f"The cells of '{obj.name}' are {obj.xpbd.cell_size / depth:.0f} times as wide as it "
            f"is thick, which makes it unsteady: set Cell Size to {2.0 * depth:.2g} or less"
        )


def _of_pins(scene: bpy.types.Scene, obj: bpy.types.Object) -> Iterator[str]:
    """Pins that stay behind while what wears the object walks away, or leave that behind."""
    found = session.cached_measures(scene, obj, job.shown_frame(scene))
    if obj.xpbd.pin_group and found is not None and found.largest_strain > _TORN:
        yield (
            f"'{obj.name}' is pulled to {1.0 + found.largest_strain:.0f} times its length: let its "
            "pins go along with what wears it, by the same Armature modifier or as its child"
        )


def _of_weights(obj: bpy.types.Object) -> Iterator[str]:
    """Modifiers that change vertex groups only after these were read."""
    used = painted.groups(obj.xpbd)
    for modifier in stack.weighing_after(obj):
        name = getattr(modifier, "vertex_group", "") or getattr(modifier, "vertex_group_a", "")
        if name in used:
            yield (
                f"'{modifier.name}' changes the vertex group '{name}' of '{obj.name}' after XPBD, "
                "which takes weights as they are before it: move that modifier above XPBD"
            )


def _of_instances(scene: bpy.types.Scene) -> Iterator[str]:
    """Colliders that the scene only has instances of."""
    for other, empty in physics.instanced_colliders(scene):
        yield (
            f"The collider '{other.name}' is only there as an instance, which nothing touches: "
            f"select '{empty.name}' and use Object > Apply > Make Instances Real, or make it a "
            "library override"
        )
        return


def _of_fields(scene: bpy.types.Scene) -> Iterator[str]:
    """Force fields that do nothing, or less than Blender's."""
    known = fields.field_objects(scene)
    if useless := [each for each in known if not fields.is_supported(each.field)]:
        field = useless[0].field
        what = field.type if field.type not in WEIGHTS else f"{field.type} from {field.shape}"
        yield (
            f"Force fields of this type or shape have no effect on XPBD "
            f"({what.replace('_', ' ').lower()}): {_names(useless)}"
        )
    if open_ones := [each for each in known if each.field.use_absorption]:
        yield f"Collision objects don't hold back the force fields of XPBD: {_names(open_ones)}"
    if strong := [each for each in known if abs(each.field.strength) > _STRONGEST]:
        yield (
            f"The strength of {_names(strong)} is so great that it is cut off, at a thousand times "
            "gravity or the speed of sound: lower it"
        )


def _of_blender(scene: bpy.types.Scene, obj: bpy.types.Object) -> Iterator[str]:
    """Blender's own simulations, which know nothing of ours."""
    if own := [modifier for modifier in takeover.sources(obj) if modifier.show_viewport]:
        label = takeover.LABELS[own[0].type]
        yield f"Blender's {label} moves '{obj.name}', too: switch it off, or remove it"
    if others := [each for each in scene.objects if takeover.is_convertible(each)]:
        yield (
            f"Blender simulates {_names(others)}, which XPBD doesn't touch: select and convert "
            "with Object > Convert > Blender's Cloth to XPBD"
        )


def _scaled_over_time(obj: bpy.types.Object) -> bpy.types.Object | None:
    """The object, or what it is a child of, where a scale is animated."""
    link: bpy.types.Object | None = obj
    while link is not None:
        if any(curve.data_path in {"scale", "delta_scale"} for curve in animation.curves_of(link)):
            return link
        link = link.parent
    return None


def _open_colliders(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[bpy.types.Object]:
    """Colliders of an object that have only one side, and a back that it may get to."""
    hit = colliders.collision_objects(scene)
    through = {other for pair in meetings.ignored([obj], hit) for other in pair}
    return [
        each
        for each in hit
        if each not in through
        and each.collision.use_culling
        and not any(modifier.type in stack.GENERATIVE for modifier in each.modifiers)
        and _look(each).has_back
    ]


def _names(objects: list[bpy.types.Object]) -> str:
    names = [f"'{obj.name}'" for obj in objects[:_MOST_NAMED]]
    return ", ".join(names + ["…"] * (len(objects) > _MOST_NAMED))


def _look(obj: bpy.types.Object) -> _Look:
    """What its mesh looks like; nothing where that is not known. Kept while that is the same."""
    mesh = mesh_io.mesh_of(obj)
    if mesh.is_editmode:
        return _Look(0, False, [], 0.0)
    positions, edges = mesh_io.vectors(mesh, "position"), mesh_io.corner_edges(mesh)
    now = (checksum(positions), checksum(edges))
    known = _looked.get(mesh.session_uid)
    if known is None or known[0] != now:
        ordered = positions[np.lexsort(positions.T)]
        double = int((ordered[1:] == ordered[:-1]).all(axis=1).sum())
        has_back = _is_open(mesh, positions, edges) and not _faces_one_way(mesh)
        ends = mesh_io.read_edges(mesh).astype(np.int64)
        small, _ = trims.parts_of([ends], len(mesh.vertices))
        look = _Look(double, has_back, small, sizes.depth(mesh, positions))
        known = _looked[mesh.session_uid] = now, look
    return known[1]


def _is_open(mesh: bpy.types.Mesh, positions: np.ndarray, corner_edges: np.ndarray) -> bool:
    """Whether it has more than small holes, by which `core` takes it for closed."""
    from ...core.contact.topology import SMALL_HOLES

    rim = np.flatnonzero(np.bincount(corner_edges, minlength=1) == 1)
    ends, areas = np.empty((len(mesh.edges), 2), np.int32), np.empty(len(mesh.polygons), np.float32)
    mesh.edges.foreach_get("vertices", ends.ravel())
    mesh.polygons.foreach_get("area", areas)
    length = np.linalg.norm(positions[ends[rim, 1]] - positions[ends[rim, 0]], axis=1).sum()
    return bool(length**2 / (4.0 * np.pi) > SMALL_HOLES * areas.sum())


def _faces_one_way(mesh: bpy.types.Mesh) -> bool:
    """Whether all faces are seen from one side, as those of a floor or a terrain."""
    normals = np.empty((len(mesh.polygons), 3), np.float32)
    mesh.polygon_normals.foreach_get("vector", normals.ravel())
    return bool((normals @ normals.sum(axis=0) > 0.0).all())
