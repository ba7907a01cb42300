# SPDX-License-Identifier: GPL-3.0-or-later
"""The cages of soft bodies as wire in 3D viewports.

Overlays switches it off with Blender's own.
"""

from __future__ import annotations

from typing import Any

import bpy
import gpu
from gpu_extras.batch import batch_for_shader

from ..simulation import cages
from .drawing import Drawing, objects_overlaid

_COLOR = (0.95, 0.6, 0.15, 0.35)


def caged_objects(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Objects in the view layer whose cage is shown."""
    return [
        obj
        for obj in context.view_layer.objects
        if obj.type == "MESH"
        and obj.xpbd.use
        and obj.xpbd.kind == "SOFT_BODY"
        and obj.xpbd.show_cage
        and obj.visible_get()
    ]


def draw() -> None:
    """Draw them in the viewport that is being drawn."""
    objects = objects_overlaid(caged_objects)
    if not objects:
        return
    context = bpy.context
    depsgraph = context.evaluated_depsgraph_get()
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    gpu.state.blend_set("ALPHA")
    for obj in objects:
        lines: Any = cages.lines_of(obj, depsgraph)
        if len(lines):
            batch = batch_for_shader(shader, "LINES", {"pos": lines})
            shader.uniform_float("color", _COLOR)
            batch.draw(shader)
    gpu.state.blend_set("NONE")


_drawing = Drawing(bpy.types.SpaceView3D, draw, "POST_VIEW")
register = _drawing.register


def unregister() -> None:
    """Draw no more."""
    _drawing.unregister()
    cages.forget()
