# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape keys of a bake, also where they have been renamed: Blender plays them as before.

A key has nothing but its name that lasts. So one with another name is told by what the bake's
curves do with it, which follow it when it is renamed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from ..scene import animation
from . import bake_record
from .bake_record import BakeRecord


def names_now(keys: bpy.types.Key, record: BakeRecord) -> dict[str, str]:
    """What keys of the bake are called now, by the name that they were baked with.

    Without those that are gone.
    """
    there = set(keys.key_blocks.keys())
    found = {name: name for name in record.keys if name in there}
    if len(found) < len(record.keys):
        find = _renamed_absolute if record.mode == "ABSOLUTE" else _renamed_relative
        others = [block for block in keys.key_blocks if block.name not in found]
        found |= find(keys, record, others, [name for name in record.keys if name not in found])
    return found


def value_path(key_name: str) -> str:
    """Where the value of a shape key is, from its data-block."""
    return f'key_blocks["{bpy.utils.escape_identifier(key_name)}"].value'


def _renamed_relative(
    keys: bpy.types.Key, record: BakeRecord, others: list[Any], lost: list[str]
) -> dict[str, str]:
    """Those that are switched on for one frame, in the order of the frames."""
    names = {value_path(block.name): block.name for block in others}
    on = [
        (_time_of_one_frame(curve), names[curve.data_path])
        for curve in _curves(keys, record)
        if curve.data_path in names and _is_for_one_frame(curve)
    ]
    renamed = [name for _, name in sorted(on)]
    return dict(zip(lost, renamed, strict=False))


def _is_for_one_frame(curve: Any) -> bool:
    """Whether a curve switches something on for a frame, as those of the bake do."""
    points = curve.keyframe_points
    values = sorted(point.co[1] for point in points)
    linear = all(point.interpolation == "LINEAR" for point in points)
    return linear and values in ([1.0], [0.0, 1.0], [0.0, 0.0, 1.0])


def _time_of_one_frame(curve: Any) -> float:
    return max(curve.keyframe_points, key=lambda point: point.co[1]).co[0]


def _renamed_absolute(
    keys: bpy.types.Key, record: BakeRecord, others: list[Any], lost: list[str]
) -> dict[str, str]:
    """Those at the times at which the bake's curve comes by on the frames of what is lost."""
    found = {}
    for curve in _curves(keys, record):
        times = [point.co[1] for point in curve.keyframe_points]
        if curve.data_path != "eval_time" or len(times) != len(record.keys):
            continue
        for name, time in zip(record.keys, times, strict=True):
            at = [block.name for block in others if np.isclose(block.frame, time)]
            if name in lost and at:
                found[name] = at[0]
    return found


def _curves(keys: bpy.types.Key, record: BakeRecord) -> Iterator[Any]:
    """The curves that the keys play of the bake's action, with what the user has added to it."""
    animated = keys.animation_data
    for action, slot in animation.played_by(animated) if animated is not None else ():
        if action.get(bake_record.ACTION_TAG) == record.action_tag:
            for collection in animation.curve_collections(action, slot):
                yield from collection
