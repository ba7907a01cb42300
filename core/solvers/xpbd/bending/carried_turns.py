# SPDX-License-Identifier: GPL-3.0-or-later
"""b₀ of bends, carried along with rods from substep to substep."""

from __future__ import annotations

import math

from ....native.compiled import native_part
from ....native.rows import numbers_of
from .rods import LANES
from .rotations import put, rotation_of, turned, vector
from .turns import TINY, WIDTH, along, turns_of

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
        rotation = rotation_of(near, far, forces, turns, points, last, lane)
        for i in range(1, last):
            place, length = WIDTH * i + lane, rest[LANES * i + lane]
            if length == 0.0:
                continue
            ax, ay, az = turned(along(earlier, place), rotation)
            bx, by, bz = turned(vector(turns, place), rotation)
            cx, cy, cz = along(points, place)
            # The sweeps have turned the strand a little: across it again.
            inside = ax * bx + ay * by + az * bz
            bx, by, bz = bx - inside * ax, by - inside * ay, bz - inside * az
            share = cx * bx + cy * by + cz * bz
            share /= max(1.0 + ax * cx + ay * cy + az * cz, FOLDED)
            bx, by, bz = bx - share * (ax + cx), by - share * (ay + cy), bz - share * (az + cz)
            scale = length / max(math.sqrt(bx * bx + by * by + bz * bz), TINY * TINY)
            put(turns, place, (scale * bx, scale * by, scale * bz))
        rotation = rotation_of(near, far, forces, turns, points, last, lane)
        for i in range(1, last):
            place = WIDTH * i + lane
            put(turns, place, turned(vector(turns, place), rotation))
