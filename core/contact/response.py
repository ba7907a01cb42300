# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens on contact: particles stay a thickness away from surfaces, and rub on them.

Called by :mod:`.interface` in every substep: ``move_colliders`` by one thread, then ``project``
after the constraints of each iteration and ``apply_friction`` at the end, both by every thread on
its own range of particles.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from ..native.compiled import native_part
from ..native.vectors import (
    Vector,
    add_scaled,
    add_to,
    between,
    corners_of,
    difference_of,
    dot,
    load,
    row_of,
    scale,
    store,
    subtract,
)
from .broad_phase import INDEX, UNLIMITED, find_closest, gather_near
from .closest_point import closest_point, face_side, side, unit_normal
from .crossing import find_strikes, thickness_of
from .data import BEFORE, BY_COLLIDER, FACE, NOW, STRUCK, Contacts, Reals
from .motion import move, seen_from, step_of
from .reaction import react
from .restitution import rebound
from .wedged import (
    forget_earlier,
    hold_fast,
    hold_still,
    is_held_fast,
    is_opposed,
    note_near,
    recovery_of,
    share_of,
)

TOUCHED = 1e-9

EXACT_START = 1e-3
"""Start penetrations above this part of the thickness are measured on the mesh, not a plane."""


@native_part
def move_colliders(contacts: Contacts, fraction0: float, fraction1: float) -> None:
    """Move the colliders to the part of the frame between two fractions of it."""
    contacts.recovery[1] = contacts.recovery[0] * contacts.recovery[2] * (fraction1 - fraction0)
    for number in range(len(contacts.colliders)):
        collider = contacts.colliders[number]
        if collider.moving == 1:
            move(contacts.meshes, collider, fraction0, fraction1)


@native_part
def begin_substep(contacts: Contacts, first: int, last: int) -> None:
    """Age what is known of particles [first, last) by a substep."""
    for i in range(first, last):
        if contacts.engaged[i] != 0:
            contacts.inside[i] = BEFORE if contacts.inside[i] == NOW else 0
            contacts.engaged[i] = forget_earlier(contacts, i) or contacts.inside[i] != 0


@native_part
def project(
    contacts: Contacts, positions: Reals, previous: Reals, first: int, last: int, thread: int
) -> None:
    """Push particles [first, last) out of the colliders.

    Args:
        positions: x, y, z [m] and inverse mass, shape (n or more, 4).
        previous: the same at the substep's start; moved along where a particle already started
            too near, so that getting out makes no velocity.
        thread: number of the calling thread.
    """
    for number in range(len(contacts.colliders)):
        near = gather_near(contacts, positions, number, first, last)
        if near > 0:
            find_closest(contacts, positions, number, first, near, thread)
            find_strikes(contacts, positions, previous, number, first, near, thread)
            _find_gaps(contacts, positions, number, first, near)
            _push_out(contacts, positions, previous, number, first, near)


@native_part
def _find_gaps(contacts: Contacts, positions: Reals, number: int, first: int, count: int) -> None:
    """Turn distances into gaps beyond the thickness, negative on contact, and find normals."""
    meshes, two_sided = contacts.meshes, contacts.colliders[number].two_sided == 1
    vertices, triangles = meshes.now, meshes.triangles
    for index in range(first, first + count):
        candidate = contacts.candidates[index]
        if candidate.feature == STRUCK:
            continue
        i, t = candidate.particle, candidate.triangle
        corners = corners_of(vertices, triangles, t)
        way = subtract(row_of(positions, i), between(corners, candidate.u, candidate.v))
        sign = 1.0
        if not two_sided and candidate.feature == FACE:
            sign = face_side(way, corners)
        if not two_sided and (candidate.feature != FACE or sign == 0):
            sign = side(meshes, vertices, t, candidate.feature, way)
        thickness = thickness_of(contacts, number, i)
        gap = sign * candidate.distance - thickness
        if sign < 0 and meshes.solid[t] == 0 and candidate.distance > thickness:
            gap = candidate.distance - thickness
        if gap >= 0:
            _note_free(contacts, positions, number, i, gap)
        elif candidate.distance > TOUCHED:
            store(candidate.normal, scale(sign / candidate.distance, way))
        else:
            normal, _ = unit_normal(vertices, triangles, t)
            store(candidate.normal, normal)
        candidate.distance = gap


