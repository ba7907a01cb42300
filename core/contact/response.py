# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens on contact: particles stay a thickness away from surfaces, and rub on them.

Called by :mod:`.interface` in every substep: ``move_colliders`` by one thread, then ``project``
after the constraints of each iteration and ``apply_friction`` at the end, both by every thread on
its own range of particles.
"""

from __future__ import annotations

from math import sqrt

from ..native.compiled import native_part
from .broad_phase import INDEX, UNLIMITED, find_closest, fit_boxes, gather_near
from .closest_point import closest_point, face_side, side, unit_normal
from .crossing import find_strikes
from .data import FACE, LEAST_THICKNESS, STRUCK, Contacts, Reals
from .motion import move
from .restitution import bounce
from .vectors import (
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
    spanned,
    store,
    subtract,
)

TOUCHED = 1e-9

EXACT_START = 1e-3
"""Start penetrations above this part of the thickness are measured on the mesh, not a plane."""


@native_part
def move_colliders(contacts: Contacts, fraction0: float, fraction1: float) -> None:
    """Move the colliders to the part of the frame between two fractions of it."""
    contacts.recovery[1] = contacts.recovery[0] * contacts.recovery[2] * (fraction1 - fraction0)
    for collider in range(len(contacts.bodies)):
        body = contacts.bodies[collider]
        if body.moving == 1:
            move(contacts.surface, body, fraction0, fraction1)
            loose = abs(body.drift - body.drift_fitted) > 0.5 * body.margin
            if loose and body.searched == 1:
                fit_boxes(contacts, collider)


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
    for collider in range(len(contacts.bodies)):
        near = gather_near(contacts, positions, collider, first, last)
        if near > 0:
            find_closest(contacts, positions, collider, first, near, thread)
            find_strikes(contacts, positions, previous, collider, first, near, thread)
            _find_gaps(contacts, positions, collider, first, near)
            _push_out(contacts, positions, previous, collider, first, near)


@native_part
def _find_gaps(contacts: Contacts, positions: Reals, collider: int, first: int, count: int) -> None:
    """Turn distances into gaps beyond the thickness, negative on contact, and find normals."""
    surface, balls, body = contacts.surface, contacts.free[collider], contacts.bodies[collider]
    vertices, triangles, two_sided = surface.now, surface.triangles, body.two_sided == 1
    for index in range(first, first + count):
        row = contacts.rows[index]
        if row.feature == STRUCK:
            continue
        i, t = row.particle, row.triangle
        corners = corners_of(vertices, triangles, t)
        way = subtract(row_of(positions, i), between(corners, row.u, row.v))
        sign = 1.0
        if not two_sided and row.feature == FACE:
            sign = face_side(way, corners)
        if not two_sided and (row.feature != FACE or sign == 0):
            sign = side(surface, vertices, t, row.feature, way)
        thickness = max(LEAST_THICKNESS, contacts.thickness[i] + body.thickness)
        gap = sign * row.distance - thickness
        if sign < 0 and surface.solid[t] == 0 and row.distance > thickness:
            gap = row.distance - thickness
        if gap >= 0:
            store(balls[i], load(row.local))
            balls[i, 3] = gap + body.drift
        elif row.distance > TOUCHED:
            store(row.normal, scale(sign / row.distance, way))
        else:
            normal, _ = unit_normal(vertices, triangles, t)
            store(row.normal, normal)
        row.distance = gap


@native_part
def _start_gap(contacts: Contacts, start: Vector, collider: int, i: int, thickness: float) -> float:
    """Gap of particle i at the substep's start, measured on its list of triangles."""
    surface, pair = contacts.surface, contacts.pairs[collider, i]
    vertices, triangles = surface.before, surface.triangles
    best, u, v = UNLIMITED, 0.0, 0.0
    t, feature = INDEX(pair.triangles[0]), INDEX(FACE)
    for k in range(pair.count):
        near = INDEX(pair.triangles[k])
        corners = corners_of(vertices, triangles, near)
        square, u_k, v_k, feature_k = closest_point(start, corners)
        if square < best:
            best, t, u, v, feature = square, near, u_k, v_k, INDEX(feature_k)
    distance = sqrt(best)
    if contacts.bodies[collider].two_sided == 1:
        return min(0.0, distance - thickness)
    way = subtract(start, between(corners_of(vertices, triangles, t), u, v))
    return min(0.0, side(surface, vertices, t, feature, way) * distance - thickness)


