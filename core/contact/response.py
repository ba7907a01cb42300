# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens on contact: particles stay a thickness away from surfaces, and rub on them.

Called by a solver's native loop, in every substep: ``begin_substep`` by one thread, then
``project`` after the constraints of each iteration and ``apply_friction`` at the end, both by
every thread on its own range of particles.
"""

from __future__ import annotations

from math import sqrt

from ..compiled import native
from .broad_phase import REAL, UNLIMITED, find_closest, fit_boxes, gather_near
from .closest_point import closest_point, face_side, side, unit_normal
from .crossing import find_strikes
from .data import FACE, LEAST_THICKNESS, STRUCK, Contacts, Reals

TOUCHED = 1e-9

EXACT_START = 1e-3
"""Start penetrations above this part of the thickness are measured on the mesh, not a plane."""


@native
def begin_substep(contacts: Contacts, fraction0: float, fraction1: float) -> None:
    """Move the colliders to the part of the frame between two fractions of it."""
    surface, bodies = contacts.surface, contacts.bodies
    contacts.recovery[2] = contacts.recovery[0] * contacts.recovery[1] * (fraction1 - fraction0)
    for body in range(len(bodies.moving)):
        if bodies.moving[body] == 0:
            continue
        for i in range(bodies.vertex_start[body], bodies.vertex_start[body + 1]):
            for k in range(3):
                way = surface.last[i, k] - surface.first[i, k]
                surface.before[i, k] = surface.first[i, k] + fraction0 * way
                surface.now[i, k] = surface.first[i, k] + fraction1 * way
        for k in range(3):
            way = bodies.centres[body, 1, k] - bodies.centres[body, 0, k]
            bodies.centres[body, 2, k] = bodies.centres[body, 0, k] + fraction0 * way
            bodies.centres[body, 3, k] = bodies.centres[body, 0, k] + fraction1 * way
        bodies.drift[body, 0] = fraction0 * bodies.speed[body]
        bodies.drift[body, 1] = fraction1 * bodies.speed[body]
        loose = abs(bodies.drift[body, 1] - bodies.drift[body, 2]) > 0.5 * bodies.margin[body]
        if loose and bodies.searched[body] != 0:
            fit_boxes(surface, bodies, body)


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
    for body in range(len(contacts.bodies.moving)):
        near = gather_near(contacts, positions, body, first, last)
        if near > 0:
            find_closest(contacts, positions, body, first, near, thread)
            find_strikes(contacts, positions, previous, body, first, near, thread)
            _find_gaps(contacts, positions, body, first, near)
            _push_out(contacts, positions, previous, body, first, near)


@native
def _find_gaps(contacts: Contacts, positions: Reals, body: int, first: int, count: int) -> None:
    """Turn distances into gaps beyond the thickness, negative on contact, and find normals."""
    surface, scratch, free = contacts.surface, contacts.scratch, contacts.nearby.free
    vertices, triangles, normal = surface.now, surface.triangles, scratch.normal
    centre, drift = contacts.bodies.centres[body, 3], contacts.bodies.drift[body, 1]
    two_sided = contacts.bodies.two_sided[body] != 0
    body_thickness = contacts.bodies.thickness[body]
    for row in range(first, first + count):
        if scratch.feature[row] == STRUCK:
            continue
        i, t, distance = scratch.particles[row], scratch.triangle[row], scratch.distance[row]
        u, v, feature = scratch.weights[row, 0], scratch.weights[row, 1], scratch.feature[row]
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        x, y, z = REAL(positions[i, 0]), REAL(positions[i, 1]), REAL(positions[i, 2])
        rest = 1.0 - u - v
        dx = x - (rest * vertices[a, 0] + u * vertices[b, 0] + v * vertices[c, 0])
        dy = y - (rest * vertices[a, 1] + u * vertices[b, 1] + v * vertices[c, 1])
        dz = z - (rest * vertices[a, 2] + u * vertices[b, 2] + v * vertices[c, 2])
        sign = 1.0
        if not two_sided and feature == FACE:
            sign = face_side(
                dx, dy, dz,
                vertices[a, 0], vertices[a, 1], vertices[a, 2],
                vertices[b, 0], vertices[b, 1], vertices[b, 2],
                vertices[c, 0], vertices[c, 1], vertices[c, 2],
            )  # fmt: skip
        if not two_sided and (feature != FACE or sign == 0):
            sign = side(
                vertices, triangles, surface.neighbours, surface.welded,
                surface.fan_start, surface.fan, surface.border, t, feature, dx, dy, dz,
            )  # fmt: skip
        thickness = max(LEAST_THICKNESS, contacts.particle_thickness[i] + body_thickness)
        gap = sign * distance - thickness
        if sign < 0 and surface.solid[t] == 0 and distance > thickness:
            gap = distance - thickness
        scratch.distance[row] = gap
        if gap >= 0:
            free[body, i, 0], free[body, i, 1] = x - centre[0], y - centre[1]
            free[body, i, 2], free[body, i, 3] = z - centre[2], gap + drift
        elif distance > TOUCHED:
            scale = sign / distance
            normal[row, 0], normal[row, 1], normal[row, 2] = dx * scale, dy * scale, dz * scale
        else:
            nx, ny, nz, _ = unit_normal(vertices, triangles, t)
            normal[row, 0], normal[row, 1], normal[row, 2] = nx, ny, nz


@native
def _start_gap(
    contacts: Contacts, previous: Reals, body: int, particle: int, thickness: float
) -> float:
    """Gap of a particle at the substep's start, measured on its list of triangles."""
    surface, nearby, bodies = contacts.surface, contacts.nearby, contacts.bodies
    x, y, z = REAL(previous[particle, 0]), REAL(previous[particle, 1]), REAL(previous[particle, 2])
    best, t, u, v, feature = UNLIMITED, 0, 0.0, 0.0, FACE
    vertices, corners = surface.before, surface.triangles
    for k in range(nearby.count[body, particle]):
        near = nearby.triangles[body, particle, k]
        a, b, c = corners[near, 0], corners[near, 1], corners[near, 2]
        square, u_k, v_k, feature_k = closest_point(
            x, y, z,
            vertices[a, 0], vertices[a, 1], vertices[a, 2],
            vertices[b, 0], vertices[b, 1], vertices[b, 2],
            vertices[c, 0], vertices[c, 1], vertices[c, 2],
        )  # fmt: skip
        if square < best:
            best, t, u, v, feature = square, near, u_k, v_k, feature_k
    distance = sqrt(best)
    if bodies.two_sided[body] != 0:
        return min(0.0, distance - thickness)
    a, b, c, rest = corners[t, 0], corners[t, 1], corners[t, 2], 1.0 - u - v
    sign = side(
        vertices, corners, surface.neighbours, surface.welded,
        surface.fan_start, surface.fan, surface.border, t, feature,
        x - (rest * vertices[a, 0] + u * vertices[b, 0] + v * vertices[c, 0]),
        y - (rest * vertices[a, 1] + u * vertices[b, 1] + v * vertices[c, 1]),
        z - (rest * vertices[a, 2] + u * vertices[b, 2] + v * vertices[c, 2]),
    )  # fmt: skip
    return min(0.0, sign * distance - thickness)


