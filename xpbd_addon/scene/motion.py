# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object follows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import bpy

from . import bones, node_inputs


def movers(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """The object and all that it follows by parenting, modifiers or constraints."""
    found: dict[int, bpy.types.Object] = {}
    waiting = [obj]
    while waiting:
        obj = waiting.pop()
        if obj.session_uid not in found:
            found[obj.session_uid] = obj
            waiting += _followed(obj)
    return list(found.values())


def _followed(obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
    if obj.parent is not None:
        yield obj.parent
    if (armature := bones.of(obj)) is not None:
        yield armature
    if isinstance(obj.data, bpy.types.Curves) and obj.data.surface is not None:
        yield obj.data.surface
    for modifier in obj.modifiers:
        yield from _objects_of(modifier)
        if isinstance(modifier, bpy.types.NodesModifier):
            yield from node_inputs.objects(modifier)
    posed = obj.pose.bones if obj.pose is not None else ()
    for constrained in (obj, *posed):
        for constraint in constrained.constraints:
            yield from _objects_of(constraint)
            for each in getattr(constraint, "targets", ()):
                if each.target is not None:
                    yield each.target


def _objects_of(owner: bpy.types.Modifier | bpy.types.Constraint) -> Iterator[bpy.types.Object]:
    for name in _pointers_of(owner.bl_rna.identifier):
        found = getattr(owner, name)
        if found is not None:
            yield found


@cache
def _pointers_of(kind: str) -> list[str]:
    """Names of the properties of a type that are objects."""
    return [
        prop.identifier
        for prop in getattr(bpy.types, kind).bl_rna.properties
        if prop.type == "POINTER" and prop.fixed_type.identifier == "Object"
    ]


def stands_still(obj: bpy.types.Object) -> bool:
    """True when nothing can move the object's origin, so that it is the same on every frame."""
    return not any(
        link.animation_data
        or link.constraints
        or link.rigid_body
        or (link.parent is not None and link.parent_type != "OBJECT")
        for link in chain(obj)
    )


def chain(obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """An object, its parent, and so on."""
    link: bpy.types.Object | None = obj
    while link is not None:
        yield link
        link = link.parent
