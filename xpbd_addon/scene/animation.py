# SPDX-License-Identifier: GPL-3.0-or-later
"""F-curves of a data-block, the same way in every Blender from 4.2 on.

Blender 4.4 put action slots between an action and its curves, and 5.0 removed the direct way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

_LINEAR = 1  # position of 'LINEAR' in Blender's enum of interpolations


def assign_new_action(datablock: bpy.types.ID, name: str) -> bpy.types.Action:
    """Give the data-block an action of its own and return it."""
    animation = datablock.animation_data_create()
    action = bpy.data.actions.new(name)
    animation.action = action
    if hasattr(action, "slots"):
        slot = action.slots.new(id_type=datablock.id_type, name=datablock.name)
        strip = action.layers.new("Layer").strips.new(type="KEYFRAME")
        strip.channelbag(slot, ensure=True)
        animation.action_slot = slot
    return action


def curve_collections(action: bpy.types.Action, slot: Any = None) -> Iterator[Any]:
    """Yield every collection of f-curves in the action: of a slot, or whatever it belongs to."""
    if not hasattr(action, "layers"):
        yield action.fcurves
        return
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                if slot is None or bag.slot == slot:
                    yield bag.fcurves


def played_by(animated: bpy.types.AnimData) -> list[tuple[bpy.types.Action, Any]]:
    """The actions that are assigned, be it to strips, and the slot of each; None without one."""
    strips = [strip for track in animated.nla_tracks for strip in track.strips]
    found: list[tuple[bpy.types.Action, Any]] = []
    for user in (animated, *strips):
        played = (user.action, getattr(user, "action_slot", None))
        if user.action is not None and played not in found:
            found.append(played)
    return found


def is_played_by_others(action: bpy.types.Action, slot: Any, datablock: bpy.types.ID) -> bool:
    """Whether others than the data-block play a slot of an action; None: any of it."""
    if slot is None:
        return action.users - action.use_fake_user > 1
    return any(user != datablock for user in slot.users())


def curves_of(block: bpy.types.ID) -> Iterator[bpy.types.FCurve]:
    """The curves of a data-block's own action, and of those in strips of its NLA."""
    animated = block.animation_data
    if animated is None:
        return
    strips = [strip.action for track in animated.nla_tracks for strip in track.strips]
    for action in filter(None, [animated.action, *strips]):
        for curves in curve_collections(action):
            yield from curves


def add_linear_curve(curves: Any, data_path: str, points: list[tuple[float, float]]) -> None:
    """Add a curve through (frame, value) points, straight in between."""
    curve = curves.new(data_path)
    keys = curve.keyframe_points
    keys.add(len(points))
    keys.foreach_set("co", np.asarray(points, np.float32).ravel())
    keys.foreach_set("interpolation", np.full(len(points), _LINEAR, np.int32))
    curve.update()
