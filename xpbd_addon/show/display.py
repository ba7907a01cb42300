# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows what is cached of a frame: looks it up, and hands it to the objects' display modifiers."""

from __future__ import annotations

import functools

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import main_thread
from ..scene import display_modifier, mesh_io
from ..scene.stack import is_writable
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
        if not is_writable(obj) or obj.data.is_editmode:
            continue
        world = session.shown_positions(scene, obj, scene.frame_current + scene.frame_subframe)
        fits = world is not None and len(world) == len(obj.data.vertices)
        found[obj] = mesh_io.to_local(obj, world, depsgraph, scale) if fits else None
    main_thread.do(functools.partial(_write, objects, found))


def _write(
    objects: list[bpy.types.Object], found: dict[bpy.types.Object, NDArray[np.float32] | None]
) -> None:
    """Show positions of the objects' own spaces; of those without, what they are without us."""
    display_modifier.name_attributes(objects)
    for obj, local in found.items():
        if local is None:
            display_modifier.hide(obj)
        else:
            display_modifier.write(obj, local)