@native_part
def _note_free(contacts: Contacts, positions: Reals, number: int, i: int, gap: float) -> None:
    """Remember that particle i touches nothing of a collider until it is nearer by a gap [m]."""
    ball, pace, pair = (
        contacts.free[number, i],
        contacts.paces[number, i],
        contacts.pairs[number, i],
    )
    store(ball, seen_from(contacts, positions, number, i))
    store(pace, load(pair.companion))
    ball[3], pace[3] = gap + contacts.colliders[number].fraction * pair.pace, pair.pace


@native_part
def _start_gap(contacts: Contacts, start: Vector, number: int, i: int, thickness: float) -> float:
    """Gap of particle i at the substep's start, measured on its list of triangles."""
    meshes, pair = contacts.meshes, contacts.pairs[number, i]
    vertices, triangles = meshes.before, meshes.triangles
    best, u, v = UNLIMITED, 0.0, 0.0
    t, feature = INDEX(pair.triangles[0]), INDEX(FACE)
    for k in range(pair.count):
        near = INDEX(pair.triangles[k])
        corners = corners_of(vertices, triangles, near)
        square, u_k, v_k, feature_k = closest_point(start, corners)
        if square < best:
            best, t, u, v, feature = square, near, u_k, v_k, INDEX(feature_k)
    distance = sqrt(best)
    if contacts.colliders[number].two_sided == 1:
        return min(0.0, distance - thickness)
    way = subtract(start, between(corners_of(vertices, triangles, t), u, v))
    return min(0.0, side(meshes, vertices, t, feature, way) * distance - thickness)


@native_part
def _way_of(contacts: Contacts, positions: Reals, previous: Reals, index: int) -> float:
    """How far [m] a candidate's particle has come over its triangle in the substep."""
    candidate = contacts.candidates[index]
    step = step_of(contacts.meshes, candidate.triangle, candidate.u, candidate.v)
    way = subtract(difference_of(positions, previous, candidate.particle), step)
    return sqrt(dot(way, way))


@native_part
def _gap_before(
    contacts: Contacts,
    positions: Reals,
    previous: Reals,
    number: int,
    index: int,
    thickness: float,
) -> float:
    """Gap with which a candidate's particle started the substep, zero at most; notes whether it
    was inside of the collider.
    """
    candidate, meshes = contacts.candidates[index], contacts.meshes
    i, start = candidate.particle, row_of(previous, candidate.particle)
    a, b, c = corners_of(meshes.before, meshes.triangles, candidate.triangle)
    way = add_scaled(subtract(start, a), -candidate.u, subtract(b, a))
    way = add_scaled(way, -candidate.v, subtract(c, a))
    gap = min(0.0, dot(load(candidate.normal), way) - thickness)
    if gap < -EXACT_START * thickness and candidate.feature != STRUCK:
        gap = _start_gap(contacts, start, number, i, thickness)
    if gap < -thickness:
        # Seen from far away, triangles of its list may not be the nearest, and show their backs.
        # What ends deeper than it has come has been inside for sure.
        deep = candidate.distance + _way_of(contacts, positions, previous, index) < -thickness
        if not deep and contacts.inside[i] == 0:
            return -thickness
        contacts.inside[i] = NOW
    return gap


@native_part
def _push_out(
    contacts: Contacts, positions: Reals, previous: Reals, number: int, first: int, count: int
) -> None:
    """Close negative gaps; undo what a particle started with gently and without velocity."""
    for index in range(first, first + count):
        candidate = contacts.candidates[index]
        if candidate.distance >= 0:
            continue
        i, normal, deep = candidate.particle, load(candidate.normal), -candidate.distance
        contacts.engaged[i] = 1
        thickness = thickness_of(contacts, number, i)
        start_gap = _gap_before(contacts, positions, previous, number, index, thickness)
        opposed = is_opposed(contacts, positions, number, index, thickness)
        if is_held_fast(contacts, i, opposed, thickness - deep):
            step = step_of(contacts.meshes, candidate.triangle, candidate.u, candidate.v)
            hold_fast(contacts, positions, previous, i, step)
            note_near(contacts, i, number, normal, deep, thickness - deep)
            contacts.touched[i] |= BY_COLLIDER
            continue
        recovered = min(-start_gap, recovery_of(contacts, i, number, opposed, deep))
        push = start_gap + recovered + deep
        if opposed:
            push *= share_of(contacts, i, normal)
        left = deep - max(0.0, push)
        note_near(contacts, i, number, normal, left, thickness - left)
        if push <= 0:
            continue
        recovered = min(push, recovered)
        pair = contacts.pairs[number, i]
        contacts.touched[i] |= BY_COLLIDER
        add_to(positions[i], push, normal)
        add_to(previous[i], recovered, normal)
        store(pair.normal, normal)
        pair.push += push - recovered
        pair.recovered += recovered
        pair.gap = start_gap + recovered
        pair.touched, pair.u, pair.v = candidate.triangle, candidate.u, candidate.v


