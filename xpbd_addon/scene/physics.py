# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects have XPBD physics; give it to an object and take it away."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ..errors import SceneError
from ..settings import kinds
from . import display_modifier, ids, stack


def simulated_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """XPBD objects of the scene that are in use and not baked."""
    return [
        obj for obj in scene.objects if obj.type == "MESH" and obj.xpbd.use and not obj.xpbd.baked
    ]


Instanced = Iterator[tuple[bpy.types.Object, bpy.types.Object]]
"""Mesh objects that a scene only has instances of, each with the empty that makes these."""


def instanced(scene: bpy.types.Scene) -> Instanced:
    """Those with XPBD."""
    for obj, empty in _instanced(scene):
        if obj.xpbd.use and not obj.xpbd.baked:
            yield obj, empty


def instanced_colliders(scene: bpy.types.Scene) -> Instanced:
    """Those with Blender's Collision physics."""
    for obj, empty in _instanced(scene):
        if obj.collision is not None and obj.collision.use and not obj.xpbd.use:
            yield obj, empty


def _instanced(scene: bpy.types.Scene) -> Instanced:
    looked_at = set()
    for empty in scene.objects:
        collection = empty.instance_collection if empty.instance_type == "COLLECTION" else None
        if collection is None or collection in looked_at:
            continue
        looked_at.add(collection)
        for obj in collection.all_objects:
            if obj.type == "MESH":
                yield obj, empty


def add(obj: bpy.types.Object | None, kind: str = "CLOTH") -> None:
    """Make the object a simulated one of the given kind.

    A scene's first simulates the frames that play. Raises SceneError.
    """
    if obj is None:
        raise SceneError("There is no active object: click a mesh object first")
    if obj.type != "MESH":
        raise SceneError(
            f"'{obj.name}' is a {obj.type.replace('_', ' ').lower()}, not a mesh: "
            "convert it (Object > Convert > Mesh) first"
        )
    if not stack.is_writable(obj):
        raise SceneError(stack.linked(obj))
    chosen = kinds.KINDS[kind]
    if not obj.data.is_editmode and not kinds.has_elements(obj, chosen):
        raise SceneError(
            f"'{obj.name}' has no {chosen.elements} to make {chosen.label.lower()} of: "
            f"{chosen.cure}"
        )
    display_modifier.ensure(obj)
    obj.xpbd.kind = kind
    for name, value in chosen.starts_with:
        setattr(obj.xpbd, name, value)
    obj.xpbd.use = True
    ids.ensure(obj)
    for scene in obj.users_scene:
        ids.ensure(scene)
        if simulated_objects(scene) == [obj]:
            _take_frames(scene)


def _take_frames(scene: bpy.types.Scene) -> None:
    """Simulate the frames that the scene plays, unless frames have been chosen."""
    if not any(scene.xpbd.is_property_set(name) for name in ("frame_start", "frame_end")):
        scene.xpbd.frame_start, scene.xpbd.frame_end = scene.frame_start, scene.frame_end


def remove(obj: bpy.types.Object | None) -> None:
    """Make the object an ordinary one again, its settings included. Raises SceneError."""
    if obj is None or obj.type != "MESH" or not obj.xpbd.use:
        name = "The active object" if obj is None else f"'{obj.name}'"
        raise SceneError(f"{name} has no XPBD physics: select an object that has")
    if obj.xpbd.baked:
        raise SceneError(f"'{obj.name}' is baked: use Delete Bake in its Cache panel first")
    obj.xpbd.use = False
    display_modifier.remove(obj)
    for name in obj.xpbd.bl_rna.properties.keys():  # noqa: SIM118 (iterating yields properties)
        if name not in {"rna_type", "name"}:
            obj.xpbd.property_unset(name)
