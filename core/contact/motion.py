# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders on their way through a frame, in which each vertex moves evenly.

What is near a collider mostly goes along with it. What is known of a particle is told as seen from
a companion that moves evenly as the nearest triangle does: limbs may swing, but what lies on one
moves little beside it. The pace of a particle is how fast anything of the collider, as far as it
matters to that particle, moves relative to its companion.
"""

from __future__ import annotations

from math import sqrt

from ..native.compiled import native_part
from ..native.vectors import Vector, add_scaled, corners_of, load, row_of, spanned, subtract
from .data import Contacts, Meshes, Reals, Records


@native_part
def move(meshes: Meshes, collider: Records, fraction0: float, fraction1: float) -> None:
    """Put a moving collider where it is between two fractions of the frame."""
    for i in range(collider.vertex_start, collider.vertex_end):
        for k in range(3):
            way = meshes.last[i, k] - meshes.first[i, k]
            meshes.before[i, k] = meshes.first[i, k] + fraction0 * way
            meshes.now[i, k] = meshes.first[i, k] + fraction1 * way
    collider.fraction_before, collider.fraction = fraction0, fraction1


@native_part
def step_of(meshes: Meshes, t: int, u: float, v: float) -> Vector:
    """How far [m] a point of a triangle moves in the substep."""
    return _way_between(meshes.before, meshes.now, meshes, t, u, v)


@native_part
def way_of(meshes: Meshes, t: int) -> Vector:
    """How far [m] the middle of a triangle moves in the frame."""
    return _way_between(meshes.first, meshes.last, meshes, t, 1.0 / 3.0, 1.0 / 3.0)


@native_part
def _way_between(start: Reals, end: Reals, meshes: Meshes, t: int, u: float, v: float) -> Vector:
    a0, b0, c0 = corners_of(start, meshes.triangles, t)
    a1, b1, c1 = corners_of(end, meshes.triangles, t)
    return spanned((subtract(a1, a0), subtract(b1, b0), subtract(c1, c0)), u, v)


@native_part
def pace_of(ways: Reals, box: int, companion: Vector) -> float:
    """How far [m] anything in a box goes in the frame at most, seen from a companion."""
    x = max(abs(ways[box, 0] - companion[0]), abs(ways[box, 3] - companion[0]))
    y = max(abs(ways[box, 1] - companion[1]), abs(ways[box, 4] - companion[1]))
    z = max(abs(ways[box, 2] - companion[2]), abs(ways[box, 5] - companion[2]))
    return sqrt(x * x + y * y + z * z)


@native_part
def seen_from(contacts: Contacts, positions: Reals, number: int, i: int) -> Vector:
    """Where particle i is, less the way that its companion has gone in the frame."""
    companion = load(contacts.pairs[number, i].companion)
    return add_scaled(row_of(positions, i), -contacts.colliders[number].fraction, companion)