@native_part
def weigh(
    contacts: Contacts, positions: Reals, forces: Reals, h: float, first: int, last: int
) -> None:
    """Set the pushes of particles [first, last) that touch to h² M⁻¹ times a force into them.

    For methods whose iterations press particles into the collider anew, so that the sum of their
    pushes says nothing.
    """
    for number in range(len(contacts.colliders)):
        for i in range(first, last):
            pair = contacts.pairs[number, i]
            if pair.push > 0:
                into = 0.0
                for k in range(3):
                    into -= forces[i, k] * pair.normal[k]
                pair.push = max(0.0, into) * positions[i, 3] * h * h


@native_part
def apply_friction(
    contacts: Contacts, arrays: Any, settings: Any, led_out: Reals, first: int, last: int
) -> None:
    """Restitution and Coulomb friction of particles [first, last), at the end of each substep.

    Sliding over the collider's own motion is undone up to √(μ particle μ collider) × push.

    Args:
        arrays: of the state.
        settings: ``StepSettings``.
        led_out: how far [m] particles were led out of what they went through. That is not sliding:
            cloth that is pressed on would not come off. Shape (n or more, 3).
    """
    positions, previous = arrays.rows, arrays.previous
    for number in range(len(contacts.colliders)):
        for i in range(first, last):
            if contacts.engaged[i] == 0:
                continue
            pair = contacts.pairs[number, i]
            if pair.recovered > 0:
                _take_back(contacts, positions, previous, number, i)
            if pair.push <= 0:
                continue
            slide, along, step = slide_of(contacts, positions, previous, led_out, number, i)
            normal, pressed = load(pair.normal), pair.push
            rise = rebound(contacts, i, normal, step)
            if rise > 0.0:
                rise = max(0.0, rise - along)
                add_to(positions[i], rise, normal)
                pressed += rise
            else:
                pressed += react(arrays, settings, i, normal, pressed)
            brake(contacts, positions, number, i, slide, pressed)
            pair.push = 0.0
    for i in range(first, last):
        if contacts.engaged[i] != 0:
            hold_still(contacts, positions, previous, i)


@native_part
def _take_back(contacts: Contacts, positions: Reals, previous: Reals, number: int, i: int) -> None:
    """Where something else has pushed a particle back to where a collider had led it out of, let
    where it started be there again: else it would seem to come from farther out.
    """
    pair, meshes = contacts.pairs[number, i], contacts.meshes
    corners, normal = corners_of(meshes.now, meshes.triangles, pair.touched), load(pair.normal)
    height = dot(subtract(row_of(positions, i), between(corners, pair.u, pair.v)), normal)
    missing = pair.gap + thickness_of(contacts, number, i) - height
    add_to(previous[i], -min(pair.recovered, max(0.0, missing)), normal)
    pair.recovered = 0.0


@native_part
def slide_of(
    contacts: Contacts, positions: Reals, previous: Reals, led_out: Reals, number: int, i: int
) -> tuple[Vector, float, float]:
    """How far a particle has slid over a collider in the substep.

    Returns:
        The way over it, and how far both have gone along its normal: the particle relative to the
        collider, and the collider [m].
    """
    pair = contacts.pairs[number, i]
    normal, step = load(pair.normal), step_of(contacts.meshes, pair.touched, pair.u, pair.v)
    slide = subtract(difference_of(positions, previous, i), step)
    slide = subtract(slide, row_of(led_out, i))
    along = dot(slide, normal)
    return add_scaled(slide, -along, normal), along, dot(step, normal)


@native_part
def brake(
    contacts: Contacts, positions: Reals, number: int, i: int, slide: Vector, pressed: float
) -> None:
    """Undo what a particle has slid over a collider, as far as what presses it on allows [m]."""
    allowed = pressed * friction_of(contacts, number, i)
    length = sqrt(dot(slide, slide))
    kept = 1.0 if length <= allowed else allowed / length
    add_to(positions[i], -kept, slide)


@native_part
def friction_of(contacts: Contacts, number: int, i: int) -> float:
    """The Coulomb coefficient of particle i on a collider."""
    return sqrt(contacts.friction[i] * contacts.colliders[number].friction)
