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
from ..native.vectors import Vector, add_scaled, add_to, dot, load, row_of, scale, subtract
from .carried import (
    Carried,
    carry,
    end_shifts,
    inertia_of,
    lead_corners,
    mobility_of,
    shift_corners,
    shift_of,
)
from .data import BY_COLLIDER, Contacts, Reals
from .motion import step_of
from .reaction import drawn
from .response import friction_of, slide_of
from .restitution import is_bouncing, rebound

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
            if push > 0.0 and carried.weights[number, corner] > 0.0:
                contacts.touched[carried.corners[number, corner]] |= BY_COLLIDER
    end_shifts(carried, previous)


@native_part
def _share_inertia(carried: Carried, pressed: Pressed, rows: Reals, count: int) -> None:
    """What turns a way of each that is listed into a multiplier, so that together they suffice."""
    corners, weights, sums = carried.corners, carried.weights, carried.weight_sums
    for k in range(count):
        number = pressed.listed[k]
        for corner in range(4):
            sums[corners[number, corner]] += weights[number, corner]
    for k in range(count):
        number, row = pressed.listed[k], 0.0
        for corner in range(4):
            moved = weights[number, corner] * rows[corners[number, corner], 3]
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
                sums[corners[number, k]] += weights[number, k]
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
        pressed.pushes[number] = _pushes_of(contacts, carried.particles[number])


@native_part
def _pushes_of(contacts: Contacts, i: int) -> float:
    total = 0.0
    for collider in range(len(contacts.colliders)):
        total += max(0.0, contacts.pairs[collider, i].push)
    return total


@native_part
def rub_carried(
    contacts: Contacts,
    carried: Carried,
    pressed: Pressed,
    arrays: Any,
    settings: Any,
    led_out: Reals,
    team: Any,
) -> bool:
    """Restitution and Coulomb friction of carried particles, as ``response.apply_friction`` does it
    for others: to be called before that, and leaves nothing of them to it.

    Args:
        arrays: of the state, carried ones where their corners put them.
        settings: ``StepSettings``.
        led_out: as there, of corners.

    Returns:
        Whether any rub: then corners were moved, and carried ones were not.
    """
    rows, previous = arrays.rows, arrays.previous
    first, last = own_share(len(carried.particles), team)
    if is_bouncing(contacts):
        for number in range(first, last):
            if pressed.pushes[number] > 0.0:
                _bounce(contacts, carried, rows, previous, led_out, number)
        hand_on(contacts, carried, pressed, rows, previous, team)
    if team.thread == 0:
        count = _list_pushed(contacts, carried, pressed, led_out)
        for collider in range(len(contacts.colliders)):
            for k in range(count):
                _begin_slide(contacts, carried, pressed, rows, previous, led_out, collider, k)
                if settings.second_order:
                    _react(contacts, carried, arrays, settings, collider, pressed.listed[k])
            for sweep in range(SWEEPS):
                for k in range(count):
                    number = pressed.listed[count - 1 - k if sweep % 2 == 1 else k]
                    _rub(contacts, carried, pressed, rows, collider, number)
            end_shifts(carried, rows)
        for k in range(count):
            _forget_push(contacts, carried, pressed, pressed.listed[k])
        pressed.counts[0] = count
    meet(team)
    return pressed.counts[0] > 0


@native_part
def _bounce(
    contacts: Contacts,
    carried: Carried,
    rows: Reals,
    previous: Reals,
    led_out: Reals,
    number: int,
) -> None:
    """Push a carried particle to where its velocity is that of the rebound."""
    i = carried.particles[number]
    for collider in range(len(contacts.colliders)):
        pair = contacts.pairs[collider, i]
        if pair.push > 0:
            _, along, step = slide_of(contacts, rows, previous, led_out, collider, i)
            normal = load(pair.normal)
            rise = max(0.0, rebound(contacts, i, normal, step) - along)
            add_to(rows[i], rise, normal)
            pair.push += rise


@native_part
def _list_pushed(contacts: Contacts, carried: Carried, pressed: Pressed, led_out: Reals) -> int:
    """List what was pushed in the substep, and let the pushes by colliders be what they were in
    the end; returns how many there are.
    """
    count = 0
    for number in range(len(carried.particles)):
        i = carried.particles[number]
        total = _pushes_of(contacts, i) if contacts.engaged[i] != 0 else 0.0
        if total == 0.0:
            continue
        for collider in range(len(contacts.colliders)):
            contacts.pairs[collider, i].push *= pressed.pushes[number] / total
        carry(carried, led_out, number)
        pressed.listed[count] = number
        count += 1
    return count


@native_part
def _begin_slide(
    contacts: Contacts,
    carried: Carried,
    pressed: Pressed,
    rows: Reals,
    previous: Reals,
    led_out: Reals,
    collider: int,
    k: int,
) -> None:
    """Note how far one that is listed has slid over a collider, none of which is undone yet."""
    number = pressed.listed[k]
    carry(carried, rows, number)
    i = carried.particles[number]
    slide, _, _ = slide_of(contacts, rows, previous, led_out, collider, i)
    for d in range(3):
        pressed.slides[number, d], pressed.slides[number, 3 + d] = slide[d], 0.0


@native_part
def _react(
    contacts: Contacts, carried: Carried, arrays: Any, settings: Any, collider: int, number: int
) -> None:
    """Let accelerations of corners into a collider end, as ``reaction.react`` does it."""
    i = carried.particles[number]
    pair, into = contacts.pairs[collider, i], 0.0
    if pair.push <= 0:
        return
    normal, step = load(pair.normal), step_of(contacts.meshes, pair.touched, pair.u, pair.v)
    if rebound(contacts, i, normal, dot(step, normal)) > 0.0:
        return
    for k in range(4):
        corner = carried.corners[number, k]
        into -= carried.weights[number, k] * dot(normal, drawn(arrays, settings.h, corner))
    part = min(pair.push, max(0.0, into))
    pair.push += part
    part /= mobility_of(carried, arrays.rows, number)
    lead_corners(carried, arrays.free_ways, arrays.rows, number, part, normal)


@native_part
def _forget_push(contacts: Contacts, carried: Carried, pressed: Pressed, number: int) -> None:
    for collider in range(len(contacts.colliders)):
        contacts.pairs[collider, carried.particles[number]].push = 0.0
    pressed.pushes[number] = 0.0


@native_part
def _rub(
    contacts: Contacts,
    carried: Carried,
    pressed: Pressed,
    rows: Reals,
    collider: int,
    number: int,
) -> None:
    """Let a carried particle rub on what pushes it, and its corners with it."""
    i, slides = carried.particles[number], pressed.slides
    pair = contacts.pairs[collider, i]
    if pair.push <= 0:
        return
    normal, way = load(pair.normal), shift_of(carried, number)
    slide = add_scaled(add_scaled(row_of(slides, number), 1.0, way), -dot(way, normal), normal)
    before = slides[number, 3], slides[number, 4], slides[number, 5]
    after = subtract(before, slide)
    length, allowed = sqrt(dot(after, after)), pair.push * friction_of(contacts, collider, i)
    if length > allowed:
        after = scale(allowed / length, after)
    slides[number, 3], slides[number, 4], slides[number, 5] = after
    amount = 1.0 / mobility_of(carried, rows, number)
    shift_corners(carried, rows, number, amount, subtract(after, before))
