# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows what is cached of a frame: looks it up, and hands it to the objects' display modifiers."""

from __future__ import annotations

import functools

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import main_thread
from ..errors import SceneError
from ..scene import display_modifier, force_map, mesh_io, stack, tension_map
from ..simulation import scene_cache, session


def show(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    """Show what is cached of the scene's current frame; after the last frame, the last.

    Args:
        depsgraph: the one that the positions are shown in; by default the window's.
    """
    if depsgraph is None:
        depsgraph = session.evaluated_depsgraph(scene)
    scale = scene.unit_settings.scale_length
    objects = session.simulated_objects(scene)
    scene_cache.look_at_files(session.of(scene))
    found: dict[bpy.types.Object, NDArray[np.float32] | None] = {}
    for obj in objects:
        if not stack.is_writable(obj) or obj.data.is_editmode:
            continue
        world = session.shown_positions(scene, obj, scene.frame_current + scene.frame_subframe)
        fits = stack.is_made(obj) or (world is not None and len(world) == len(obj.data.vertices))
        known = world is not None and fits
        found[obj] = mesh_io.to_local(obj, world, depsgraph, scale) if known else None
    main_thread.do(functools.partial(_write, objects, found))
    main_thread.do(functools.partial(_write_rest, scene, objects))
    forces = {obj: _forces(scene, obj, depsgraph) for obj in objects}
    main_thread.do(functools.partial(_write_forces, forces))


def _forces(
    scene: bpy.types.Scene, obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> dict[str, NDArray[np.float32]]:
    """The tension in a cloth by attribute; nothing where that is not wanted or not known.

    What keeps it from being measured keeps it from being simulated, too, and is told there, or is a
    stiffness without end.
    """
    scale = scene.unit_settings.scale_length
    if not force_map.is_wanted(obj) or stack.is_made(obj):
        return {}
    shown = session.shown_positions(scene, obj, scene.frame_current + scene.frame_subframe)
    start = session.cached_positions(scene, obj, scene.xpbd.frame_start)
    if shown is None or start is None or len(shown) != len(obj.data.vertices):
        return {}
    try:
        return force_map.measure(obj, depsgraph, shown, start, scale)
    except SceneError:
        return {}


def _write_forces(forces: dict[bpy.types.Object, dict[str, NDArray[np.float32]]]) -> None:
    for obj, found in forces.items():
        if found:
            force_map.write(obj, found)
        else:
            force_map.forget(mesh_io.mesh_of(obj))


def _write(
    objects: list[bpy.types.Object], found: dict[bpy.types.Object, NDArray[np.float32] | None]
) -> None:
    """Show positions of the objects' own spaces; of those without, what they are without us."""
    display_modifier.prepare(objects)
    for obj, local in found.items():
        if local is None:
            display_modifier.hide(obj)
        else:
            display_modifier.write(obj, local)


def _write_rest(scene: bpy.types.Scene, objects: list[bpy.types.Object]) -> None:
    """Tell tension maps of the shapes that the simulation started from."""
    for obj in objects:
        if obj.xpbd.use_tension_map and stack.is_writable(obj) and not obj.data.is_editmode:
            rest = session.cached_positions(scene, obj, scene.xpbd.frame_start)
            if rest is not None:
                tension_map.write_rest(obj, rest / scene.unit_settings.scale_length)
