# SPDX-License-Identifier: GPL-3.0-or-later
"""C x of bends: the difference of the tangents of both edges that keep their length.

Points are flat: of each row x, then y, then z of LANES rods.
"""

from __future__ import annotations

import math

from ....native.compiled import native_part
from .rods import LANES

WIDTH = 3 * LANES
"""Numbers of a row."""

TINY = 1e-30


@native_part
def turns_of(points, place, near, far):  # type: ignore[no-untyped-def]
    """C x of the bend whose x is at a place."""
    return (
        _turn(points, place, near, far),
        _turn(points, place + LANES, near, far),
        _turn(points, place + 2 * LANES, near, far),
    )


@native_part
def _turn(points, place, near, far):  # type: ignore[no-untyped-def]
    here = points[place]
    return far * (points[place + WIDTH] - here) - near * (here - points[place - WIDTH])


@native_part
def along(points, place):  # type: ignore[no-untyped-def]
    """The direction of a strand at a bend; none where it is folded back."""
    x = points[place + WIDTH] - points[place - WIDTH]
    y = points[place + WIDTH + LANES] - points[place - WIDTH + LANES]
    z = points[place + WIDTH + 2 * LANES] - points[place - WIDTH + 2 * LANES]
    inverse = 1.0 / max(math.sqrt(x * x + y * y + z * z), TINY)
    return x * inverse, y * inverse, z * inverse
