# SPDX-License-Identifier: GPL-3.0-or-later
"""Taking an object over from Blender's Cloth or Soft Body, and giving it back.

Blender's modifier stays where it is, switched off; ours stands right behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import bpy
import numpy as np

from ...errors import SceneError
from .. import animation, display_modifier, physics, stack, weights
from . import cloth, frames, soft_body
from .clock import Gravity
from .goals import Pins
from .taken import Taken

LABELS = {"CLOTH": "Cloth", "SOFT_BODY": "Soft Body"}
"""Types of modifiers that are taken over, and how Blender calls them."""

NOTHING = "No Collisions"
"""The empty collection of what goes through everything."""

_READ: dict[str, Callable[..., Taken]] = {"CLOTH": cloth.read, "SOFT_BODY": soft_body.read}


def sources(obj: bpy.types.Object) -> list[bpy.types.Modifier]:
    """Blender's own simulations among an object's modifiers."""
    return [modifier for modifier in obj.modifiers if modifier.type in LABELS]


def is_convertible(obj: bpy.types.Object) -> bool:
    """Whether Blender simulates an object, and we don't."""
    return obj.type == "MESH" and bool(sources(obj)) and not obj.xpbd.use


def is_converted(obj: bpy.types.Object) -> bool:
    """Whether an object was taken over."""
    return obj.type == "MESH" and obj.xpbd.use and bool(obj.xpbd.conversion.source)


def convert(
    scene: bpy.types.Scene, objects: Iterable[bpy.types.Object], gravity: Gravity
) -> tuple[list[bpy.types.Object], list[str]]:
    """Take objects over, each or not at all.

    Returns:
        those that were, and a sentence for each that was left alone, which says why.
    """
    others = bool(physics.simulated_objects(scene))
    done, left_alone, wanted = [], [], []
    for obj in objects:
        try:
            modifier = _checked(obj)
            taken = _READ[modifier.type](scene, obj, modifier, gravity)
        except SceneError as error:
            left_alone.append(str(error))
            continue
        cache = modifier.point_cache
        wanted.append((cache.frame_start, cache.frame_end))
        _take(obj, modifier, taken)
        done.append(obj)
    left_alone += [
        f"'{other.name}' is a duplicate of '{obj.name}' and still Blender's: convert it, too"
        for obj in done
        for other in scene.objects
        if other.data == obj.data and is_convertible(other)
    ]
    if done:
        frames.cover(scene, wanted, anew=not others)
        for obj, (first, _) in zip(done, wanted, strict=True):
            _lose_start(scene, obj, first)
    return done, left_alone


