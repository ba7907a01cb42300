# SPDX-License-Identifier: GPL-3.0-or-later
"""Which simulated objects can take part, and why the others are left out.

What takes long to find out, as a damaged mesh or one that `core` refuses, shows when a simulation
begins.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ..errors import SceneError
from ..scene import colliders, mesh_io, physics, visible, weights


def left_out(
    objects: Iterable[bpy.types.Object], depsgraph: bpy.types.Depsgraph
) -> dict[bpy.types.Object, str]:
    """Objects that can't take part as they are now, with a sentence that says why."""
    return {obj: why for obj in objects if (why := _why(obj, depsgraph))}


def check(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None) -> None:
    """Raise SceneError where there is nothing that can be simulated."""
    start, end = scene.xpbd.frame_start, scene.xpbd.frame_end
    if end < start:
        raise SceneError(
            f"The simulation starts at frame {start}, after its end {end}: "
            "set Start to an earlier frame than End"
        )
    objects = physics.simulated_objects(scene)
    if not objects:
        raise SceneError(_nothing(scene))
    hindered = left_out(objects, depsgraph) if depsgraph else {}
    if len(hindered) == len(objects):
        raise SceneError(hindered[objects[0]])


def check_colliders(
    scene: bpy.types.Scene, viewport: bpy.types.Depsgraph | None, render: bpy.types.Depsgraph
) -> None:
    """Raise SceneError where a collider of the viewport is not there in a render."""
    for obj in colliders.collision_objects(scene) if viewport else ():
        if visible.is_shown(obj, viewport) and not visible.is_shown(obj, render):
            raise SceneError(
                f"The collider '{obj.name}' is hidden in renders, which can't simulate without it: "
                "press Simulate before rendering, or show it in renders"
            )


def _nothing(scene: bpy.types.Scene) -> str:
    """Why there is nothing to simulate."""
    obj, empty = next(physics.instanced(scene), (None, None))
    if obj is None or empty is None:
        return (
            "There is nothing to simulate: add XPBD physics to a mesh object, "
            "or delete the bake of a baked one"
        )
    cure = "put its collection into the scene as well"
    if obj.library:
        cure = f"select '{empty.name}' and make it a library override (Object > Library Override)"
    return f"'{obj.name}' is only there as an instance, which can't be simulated: {cure}"


def _why(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> str:
    try:
        mesh_io.check_body(obj)
        visible.check_shown(obj, depsgraph)
        weights.check_groups(obj)
    except SceneError as error:
        return str(error)
    return ""
