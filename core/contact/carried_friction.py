# SPDX-License-Identifier: GPL-3.0-or-later
"""Carried particles bounce off colliders and rub on them, and what carries them does so with them.

As :mod:`.response` has it for others; what corners have to do for that is found as in
:mod:`.hand_on`.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from ..native.compiled import native_part
from ..native.team import meet, own_share
from ..native.vectors import add_scaled, add_to, dot, load, row_of, scale, subtract
from .carried import Carried, carry, end_shifts, lead_corners, mobility_of, shift_corners, shift_of
from .data import Contacts, Reals
from .hand_on import SWEEPS, Pressed, hand_on, pushes_of
from .motion import step_of
from .reaction import drawn
from .response import friction_of, slide_of
from .restitution import is_bouncing, rebound


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
        total = pushes_of(contacts, i) if contacts.engaged[i] != 0 else 0.0
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
