# SPDX-License-Identifier: GPL-3.0-or-later
"""What colliders do to carried particles is handed on to the particles that carry them.

:mod:`.response` moves each particle by itself. Where it has moved carried ones, their corners are
moved so that each comes at least as far in its direction: unilateral constraints
n · Σ bₖ xₖ ≥ goal, by projected relaxation of their multipliers λ ≥ 0. Many of them share few
corners. Gauss–Seidel, which satisfies one after the other exactly, then pushes much too far and
takes it back, to and fro: after four sweeps with forty vertices in a tetrahedron less than a
twentieth of the way is made. Divided by the sum Σⱼ |Aᵢⱼ| of its row of A = B M⁻¹ Bᵀ instead of
Aᵢᵢ, over what is pushed only, each change of λ leaves the others their part: nothing overshoots
however many there are, kinetic energy can't rise, and what is pushed alone is moved at once as far
as it has to.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..native.by_address import by_address
from ..native.compiled import native_part
from ..native.team import meet, own_share
from ..native.threads import MOST_THREADS
from ..native.vectors import Vector, dot, row_of, scale, subtract
from .carried import (
    Carried,
    carry,
    end_shifts,
    inertia_of,
    mobility_of,
    shift_corners,
    shift_of,
)
from .data import BY_COLLIDER, Contacts, Reals

SWEEPS = 8
"""Relaxations of all multipliers, to and fro; they leave about a twentieth of a push undone."""


@by_address
class Pressed(NamedTuple):
    """What is remembered of carried particles that colliders push.

    Attributes:
        listed: numbers of those that are pushed; each thread lists its share from its first on,
            shape (k,), int64.
        counts: how many each thread has listed, shape (threads,), int64.
        directions: unit vectors, and how far to go in them at least [m], shape (k, 4).
        multipliers: λ [m kg], inertias: what turns a way into one [kg]; shape (k,).
        recovered: the part of each push that makes no velocity, shape (k,).
        pushes: how far each was pushed in the substep, as far as that makes velocity [m], (k,).
        slides: how far each has slid over a collider [m], and how much of that friction undoes,
            shape (k, 6).
    """

    listed: NDArray[Any]
    counts: NDArray[Any]
    directions: NDArray[Any]
    multipliers: NDArray[Any]
    inertias: NDArray[Any]
    recovered: NDArray[Any]
    pushes: NDArray[Any]
    slides: NDArray[Any]


def pressed_of(carried: Carried) -> Pressed:
    """The arrays, nothing pushed."""
    count = len(carried.particles)
    return Pressed(
        listed=np.zeros(count, np.int64),
        counts=np.zeros(MOST_THREADS, np.int64),
        directions=np.zeros((count, 4)),
        multipliers=np.zeros(count),
        inertias=np.zeros(count),
        recovered=np.zeros(count),
        pushes=np.zeros(count),
        slides=np.zeros((count, 6)),
    )


@native_part
def forget_pushes(carried: Carried, pressed: Pressed, team: Any) -> None:
    """Begin a substep."""
    first, last = own_share(len(carried.particles), team)
    for number in range(first, last):
        pressed.pushes[number] = 0.0


@native_part
def hand_on(
    contacts: Contacts, carried: Carried, pressed: Pressed, rows: Reals, previous: Reals, team: Any
) -> bool:
    """Move corners so that carried particles get where they have been pushed to.

    Args:
        rows, previous: at the substep's end and start; carried ones of both as they were moved.

    Returns:
        Whether any were pushed: then corners were moved, and carried ones were not.
    """
    first, last = own_share(len(carried.particles), team)
    count = first
    for number in range(first, last):
        engaged = contacts.engaged[carried.particles[number]] != 0
        if engaged and _note_push(carried, pressed, rows, previous, number):
            pressed.listed[count] = number
            count += 1
    pressed.counts[team.thread] = count - first
    meet(team)
    if team.thread == 0:
        count = _gather(carried, pressed, team.threads)
        _press(contacts, carried, pressed, rows, previous, count)
        pressed.counts[0] = count
    meet(team)
    return pressed.counts[0] > 0


@native_part
def _note_push(
    carried: Carried, pressed: Pressed, rows: Reals, previous: Reals, number: int
) -> bool:
    """Note where a carried particle was pushed to, and take it back; returns whether it was."""
    way = _take_back(carried, rows, number)
    length = sqrt(dot(way, way))
    if length == 0.0:
        return False
    led = _take_back(carried, previous, number)
    direction = scale(1.0 / length, way)
    directions = pressed.directions
    directions[number, 0], directions[number, 1], directions[number, 2] = direction
    directions[number, 3] = length
    pressed.recovered[number] = min(1.0, sqrt(dot(led, led)) / length)
    return True


@native_part
def _take_back(carried: Carried, rows: Reals, number: int) -> Vector:
    """Put a carried particle back where its corners have it; returns how far it was from there."""
    particle = carried.particles[number]
    moved_to = row_of(rows, particle)
    carry(carried, rows, number)
    return subtract(moved_to, row_of(rows, particle))


@native_part
def _gather(carried: Carried, pressed: Pressed, threads: int) -> int:
    """Put what all threads have listed one after the other; returns how many there are."""
    count, total = pressed.counts[0], len(carried.particles)
    for thread in range(1, threads):
        first = total * thread // threads
        for k in range(pressed.counts[thread]):
            pressed.listed[count] = pressed.listed[first + k]
            count += 1
    return count


@native_part
def _press(
    contacts: Contacts,
    carried: Carried,
    pressed: Pressed,
    rows: Reals,
    previous: Reals,
    count: int,
) -> None:
    """Solve for the multipliers of what is listed, and move corners by them."""
    _share_inertia(carried, pressed, rows, count)
    directions, multipliers = pressed.directions, pressed.multipliers
    for k in range(count):
        multipliers[pressed.listed[k]] = 0.0
    for sweep in range(SWEEPS):
        for k in range(count):
            number = pressed.listed[count - 1 - k if sweep % 2 == 1 else k]
            direction = row_of(directions, number)
            missing = directions[number, 3] - dot(direction, shift_of(carried, number))
            before = multipliers[number]
            multipliers[number] = max(0.0, before + missing * pressed.inertias[number])
            shift_corners(carried, rows, number, multipliers[number] - before, direction)
    end_shifts(carried, rows)
    for k in range(count):
        number = pressed.listed[k]
        part, push = pressed.recovered[number], multipliers[number]
        shift_corners(carried, rows, number, part * push, row_of(directions, number))
        pressed.pushes[number] += (1.0 - part) * push * mobility_of(carried, rows, number)
        for corner in range(4):
            if push > 0.0 and carried.weights[number, corner] != 0.0:
                contacts.touched[carried.corners[number, corner]] |= BY_COLLIDER
    end_shifts(carried, previous)


@native_part
def _share_inertia(carried: Carried, pressed: Pressed, rows: Reals, count: int) -> None:
    """What turns a way of each that is listed into a multiplier, so that together they suffice."""
    corners, weights, sums = carried.corners, carried.weights, carried.weight_sums
    for k in range(count):
        number = pressed.listed[k]
        for corner in range(4):
            sums[corners[number, corner]] += abs(weights[number, corner])
    for k in range(count):
        number, row = pressed.listed[k], 0.0
        for corner in range(4):
            moved = abs(weights[number, corner]) * rows[corners[number, corner], 3]
            row += moved * sums[corners[number, corner]]
        part = mobility_of(carried, rows, number) / row
        pressed.inertias[number] = part * inertia_of(carried, rows, number)
    for k in range(count):
        for corner in range(4):
            sums[corners[pressed.listed[k], corner]] = 0.0


@native_part
def share_forces(carried: Carried, pressed: Pressed, forces: Reals) -> None:
    """Share the forces on corners out to the carried particles that are pushed, by their weights.

    Args:
        forces: [N], shape (n or more, 4).
    """
    corners, weights, sums = carried.corners, carried.weights, carried.weight_sums
    for number in range(len(carried.particles)):
        for k in range(4):
            if pressed.pushes[number] > 0.0:
                sums[corners[number, k]] += max(0.0, weights[number, k])
    for number in range(len(carried.particles)):
        for d in range(3):
            total = 0.0
            for k in range(4):
                if pressed.pushes[number] > 0.0 and weights[number, k] > 0.0:
                    corner = corners[number, k]
                    total += weights[number, k] / sums[corner] * forces[corner, d]
            forces[carried.particles[number], d] = total
    for k in range(len(carried.carriers)):
        sums[carried.carriers[k]] = 0.0


@native_part
def sum_pushes(contacts: Contacts, carried: Carried, pressed: Pressed, team: Any) -> None:
    """Take what carried particles are pushed by all colliders for all that they are pushed."""
    first, last = own_share(len(carried.particles), team)
    for number in range(first, last):
        pressed.pushes[number] = pushes_of(contacts, carried.particles[number])


@native_part
def pushes_of(contacts: Contacts, i: int) -> float:
    """How far [m] all colliders push a particle."""
    total = 0.0
    for collider in range(len(contacts.colliders)):
        total += max(0.0, contacts.pairs[collider, i].push)
    return total
