# SPDX-License-Identifier: GPL-3.0-or-later
"""What a field does to a point that moves, as Blender's particles of 1 kg feel it [m/s²].

Blender's oddities are kept where scenes depend on them: a weight that is not positive switches a
field off, a vortex pulls inwards and brakes, and the two drags have each other's names.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from ..native.compiled import native_part
from ..native.vectors import Vector, add_scaled, cross, load, scale, subtract
from .falloff import length_of, way_from_source, weight_at
from .field import (
    DRAG,
    FORCE,
    HARMONIC,
    LINE,
    MAGNET,
    POINT,
    TURBULENCE,
    VORTEX,
    WIND,
)
from .turbulence import turbulence_vector

NOTHING: Vector = (0.0, 0.0, 0.0)
_PRIME, _FACTOR = 2147483647, 48271
_MOST_DRAG = 2.0


@native_part
def field_force(field: Any, x: Vector, v: Vector, number: int) -> Vector:
    """The force of a field.

    Args:
        x, v: where the point is [m], and its velocity [m/s].
        number: of the point, for what is random.
    """
    way = way_from_source(field, x)
    distance = length_of(way)
    weight = weight_at(field, x, distance)
    if weight <= 0.0:
        return NOTHING
    strength = field.strength + field.noise * _random(field.seed, number)
    if field.kind == HARMONIC:
        return _harmonic(field, strength, weight, way, distance, v)
    if field.kind == DRAG:
        a, b = min(field.linear_drag, _MOST_DRAG), min(field.quadratic_drag, _MOST_DRAG)
        return scale(-weight * (a * length_of(v) + b), v)
    force = NOTHING
    if field.kind == FORCE:
        near = distance if not field.gravity_falloff else distance * distance * distance
        force = scale(strength * weight / near, way) if near > 0.0 else NOTHING
    if field.kind == WIND:
        force = scale(strength * weight, load(field.axis))
    if field.kind == VORTEX:
        force = _vortex(field, strength * weight, x, v, way, distance)
    if field.kind == MAGNET:
        round_about = field.shape == POINT or field.shape == LINE
        poles = _unit(cross(load(field.axis), way)) if round_about else load(field.axis)
        force = scale(strength * weight, cross(v, poles))
    if field.kind == TURBULENCE:
        force = scale(strength * weight, _turbulence(field, x))
    return add_scaled(force, -field.flow * weight, v)


@native_part
def _harmonic(
    field: Any, strength: float, weight: float, way: Vector, distance: float, v: Vector
) -> Vector:
    stretch = 1.0
    if field.rest_length != 0.0:
        stretch = 1.0 - field.rest_length / distance if distance > 0.0 else 0.0
    pull = scale(-strength * weight * stretch, way)
    return add_scaled(pull, -2.0 * field.damping * sqrt(abs(strength)), v)


@native_part
def _vortex(
    field: Any, strength: float, x: Vector, v: Vector, way: Vector, distance: float
) -> Vector:
    axis = load(field.axis)
    if field.shape == POINT:
        return scale(strength * distance, _unit(cross(axis, way)))
    around = scale(strength, cross(axis, subtract(x, load(field.origin))))
    inwards = add_scaled(around, strength, cross(axis, around))
    return subtract(inwards, v)


@native_part
def _turbulence(field: Any, x: Vector) -> Vector:
    place = subtract(x, load(field.world))
    if field.in_world == 0:
        place = add_scaled(load(field.axis), 1.0, subtract(x, load(field.origin)))
    if field.size > 0.0:
        place = scale(1.0 / field.size, place)
    return turbulence_vector(place)


@native_part
def _unit(a: Vector) -> Vector:
    length = length_of(a)
    return scale(1.0 / length, a) if length > 0.0 else NOTHING


@native_part
def _random(seed: int, number: int) -> float:
    """Of noise, which leans to what is positive as Blender's does: 0.17 in the mean, ±0.37."""
    state = (seed * 7919 + number * 104729 + 1) % _PRIME
    for _ in range(3):
        state = (state * state + _FACTOR) % _PRIME
    step = state * 128 // _PRIME
    state = state * _FACTOR % _PRIME
    size = step / (128.0 * (1.0 + state / _PRIME))
    return size if step > 64 else -size
