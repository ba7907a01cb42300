# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether two pieces keep a distance on their way through a substep, by conservative advancement.

Nothing comes nearer faster than the largest relative displacement of a vertex of the one and a
vertex of the other: as far as the distance allows time can advance at once (Li, Kaufman and Jiang
2021, "Codimensional incremental potential contact", section 5: additive continuous collision
detection).
"""

from __future__ import annotations

from math import sqrt

from ...native.compiled import native_part
from ...native.lanes import along, flat, load, minus
from ..closest_point import closest_point
from ..vectors import Vector, add_scaled, dot, row_of, subtract
from .data import LEAST

STEPS = 40

CAUTION = 0.9
"""Of the time that is safe, for rounding."""

THIN = 0.1
"""Of the least distance that may lie between both at the start, where a plane does: it only gets
more up to the end."""

WITHIN = 0.9
"""Of the distance at the start that the least one is at the most: single precision may have found
it greater."""

ARRIVED = 0.02
"""Of the distance at the start above the least one: nearer than that counts as touching."""


@native_part
def _clamped(value: float) -> float:
    return min(max(value, 0.0), 1.0)


@native_part
def closest_on_edges(a: Vector, b: Vector, c: Vector, d: Vector) -> tuple[float, float]:
    """Where on the edges ab and cd they are closest, between 0 and 1."""
    ab, cd, ca = subtract(b, a), subtract(d, c), subtract(a, c)
    ab_ab, cd_cd, ab_cd = dot(ab, ab), dot(cd, cd), dot(ab, cd)
    ab_ca, cd_ca = dot(ab, ca), dot(cd, ca)
    sine = ab_ab * cd_cd - ab_cd * ab_cd
    u = _clamped((ab_cd * cd_ca - ab_ca * cd_cd) / sine) if sine > 1e-9 * ab_ab * cd_cd else 0.5
    v = _clamped((ab_cd * u + cd_ca) / cd_cd) if cd_cd > 0.0 else 0.0
    u = _clamped((ab_cd * v - ab_ca) / ab_ab) if ab_ab > 0.0 else 0.0
    return u, v


@native_part
def edge_distance(a: Vector, b: Vector, c: Vector, d: Vector) -> float:
    """Distance of the edges ab and cd [m]."""
    u, v = closest_on_edges(a, b, c, d)
    ab, cd, ca = subtract(b, a), subtract(d, c), subtract(a, c)
    way = add_scaled(add_scaled(ca, u, ab), -v, cd)
    return sqrt(dot(way, way))


@native_part
def places_at(moving, rows, pair, time):  # type: ignore[no-untyped-def]
    """The four vertices of a pair at a time between 0 and 1."""
    return (
        _place(moving, rows, moving.vertices[pair, 0], time),
        _place(moving, rows, moving.vertices[pair, 1], time),
        _place(moving, rows, moving.vertices[pair, 2], time),
        _place(moving, rows, moving.vertices[pair, 3], time),
    )


@native_part
def _place(moving, rows, vertex, time):  # type: ignore[no-untyped-def]
    start = row_of(moving.start, vertex)
    return add_scaled(start, time, subtract(row_of(rows, vertex), start))


@native_part
def normal_of(moving, rows, pair):  # type: ignore[no-untyped-def]
    """That of a pair, in lanes of the same type as rows."""
    normals, real = moving.normals, rows.dtype.type
    return flat(real(normals[pair, 0]), real(normals[pair, 1]), real(normals[pair, 2]))


@native_part
def beyond(moving, rows, pair):  # type: ignore[no-untyped-def]
    """How far all vertices of the first are beyond all of the second along the normal [m]."""
    vertices, normal = moving.vertices, normal_of(moving, rows, pair)
    first = load(rows, vertices[pair, 0])
    b = along(normal, minus(load(rows, vertices[pair, 1]), first))
    c = along(normal, minus(load(rows, vertices[pair, 2]), first))
    d = along(normal, minus(load(rows, vertices[pair, 3]), first))
    if moving.splits[pair] == 2:
        return min(0.0, b) - max(c, d)
    return -max(b, c, d)


@native_part
def starts_beyond(moving, pair):  # type: ignore[no-untyped-def]
    """Whether a plane along the normal lies between both at the start."""
    return beyond(moving, moving.start, pair) >= THIN * moving.goals[pair, LEAST]


@native_part
def _distance(moving, rows, pair, time):  # type: ignore[no-untyped-def]
    a, b, c, d = places_at(moving, rows, pair, time)
    if moving.splits[pair] == 2:
        return edge_distance(a, b, c, d)
    square, _, _, _ = closest_point(a, (b, c, d))
    return sqrt(square)


@native_part
def _approach(moving, rows, pair):  # type: ignore[no-untyped-def]
    """The largest relative displacement of vertices of both [m]."""
    split, largest = int(moving.splits[pair]), 0.0
    for one in range(split):
        vertex = moving.vertices[pair, one]
        way = subtract(row_of(rows, vertex), row_of(moving.start, vertex))
        for other in range(split, 4):
            vertex = moving.vertices[pair, other]
            relative = subtract(way, row_of(rows, vertex))
            relative = add_scaled(relative, 1.0, row_of(moving.start, vertex))
            largest = max(largest, dot(relative, relative))
    return sqrt(largest)


APART = 2.0
"""The time at which what stays apart touches."""


@native_part
def time_of_touch(moving, rows, pair):  # type: ignore[no-untyped-def]
    """When a pair comes nearer than its least distance on its way, which takes from 0 to 1; APART
    where it does not.
    """
    start = _distance(moving, rows, pair, 0.0)
    least = min(moving.goals[pair, LEAST], WITHIN * start)
    distance, time, approach = start, 0.0, _approach(moving, rows, pair)
    for _ in range(STEPS):
        time += CAUTION * (distance - least) / approach
        if time >= 1.0:
            return APART
        distance = _distance(moving, rows, pair, time)
        if distance - least < ARRIVED * (start - least):
            return time
    return time
