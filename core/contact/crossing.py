# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles that went through a triangle within a substep.

Both the particle and the triangle's corners move evenly. The particle crosses if it changes from
one side of the triangle's plane to the other; the moment is where its height above the plane,
taken as linear in time, is zero.
"""

from __future__ import annotations

from math import sqrt

from ..compiled import native_part
from .broad_phase import ROUNDING
from .closest_point import unit_normal
from .data import LEAST_THICKNESS, STRUCK, Contacts, Integers, Reals, Records, Surface

OVERLAP = 1e-3
"""By how much, in barycentric weight, triangles are enlarged so that none slips through a seam."""

NEVER = 2.0


@native_part
def _height(vertices: Reals, triangles: Integers, t: int, point: Reals) -> tuple[float, bool]:
    nx, ny, nz, proper = unit_normal(vertices, triangles, t)
    a = triangles[t, 0]
    dx, dy, dz = point[0] - vertices[a, 0], point[1] - vertices[a, 1], point[2] - vertices[a, 2]
    return nx * dx + ny * dy + nz * dz, proper


@native_part
def crossing(
    surface: Surface, t: int, two_sided: bool, start: Reals, end: Reals
) -> tuple[float, float, float, float]:
    """When and where a particle that moves from ``start`` to ``end`` crosses triangle t.

    Returns:
        moment in [0, 1] or NEVER, weights u and v of the crossing point, and the side it came
        from (1 or -1).
    """
    before, now = surface.before, surface.now
    height0, proper0 = _height(before, surface.triangles, t, start)
    height1, proper1 = _height(now, surface.triangles, t, end)
    from_outside = height0 >= 0 and height1 < 0
    from_inside = two_sided and height0 < 0 and height1 >= 0
    if not (proper0 and proper1 and (from_outside or from_inside)):
        return NEVER, 0.0, 0.0, 0.0
    moment = height0 / (height0 - height1)
    a, b, c = surface.triangles[t, 0], surface.triangles[t, 1], surface.triangles[t, 2]
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


@native_part
def _overlap(boxes: Reals, box: int, worker: Records, slack: float) -> bool:
    for k in range(3):
        if max(worker.local_start[k], worker.local_end[k]) + slack < boxes[box, k]:
            return False
        if min(worker.local_start[k], worker.local_end[k]) - slack > boxes[box, 3 + k]:
            return False
    return True


@native_part
def _localise_way(body: Records, worker: Records) -> float:
    """A worker's way in the collider's space; returns by how much rounding may displace it."""
    rounding = 0.0
    for k in range(3):
        start, end = 0.0, 0.0
        for j in range(3):
            start += body.axes_before[j, k] * (worker.start[j] - body.centre_before[j])
            end += body.axes[j, k] * (worker.end[j] - body.centre[j])
        worker.local_start[k], worker.local_end[k] = start, end
        rounding += ROUNDING * (abs(start) + abs(end))
    return rounding


@native_part
def first_crossing(
    contacts: Contacts, collider: int, index: int, detour: float, thread: int
) -> tuple[bool, float]:
    """Find the first triangle that a particle crosses on its worker's way.

    ``detour`` bounds how far the way strays from a straight line in the collider's space [m].
    Writes triangle, weights and normal (towards the side it came from) into the row.

    Returns:
        whether there is one, and the height of the way's end above its plane [m].
    """
    surface, body = contacts.surface, contacts.bodies[collider]
    row, worker = contacts.rows[index], contacts.workers[thread]
    slack = abs(body.drift - body.drift_fitted) + abs(body.drift - body.drift_before) + detour
    slack += _localise_way(body, worker)
    leaves, begin, total = body.leaves, body.triangle_start, body.triangle_count
    best, from_side, top = NEVER, 1.0, 1
    worker.stack[0] = 0
    while top > 0:
        top -= 1
        box = worker.stack[top]
        if not _overlap(contacts.boxes, body.box_start + box, worker, slack):
            continue
        if box < leaves - 1:
            worker.stack[top], worker.stack[top + 1] = 2 * box + 1, 2 * box + 2
            top += 2
            continue
        leaf = box - leaves + 1
        for t in range(begin + leaf * total // leaves, begin + (leaf + 1) * total // leaves):
            moment, u, v, side_t = crossing(
                surface, t, body.two_sided == 1, worker.start, worker.end
            )
            if moment < best:
                best, from_side = moment, side_t
                row.triangle, row.u, row.v = t, u, v
    if best == NEVER:
        return False, 0.0
    nx, ny, nz, _ = unit_normal(surface.now, surface.triangles, row.triangle)
    row.normal[0], row.normal[1], row.normal[2] = from_side * nx, from_side * ny, from_side * nz
    row.feature = STRUCK
    end_height, _ = _height(surface.now, surface.triangles, row.triangle, worker.end)
    return True, from_side * end_height


@native_part
def _strike(
    contacts: Contacts, positions: Reals, collider: int, index: int, detour: float, thread: int
) -> None:
    """Turn a row into contact with the triangle that a particle went through, if any.

    The particle goes back to the side it came from. If that way leads through a second triangle,
    it stays where it met the second.
    """
    row, end = contacts.rows[index], contacts.workers[thread].end
    thickness = contacts.thickness[row.particle] + contacts.bodies[collider].thickness
    thickness = max(LEAST_THICKNESS, thickness)
    hit, height = first_crossing(contacts, collider, index, detour, thread)
    if not hit:
        return
    row.distance = height - thickness
    for k in range(3):
        end[k] += (thickness - height) * row.normal[k]
    again, height = first_crossing(contacts, collider, index, detour + thickness - height, thread)
    if again:
        vertices, triangles, t = contacts.surface.now, contacts.surface.triangles, row.triangle
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        for k in range(3):
            way_b, way_c = vertices[b, k] - vertices[a, k], vertices[c, k] - vertices[a, k]
            positions[row.particle, k] = vertices[a, k] + row.u * way_b + row.v * way_c
        row.distance = -thickness


@native_part
def find_strikes(
    contacts: Contacts,
    positions: Reals,
    previous: Reals,
    collider: int,
    first: int,
    count: int,
    thread: int,
) -> None:
    """Look for crossed triangles where a particle moved farther than it is from the collider.

    A row with a crossing gets the feature STRUCK, the normal towards the side that the particle
    came from, and the gap beyond the thickness in place of the distance.
    """
    body, worker = contacts.bodies[collider], contacts.workers[thread]
    drifted = abs(body.drift - body.drift_before)
    wx, wy, wz = body.spin[0], body.spin[1], body.spin[2]
    turning = wx != 0 or wy != 0 or wz != 0
    for index in range(first, first + count):
        row = contacts.rows[index]
        i, travel = row.particle, 0.0
        px = previous[i, 0] - body.centre_before[0]
        py = previous[i, 1] - body.centre_before[1]
        pz = previous[i, 2] - body.centre_before[2]
        dx = positions[i, 0] - body.centre[0] - px
        dy = positions[i, 1] - body.centre[1] - py
        dz = positions[i, 2] - body.centre[2] - pz
        for _ in range(2):
            vx, vy = dx - (wy * pz - wz * py), dy - (wz * px - wx * pz)
            vz = dz - (wx * py - wy * px)
            travel = max(travel, sqrt(vx * vx + vy * vy + vz * vz))
            px, py, pz = px + dx, py + dy, pz + dz
        if row.distance <= travel + drifted:
            for k in range(3):
                worker.start[k], worker.end[k] = previous[i, k], positions[i, k]
            _strike(contacts, positions, collider, index, 0.5 * travel if turning else 0.0, thread)
