# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles that went through a triangle within a substep.

Both the particle and the triangle's corners move evenly. The particle crosses if it changes from
one side of the triangle's plane to the other; the moment is where its height above the plane,
taken as linear in time, is zero.
"""

from __future__ import annotations

from math import sqrt

from ..compiled import native
from .broad_phase import REAL, ROUNDING
from .closest_point import unit_normal
from .data import LEAST_THICKNESS, STRUCK, Contacts, Integers, Reals

OVERLAP = 1e-3
"""By how much, in barycentric weight, triangles are enlarged so that none slips through a seam."""

NEVER = 2.0


@native
def _height(vertices: Reals, triangles: Integers, t: int, point: Reals) -> tuple[float, bool]:
    nx, ny, nz, proper = unit_normal(vertices, triangles, t)
    corner = vertices[triangles[t, 0]]
    dx, dy, dz = point[0] - corner[0], point[1] - corner[1], point[2] - corner[2]
    return nx * dx + ny * dy + nz * dz, proper


@native
def crossing(
    before: Reals,
    now: Reals,
    triangles: Integers,
    t: int,
    two_sided: bool,
    start: Reals,
    end: Reals,
) -> tuple[float, float, float, float]:
    """When and where a particle that moves from ``start`` to ``end`` crosses triangle t.

    Returns:
        moment in [0, 1] or NEVER, weights u and v of the crossing point, and the side it came
        from (1 or -1).
    """
    height0, proper0 = _height(before, triangles, t, start)
    height1, proper1 = _height(now, triangles, t, end)
    from_outside = height0 >= 0 and height1 < 0
    from_inside = two_sided and height0 < 0 and height1 >= 0
    if not (proper0 and proper1 and (from_outside or from_inside)):
        return NEVER, 0.0, 0.0, 0.0
    moment = height0 / (height0 - height1)
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    ab_ab, ac_ac, ab_ac, ab_ap, ac_ap = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        origin = before[a, k] + moment * (now[a, k] - before[a, k])
        ab = before[b, k] + moment * (now[b, k] - before[b, k]) - origin
        ac = before[c, k] + moment * (now[c, k] - before[c, k]) - origin
        ap = start[k] + moment * (end[k] - start[k]) - origin
        ab_ab += ab * ab
        ac_ac += ac * ac
        ab_ac += ab * ac
        ab_ap += ab * ap
        ac_ap += ac * ap
    area = ab_ab * ac_ac - ab_ac * ab_ac
    u = ac_ac * ab_ap - ab_ac * ac_ap
    v = ab_ab * ac_ap - ab_ac * ab_ap
    if not (area > 0 and min(u, min(v, area - u - v)) >= -OVERLAP * area):
        return NEVER, 0.0, 0.0, 0.0
    return moment, u / area, v / area, 1.0 if from_outside else -1.0


@native
def _overlap(boxes: Reals, box: int, start: Reals, end: Reals, slack: float) -> bool:
    for k in range(3):
        if max(start[k], end[k]) + slack < boxes[box, k]:
            return False
        if min(start[k], end[k]) - slack > boxes[box, 3 + k]:
            return False
    return True


@native
def first_crossing(
    contacts: Contacts, collider: int, row: int, thread: int
) -> tuple[bool, float]:
    """Find the first triangle that a particle crosses on ``scratch.path[thread]``.

    Writes triangle, weights, normal (towards the side it came from) into the scratch row.

    Returns:
        whether there is one, and the height of the path's end above its plane [m].
    """
    surface, bodies, scratch = contacts.surface, contacts.bodies, contacts.scratch
    stack, drift = scratch.stack[thread], bodies.drift[collider]
    centres = bodies.centres[collider]
    path = scratch.path[thread]
    start, end, local_start, local_end = path[0], path[1], path[2], path[3]
    slack = abs(drift[1] - drift[2]) + abs(drift[1] - drift[0])
    for k in range(3):
        local_start[k], local_end[k] = start[k] - centres[2, k], end[k] - centres[3, k]
        slack += ROUNDING * (abs(local_start[k]) + abs(local_end[k]))
    root, leaves = bodies.box_start[collider], bodies.leaves[collider]
    begin = bodies.triangle_start[collider]
    total = bodies.triangle_start[collider + 1] - begin
    best, from_side, top = NEVER, 1.0, 1
    stack[0] = 0
    while top > 0:
        top -= 1
        box = stack[top]
        if not _overlap(bodies.boxes, root + box, local_start, local_end, slack):
            continue
        if box < leaves - 1:
            stack[top], stack[top + 1] = 2 * box + 1, 2 * box + 2
            top += 2
            continue
        leaf = box - leaves + 1
        for t in range(begin + leaf * total // leaves, begin + (leaf + 1) * total // leaves):
            moment, u, v, side_t = crossing(
                surface.before, surface.now, surface.triangles, t,
                bodies.two_sided[collider] != 0,
                start, end,
            )  # fmt: skip
            if moment < best:
                best, from_side = moment, side_t
                scratch.triangle[row] = t
                scratch.weights[row, 0], scratch.weights[row, 1] = u, v
    if best == NEVER:
        return False, 0.0
    t = scratch.triangle[row]
    nx, ny, nz, _ = unit_normal(surface.now, surface.triangles, t)
    scratch.normal[row, 0] = from_side * nx
    scratch.normal[row, 1] = from_side * ny
    scratch.normal[row, 2] = from_side * nz
    scratch.feature[row] = STRUCK
    end_height, _ = _height(surface.now, surface.triangles, t, end)
    return True, from_side * end_height


@native
def _strike(contacts: Contacts, positions: Reals, body: int, row: int, thread: int) -> None:
    """Turn a scratch row into contact with the triangle that a particle went through, if any.

    The particle goes back to the side it came from. If that way leads through a second triangle,
    it stays where it met the second.
    """
    scratch, vertices = contacts.scratch, contacts.surface.now
    i, end = scratch.particles[row], scratch.path[thread, 1]
    thickness = contacts.particle_thickness[i] + contacts.bodies.thickness[body]
    thickness = max(LEAST_THICKNESS, thickness)
    hit, height = first_crossing(contacts, body, row, thread)
    if not hit:
        return
    scratch.distance[row] = height - thickness
    for k in range(3):
        end[k] += (thickness - height) * scratch.normal[row, k]
    again, height = first_crossing(contacts, body, row, thread)
    if again:
        u, v = scratch.weights[row, 0], scratch.weights[row, 1]
        t, triangles = scratch.triangle[row], contacts.surface.triangles
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        for k in range(3):
            way = u * (vertices[b, k] - vertices[a, k]) + v * (vertices[c, k] - vertices[a, k])
            positions[i, k] = vertices[a, k] + way
        scratch.distance[row] = -thickness


@native
def find_strikes(
    contacts: Contacts,
    positions: Reals,
    previous: Reals,
    body: int,
    first: int,
    count: int,
    thread: int,
) -> None:
    """Look for crossed triangles where a particle moved farther than it is from the collider.

    A scratch row with a crossing gets the feature STRUCK, the normal towards the side that the
    particle came from, and the gap beyond the thickness in place of the distance.
    """
    scratch, path = contacts.scratch, contacts.scratch.path[thread]
    centre, drift = contacts.bodies.centres[body], contacts.bodies.drift[body]
    drifted = abs(drift[1] - drift[0])
    shift_x, shift_y = centre[3, 0] - centre[2, 0], centre[3, 1] - centre[2, 1]
    shift_z = centre[3, 2] - centre[2, 2]
    for row in range(first, first + count):
        i = scratch.particles[row]
        dx = REAL(positions[i, 0]) - REAL(previous[i, 0]) - shift_x
        dy = REAL(positions[i, 1]) - REAL(previous[i, 1]) - shift_y
        dz = REAL(positions[i, 2]) - REAL(previous[i, 2]) - shift_z
        if scratch.distance[row] <= sqrt(dx * dx + dy * dy + dz * dz) + drifted:
            for k in range(3):
                path[0, k], path[1, k] = previous[i, k], positions[i, k]
            _strike(contacts, positions, body, row, thread)
