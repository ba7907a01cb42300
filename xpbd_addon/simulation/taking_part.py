# SPDX-License-Identifier: GPL-3.0-or-later
"""Which simulated objects can take part, and why the others are left out.

What takes long to find out, as a damaged mesh or one that `core` refuses, shows when a simulation
begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bpy

from ..errors import SceneError
from ..scene import colliders, fields, meetings, mesh_io, physics, visible, weights


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


def check_in_render(
    scene: bpy.types.Scene, viewport: bpy.types.Depsgraph | None, render: bpy.types.Depsgraph
) -> None:
    """Raise SceneError where a render lacks what acts in the viewport on something simulated.

    What is hidden in renders is not evaluated for them, unless something rendered refers to it.
    """
    if viewport is None:
        return
    for obj, described in _acting(scene, viewport, render):
        if visible.is_shown(obj, viewport) and not visible.is_shown(obj, render):
            raise SceneError(
                f"{described} is hidden in renders, which can't simulate without it: "
                "press Simulate before rendering, or show it in renders"
            )


def _acting(
    scene: bpy.types.Scene, viewport: bpy.types.Depsgraph, render: bpy.types.Depsgraph
) -> Iterator[tuple[bpy.types.Object, str]]:
    """What may act on objects that a render simulates, and how it is called in a sentence."""
    objects = physics.simulated_objects(scene)
    known, hit = fields.field_objects(scene), colliders.collision_objects(scene)
    for obj in objects:
        if not visible.is_shown(obj, render):
            continue
        yield from ((each, f"The collider '{each.name}'") for each in hit)
        for each, _ in fields.acting_on(obj, known, viewport):
            yield each, f"The force field '{each.name}'"
        for each in objects:
            if each != obj and meetings.may_touch(obj, each):
                yield each, f"'{each.name}', which '{obj.name}' may touch,"


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
