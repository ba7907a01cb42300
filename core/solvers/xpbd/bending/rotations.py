# SPDX-License-Identifier: GPL-3.0-or-later
"""How a rod has turned as a whole, by least squares over its bends."""

from __future__ import annotations

import math

from ....native.compiled import native_part
from .rods import LANES
from .turns import TINY, WIDTH, turns_of

SLENDER = 1e-3
"""Of the trace of a rod's inertia: the least of its moments, as a straight one has none."""

MOST_TURN = 0.5
"""Of a rod in a substep [rad]: more is no rotation, but a rod that has hardly any b₀."""


@native_part
def vector(numbers, place):  # type: ignore[no-untyped-def]
    """Three numbers of a lane, the first of which is at a place."""
    return numbers[place], numbers[place + LANES], numbers[place + 2 * LANES]


@native_part
def put(numbers, place, point):  # type: ignore[no-untyped-def]
    """Put them there."""
    numbers[place] = point[0]
    numbers[place + LANES] = point[1]
    numbers[place + 2 * LANES] = point[2]


@native_part
def rotation_of(near, far, forces, turns, points, last, lane):  # type: ignore[no-untyped-def]
    """The rotation vector that brings turns of a rod nearest to those at points.

    Between turns rotated like that and these, forces make no torque on the rod as a whole.
    """
    xx, yy, zz, xy, yz, zx = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    lx, ly, lz = 0.0, 0.0, 0.0
    for i in range(1, last):
        place, bend = WIDTH * i + lane, LANES * i + lane
        force = forces[bend]
        bx, by, bz = turns_of(points, place, near[bend], far[bend])
        rx, ry, rz = vector(turns, place)
        sx, sy, sz = force * rx, force * ry, force * rz
        xx, yy, zz = xx + sx * rx, yy + sy * ry, zz + sz * rz
        xy, yz, zx = xy + sx * ry, yz + sy * rz, zx + sz * rx
        lx, ly, lz = lx + sy * bz - sz * by, ly + sz * bx - sx * bz, lz + sx * by - sy * bx
    trace = xx + yy + zz
    a = trace - xx + SLENDER * trace + TINY
    b = trace - yy + SLENDER * trace + TINY
    c = trace - zz + SLENDER * trace + TINY
    # Cramer's rule for the matrix with the diagonal a, b, c.
    ca, cb, cc = b * c - yz * yz, a * c - zx * zx, a * b - xy * xy
    cab, cbc, cca = xy * c + yz * zx, a * yz + xy * zx, xy * yz + b * zx
    inverse = 1.0 / max(a * ca - xy * cab - zx * cca, TINY * TINY)
    wx = inverse * (ca * lx + cab * ly + cca * lz)
    wy = inverse * (cab * lx + cb * ly + cbc * lz)
    wz = inverse * (cca * lx + cbc * ly + cc * lz)
    part = min(MOST_TURN / max(math.sqrt(wx * wx + wy * wy + wz * wz), TINY), 1.0)
    return part * wx, part * wy, part * wz


@native_part
def turned(point, rotation):  # type: ignore[no-untyped-def]
    """A vector turned by a rotation vector w: Cayley's formula, exact in length."""
    x, y, z = point
    wx, wy, wz = rotation
    hx, hy, hz = 0.5 * wx, 0.5 * wy, 0.5 * wz
    share = 2.0 / (1.0 + hx * hx + hy * hy + hz * hz)
    px, py, pz = x + hy * z - hz * y, y + hz * x - hx * z, z + hx * y - hy * x
    return (
        x + share * (hy * pz - hz * py),
        y + share * (hz * px - hx * pz),
        z + share * (hx * py - hy * px),
    )
