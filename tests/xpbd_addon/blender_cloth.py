# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender's own Cloth and Soft Body make of small meshes, and what XPBD makes of them then."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np
from blender_scenes import evaluated_positions
from numpy.typing import NDArray

from bench.hobby_scenes import grid

Positions = NDArray[np.float32]


def strip(columns: int = 4, rows: int = 8, cell: float = 0.1) -> Any:
    """A level strip of square cells."""
    return grid("Strip", columns, rows, columns * cell, rows * cell)


def cloth(obj: Any, **settings: Any) -> Any:
    """Blender's Cloth with all stiffness alike, no drag, and further settings."""
    modifier = obj.modifiers.new("Cloth", "CLOTH")
    settings = {"shear_stiffness": 15.0, "air_damping": 0.0, "bending_damping": 0.0} | settings
    for name, value in settings.items():
        setattr(modifier.settings, name, value)
    return modifier


def soft_body(obj: Any, **settings: Any) -> Any:
    """Blender's Soft Body without damping, and with further settings."""
    modifier = obj.modifiers.new("Softbody", "SOFT_BODY")
    for name, value in ({"damping": 0.0} | settings).items():
        setattr(modifier.settings, name, value)
    return modifier


def group(obj: Any, name: str, vertices: Iterable[int], weight: float = 1.0) -> str:
    found = obj.vertex_groups.get(name) or obj.vertex_groups.new(name=name)
    found.add(list(vertices), weight, "REPLACE")
    return name


def play(obj: Any, frames: int) -> Positions:
    """World positions (frames, n, 3) as the timeline plays them from frame 1 on."""
    shown = []
    for frame in range(1, frames + 1):
        bpy.context.scene.frame_set(frame)
        shown.append(evaluated_positions(obj))
    return np.array(shown)


def convert(obj: Any, gravity: str = "LOOK") -> Any:
    """Take an object over; returns ``Object.xpbd``."""
    bpy.context.scene.frame_set(1)
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.xpbd.convert_from_blender(gravity=gravity) == {"FINISHED"}
    return obj.xpbd


def before_and_after(obj: Any, frames: int) -> tuple[Positions, Positions]:
    """What Blender plays, and what XPBD plays once the object is converted."""
    bpy.context.scene.frame_end = frames
    before = play(obj, frames)
    convert(obj)
    return before, play(obj, frames)
