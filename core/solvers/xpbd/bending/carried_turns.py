# SPDX-License-Identifier: GPL-3.0-or-later
"""b₀ of bends, carried along with rods from substep to substep."""

from __future__ import annotations

import math

from ....native.compiled import native_part
from ....native.rows import numbers_of
from .rods import LANES
from .turns import TINY, WIDTH, along, turns_of

SLENDER = 1e-3
"""Of the trace of a rod's inertia: the least of its moments, as a straight one has none."""

MOST_TURN = 0.5
"""Of a rod in a substep [rad]: more is no rotation, but a rod that has hardly any b₀."""

FOLDED = 0.01
"""Least of 1 + cosine of the way that a strand turns in a substep."""


@native_part
def begin_turns(rods, first, end, x):  # type: ignore[no-untyped-def]
    """b₀ along the bends as they are, or anywhere across where the strand is straight."""
    near, far = numbers_of(rods.near, first, end), numbers_of(rods.far, first, end)
    points, turns = numbers_of(x, 0, end - first), numbers_of(rods.turns, first, end)
    for i in range(1, end - first - 1):
        for lane in range(LANES):
            place, bend = WIDTH * i + lane, LANES * i + lane
            bx, by, bz = turns_of(points, place, near[bend], far[bend])
            ax, ay, az = along(points, place)
            inside = ax * bx + ay * by + az * bz
            # Rounding alone would leave no direction.
            turns[place] = bx - inside * ax + TINY * (1.0 - ax * ax)
            turns[place + LANES] = by - inside * ay - TINY * ax * ay
            turns[place + 2 * LANES] = bz - inside * az - TINY * ax * az


@native_part
def carry_turns(rods, first, end, x, before):  # type: ignore[no-untyped-def]
    """Turn b₀ as the rod has turned since ``before``, then as the strand has at each bend, and
    such that the rod as a whole feels no torque: it keeps its angular momentum.
    """
    near, far = numbers_of(rods.near, first, end), numbers_of(rods.far, first, end)
    forces, rest = numbers_of(rods.forces, first, end), numbers_of(rods.rest, first, end)
    points, earlier = numbers_of(x, 0, end - first), numbers_of(before, 0, end - first)
    turns, last = numbers_of(rods.turns, first, end), end - first - 1
    for lane in range(LANES):
        wx, wy, wz = _rotation(near, far, forces, turns, points, last, lane)
        for i in range(1, last):
            place, length = WIDTH * i + lane, rest[LANES * i + lane]
            if length == 0.0:
                continue
            ax, ay, az = _turned(along(earlier, place), wx, wy, wz)
            bx, by, bz = _turned(_vector(turns, place), wx, wy, wz)
            cx, cy, cz = along(points, place)
            # The sweeps have turned the strand a little: across it again.
            inside = ax * bx + ay * by + az * bz
            bx, by, bz = bx - inside * ax, by - inside * ay, bz - inside * az
            share = cx * bx + cy * by + cz * bz
            share /= max(1.0 + ax * cx + ay * cy + az * cz, FOLDED)
            bx, by, bz = bx - share * (ax + cx), by - share * (ay + cy), bz - share * (az + cz)
            scale = length / max(math.sqrt(bx * bx + by * by + bz * bz), TINY * TINY)
            _put(turns, place, (scale * bx, scale * by, scale * bz))
        wx, wy, wz = _rotation(near, far, forces, turns, points, last, lane)
        for i in range(1, last):
            place = WIDTH * i + lane
            _put(turns, place, _turned(_vector(turns, place), wx, wy, wz))


@native_part
def _vector(numbers, place):  # type: ignore[no-untyped-def]
    return numbers[place], numbers[place + LANES], numbers[place + 2 * LANES]


@native_part
def _put(numbers, place, vector):  # type: ignore[no-untyped-def]
    numbers[place] = vector[0]
    numbers[place + LANES] = vector[1]
    numbers[place + 2 * LANES] = vector[2]


@native_part
def _rotation(near, far, forces, turns, points, last, lane):  # type: ignore[no-untyped-def]
    """The rotation vector that brings b₀ of a rod nearest to C x, such that all of it feels no
    torque.
    """
    xx, yy, zz, xy, yz, zx = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    lx, ly, lz = 0.0, 0.0, 0.0
    for i in range(1, last):
        place, bend = WIDTH * i + lane, LANES * i + lane
        force = forces[bend]
        bx, by, bz = turns_of(points, place, near[bend], far[bend])
        rx, ry, rz = _vector(turns, place)
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
def _turned(vector, wx, wy, wz):  # type: ignore[no-untyped-def]
    """A vector turned by a rotation vector w: Cayley's formula, exact in length."""
    x, y, z = vector
    hx, hy, hz = 0.5 * wx, 0.5 * wy, 0.5 * wz
    share = 2.0 / (1.0 + hx * hx + hy * hy + hz * hz)
    px, py, pz = x + hy * z - hz * y, y + hz * x - hx * z, z + hx * y - hy * x
    return (
        x + share * (hy * pz - hz * py),
        y + share * (hz * px - hx * pz),
        z + share * (hx * py - hy * px),
    )
