# SPDX-License-Identifier: GPL-3.0-or-later
"""What moves an object, as original data: the same on every frame."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import bpy
import numpy as np

from . import animation, hair_nodes, mesh_io


def movers(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """The object and all that it follows by parenting, modifiers or constraints."""
    found: dict[int, bpy.types.Object] = {}
    waiting = [obj]
    while waiting:
        obj = waiting.pop()
        if obj.session_uid in found:
            continue
        found[obj.session_uid] = obj
        followed = [obj.parent]
        followed += [getattr(modifier, "object", None) for modifier in obj.modifiers]
        followed += [hair_nodes.followed(modifier) for modifier in obj.modifiers]
        followed += [obj.data.surface] if obj.type == "CURVES" else []
        followed += [getattr(constraint, "target", None) for constraint in obj.constraints]
        waiting += [other for other in followed if other is not None]
    return list(found.values())


def motion(obj: bpy.types.Object) -> Iterator[Any]:
    """What moves an object, whatever it follows."""
    keys = obj.data.shape_keys if obj.type == "MESH" else None
    for block in (obj, obj.data, keys):
        if block is not None:
            yield from _curves(block)
    if isinstance(obj.data, bpy.types.Curves):
        yield mesh_io.vectors(obj.data, "position")
    if obj.animation_data is not None:
        return
    if obj.rigid_body is None:
        yield [tuple(row) for row in obj.matrix_basis]
    yield [tuple(row) for row in obj.matrix_parent_inverse]
    if obj.pose is not None:
        yield [[tuple(row) for row in bone.matrix_basis] for bone in obj.pose.bones]
    for modifier in obj.modifiers:
        yield _values(modifier)


def _values(modifier: bpy.types.Modifier) -> list[Any]:
    """The settings of a modifier that can change what it does."""
    return [
        (name, tuple(value) if hasattr(value, "__len__") else value)
        for name in _settings_of(modifier.bl_rna.identifier)
        for value in [getattr(modifier, name)]
    ]


@cache
def _settings_of(kind: str) -> list[str]:
    return [
        prop.identifier
        for prop in getattr(bpy.types, kind).bl_rna.properties
        if prop.type in {"BOOLEAN", "INT", "FLOAT", "ENUM", "STRING"}
        and not prop.is_readonly
        and not prop.identifier.startswith(("show_expanded", "show_on_cage", "is_active"))
    ]


def _curves(block: bpy.types.ID) -> Iterator[Any]:
    """All keyframes and drivers of a data-block."""
    animated = block.animation_data
    if animated is None:
        return
    strips = [strip for track in animated.nla_tracks for strip in track.strips]
    for strip in strips:
        yield (strip.frame_start, strip.frame_end, strip.repeat, strip.scale)
    actions = [animated.action, *(strip.action for strip in strips)]
    for action in (action for action in actions if action is not None):
        for curves in animation.curve_collections(action):
            for curve in curves:
                yield (curve.data_path, curve.array_index)
                yield keyframes(curve)
    yield [(curve.data_path, curve.driver.expression) for curve in animated.drivers]


def keyframes(curve: bpy.types.FCurve) -> Any:
    """Points and handles of a curve."""
    points = curve.keyframe_points
    values = np.empty((3, 2 * len(points)), np.float32)
    for row, name in zip(values, ("co", "handle_left", "handle_right"), strict=True):
        points.foreach_get(name, row)
    return values


def animation_of(block: bpy.types.ID) -> Iterator[bpy.types.FCurve]:
    """The curves of a data-block's own action."""
    animated = block.animation_data
    if animated is not None and animated.action is not None:
        for curves in animation.curve_collections(animated.action):
            yield from curves