def give_back(scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
    """Let Blender simulate an object again, as before it was taken over. Raises SceneError."""
    if not is_converted(obj):
        raise SceneError(f"'{obj.name}' was not converted from Blender's Cloth or Soft Body")
    record = obj.xpbd.conversion
    modifier = next((each for each in obj.modifiers if each.type == record.source), None)
    if modifier is None:
        raise SceneError(
            f"Blender's {LABELS[record.source]} of '{obj.name}' has been deleted: there is nothing "
            "to convert back to; use Remove XPBD"
        )
    shown = record.show_viewport, record.show_render
    made, collection = record.pin_group, obj.xpbd.collision_collection
    physics.remove(obj)
    modifier.show_viewport, modifier.show_render = shown
    if made in obj.vertex_groups and not _is_used_elsewhere(obj, made):
        obj.vertex_groups.remove(obj.vertex_groups[made])
    if collection is not None and collection.name == NOTHING and not collection.users:
        bpy.data.collections.remove(collection)
    if not any(map(is_converted, scene.objects)):
        frames.put_back(scene)


def _checked(obj: bpy.types.Object) -> Any:
    """The modifier that simulates an object. Raises SceneError where it can't be taken over."""
    name, found = obj.name, sources(obj)
    if not found:
        raise SceneError(f"'{name}' has neither Blender's Cloth nor Soft Body")
    label = LABELS[found[0].type]
    if obj.type != "MESH":
        raise SceneError(f"'{name}' is not a mesh: convert it with Object > Convert > Mesh first")
    if obj.library or obj.override_library or obj.data.library:
        raise SceneError(
            f"'{name}' comes from another file: make it local (Object > Relations > Make Local > "
            f"Selected Objects and Data), or convert its {label} there"
        )
    if obj.data.is_editmode:
        raise SceneError(f"'{name}' is in Edit Mode: leave it with Tab first")
    if obj.xpbd.use:
        raise SceneError(f"'{name}' has XPBD already: remove XPBD, or Blender's {label}")
    if len(found) > 1:
        raise SceneError(f"'{name}' has both Cloth and Soft Body: remove one of them first")
    if not found[0].show_viewport:
        raise SceneError(f"The {label} of '{name}' is switched off: switch it on first")
    if found[0].point_cache.is_baked:
        raise SceneError(
            f"The {label} of '{name}' is baked: it stays as it is; Delete Bake or Delete All Bakes "
            "first where it is to be converted"
        )
    if not obj.data.edges:
        raise SceneError(f"'{name}' has no edges that could hold it together: give it some")
    return found[0]


def _take(obj: bpy.types.Object, modifier: Any, taken: Taken) -> None:
    physics.add(obj, taken.kind)
    ours = display_modifier.ensure(obj)
    own, place = obj.modifiers.find(ours.name), obj.modifiers.find(modifier.name)
    stack.put(obj, ours, place if own < place else place + 1)
    settings = obj.xpbd
    record = settings.conversion
    record.source = modifier.type
    record.show_viewport, record.show_render = modifier.show_viewport, modifier.show_render
    modifier.show_viewport = modifier.show_render = False
    for name, value in taken.values.items():
        setattr(settings, name, value)
    for name, value in taken.weights.items():
        setattr(settings.field_weights, name, value)
    if taken.pins is not None:
        settings.pin_stiffness = taken.pins.stiffness
        settings.pin_group = taken.pins.group or _make_group(obj, taken.pins)
        taken.lose(
            f"what modifiers make of weights: pins are '{settings.pin_group}', which is as painted",
            not taken.pins.group and stack.weighing_before(obj),
        )
    if not taken.collides:
        settings.collision_collection = _empty_collection()
    taken.lose(
        f"keyframes and drivers of {LABELS[modifier.type]}: set them anew",
        _is_keyed(obj, modifier),
    )
    record.lost = "\n".join(taken.lost)


def _make_group(obj: bpy.types.Object, pins: Pins) -> str:
    """A vertex group for pins, which goes when the object is given back."""
    group: bpy.types.VertexGroup | None = obj.vertex_groups.get(pins.name)
    if group is None or not _is_used_elsewhere(obj, pins.name):
        group = obj.vertex_groups.new(name=pins.name)
        for weight in np.unique(pins.weights[pins.weights > 0.0]):
            alike = np.flatnonzero(pins.weights == weight)
            group.add(alike.tolist(), float(weight), "REPLACE")
        weights.forget()
    obj.xpbd.conversion.pin_group = group.name
    return group.name


def _is_used_elsewhere(obj: bpy.types.Object, group: str) -> bool:
    """Whether another object of the same mesh has this vertex group from its own conversion."""
    return any(
        other != obj and other.data == obj.data and other.xpbd.conversion.pin_group == group
        for other in bpy.data.objects
    )


def _empty_collection() -> bpy.types.Collection:
    found: bpy.types.Collection | None = bpy.data.collections.get(NOTHING)
    if found is None or len(found.all_objects):
        found = bpy.data.collections.new(NOTHING)
    return found


def _is_keyed(obj: bpy.types.Object, modifier: Any) -> bool:
    path = f'modifiers["{bpy.utils.escape_identifier(modifier.name)}"]'
    drivers = obj.animation_data.drivers if obj.animation_data is not None else ()
    return any(curve.data_path.startswith(path) for curve in (*animation.curves_of(obj), *drivers))


def _lose_start(scene: bpy.types.Scene, obj: bpy.types.Object, first: int) -> None:
    """Say that an object has to start with the others."""
    start = scene.xpbd.frame_start
    if first != start:
        record = obj.xpbd.conversion
        sentence = f"start on frame {first}: all of the scene starts on frame {start}"
        record.lost = "\n".join(filter(None, (record.lost, sentence)))