@native_part
def _push_out(
    contacts: Contacts, positions: Reals, previous: Reals, collider: int, first: int, count: int
) -> None:
    """Close negative gaps; undo what a particle started with gently and without velocity."""
    before, triangles = contacts.surface.before, contacts.surface.triangles
    body_thickness, recovery = contacts.bodies[collider].thickness, contacts.recovery[1]
    for index in range(first, first + count):
        row = contacts.rows[index]
        if row.distance >= 0:
            continue
        i, t, normal = row.particle, row.triangle, load(row.normal)
        thickness = max(LEAST_THICKNESS, contacts.thickness[i] + body_thickness)
        start = row_of(previous, i)
        a, b, c = corners_of(before, triangles, t)
        way = add_scaled(subtract(start, a), -row.u, subtract(b, a))
        way = add_scaled(way, -row.v, subtract(c, a))
        start_gap = min(0.0, dot(normal, way) - thickness)
        if start_gap < -EXACT_START * thickness and row.feature != STRUCK:
            start_gap = _start_gap(contacts, start, collider, i, thickness)
        recovered = min(-start_gap, recovery)
        push = start_gap + recovered - row.distance
        if push <= 0:
            continue
        recovered = min(push, recovered)
        pair = contacts.pairs[collider, i]
        add_to(positions[i], push, normal)
        add_to(previous[i], recovered, normal)
        store(pair.normal, normal)
        pair.push += push - recovered
        pair.touched, pair.u, pair.v = t, row.u, row.v


@native_part
def weigh(
    contacts: Contacts, positions: Reals, forces: Reals, h: float, first: int, last: int
) -> None:
    """Set the pushes of particles [first, last) that touch to h² M⁻¹ times a force into them.

    For methods whose iterations press particles into the collider anew, so that the sum of their
    pushes says nothing.
    """
    for collider in range(len(contacts.bodies)):
        for i in range(first, last):
            pair = contacts.pairs[collider, i]
            if pair.push > 0:
                into = 0.0
                for k in range(3):
                    into -= forces[i, k] * pair.normal[k]
                pair.push = max(0.0, into) * positions[i, 3] * h * h


@native_part
def apply_friction(
    contacts: Contacts, positions: Reals, previous: Reals, first: int, last: int
) -> None:
    """Restitution and Coulomb friction of particles [first, last), at the end of each substep.

    Sliding over the collider's own motion is undone up to √(μ particle μ collider) × push.
    """
    before, now = contacts.surface.before, contacts.surface.now
    triangles = contacts.surface.triangles
    for collider in range(len(contacts.bodies)):
        for i in range(first, last):
            pair = contacts.pairs[collider, i]
            if pair.push <= 0:
                continue
            t, normal = pair.touched, load(pair.normal)
            a0, b0, c0 = corners_of(before, triangles, t)
            a1, b1, c1 = corners_of(now, triangles, t)
            steps = subtract(a1, a0), subtract(b1, b0), subtract(c1, c0)
            step = spanned(steps, pair.u, pair.v)
            slide = subtract(difference_of(positions, previous, i), step)
            along = dot(slide, normal)
            slide = add_scaled(slide, -along, normal)
            rise = 0.0
            if len(contacts.incoming) > 0:
                rise = bounce(contacts, i, normal, along, dot(step, normal))
                add_to(positions[i], rise, normal)
            mean = sqrt(contacts.friction[i] * contacts.bodies[collider].friction)
            allowed = (pair.push + rise) * mean
            pair.push = 0.0
            length = sqrt(dot(slide, slide))
            kept = 1.0 if length <= allowed else allowed / length
            add_to(positions[i], -kept, slide)
