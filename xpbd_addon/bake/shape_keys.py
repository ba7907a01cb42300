# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulation as plain Blender data: shape keys and keyframes.

A bake needs nothing of the extension to play. It is written in two steps: first every
frame is read and checked, then the objects are changed, so that a bake that cannot be
made leaves the scene as it was.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

import bpy

from ..errors import SceneError
from ..scene import animation, display_modifier, stack
from ..show import display
from . import bake_record, baked_keys, preparing, unbaking
from .bake_record import BakeRecord, HiddenModifier
from .preparing import Ends, Positions, Progress

MODES = ("RELATIVE", "ABSOLUTE")


def bake_shape_keys(
    scene: bpy.types.Scene,
    objects: Sequence[bpy.types.Object] | None = None,
    mode: str = "RELATIVE",
    progress: Progress | None = None,
    frames: Ends = (None, None),
    *,
    simulate: bool = True,
) -> list[bpy.types.Object]:
    """Bake the scene's simulation to shape keys and return the baked objects.

    objects: which to bake, by default `preparing.objects_to_bake`. mode: 'RELATIVE' gives each
    frame a key that is switched on for that frame, 'ABSOLUTE' one evaluation time through all keys.
    progress: called with frames done and frames in all. frames: the first and the last, None for
    those of the simulation. simulate: whether frames that the cache lacks are simulated first.
    Raises SceneError, and then nothing was changed.
    """
    chosen = list(preparing.objects_to_bake(scene) if objects is None else objects)
    check(chosen, mode)
    wanted = preparing.frames_to_bake(scene, *frames)
    if simulate:
        preparing.simulate_missing(scene, progress)
    read = list(preparing.read_frames(scene, chosen, wanted, progress))
    shapes = {obj: [frame[obj] for frame in read] for obj in chosen}
    try:
        for obj in chosen:
            _write(scene, obj, wanted, shapes[obj], mode)
    except BaseException:
        for obj in filter(bake_record.exists, chosen):
            unbaking.restore(obj)
        display.show(scene)
        raise
    return chosen


def check(objects: Sequence[bpy.types.Object], mode: str) -> None:
    """Raise SceneError unless the objects can be baked in the mode."""
    if mode not in MODES:
        raise SceneError(f"There is no bake mode {mode}: use {' or '.join(MODES)}")
    preparing.check(objects)
    for obj in objects:
        if why := refusal(obj):
            raise SceneError(why)


def refusal(obj: bpy.types.Object) -> str:
    """Why shape keys can't hold the simulation of an object, and what can; empty where they can."""
    if stack.is_made(obj):
        return (
            f"Modifiers before XPBD make the vertices of '{obj.name}', which shape keys can't "
            "hold: use Bake to Mesh Cache, or apply these modifiers"
        )
    if obj.data.shape_keys is not None:
        return (
            f"'{obj.name}' has shape keys already, which the bake would be mixed with: use Bake to "
            "Mesh Cache, or delete or apply them in Object Data > Shape Keys"
        )
    if obj.parent_type in {"ARMATURE", "CURVE", "LATTICE"}:
        return (
            f"'{obj.name}' is deformed by its parent, which would deform the bake again: use Bake "
            "to Mesh Cache, or set its Parent Type to Object and add an Armature, Curve or Lattice "
            "modifier instead"
        )
    if obj.data.users > 1:
        return (
            f"'{obj.name}' shares its mesh with other objects, which the bake would move too: use "
            "Bake to Mesh Cache, or make it single-user (Object > Relations > Make Single User > "
            "Object & Data) first"
        )
    return ""


def _write(
    scene: bpy.types.Scene,
    obj: bpy.types.Object,
    frames: range,
    shapes: Sequence[Positions],
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


def _add_keys(obj: bpy.types.Object, record: BakeRecord, shapes: Sequence[Positions]) -> None:
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
        animation.add_linear_curve(curves, baked_keys.value_path(name), points)
