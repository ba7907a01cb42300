# SPDX-License-Identifier: GPL-3.0-or-later
"""Rest shape, shrinking and sewing of Blender's Cloth, as far as ``Object.xpbd`` has them."""

from __future__ import annotations

from typing import Any

import bpy

from . import goals, springs
from .springs import Net
from .taken import Taken

_FRAMES_TO_SEW = 4.0
"""In which Blender's loose edges close a gap of half a metre."""


def take(found: Taken, obj: bpy.types.Object, net: Net, modifier: Any, rate: float) -> None:
    """Take over what is set of them."""
    ours = set(obj.xpbd.bl_rna.properties.keys())
    for values, sentence in _wanted(obj, net, modifier, rate):
        if found.kind == "CLOTH" and values.keys() <= ours:
            found.values |= values
        else:
            found.lose(sentence)


def _wanted(
    obj: bpy.types.Object, net: Net, modifier: Any, rate: float
) -> list[tuple[dict[str, Any], str]]:
    """Values of ours, and what to say where we have no such settings."""
    wanted: list[tuple[dict[str, Any], str]] = []
    settings = modifier.settings
    group = settings.vertex_group_shrink
    is_painted = goals.has_weights(obj, group, modifier)
    if settings.shrink_min or (is_painted and settings.shrink_max):
        shrunk = {"shrinkage": settings.shrink_min}
        if is_painted:
            shrunk |= {"shrinkage_group": group, "shrinkage_max": settings.shrink_max}
        wanted.append((shrunk, "Shrinking Factor: it keeps its size"))
    if settings.rest_shape_key is not None:
        name = settings.rest_shape_key.name
        wanted.append(({"rest_shape_key": name}, f"Rest Shape Key '{name}': it rests as it starts"))
    if settings.use_dynamic_mesh:
        sentence = "Dynamic Mesh: it keeps the rest shape of its first frame"
        wanted.append(({"use_dynamic_mesh": True}, sentence))
    if settings.use_sewing_springs:
        sewn = {
            "use_sewing": True,
            "sewing_force_max": springs.force(net, rate, settings.sewing_force_max),
            "sewing_time": _FRAMES_TO_SEW / rate,
        }
        wanted.append((sewn, "Sewing: loose edges don't pull"))
    return wanted