@native
def _push_out(
    contacts: Contacts, positions: Reals, previous: Reals, body: int, first: int, count: int
) -> None:
    """Close negative gaps; undo what a particle started with gently and without velocity."""
    scratch, touching = contacts.scratch, contacts.touching
    before, triangles = contacts.surface.before, contacts.surface.triangles
    normal = scratch.normal
    body_thickness, recovery = contacts.bodies.thickness[body], contacts.recovery[2]
    for row in range(first, first + count):
        gap = scratch.distance[row]
        if gap >= 0:
            continue
        i, t = scratch.particles[row], scratch.triangle[row]
        u, v = scratch.weights[row, 0], scratch.weights[row, 1]
        thickness = max(LEAST_THICKNESS, contacts.particle_thickness[i] + body_thickness)
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        height = 0.0
        for k in range(3):
            way = u * (before[b, k] - before[a, k]) + v * (before[c, k] - before[a, k])
            height += (previous[i, k] - before[a, k] - way) * normal[row, k]
        start_gap = min(0.0, height - thickness)
        if start_gap < -EXACT_START * thickness and scratch.feature[row] != STRUCK:
            start_gap = _start_gap(contacts, previous, body, i, thickness)
        recovered = min(-start_gap, recovery)
        push = start_gap + recovered - gap
        if push <= 0:
            continue
        recovered = min(push, recovered)
        for k in range(3):
            positions[i, k] += push * normal[row, k]
            previous[i, k] += recovered * normal[row, k]
            touching.normal[body, i, k] = normal[row, k]
        touching.push[body, i] += push - recovered
        touching.triangle[body, i] = t
        touching.weights[body, i, 0], touching.weights[body, i, 1] = u, v


@native
def apply_friction(
    contacts: Contacts, positions: Reals, previous: Reals, first: int, last: int
) -> None:
    """Coulomb friction of particles [first, last), once at the end of each substep.

    Sliding over the collider's own motion is undone up to √(μ particle μ collider) × push.
    """
    touching, bodies, surface = contacts.touching, contacts.bodies, contacts.surface
    normal, slide = touching.normal, touching.slide
    for body in range(len(bodies.moving)):
        for i in range(first, last):
            push = touching.push[body, i]
            if push <= 0:
                continue
            touching.push[body, i] = 0.0
            allowed = push * sqrt(contacts.particle_friction[i] * bodies.friction[body])
            u, v = touching.weights[body, i, 0], touching.weights[body, i, 1]
            t, triangles = touching.triangle[body, i], surface.triangles
            a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            along, square = 0.0, 0.0
            for k in range(3):
                step_a = surface.now[a, k] - surface.before[a, k]
                step_b = surface.now[b, k] - surface.before[b, k]
                step_c = surface.now[c, k] - surface.before[c, k]
                step = step_a + u * (step_b - step_a) + v * (step_c - step_a)
                slide[body, i, k] = positions[i, k] - previous[i, k] - step
                along += slide[body, i, k] * normal[body, i, k]
            for k in range(3):
                slide[body, i, k] -= along * normal[body, i, k]
                square += slide[body, i, k] * slide[body, i, k]
            length = sqrt(square)
            kept = 1.0 if length <= allowed else allowed / length
            for k in range(3):
                positions[i, k] -= kept * slide[body, i, k]
