# SPDX-License-Identifier: GPL-3.0-or-later
"""Which simulated objects can take part, and why the others are left out.

What takes long to find out, as a damaged mesh or one that `core` refuses, shows when a simulation
begins.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ..errors import SceneError
from ..scene import colliders, mesh_io, weights


def left_out(
    objects: Iterable[bpy.types.Object], depsgraph: bpy.types.Depsgraph
) -> dict[bpy.types.Object, str]:
    """Objects that can't take part as they are now, with a sentence that says why."""
    return {obj: why for obj in objects if (why := _why(obj, depsgraph))}


def check_colliders(
    scene: bpy.types.Scene, viewport: bpy.types.Depsgraph | None, render: bpy.types.Depsgraph
) -> None:
    """Raise SceneError where a collider of the viewport is not there in a render."""
    for obj in colliders.collision_objects(scene) if viewport else ():
        if mesh_io.is_shown(obj, viewport) and not mesh_io.is_shown(obj, render):
            raise SceneError(
                f"The collider '{obj.name}' is hidden in renders, which can't simulate without it: "
                "press Simulate before rendering, or show it in renders"
            )


def _why(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> str:
    try:
        mesh_io.check_body(obj)
        mesh_io.check_shown(obj, depsgraph)
        weights.check_groups(obj)
    except SceneError as error:
        return str(error)
    return ""
