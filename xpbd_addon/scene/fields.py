# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's force fields as they act on an object at a frame."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bpy
from mathutils import Vector

from ..errors import SceneError
from ..settings.surroundings import WEIGHTS
from . import visible

SHAPES = ("POINT", "LINE", "PLANE")
NOWHERE = -1.0  # a distance that is not used, as in core.Field


@dataclass(frozen=True)
class SurroundingsInput:
    """What acts on an object: arguments of ``core.Surroundings``, ``core.Field``, ``core.Air``."""

    gravity: float
    pascals: float
    fields: tuple[dict[str, Any], ...]
    air: tuple[float, float, float] | None


def field_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """All that have a force field, of whatever type."""
    return [obj for obj in scene.objects if obj.field is not None and obj.field.type != "NONE"]


def acting_on(
    obj: bpy.types.Object, known: list[bpy.types.Object], depsgraph: bpy.types.Depsgraph
) -> Iterator[tuple[bpy.types.Object, float]]:
    """Of the scene's `field_objects` those that act on an object, and with what weight."""
    weights = obj.evaluated_get(depsgraph).xpbd.field_weights
    among = (
        None if weights.collection is None else set(obj.xpbd.field_weights.collection.all_objects)
    )
    for other in known:
        field = other.field
        weight = getattr(weights, WEIGHTS.get(field.type, ""), 0.0) * weights.all
        wanted = other != obj and (among is None or other in among)
        if wanted and weight > 0.0 and is_supported(field) and visible.is_shown(other, depsgraph):
            yield other, weight


def is_supported(field: bpy.types.FieldSettings) -> bool:
    """Whether the type, its shape and what it acts on have an effect here."""
    return field.type in WEIGHTS and field.shape in SHAPES and field.apply_to_location


def read_surroundings(
    obj: bpy.types.Object,
    known: list[bpy.types.Object],
    depsgraph: bpy.types.Depsgraph,
) -> SurroundingsInput:
    """What acts on an object at the current frame, `field_objects` being known.

    Raises:
        SceneError: a number is none.
    """
    settings = obj.evaluated_get(depsgraph).xpbd
    acting = list(acting_on(obj, known, depsgraph))
    windy = any(other.field.type == "WIND" for other, _ in acting)
    air = settings.air_density, settings.air_drag, min(settings.air_friction, settings.air_drag)
    return SurroundingsInput(
        gravity=settings.field_weights.gravity,
        pascals=settings.field_pressure,
        fields=tuple(read_field(other, depsgraph, weight) for other, weight in acting),
        air=air if settings.use_air or windy else None,
    )


def read_field(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, weight: float
) -> dict[str, Any]:
    """The arguments of ``core.Field`` for a force field. Raises SceneError: a number is none."""
    evaluated = obj.evaluated_get(depsgraph)
    field, matrix = evaluated.field, evaluated.matrix_world
    scene = depsgraph.scene_eval
    scale, frame = scene.unit_settings.scale_length, scene.frame_current
    found: dict[str, Any] = {
        "name": obj.name,
        "kind": field.type,
        "shape": field.shape,
        "falloff": field.falloff_type,
        "direction": field.z_direction,
        "origin": _numbers(scale * matrix.translation),
        "axis": _numbers(matrix.to_3x3() @ Vector((0.0, 0.0, 1.0))),
        "strength": field.strength,
        "flow": field.flow,
        "weight": weight,
        "power": field.falloff_power,
        "nearest": scale * field.distance_min if field.use_min_distance else NOWHERE,
        "farthest": scale * field.distance_max if field.use_max_distance else NOWHERE,
        "radial_power": field.radial_falloff,
        "radial_nearest": field.radial_min if field.use_radial_min else NOWHERE,
        "radial_farthest": field.radial_max if field.use_radial_max else NOWHERE,
        "gravity_falloff": field.use_gravity_falloff,
        "noise": field.noise,
        "seed": field.seed + frame if field.noise > 0.0 else 0,
        "size": scale * field.size,
        "in_world": field.use_global_coords,
        "rest_length": scale * field.rest_length,
        "damping": field.harmonic_damping,
        "linear_drag": field.linear_drag,
        "quadratic_drag": field.quadratic_drag,
        "across": field.wind_factor,
    }
    numbers = (each for each in found.values() if isinstance(each, float))
    if not all(map(math.isfinite, (*numbers, *found["origin"], *found["axis"]))):
        raise SceneError(
            f"A setting of the force field '{obj.name}' is not a number: type another one, or "
            "take its keyframes and drivers away"
        )
    return found


def _numbers(vector: Vector) -> tuple[float, float, float]:
    return vector.x, vector.y, vector.z


def wind_speed(obj: bpy.types.Object, strength: float) -> float:
    """How fast [m/s] a wind of some strength blows whose pressure on an object is the same."""
    settings = obj.xpbd
    half = 0.5 * settings.air_density * settings.air_drag
    return math.sqrt(abs(strength) * settings.field_pressure / half) if half > 0.0 else 0.0
