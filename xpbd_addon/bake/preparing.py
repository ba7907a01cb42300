# SPDX-License-Identifier: GPL-3.0-or-later
"""What all bakes have in common: what is baked, over which frames, and where its vertices are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..scene import mesh_io, motion, stack
from ..simulation import by_hand, job, session

Progress = Callable[[int, int], None]
Positions = NDArray[np.float32]
Ends = tuple[int | None, int | None]
"""The first and the last frame, None for those of the simulation."""


def objects_to_bake(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The simulated objects without those that can't take part, unless that leaves none."""
    objects, known = session.simulated_objects(scene), session.status(scene, exact=True).objects
    return [obj for obj in objects if not known[obj.session_uid].left_out] or objects


def simulate_missing(scene: bpy.types.Scene, progress: Progress | None = None) -> None:
    """Simulate unless the cache holds the whole range for the scene as it is."""
    if not is_kept_by_hand(scene):
        job.run_blocking(scene, progress=progress)


def is_kept_by_hand(scene: bpy.types.Scene) -> bool:
    """Whether a locked cache holds all frames, some moved by hand: these are baked as they are."""
    return scene.xpbd.lock_cache and by_hand.is_whole(scene)


def frames_to_bake(
    scene: bpy.types.Scene, start: int | None = None, end: int | None = None
) -> range:
    """The frames from a first to a last one, by default those of the simulation.

    Raises SceneError where they are none, or not all simulated.
    """
    first, last = scene.xpbd.frame_start, scene.xpbd.frame_end
    frames = range(first if start is None else start, (last if end is None else end) + 1)
    wrong = not frames or frames.start < first or frames.stop > last + 1
    if wrong and first <= last:  # else there is nothing to simulate, which is said elsewhere
        raise SceneError(
            f"Frames {frames.start} to {frames.stop - 1} can't be baked: choose some from {first} "
            f"to {last}, which are simulated"
        )
    return frames


def check(objects: Sequence[bpy.types.Object]) -> None:
    """Raise SceneError unless the objects can be baked in some way."""
    if not objects:
        raise SceneError(
            "There is nothing to bake: add XPBD physics to a mesh object, "
            "or delete the bake of a baked one"
        )
    if job.current() is not None:
        raise SceneError("A simulation is running: wait for it or cancel it with Esc, then bake")
    for obj in objects:
        check_writable(obj)


def check_writable(obj: bpy.types.Object) -> None:
    """Raise SceneError unless an object and its mesh can be changed."""
    if obj.override_library or obj.data.library or not stack.is_writable(obj):
        raise SceneError(
            f"'{obj.name}' is linked from another file: make it local "
            "(Object > Relations > Make Local > Selected Objects and Data) first"
        )
    if obj.data.is_editmode:
        raise SceneError(f"'{obj.name}' is in Edit Mode: leave it with Tab first")


def read_frames(
    scene: bpy.types.Scene,
    objects: Sequence[bpy.types.Object],
    frames: range,
    progress: Progress | None,
) -> Iterator[Mapping[bpy.types.Object, Positions]]:
    """Of each frame the object-space positions (n, 3) of each object, as many on all frames.

    Raises SceneError where they are not known.
    """
    moving = not all(motion.stands_still(obj) for obj in objects)
    frame_before, subframe_before = scene.frame_current, scene.frame_subframe
    scale = scene.unit_settings.scale_length
    counts = {obj: _count(scene, obj, frames.start) for obj in objects}
    try:
        for done, frame in enumerate(frames):
            if moving:
                scene.frame_set(frame)
            depsgraph = _depsgraph(scene)
            yield {
                obj: mesh_io.to_local(
                    obj, _cached(scene, obj, frame, counts[obj]), depsgraph, scale
                )
                for obj in objects
            }
            if progress is not None:
                progress(done + 1, len(frames))
    finally:
        if moving:
            scene.frame_set(frame_before, subframe=subframe_before)


def _count(scene: bpy.types.Scene, obj: bpy.types.Object, frame: int) -> int:
    """How many vertices are simulated."""
    if not stack.is_made(obj):
        return len(obj.data.vertices)
    world = session.cached_positions(scene, obj, frame)
    return 0 if world is None else len(world)


def _cached(scene: bpy.types.Scene, obj: bpy.types.Object, frame: int, count: int) -> Positions:
    world = session.cached_positions(scene, obj, frame)
    if world is None:
        raise SceneError(f"Frame {frame} of '{obj.name}' is not in the cache: simulate again")
    if len(world) != count:
        raise SceneError(
            f"'{obj.name}' has {count} vertices but was simulated with {len(world)}: simulate again"
        )
    if not np.isfinite(world).all():
        raise SceneError(f"Frame {frame} of '{obj.name}' holds no valid positions: simulate again")
    return world


def _depsgraph(scene: bpy.types.Scene) -> bpy.types.Depsgraph:
    if scene == bpy.context.scene:
        return bpy.context.evaluated_depsgraph_get()
    with bpy.context.temp_override(scene=scene, view_layer=scene.view_layers[0]):
        return bpy.context.evaluated_depsgraph_get()
