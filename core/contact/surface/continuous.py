# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether two pieces keep a distance on their way through a substep, by conservative advancement.

Nothing comes nearer faster than the largest relative displacement of a vertex of the one and a
vertex of the other: as far as the distance allows time can advance at once (Li, Kaufman and Jiang
2021, "Codimensional incremental potential contact", section 5: additive continuous collision
detection). Nor does it for as long as a plane across the shortest way lies between all vertices of
both, which is farther where they slide along each other.
"""

from __future__ import annotations

from math import sqrt

from ...native.compiled import native_part
from ...native.lanes import along, flat, load, minus
from ...native.vectors import add_scaled, dot, row_of, scale, subtract
from .closest import shortest_way
from .pairs import LEAST

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
def _corners(pairs, rows, pair):  # type: ignore[no-untyped-def]
    a, b = (
        row_of(rows, pairs.vertices[pair, 0]),
        row_of(rows, pairs.vertices[pair, 1]),
    )
    c, d = (
        row_of(rows, pairs.vertices[pair, 2]),
        row_of(rows, pairs.vertices[pair, 3]),
    )
    return a, b, c, d


@native_part
def places_at(pairs, start, rows, pair, time):  # type: ignore[no-untyped-def]
    """The four vertices of a pair at a time between 0 and 1."""
    starts = _corners(pairs, start, pair)
    return _after(starts, _ways(starts, _corners(pairs, rows, pair)), time)


@native_part
def _ways(starts, ends):  # type: ignore[no-untyped-def]
    """How far four vertices go."""
    (a, b, c, d), (a1, b1, c1, d1) = starts, ends
    return subtract(a1, a), subtract(b1, b), subtract(c1, c), subtract(d1, d)


@native_part
def _after(starts, ways, time):  # type: ignore[no-untyped-def]
    """Where four vertices are at a time between 0 and 1."""
    (a, b, c, d), (va, vb, vc, vd) = starts, ways
    a, b = add_scaled(a, time, va), add_scaled(b, time, vb)
    return a, b, add_scaled(c, time, vc), add_scaled(d, time, vd)


@native_part
def normal_of(pairs, rows, pair):  # type: ignore[no-untyped-def]
    """That of a pair, in lanes of the same type as rows."""
    normals, real = pairs.normals, rows.dtype.type
    return flat(real(normals[pair, 0]), real(normals[pair, 1]), real(normals[pair, 2]))


@native_part
def beyond(pairs, rows, pair):  # type: ignore[no-untyped-def]
    """How far all vertices of the first are beyond all of the second along the normal [m]."""
    vertices, normal = pairs.vertices, normal_of(pairs, rows, pair)
    first = load(rows, vertices[pair, 0])
    b = along(normal, minus(load(rows, vertices[pair, 1]), first))
    c = along(normal, minus(load(rows, vertices[pair, 2]), first))
    d = along(normal, minus(load(rows, vertices[pair, 3]), first))
    if pairs.splits[pair] == 2:
        return min(0.0, b) - max(c, d)
    return -max(b, c, d)


@native_part
def starts_beyond(pairs, start, pair):  # type: ignore[no-untyped-def]
    """Whether a plane along the normal lies between both at the start."""
    return beyond(pairs, start, pair) >= THIN * pairs.goals[pair, LEAST]


@native_part
def _approach(split, ways):  # type: ignore[no-untyped-def]
    """The largest relative displacement of vertices of both [m]."""
    a, b, c, d = ways
    if split == 1:
        return sqrt(max(_square(a, b), _square(a, c), _square(a, d)))
    return sqrt(max(_square(a, c), _square(a, d), _square(b, c), _square(b, d)))


@native_part
def _square(one, other):  # type: ignore[no-untyped-def]
    way = subtract(one, other)
    return dot(way, way)


@native_part
def _time_of_plane(split, places, ways, normal, least):  # type: ignore[no-untyped-def]
    """For how long all vertices of both are at least so far from each other along a normal."""
    a, b, c, d = _along(normal, places)
    va, vb, vc, vd = _along(normal, ways)
    if split == 1:
        times = _until(a - b - least, va - vb), _until(a - c - least, va - vc)
        return min(times[0], times[1], _until(a - d - least, va - vd))
    times = _until(a - c - least, va - vc), _until(a - d - least, va - vd)
    return min(times[0], times[1], _until(b - c - least, vb - vc), _until(b - d - least, vb - vd))


@native_part
def _along(normal, vectors):  # type: ignore[no-untyped-def]
    a, b, c, d = vectors
    return dot(normal, a), dot(normal, b), dot(normal, c), dot(normal, d)


@native_part
def _until(gap, rate):  # type: ignore[no-untyped-def]
    """When a gap is gone that changes at a rate."""
    return -gap / rate if rate < 0.0 else APART


APART = 2.0
"""The time at which what stays apart touches."""


@native_part
def time_of_touch(pairs, start, rows, pair):  # type: ignore[no-untyped-def]
    """When a pair comes nearer than its least distance on its way, which takes from 0 to 1; APART
    where it does not.
    """
    split, starts = int(pairs.splits[pair]), _corners(pairs, start, pair)
    ways = _ways(starts, _corners(pairs, rows, pair))
    places, time, approach = starts, 0.0, _approach(split, ways)
    way = shortest_way(split, places)
    before = distance = sqrt(dot(way, way))
    least = min(pairs.goals[pair, LEAST], WITHIN * before)
    if approach == 0.0:
        return APART
    for _ in range(STEPS):
        if distance == 0.0:
            return time
        plane = _time_of_plane(split, places, ways, scale(1.0 / distance, way), least)
        time += CAUTION * max(plane, (distance - least) / approach)
        if time >= 1.0:
            return APART
        places = _after(starts, ways, time)
        way = shortest_way(split, places)
        distance = sqrt(dot(way, way))
        if distance - least < ARRIVED * (before - least):
            return time
    return time
