# SPDX-License-Identifier: GPL-3.0-or-later
"""Showing the user which vertices pins or colliders hold too far apart."""

from __future__ import annotations

import bpy

from ..errors import SceneError
from ..scene.selection import select_vertices
from . import job, session


def select(scene: bpy.types.Scene, obj: bpy.types.Object) -> int:
    """Select them in the object's mesh, as they are on the frame that panels tell of.

    Returns:
        How many there are.

    Raises:
        SceneError: that is not known of this frame, there are none, or the mesh has changed.
    """
    found = session.held_apart(scene, obj, job.shown_frame(scene))
    if found is None:
        raise SceneError(
            "Which vertices they are is only known of frames simulated since the file was opened: "
            "simulate again"
        )
    if len(found) == 0:
        raise SceneError(f"No vertices of '{obj.name}' are held too far apart on this frame")
    select_vertices(obj, found)
    return len(found)
