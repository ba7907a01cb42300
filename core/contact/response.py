# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens on contact: particles stay a thickness away from surfaces, and rub on them.

Called by a solver's native loop, in every substep: ``begin_substep`` by one thread, then
``project`` after the constraints of each iteration and ``apply_friction`` at the end, both by
every thread on its own range of particles.
"""

from __future__ import annotations

from math import sqrt

from ..compiled import native, native_part
from .broad_phase import INDEX, REAL, UNLIMITED, find_closest, fit_boxes, gather_near
from .closest_point import closest_point, face_side, side, unit_normal
from .crossing import find_strikes
from .data import FACE, LEAST_THICKNESS, STRUCK, Contacts, Reals
from .motion import move
from .restitution import bounce

TOUCHED = 1e-9

EXACT_START = 1e-3
"""Start penetrations above this part of the thickness are measured on the mesh, not a plane."""


@native
def begin_substep(contacts: Contacts, fraction0: float, fraction1: float) -> None:
    """Move the colliders to the part of the frame between two fractions of it."""
    contacts.recovery[1] = contacts.recovery[0] * contacts.recovery[2] * (fraction1 - fraction0)
    for collider in range(len(contacts.bodies)):
        body = contacts.bodies[collider]
        if body.moving == 1:
            move(contacts.surface, body, fraction0, fraction1)
            loose = abs(body.drift - body.drift_fitted) > 0.5 * body.margin
            if loose and body.searched == 1:
                fit_boxes(contacts, collider)


@native
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
    surface, free, body = contacts.surface, contacts.free, contacts.bodies[collider]
    vertices, triangles, two_sided = surface.now, surface.triangles, body.two_sided == 1
    for index in range(first, first + count):
        row = contacts.rows[index]
        if row.feature == STRUCK:
            continue
        i, t, u, v = row.particle, row.triangle, row.u, row.v
        a, b, c, rest = triangles[t, 0], triangles[t, 1], triangles[t, 2], 1.0 - u - v
        dx = positions[i, 0] - (rest * vertices[a, 0] + u * vertices[b, 0] + v * vertices[c, 0])
        dy = positions[i, 1] - (rest * vertices[a, 1] + u * vertices[b, 1] + v * vertices[c, 1])
        dz = positions[i, 2] - (rest * vertices[a, 2] + u * vertices[b, 2] + v * vertices[c, 2])
        sign = 1.0
        if not two_sided and row.feature == FACE:
            sign = face_side(
                dx, dy, dz,
                vertices[a, 0], vertices[a, 1], vertices[a, 2],
                vertices[b, 0], vertices[b, 1], vertices[b, 2],
                vertices[c, 0], vertices[c, 1], vertices[c, 2],
            )  # fmt: skip
        if not two_sided and (row.feature != FACE or sign == 0):
            sign = side(surface, vertices, t, row.feature, dx, dy, dz)
        thickness = max(LEAST_THICKNESS, contacts.thickness[i] + body.thickness)
        gap = sign * row.distance - thickness
        if sign < 0 and surface.solid[t] == 0 and row.distance > thickness:
            gap = row.distance - thickness
        if gap >= 0:
            free[collider, i, 0], free[collider, i, 1] = row.local[0], row.local[1]
            free[collider, i, 2], free[collider, i, 3] = row.local[2], gap + body.drift
        elif row.distance > TOUCHED:
            scale = sign / row.distance
            row.normal[0], row.normal[1], row.normal[2] = scale * dx, scale * dy, scale * dz
        else:
            nx, ny, nz, _ = unit_normal(vertices, triangles, t)
            row.normal[0], row.normal[1], row.normal[2] = nx, ny, nz
        row.distance = gap


@native_part
def _start_gap(
    contacts: Contacts, x: float, y: float, z: float, collider: int, i: int, thickness: float
) -> float:
    """Gap of particle i, x, y, z at the substep's start, measured on its list of triangles."""
    surface, pair = contacts.surface, contacts.pairs[collider, i]
    vertices, corners = surface.before, surface.triangles
    best, u, v = UNLIMITED, 0.0, 0.0
    t, feature = INDEX(pair.triangles[0]), INDEX(FACE)
    for k in range(pair.count):
        near = pair.triangles[k]
        a, b, c = corners[near, 0], corners[near, 1], corners[near, 2]
        square, u_k, v_k, feature_k = closest_point(
            x, y, z,
            vertices[a, 0], vertices[a, 1], vertices[a, 2],
            vertices[b, 0], vertices[b, 1], vertices[b, 2],
            vertices[c, 0], vertices[c, 1], vertices[c, 2],
        )  # fmt: skip
        if square < best:
            best, t, u, v, feature = square, INDEX(near), u_k, v_k, INDEX(feature_k)
    distance = sqrt(best)
    if contacts.bodies[collider].two_sided == 1:
        return min(0.0, distance - thickness)
    a, b, c, rest = corners[t, 0], corners[t, 1], corners[t, 2], 1.0 - u - v
    dx = x - (rest * vertices[a, 0] + u * vertices[b, 0] + v * vertices[c, 0])
    dy = y - (rest * vertices[a, 1] + u * vertices[b, 1] + v * vertices[c, 1])
    dz = z - (rest * vertices[a, 2] + u * vertices[b, 2] + v * vertices[c, 2])
    return min(0.0, side(surface, vertices, t, feature, dx, dy, dz) * distance - thickness)


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
        i, t = row.particle, row.triangle
        thickness = max(LEAST_THICKNESS, contacts.thickness[i] + body_thickness)
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        height = 0.0
        for k in range(3):
            way_b, way_c = before[b, k] - before[a, k], before[c, k] - before[a, k]
            height += row.normal[k] * (
                previous[i, k] - before[a, k] - row.u * way_b - row.v * way_c
            )
        start_gap = min(0.0, height - thickness)
        if start_gap < -EXACT_START * thickness and row.feature != STRUCK:
            x, y, z = REAL(previous[i, 0]), REAL(previous[i, 1]), REAL(previous[i, 2])
            start_gap = _start_gap(contacts, x, y, z, collider, i, thickness)
        recovered = min(-start_gap, recovery)
        push = start_gap + recovered - row.distance
        if push <= 0:
            continue
        recovered = min(push, recovered)
        pair = contacts.pairs[collider, i]
        for k in range(3):
            positions[i, k] += push * row.normal[k]
            previous[i, k] += recovered * row.normal[k]
            pair.normal[k] = row.normal[k]
        pair.push += push - recovered
        pair.touched, pair.u, pair.v = t, row.u, row.v


@native
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
            t = pair.touched
            a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            along, carried, square = 0.0, 0.0, 0.0
            for k in range(3):
                step_a, step_b = now[a, k] - before[a, k], now[b, k] - before[b, k]
                step_c = now[c, k] - before[c, k]
                step = step_a + pair.u * (step_b - step_a) + pair.v * (step_c - step_a)
                pair.slide[k] = positions[i, k] - previous[i, k] - step
                along += pair.slide[k] * pair.normal[k]
                carried += step * pair.normal[k]
            for k in range(3):
                pair.slide[k] -= along * pair.normal[k]
                square += pair.slide[k] * pair.slide[k]
            rise = 0.0
            if len(contacts.incoming) > 0:
                rise = bounce(contacts, i, pair.normal, along, carried)
                for k in range(3):
                    positions[i, k] += rise * pair.normal[k]
            mean = sqrt(contacts.friction[i] * contacts.bodies[collider].friction)
            allowed = (pair.push + rise) * mean
            pair.push = 0.0
            length = sqrt(square)
            kept = 1.0 if length <= allowed else allowed / length
            for k in range(3):
                positions[i, k] -= kept * pair.slide[k]
