# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object follows."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from . import hair_nodes


def movers(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """The object and all that it follows by parenting, modifiers or constraints."""
    found: dict[int, bpy.types.Object] = {}
    waiting = [obj]
    while waiting:
        obj = waiting.pop()
        if obj.session_uid in found:
            continue
        found[obj.session_uid] = obj
        waiting += [other for other in _followed(obj) if other is not None]
    return list(found.values())


def _followed(obj: bpy.types.Object) -> Iterator[bpy.types.Object | None]:
    yield obj.parent
    for modifier in obj.modifiers:
        yield getattr(modifier, "object", None)
        yield hair_nodes.followed(modifier)
    if obj.type == "CURVES":
        yield obj.data.surface
    bones = obj.pose.bones if obj.pose is not None else ()
    for constrained in (obj, *bones):
        for constraint in constrained.constraints:
            yield getattr(constraint, "target", None)
            for each in getattr(constraint, "targets", ()):
                yield each.target
