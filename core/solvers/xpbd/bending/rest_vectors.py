# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the vectors of hinges that are not flat at rest would point now."""

from __future__ import annotations

import math

from ....native.compiled import native_part
from ....native.team import meet, own_share


@native_part
def find_rest_vectors(rows, sheets, team):  # type: ignore[no-untyped-def]
    """b₀ of all hinges: 2 sin θ₀/2 along the bisector of the triangles' normals.

    With the angle θ₀ the hinge's own b is 2 sin θ₀/2 and the sum of the normals 2 cos θ₀/2 along
    the bisector. The one tells it where the hinge is sharp, the other where it is flat.
    """
    first, last = own_share(len(sheets.corners), team)
    for hinge in range(first, last):
        angle = float(sheets.rest[hinge])
        bx, by, bz = _bend_of(rows, sheets, hinge)
        x, y, z = _sum_of_normals(rows, sheets.corners, hinge)
        sine, cosine = math.sin(0.5 * angle), math.cos(0.5 * angle)
        x = cosine * x + sine * bx
        y = cosine * y + sine * by
        z = cosine * z + sine * bz
        length = math.sqrt(x * x + y * y + z * z)
        size = 2.0 * sine / length if length > 0.0 else 0.0
        real = rows.dtype.type
        sheets.rest_vectors[hinge, 0] = real(size * x)
        sheets.rest_vectors[hinge, 1] = real(size * y)
        sheets.rest_vectors[hinge, 2] = real(size * z)
    meet(team)


@native_part
def _bend_of(rows, sheets, hinge):  # type: ignore[no-untyped-def]
    """b = Σ c x, of places beside the first corner."""
    base = sheets.corners[hinge, 0]
    x, y, z = 0.0, 0.0, 0.0
    for corner in range(1, 4):
        particle, factor = sheets.corners[hinge, corner], sheets.coefficients[hinge, corner]
        x += factor * (rows[particle, 0] - rows[base, 0])
        y += factor * (rows[particle, 1] - rows[base, 1])
        z += factor * (rows[particle, 2] - rows[base, 2])
    return x, y, z


@native_part
def _sum_of_normals(rows, corners, hinge):  # type: ignore[no-untyped-def]
    """Of the triangles (x₀, x₁, x₂) and (x₁, x₀, x₃), each of length 1."""
    start, end = corners[hinge, 0], corners[hinge, 1]
    x, y, z = _normal(rows, start, end, corners[hinge, 2])
    other_x, other_y, other_z = _normal(rows, end, start, corners[hinge, 3])
    return x + other_x, y + other_y, z + other_z


@native_part
def _normal(rows, a, b, c):  # type: ignore[no-untyped-def]
    ux, uy, uz = rows[b, 0] - rows[a, 0], rows[b, 1] - rows[a, 1], rows[b, 2] - rows[a, 2]
    vx, vy, vz = rows[c, 0] - rows[a, 0], rows[c, 1] - rows[a, 1], rows[c, 2] - rows[a, 2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(x * x + y * y + z * z)
    inverse = 1.0 / length if length > 0.0 else 0.0
    return x * inverse, y * inverse, z * inverse
