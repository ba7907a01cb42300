# SPDX-License-Identifier: GPL-3.0-or-later
"""Bouncing: after contact the normal velocity is -e times the incoming one.

The velocity update of Müller et al. 2007 (section 3.4) on positions: a solver takes (x - xⁿ) / h
for the velocity of a substep, so a particle is put where that becomes -e times the velocity with
which it came, both relative to the collider. Incoming is the velocity over the substep before: then
e = 1 retraces the fall step by step, and no energy comes or goes.

Slow contacts, up to twice what gravity adds in a substep, don't bounce, so that what lies lies
still (Müller et al. 2020, "Detailed rigid body simulation with extended position based dynamics",
section 3.6).
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from ..native.compiled import native_part
from ..native.vectors import Vector, row_of
from .data import Contacts, Reals

LEAST = 2.0
"""Of the velocity that gravity adds in a substep: slower contacts don't bounce."""


@native_part
def is_bouncing(contacts: Contacts) -> bool:
    """Whether anything bounces."""
    return len(contacts.incoming) > 0


@native_part
def note_incoming(
    contacts: Contacts, velocities: Reals, gained: Reals, settings: Any, first: int, last: int
) -> None:
    """Remember how particles [first, last) come, once in each substep before it is solved.

    Args:
        velocities: as predicted for the substep [m/s], shape (n or more, 4).
        gained: what gravity added to them [m/s], same shape; of second order that is half of what
            it adds from one substep to the next.
        settings: ``StepSettings``.
    """
    if not is_bouncing(contacts):
        return
    h, gains = settings.h, 2.0 if settings.second_order else 1.0
    for i in range(first, last):
        square = 0.0
        for k in range(3):
            added = gains * gained[i, k]
            contacts.incoming[i, k] = h * (velocities[i, k] - added)
            square += added * added
        contacts.incoming[i, 3] = LEAST * h * sqrt(square)


@native_part
def rebound(contacts: Contacts, i: int, normal: Vector, carried: float) -> float:
    """How far [m] particle i goes along the normal, off a collider, after it has hit it; else 0.

    Args:
        carried: way along the normal of the collider in this substep.
    """
    if contacts.restitution[i] == 0.0:
        return 0.0
    x, y, z = row_of(contacts.incoming, i)
    way = -carried + x * normal[0] + y * normal[1] + z * normal[2]
    return -contacts.restitution[i] * way if way <= -contacts.incoming[i, 3] else 0.0
