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

from math import sqrt

from ..native.compiled import native_part
from ..native.vectors import Vector, add_to, corners_of, dot, load, row_of, scale, store, subtract
from .broad_phase import UNLIMITED, moved_since_listed
from .carried import NONE
from .closest_point import closest_point, scaled_normal
from .data import Contacts, Reals
from .motion import step_of

OPPOSED = -0.7
"""The cosine between directions out of two colliders below which there is no way out of both."""

LEAST_ROOM = 0.25
"""As part of the thickness of a particle: in less it is held fast."""

REMEMBERED = 2
"""For so many substeps: the last one, and this one."""


@native_part
def forget_earlier(contacts: Contacts, i: int) -> bool:
    """Begin a substep: what a particle was too near to long ago has no say any more; returns
    whether anything has.
    """
    opposite = contacts.opposite[i]
    opposite.remembered -= opposite.remembered > 0
    opposite.held_fast -= opposite.held_fast > 0
    contacts.wedged[i] -= contacts.wedged[i] > 0
    return (opposite.remembered > 0) | (opposite.held_fast > 0) | (contacts.wedged[i] > 0)


@native_part
def is_opposed(
    contacts: Contacts, positions: Reals, number: int, index: int, thickness: float
) -> bool:
    """Whether a candidate's particle is pushed against a collider: by what it was too near to last,
    or by another side of the same one, as in the bend of an elbow.
    """
    candidate = contacts.candidates[index]
    i, normal = candidate.particle, load(candidate.normal)
    opposite = contacts.opposite[i]
    if opposite.remembered > 0 and opposite.collider != number:
        contacts.sides[i, 0] = contacts.sides[i, 1] = NONE
        return dot(load(opposite.normal), normal) < OPPOSED
    if contacts.colliders[number].two_sided == 1:
        return False
    if contacts.inside[i] != 0 and contacts.wedged[i] == 0:
        return False  # from within, both sides of a limb look like that
    return _look_across(contacts, positions, number, index, thickness)


@native_part
def _look_across(
    contacts: Contacts, positions: Reals, number: int, index: int, thickness: float
) -> bool:
    """Note the nearest side of a collider that is opposed to the one that a candidate's particle is
    nearest to, if it is too near to that, too; returns whether it is.

    The particle is outside of both, or has been between both when they went through each other.
    """
    candidate, meshes = contacts.candidates[index], contacts.meshes
    i, was_wedged = candidate.particle, contacts.wedged[candidate.particle] > 0
    most = UNLIMITED if was_wedged else thickness
    pair, point, best = contacts.pairs[number, i], row_of(positions, i), most
    normal, found = load(candidate.normal), NONE
    moved = moved_since_listed(contacts, positions, number, i)
    for k in range(pair.count):
        if pair.distances[k] - moved > best:
            break
        t = pair.triangles[k]
        corners = corners_of(meshes.now, meshes.triangles, t)
        outward, proper = scaled_normal(corners)
        length = sqrt(dot(outward, outward))
        if not proper or dot(outward, normal) >= OPPOSED * length:
            continue
        square, u, v, _ = closest_point(point, corners)
        height = sqrt(square)
        if dot(subtract(point, corners[0]), outward) < 0.0:
            height = -height
        outside = 0.0 <= height < thickness
        if abs(height) < best and (outside or (was_wedged and _was_beside(contacts, i, t))):
            best, found = abs(height), t
            opposed = scale(1.0 / length, outward)
            note_near(contacts, i, number, opposed, thickness - height, height)
            store(contacts.opposite[i].step, step_of(meshes, t, u, v))
    if found != NONE:
        contacts.sides[i, 0], contacts.sides[i, 1] = candidate.triangle, found
    return found != NONE


@native_part
def _was_beside(contacts: Contacts, i: int, t: int) -> bool:
    """Whether a triangle has a corner in common with one of both that a particle was between."""
    triangles, common = contacts.meshes.triangles, False
    for side in range(2):
        before = contacts.sides[i, side]
        for k in range(3 if before != NONE else 0):
            for corner in range(3):
                common |= triangles[before, k] == triangles[t, corner]
    return common


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
def is_held_fast(contacts: Contacts, i: int, opposed: bool, height: float) -> bool:
    """Whether a particle has no room at all, or had none just now.

    Args:
        height: of the particle above a collider [m], which is opposed to the last one or not.
    """
    opposite = contacts.opposite[i]
    room = LEAST_ROOM * contacts.thickness[i]
    if opposed and opposite.height + height < room:
        opposite.held_fast = REMEMBERED
    if opposite.held_fast > 0:
        contacts.wedged[i] = REMEMBERED
    return opposite.held_fast > 0


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
    if opposite.held_fast > 0 and opposite.remembered == REMEMBERED:
        for k in range(3):
            positions[i, k] = previous[i, k] + opposite.way[k]
