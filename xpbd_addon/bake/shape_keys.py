# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulation as plain Blender data: shape keys and keyframes.

A bake needs nothing of the extension to play. It is written in two steps: first every
frame is read and checked, then the objects are changed, so that a bake that cannot be
made leaves the scene as it was.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..scene import animation, display_modifier, mesh_io, stack
from ..show import display
from ..simulation import job, session
from . import bake_record
from .bake_record import BakeRecord, HiddenModifier

MODES = ("RELATIVE", "ABSOLUTE")
Progress = Callable[[int, int], None]
Frames = NDArray[np.float32]


def bake_shape_keys(
    scene: bpy.types.Scene,
    objects: Sequence[bpy.types.Object] | None = None,
    mode: str = "RELATIVE",
    progress: Progress | None = None,
) -> list[bpy.types.Object]:
    """Bake the scene's simulation range to shape keys and return the baked objects.

    objects: which to bake, by default `objects_to_bake`. mode: 'RELATIVE' gives each frame
    a key that is switched on for that frame, 'ABSOLUTE' one evaluation time through all keys.
    progress: called with frames done and frames in all. Frames that the cache lacks are
    simulated first. Raises SceneError, and then nothing was changed.
    """
    chosen = list(objects_to_bake(scene) if objects is None else objects)
    check(chosen, mode)
    simulate_missing(scene, progress)
    frames = range(scene.xpbd.frame_start, scene.xpbd.frame_end + 1)
    shapes = _read_shapes(scene, chosen, frames, progress)
    try:
        for obj in chosen:
            _write(scene, obj, frames, shapes[obj], mode)
    except BaseException:
        for obj in filter(bake_record.exists, chosen):
            _restore(obj)
        display.show(scene)
        raise
    return chosen


