# SPDX-License-Identifier: GPL-3.0-or-later
"""A thin bar in the timeline: which frames are cached, paler where they are outdated.

As Blender's own physics have it, switched off with theirs by View > Cache > Show Cache.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy
import gpu
from gpu_extras.batch import batch_for_shader

from ..simulation import job, session
from .drawing import Drawing

_BOTTOM, _HEIGHT = 12.0, 5.0  # pixels, before the user's scale; the scroll bar is below
_VALID, _OUTDATED = (0.3, 0.42, 0.95, 1.0), (0.62, 0.68, 1.0, 0.45)


class Run(NamedTuple):
    """Frames that follow one another, all valid or all outdated."""

    first: int
    last: int
    valid: bool


def runs(scene: bpy.types.Scene, obj: bpy.types.Object | None) -> list[Run]:
    """What is cached of an object, or where it is not a simulated one of all that are."""
    if job.current() is not None:  # what a long simulation leaves behind is valid
        first, last = session.of(scene).frames()
        return split(first, last, None)
    status = session.status(scene)
    known = status.objects.get(obj.session_uid) if obj is not None else None
    if known is not None:
        return split(status.first, known.last, known.since)
    since = [each.since for each in status.objects.values() if each.since is not None]
    return split(status.first, status.last, min(since, default=None))


def split(first: int | None, last: int | None, since: int | None) -> list[Run]:
    """The frames from a first to a last one, which are outdated since one; None for none."""
    if first is None or last is None:
        return []
    turn = last + 1 if since is None else min(max(since, first), last + 1)
    both = Run(first, turn - 1, valid=True), Run(turn, last, valid=False)
    return [run for run in both if run.first <= run.last]


def draw() -> None:
    """Draw it in the region that is being drawn."""
    context = bpy.context
    space, region = context.space_data, context.region
    if not isinstance(space, bpy.types.SpaceDopeSheetEditor) or space.mode != "TIMELINE":
        return
    if not space.show_cache or not session.simulated_objects(context.scene):
        return
    scale = context.preferences.system.ui_scale
    low, high = _BOTTOM * scale, (_BOTTOM + _HEIGHT) * scale
    gpu.state.blend_set("ALPHA")
    for run in runs(context.scene, context.view_layer.objects.active):
        left = _across(region, run.first - 0.5)
        right = _across(region, run.last + 0.5)
        _fill(left, right, low, high, _VALID if run.valid else _OUTDATED)
    gpu.state.blend_set("NONE")


def _across(region: Any, frame: float) -> float:
    """Where a frame is [pixels from the left]."""
    return float(region.view2d.view_to_region(frame, 0.0, clip=False)[0])


def _fill(left: float, right: float, low: float, high: float, color: tuple[float, ...]) -> None:
    corners = [(left, low), (right, low), (right, high), (left, high)]
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    shader.uniform_float("color", color)
    indices = [(0, 1, 2), (0, 2, 3)]
    batch_for_shader(shader, "TRIS", {"pos": corners}, indices=indices).draw(shader)


_drawing = Drawing(bpy.types.SpaceDopeSheetEditor, draw)
register, unregister = _drawing.register, _drawing.unregister
