# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects their Collision Collections let go through each other."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from . import keyed

Pair = tuple[bpy.types.Object, bpy.types.Object]


def ignored(
    simulated: Sequence[bpy.types.Object], colliders: Sequence[bpy.types.Object]
) -> list[Pair]:
    """Pairs, each of a simulated object and another one or a collider, that don't touch.

    An object touches what is in its collection, and in collections inside of that; two simulated
    ones where each is in the other's.
    """
    apart: dict[frozenset[bpy.types.Object], Pair] = {}
    for one in simulated:
        collection = one.xpbd.collision_collection
        if collection is None:
            continue
        touched = {one, *collection.all_objects}
        for other in (*simulated, *colliders):
            if other not in touched:
                apart[frozenset((one, other))] = (one, other)
    return list(apart.values())


def may_touch(one: bpy.types.Object, other: bpy.types.Object) -> bool:
    """Whether two simulated objects touch where they meet, on some frame at least."""
    return not ignored([one, other], []) and _touches_others(one) and _touches_others(other)


def _touches_others(obj: bpy.types.Object) -> bool:
    return obj.xpbd.use_body_collision or "body_collision" in keyed.arguments(obj)
