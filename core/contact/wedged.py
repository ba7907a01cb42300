# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles between colliders that leave them less room than their thicknesses.

By itself each of the two would push such a particle out, into the other one; the last one would
win, in each substep anew, and shake what is between. Thickness is what has to give way there: both
are let in equally deep.

A way s along the normal n₂ of the one changes how deep it is in both by -s and -s n₁·n₂. Of a push
p against what holds it on the other side only s = p / (1 - n₁·n₂) is done, which leaves both deeper
by the same.

Where there is no room left at all, the particle is held fast, and goes as both do in the mean.
"""

from __future__ import annotations

from ..native.compiled import native_part
from .data import Contacts, Reals
from .vectors import Vector, add_to, dot, load, store

OPPOSED = -0.7
"""The cosine between directions out of two colliders below which there is no way out of both."""

LEAST_ROOM = 0.25
"""As part of the thickness of a particle: in less it is held fast."""

REMEMBERED = 2
"""Substeps; where both sides belong to one collider, only the nearer one is seen at a time."""


@native_part
def forget_earlier(contacts: Contacts, i: int) -> None:
    """Begin a substep: what a particle was too near to long ago has no say any more."""
    opposite = contacts.opposite[i]
    opposite.remembered -= opposite.remembered > 0
    opposite.held -= opposite.held > 0
    contacts.wedged[i] -= contacts.wedged[i] > 0


@native_part
def is_opposed(contacts: Contacts, i: int, number: int, normal: Vector) -> bool:
    """Whether what a particle was too near to last pushes it against a collider.

    Inside of a single one, both sides push it out, and there is a way.
    """
    opposite = contacts.opposite[i]
    if opposite.remembered == 0 or dot(load(opposite.normal), normal) >= OPPOSED:
        return False
    return opposite.collider != number or contacts.inside[i] == 0


@native_part
def recovery_of(contacts: Contacts, i: int, number: int, opposed: bool, deep: float) -> float:
    """How far [m] a particle may be led out at most, where it is this ``deep`` [m] in a collider's
    thickness, or in the collider.
    """
    opposite, recovery = contacts.opposite[i], contacts.recovery[1]
    if opposed:
        contacts.wedged[i] = REMEMBERED
        return min(recovery, max(0.0, deep - opposite.deep))
    if contacts.wedged[i] > 0 and opposite.remembered > 0 and opposite.collider != number:
        # The way to the side looks the shortest one, but what is beside it can't go along.
        contacts.wedged[i] = REMEMBERED
        return 0.0
    return recovery


@native_part
def share_of(contacts: Contacts, i: int, normal: Vector) -> float:
    """The part of a push along a normal that is done against what is opposed to it."""
    return 1.0 / (1.0 - dot(load(contacts.opposite[i].normal), normal))


@native_part
def note_near(
    contacts: Contacts, i: int, number: int, normal: Vector, deep: float, height: float
) -> None:
    """Remember what a particle is too near to, how deep it is left in that and its thickness [m],
    and how high above it.
    """
    opposite = contacts.opposite[i]
    store(opposite.normal, normal)
    opposite.deep, opposite.height = deep, height
    opposite.collider, opposite.remembered = number, REMEMBERED


@native_part
def is_held_fast(contacts: Contacts, i: int, number: int, opposed: bool, height: float) -> bool:
    """Whether a particle has no room at all, or had none just now.

    Args:
        height: of the particle above a collider [m], which is opposed to the last one or not.
    """
    opposite = contacts.opposite[i]
    room = LEAST_ROOM * contacts.thickness[i]
    if opposed and opposite.collider != number and opposite.height + height < room:
        opposite.held = REMEMBERED
    if opposite.held > 0:
        contacts.wedged[i] = REMEMBERED
    return opposite.held > 0


@native_part
def hold_fast(contacts: Contacts, positions: Reals, previous: Reals, i: int, step: Vector) -> None:
    """Let a particle go as a collider does in the substep, and the last one, in the mean."""
    opposite = contacts.opposite[i]
    for number in range(len(contacts.colliders)):
        pair = contacts.pairs[number, i]
        add_to(previous[i], -pair.recovered, load(pair.normal))
        pair.recovered = 0.0
    for k in range(3):
        opposite.way[k] = 0.5 * (step[k] + opposite.step[k])
    store(opposite.step, step)
    hold_still(contacts, positions, previous, i)


@native_part
def hold_still(contacts: Contacts, positions: Reals, previous: Reals, i: int) -> None:
    """Put a particle where it is held fast, whatever else has pushed it."""
    opposite = contacts.opposite[i]
    if opposite.held > 0 and opposite.remembered == REMEMBERED:
        for k in range(3):
            positions[i, k] = previous[i, k] + opposite.way[k]