def objects_to_bake(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The simulated objects without those that can't take part, unless that leaves none."""
    objects, known = session.simulated_objects(scene), session.status(scene, exact=True).objects
    return [obj for obj in objects if not known[obj.session_uid].left_out] or objects


def simulate_missing(scene: bpy.types.Scene, progress: Progress | None = None) -> None:
    """Simulate unless the cache holds the whole range for the scene as it is."""
    job.run_blocking(scene, progress=progress)


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
        _check_writable(obj)
    damaged = [obj.name for obj in objects if bake_record.is_damaged(obj)]
    for obj in objects:
        if bake_record.exists(obj):
            unbake(obj)
    return damaged


def unbake(obj: bpy.types.Object) -> None:
    """Take away what the bake added to the object and show the live simulation again.

    Objects that share the mesh lose the same keys, so they are treated alike.
    Raises SceneError where there is no bake or the mesh is being edited.
    """
    if not bake_record.exists(obj):
        raise SceneError(f"'{obj.name}' has no baked simulation: bake it first")
    _check_writable(obj)
    sharing = [
        other for other in bpy.data.objects if other.data == obj.data and bake_record.exists(other)
    ]
    for other in sharing:
        _restore(other)
    for scene in {scene for other in sharing for scene in other.users_scene}:
        display.show(scene)


def check(objects: Sequence[bpy.types.Object], mode: str) -> None:
    """Raise SceneError unless the objects can be baked in the mode."""
    if mode not in MODES:
        raise SceneError(f"There is no bake mode {mode}: use {' or '.join(MODES)}")
    if not objects:
        raise SceneError(
            "There is nothing to bake: add XPBD physics to a mesh object, "
            "or delete the bake of a baked one"
        )
    if job.current() is not None:
        raise SceneError("A simulation is running: wait for it or cancel it with Esc, then bake")
    for obj in objects:
        _check_writable(obj)
        _check_bakeable(obj)


def _check_writable(obj: bpy.types.Object) -> None:
    if obj.override_library or obj.data.library or not stack.is_writable(obj):
        raise SceneError(
            f"'{obj.name}' is linked from another file: make it local "
            "(Object > Relations > Make Local > Selected Objects and Data) first"
        )
    if obj.data.is_editmode:
        raise SceneError(f"'{obj.name}' is in Edit Mode: leave it with Tab first")


def _check_bakeable(obj: bpy.types.Object) -> None:
    if obj.data.shape_keys is not None:
        raise SceneError(
            f"'{obj.name}' has shape keys already: delete or apply them in "
            "Object Data > Shape Keys, or bake a copy of the object"
        )
    if obj.parent_type in {"ARMATURE", "CURVE", "LATTICE"}:
        raise SceneError(
            f"'{obj.name}' is deformed by its parent, which would deform the bake again: set its "
            "Parent Type to Object and add an Armature, Curve or Lattice modifier instead"
        )
    if obj.data.users > 1:
        raise SceneError(
            f"'{obj.name}' shares its mesh with other objects, which the bake would move too: "
            "make it single-user (Object > Relations > Make Single User > Object & Data) first"
        )


def _read_shapes(
    scene: bpy.types.Scene,
    objects: Sequence[bpy.types.Object],
    frames: range,
    progress: Progress | None,
) -> dict[bpy.types.Object, Frames]:
    """Object-space positions (frames, n, 3) of each object."""
    shapes = {
        obj: np.empty((len(frames), len(obj.data.vertices), 3), np.float32) for obj in objects
    }
    moving = not all(_stands_still(obj) for obj in objects)
    frame_before, subframe_before = scene.frame_current, scene.frame_subframe
    scale = scene.unit_settings.scale_length
    try:
        for done, frame in enumerate(frames):
            if moving:
                scene.frame_set(frame)
            depsgraph = _depsgraph(scene)
            for obj in objects:
                world = _cached(scene, obj, frame)
                shapes[obj][done] = mesh_io.to_local(obj, world, depsgraph, scale)
            if progress is not None:
                progress(done + 1, len(frames))
    finally:
        if moving:
            scene.frame_set(frame_before, subframe=subframe_before)
    return shapes


def _cached(scene: bpy.types.Scene, obj: bpy.types.Object, frame: int) -> Frames:
    world = session.cached_positions(scene, obj, frame)
    if world is None:
        raise SceneError(f"Frame {frame} of '{obj.name}' is not in the cache: simulate again")
    if len(world) != len(obj.data.vertices):
        raise SceneError(
            f"'{obj.name}' has {len(obj.data.vertices)} vertices but was simulated with "
            f"{len(world)}: simulate again"
        )
    if not np.isfinite(world).all():
        raise SceneError(f"Frame {frame} of '{obj.name}' holds no valid positions: simulate again")
    return world


def _stands_still(obj: bpy.types.Object) -> bool:
    """True when nothing can move the object's origin, so that no frame need be evaluated."""
    link: bpy.types.Object | None = obj
    while link is not None:
        if link.animation_data or link.constraints or link.rigid_body:
            return False
        if link.parent is not None and link.parent_type != "OBJECT":
            return False
        link = link.parent
    return True


def _depsgraph(scene: bpy.types.Scene) -> bpy.types.Depsgraph:
    if scene == bpy.context.scene:
        return bpy.context.evaluated_depsgraph_get()
    with bpy.context.temp_override(scene=scene, view_layer=scene.view_layers[0]):
        return bpy.context.evaluated_depsgraph_get()


def _write(
    scene: bpy.types.Scene,
    obj: bpy.types.Object,
    frames: range,
    shapes: Frames,
    mode: str,
) -> None:
    record = BakeRecord(
        mode=mode,
        frame_start=frames.start,
        frame_end=frames.stop - 1,
        keys=[f"Frame {frame}" for frame in frames],
        action_tag=uuid.uuid4().hex,
        modifiers=_modifiers_before_display(obj),
        show_only_shape_key=obj.show_only_shape_key,
    )
    bake_record.write(obj, record)
    display_modifier.remove(obj)
    for entry in record.modifiers:
        modifier = obj.modifiers[entry.name]
        modifier.show_viewport = modifier.show_render = False
    obj.show_only_shape_key = False
    _add_keys(obj, record, shapes)
    _animate(scene, obj, record)
    obj.xpbd.baked = True
    obj.data.update()


def _modifiers_before_display(obj: bpy.types.Object) -> list[HiddenModifier]:
    """The modifiers whose effect the simulated positions contain already."""
    shown = stack.modifier(obj)
    before: list[HiddenModifier] = []
    for modifier in obj.modifiers:
        if modifier == shown:
            return before
        before.append(
            HiddenModifier(
                modifier.persistent_uid,
                modifier.name,
                modifier.show_viewport,
                modifier.show_render,
            )
        )
    return []


def _add_keys(obj: bpy.types.Object, record: BakeRecord, shapes: Frames) -> None:
    obj.shape_key_add(name="Basis", from_mix=False)
    for name, shape in zip(record.keys, shapes, strict=True):
        key = obj.shape_key_add(name=name, from_mix=False)
        key.interpolation = "KEY_LINEAR"
        key.points.foreach_set("co", shape.ravel())
    obj.active_shape_key_index = 0


def _animate(scene: bpy.types.Scene, obj: bpy.types.Object, record: BakeRecord) -> None:
    keys = obj.data.shape_keys
    action = animation.assign_new_action(keys, f"{obj.name} XPBD")
    action[bake_record.ACTION_TAG] = record.action_tag
    curves = next(animation.curve_collections(action))
    # Time remapping moves keyframes but not the frames that the preview counts.
    stretch = scene.render.frame_map_old / scene.render.frame_map_new
    times = [frame * stretch for frame in range(record.frame_start - 1, record.frame_end + 2)]
    if record.mode == "ABSOLUTE":
        keys.use_relative = False
        points = [
            (time, keys.key_blocks[name].frame)
            for time, name in zip(times[1:-1], record.keys, strict=True)
        ]
        animation.add_linear_curve(curves, "eval_time", points)
        return
    last = len(record.keys) - 1
    for i, name in enumerate(record.keys):
        points = [(times[i], 0.0)] * (i > 0) + [(times[i + 1], 1.0)]
        points += [(times[i + 2], 0.0)] * (i < last)
        animation.add_linear_curve(curves, _value_path(name), points)


def _value_path(key_name: str) -> str:
    return f'key_blocks["{key_name}"].value'


def _restore(obj: bpy.types.Object) -> None:
    if bake_record.is_damaged(obj):
        bake_record.remove(obj)
        obj.xpbd.baked = False
        display_modifier.follow_use(obj)
        return
    record = bake_record.read(obj)
    if record is None:
        return
    if obj.data.shape_keys is not None:
        _remove_animation(obj.data.shape_keys, record)
        _remove_keys(obj, record)
    obj.show_only_shape_key = record.show_only_shape_key
    bake_record.remove(obj)
    obj.xpbd.baked = False
    _restore_modifiers(obj, record)
    obj.data.update()


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
        display_modifier.ensure(obj)
        shown = obj.modifiers.find(stack.modifier(obj).name)
        obj.modifiers.move(shown, place)


def _remove_animation(keys: bpy.types.Key, record: BakeRecord) -> None:
    """Remove the bake's curves; the action too, unless it holds or serves something else."""
    animated = keys.animation_data
    if animated is None:
        return
    ours = {_value_path(name) for name in record.keys} | {"eval_time"}
    for action in _tagged_actions(animated, record.action_tag):
        if action.users - action.use_fake_user > 1:
            # A duplicate of the object plays the same action.
            animated.action = None if animated.action == action else animated.action
        elif _remove_curves(action, ours) == 0:
            bpy.data.actions.remove(action)
    if animated.action is None and not animated.drivers and not animated.nla_tracks:
        keys.animation_data_clear()


def _remove_curves(action: bpy.types.Action, data_paths: set[str]) -> int:
    """Remove the curves of the data paths and return how many others are left."""
    left = 0
    for curves in animation.curve_collections(action):
        for curve in [curve for curve in curves if curve.data_path in data_paths]:
            curves.remove(curve)
        left += len(curves)
    return left


def _tagged_actions(animated: bpy.types.AnimData, tag: str) -> Iterable[bpy.types.Action]:
    strips = [strip for track in animated.nla_tracks for strip in track.strips]
    assigned = [animated.action, *(strip.action for strip in strips)]
    actions = {action for action in assigned if action is not None}
    return [action for action in actions if action.get(bake_record.ACTION_TAG) == tag]


def _remove_keys(obj: bpy.types.Object, record: BakeRecord) -> None:
    """Remove the bake's keys; the Basis stays only where the user added keys to it."""
    blocks = obj.data.shape_keys.key_blocks
    if set(blocks.keys()) <= {"Basis", *record.keys}:
        obj.shape_key_clear()
        return
    for name in record.keys:
        block = blocks.get(name)
        if block is not None:
            obj.shape_key_remove(block)
    obj.data.shape_keys.use_relative = True
