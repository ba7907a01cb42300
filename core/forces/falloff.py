# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of a field is left at a point, and where the field comes from there."""

from __future__ import annotations

from math import acos, degrees, sqrt
from typing import Any

from ..native.compiled import native_part
from ..native.vectors import Vector, add_scaled, dot, load, subtract
from .field import CONE, LINE, NEGATIVE, PLANE, POSITIVE, SPHERE, TUBE, VORTEX


@native_part
def length_of(a: Vector) -> float:
    """The length of a vector."""
    return sqrt(dot(a, a))


@native_part
def way_from_source(field: Any, x: Vector) -> Vector:
    """From the nearest point of what a field comes from to a point."""
    axis, way = load(field.axis), subtract(x, load(field.origin))
    height = dot(way, axis)
    if field.shape == LINE or (field.shape == PLANE and field.kind == VORTEX):
        return add_scaled(way, -height, axis)
    if field.shape == PLANE:
        return height * axis[0], height * axis[1], height * axis[2]
    return way


@native_part
def weight_at(field: Any, x: Vector, distance: float) -> float:
    """Weight of a field at a point that is so far from its source."""
    axis, way = load(field.axis), subtract(x, load(field.origin))
    height = dot(way, axis)
    if (field.direction == POSITIVE and height < 0.0) or (
        field.direction == NEGATIVE and height > 0.0
    ):
        return 0.0
    if field.falloff == SPHERE:
        return field.weight * _left(distance, field.nearest, field.farthest, field.power)
    across = 0.0
    if field.falloff == TUBE:
        across = length_of(add_scaled(way, -height, axis))
    if field.falloff == CONE:
        length = length_of(way)
        cosine = height / length if length > 0.0 else 1.0
        across = degrees(acos(max(-1.0, min(1.0, cosine))))
    along = _left(abs(height), field.nearest, field.farthest, field.power)
    around = _left(across, field.radial_nearest, field.radial_farthest, field.radial_power)
    return field.weight * along * around


@native_part
def _left(u: float, nearest: float, farthest: float, power: float) -> float:
    """All up to a nearest distance, nothing beyond the farthest, and a power law between."""
    if farthest >= 0.0 and u > farthest:
        return 0.0
    if nearest >= 0.0 and u < nearest:
        return 1.0
    return (1.0 + u - max(nearest, 0.0)) ** -power
