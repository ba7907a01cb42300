# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a push is the reaction to what presses, and what stops a motion.

In motion of second order accelerations last, for which particles are drawn where constraints drew
them before; see :mod:`core.solvers.common.second_order`. A push that stops a motion is over at
once, and so is one after which it rebounds: as an acceleration it would make things bounce. The
reaction to what draws a particle into a surface is not, and leaves it no acceleration into it. Else
it would be drawn in by what it remembers and, where the surface turns under it, along it: ropes
round a post, and cloth in folds, gained energy, the more the more substeps there were.

What is part of the acceleration acts in later substeps, too, as much again as the push. So both
together bound friction.
"""

from __future__ import annotations

from typing import Any

from ..native.compiled import native_part
from ..native.vectors import REAL, Vector, add_scaled, add_to, dot, row_of


@native_part
def drawn(arrays: Any, h: Any, i: int) -> Vector:
    """h² a [m] of particle i as it will be, but for reactions, when the substep ends."""
    h = REAL(h)
    way = add_scaled(row_of(arrays.free_ways, i), -h, row_of(arrays.velocities, i))
    return add_scaled(way, h * h, row_of(arrays.accelerations, i))


@native_part
def react(arrays: Any, settings: Any, i: int, normal: Vector, push: float) -> float:
    """Let a particle's acceleration into a collider end, as far as a push [m] along the normal is
    a reaction to it; returns that part.
    """
    if not settings.second_order:
        return 0.0
    part = min(push, max(0.0, -dot(normal, drawn(arrays, settings.h, i))))
    add_to(arrays.free_ways[i], part, normal)
    return part
