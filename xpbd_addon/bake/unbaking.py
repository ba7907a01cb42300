# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes bakes away again: exactly what they added, and nothing of the user's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ..errors import SceneError
from ..scene import animation, display_modifier, stack
from ..show import display
from . import bake_record, baked_keys, preparing
from .bake_record import BakeRecord


def baked_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's objects that carry a bake of this file."""
    return [obj for obj in scene.objects if bake_record.exists(obj) and not obj.library]


def unbake_all(objects: Sequence[bpy.types.Object]) -> list[str]:
    """Unbake the objects, or none of them: raises SceneError where one cannot be.

    Returns:
        Names of those whose shape keys stay, because what they remember of the bake is damaged.
    """
    if not objects:
        raise SceneError("There is no baked simulation to delete: bake one first")
    for obj in objects:
        preparing.check_writable(obj)
    damaged = [obj.name for obj in objects if bake_record.is_damaged(obj)]
    for obj in objects:
        if bake_record.exists(obj):
            unbake(obj)
    return damaged


def unbake(obj: bpy.types.Object) -> None:
    """Take away what the bake added to the object and show the live simulation again.

    Objects that share the mesh lose the same shape keys, so they are treated alike. The file of a
    Mesh Cache stays: who undoes this has it back, and so have copies of the .blend file.
    Raises SceneError where there is no bake or the mesh is being edited.
    """
    if not bake_record.exists(obj):
        raise SceneError(f"'{obj.name}' has no baked simulation: bake it first")
    preparing.check_writable(obj)
    sharing = [obj, *_with_the_same_keys(obj)]
    for other in sharing:
        restore(other)
    for scene in {scene for other in sharing for scene in other.users_scene}:
        display.show(scene)


def _with_the_same_keys(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """Other objects whose bake lies in shape keys of the same mesh."""
    if _is_in_a_file(obj):
        return []
    others = [each for each in bpy.data.objects if each.data == obj.data and each != obj]
    return [each for each in others if bake_record.exists(each) and not _is_in_a_file(each)]


def _is_in_a_file(obj: bpy.types.Object) -> bool:
    """Whether a bake is a Mesh Cache."""
    return not bake_record.is_damaged(obj) and bake_record.read(obj).mode == bake_record.MESH_CACHE


def restore(obj: bpy.types.Object) -> None:
    """Take a bake away; what is shown then is not yet what is simulated."""
    if bake_record.is_damaged(obj):
        bake_record.remove(obj)
        obj.xpbd.baked = False
        display_modifier.follow_use(obj)
        return
    record = bake_record.read(obj)
    if record is None:
        return
    if record.mode == bake_record.MESH_CACHE:
        _remove_mesh_cache(obj, record)
        return
    if obj.data.shape_keys is not None:
        names = set(baked_keys.names_now(obj.data.shape_keys, record).values())
        _remove_animation(obj.data.shape_keys, record, names)
        _remove_keys(obj, names)
    obj.show_only_shape_key = record.show_only_shape_key
    bake_record.remove(obj)
    obj.xpbd.baked = False
    _restore_modifiers(obj, record)
    obj.data.update()


def _remove_mesh_cache(obj: bpy.types.Object, record: BakeRecord) -> None:
    """Put the display modifier where the Mesh Cache was."""
    bake_record.remove(obj)
    obj.xpbd.baked = False
    uids = [modifier.persistent_uid for modifier in obj.modifiers]
    place = uids.index(record.mesh_cache) if record.mesh_cache in uids else None
    if place is not None:
        # Before ours is added, which may get a place before it.
        obj.modifiers.remove(obj.modifiers[place])
    display_modifier.follow_use(obj)
    if place is not None and (ours := stack.modifier(obj)) is not None:
        stack.put(obj, ours, place)
    display_modifier.prepare([obj])


def _restore_modifiers(obj: bpy.types.Object, record: BakeRecord) -> None:
    """Switch modifiers on again and put the display modifier behind them, where it was."""
    hidden = {entry.uid: entry for entry in record.modifiers}
    place = 0
    for index, modifier in enumerate(obj.modifiers):
        entry = hidden.get(modifier.persistent_uid)
        if entry is not None:
            modifier.show_viewport = entry.show_viewport
            modifier.show_render = entry.show_render
            place = index + 1
    if obj.xpbd.use:
        stack.put(obj, display_modifier.ensure(obj), place)


def _remove_animation(keys: bpy.types.Key, record: BakeRecord, names: set[str]) -> None:
    """Remove the bake's curves; the action too, unless it holds or serves something else.

    Args:
        names: what the bake's shape keys are called now. Curves of those that are gone still are
            there.
    """
    animated = keys.animation_data
    if animated is None:
        return
    ours = {baked_keys.value_path(name) for name in (*record.keys, *names)} | {"eval_time"}
    for action, slot in animation.played_by(animated):
        if action.get(bake_record.ACTION_TAG) != record.action_tag:
            continue
        # A duplicate of the object may play the same.
        shared = animation.is_played_by_others(action, slot, keys)
        if (shared or _remove_curves(action, slot, ours) == 0) and animated.action == action:
            animated.action = None
        if not shared:
            _remove_what_is_empty(action, slot)
    if animated.action is None and not animated.drivers and not animated.nla_tracks:
        keys.animation_data_clear()


def _remove_curves(action: bpy.types.Action, slot: Any, data_paths: set[str]) -> int:
    """Remove the curves of the data paths and return how many others of the slot are left."""
    left = 0
    for curves in animation.curve_collections(action, slot):
        for curve in [curve for curve in curves if curve.data_path in data_paths]:
            curves.remove(curve)
        left += len(curves)
    return left


def _remove_what_is_empty(action: bpy.types.Action, slot: Any) -> None:
    """Remove a slot without curves, and the action that has no other, which the bake added.

    Blender puts keys of the object, too, into the action of its mesh's shape keys, from 4.4 on.
    """
    if any(len(curves) for curves in animation.curve_collections(action, slot)):
        return
    if slot is not None:
        action.slots.remove(slot)
    if slot is None or not action.slots:
        bpy.data.actions.remove(action)
    else:
        del action[bake_record.ACTION_TAG]


def _remove_keys(obj: bpy.types.Object, names: set[str]) -> None:
    """Remove the bake's keys; that at rest stays only where the user added keys to it."""
    keys = obj.data.shape_keys
    if set(keys.key_blocks.keys()) <= {keys.reference_key.name, *names}:
        obj.shape_key_clear()
        return
    for name in names:
        obj.shape_key_remove(keys.key_blocks[name])
    keys.use_relative = True
