# SPDX-License-Identifier: GPL-3.0-or-later
"""Particles that went through a triangle within a substep.

Both the particle and the triangle's corners move evenly. The particle crosses if it changes from
one side of the triangle's plane to the other; the moment is where its height above the plane,
taken as linear in time, is zero.
"""

from __future__ import annotations

from math import sqrt

from ..native.compiled import native_part
from ..native.vectors import (
    Vector,
    add_scaled,
    add_to,
    corners_of,
    dot,
    load,
    row_of,
    scale,
    spanned,
    store,
    subtract,
)
from .broad_phase import ROUNDING
from .closest_point import unit_normal
from .data import LEAST_THICKNESS, STRUCK, Contacts, Integers, Meshes, Reals, Records
from .motion import pace_of

OVERLAP = 1e-3
"""By how much, in barycentric weight, triangles are enlarged so that none slips through a seam."""

NEVER = 2.0


@native_part
def _height(vertices: Reals, triangles: Integers, t: int, point: Vector) -> tuple[float, bool]:
    normal, proper = unit_normal(vertices, triangles, t)
    return dot(normal, subtract(point, row_of(vertices, triangles[t, 0]))), proper


@native_part
def _on_the_way(moment: float, start: Vector, end: Vector) -> Vector:
    return add_scaled(start, moment, subtract(end, start))


@native_part
def crossing(
    meshes: Meshes, t: int, two_sided: bool, start: Vector, end: Vector
) -> tuple[float, float, float, float]:
    """When and where a particle that moves from ``start`` to ``end`` crosses triangle t.

    Returns:
        moment in [0, 1] or NEVER, weights u and v of the crossing point, and the side it came
        from (1 or -1).
    """
    before, now = meshes.before, meshes.now
    height0, proper0 = _height(before, meshes.triangles, t, start)
    height1, proper1 = _height(now, meshes.triangles, t, end)
    from_outside = height0 >= 0 and height1 < 0
    from_inside = two_sided and height0 < 0 and height1 >= 0
    if not (proper0 and proper1 and (from_outside or from_inside)):
        return NEVER, 0.0, 0.0, 0.0
    moment = height0 / (height0 - height1)
    a0, b0, c0 = corners_of(before, meshes.triangles, t)
    a1, b1, c1 = corners_of(now, meshes.triangles, t)
    origin = _on_the_way(moment, a0, a1)
    ab = subtract(_on_the_way(moment, b0, b1), origin)
    ac = subtract(_on_the_way(moment, c0, c1), origin)
    ap = subtract(_on_the_way(moment, start, end), origin)
    ab_ab, ac_ac, ab_ac = dot(ab, ab), dot(ac, ac), dot(ab, ac)
    ab_ap, ac_ap = dot(ab, ap), dot(ac, ap)
    area = ab_ab * ac_ac - ab_ac * ab_ac
    u = ac_ac * ab_ap - ab_ac * ac_ap
    v = ab_ab * ac_ap - ab_ac * ab_ap
    if not (area > 0 and min(u, min(v, area - u - v)) >= -OVERLAP * area):
        return NEVER, 0.0, 0.0, 0.0
    return moment, u / area, v / area, 1.0 if from_outside else -1.0


@native_part
def _overlap(contacts: Contacts, box: int, collider: Records, worker: Records) -> bool:
    """Whether a worker's way may lead through a box on its own way."""
    boxes, ways, before, now = (
        contacts.boxes,
        contacts.ways,
        collider.fraction_before,
        collider.fraction,
    )
    for k in range(3):
        start, end = worker.start[k], worker.end[k]
        slack = ROUNDING * (abs(start) + abs(end))
        low = boxes[box, k] + min(before * ways[box, k], now * ways[box, k])
        high = boxes[box, 3 + k] + max(before * ways[box, 3 + k], now * ways[box, 3 + k])
        if max(start, end) + slack < low or min(start, end) - slack > high:
            return False
    return True


@native_part
def first_crossing(contacts: Contacts, number: int, index: int, thread: int) -> tuple[bool, float]:
    """Find the first triangle that a particle crosses on its worker's way.

    Writes triangle, weights and normal (towards the side it came from) into the candidate.

    Returns:
        whether there is one, and the height of the way's end above its plane [m].
    """
    meshes, collider = contacts.meshes, contacts.colliders[number]
    candidate, worker = contacts.candidates[index], contacts.workers[thread]
    leaves, begin, total = collider.leaves, collider.triangle_start, collider.triangle_count
    start, end = load(worker.start), load(worker.end)
    best, from_side, top = NEVER, 1.0, 1
    worker.stack[0] = 0
    while top > 0:
        top -= 1
        box = worker.stack[top]
        if not _overlap(contacts, collider.box_start + box, collider, worker):
            continue
        if box < leaves - 1:
            worker.stack[top], worker.stack[top + 1] = 2 * box + 1, 2 * box + 2
            top += 2
            continue
        # Triangles are divided evenly among the leaves, in the order of the tree.
        leaf = box - leaves + 1
        for t in range(begin + leaf * total // leaves, begin + (leaf + 1) * total // leaves):
            moment, u, v, side_t = crossing(meshes, t, collider.two_sided == 1, start, end)
            if moment < best:
                best, from_side = moment, side_t
                candidate.triangle, candidate.u, candidate.v = t, u, v
    if best == NEVER:
        return False, 0.0
    # The triangle as it is now: what counts is on which side of it the particle has ended.
    normal, _ = unit_normal(meshes.now, meshes.triangles, candidate.triangle)
    store(candidate.normal, scale(from_side, normal))
    candidate.feature = STRUCK
    end_height, _ = _height(meshes.now, meshes.triangles, candidate.triangle, end)
    return True, from_side * end_height


@native_part
def thickness_of(contacts: Contacts, number: int, i: int) -> float:
    """How far [m] particle i stays away from a collider."""
    return max(LEAST_THICKNESS, contacts.thickness[i] + contacts.colliders[number].thickness)


@native_part
def _strike(contacts: Contacts, positions: Reals, number: int, index: int, thread: int) -> None:
    """Turn a candidate into contact with the triangle that a particle went through, if any.

    The particle goes back to the side it came from. If that way leads through a second triangle,
    it stays where it met the second.
    """
    candidate, end = contacts.candidates[index], contacts.workers[thread].end
    thickness = thickness_of(contacts, number, candidate.particle)
    hit, height = first_crossing(contacts, number, index, thread)
    if not hit:
        return
    candidate.distance = height - thickness
    add_to(end, thickness - height, load(candidate.normal))
    again, height = first_crossing(contacts, number, index, thread)
    if again:
        meshes = contacts.meshes
        met = spanned(
            corners_of(meshes.now, meshes.triangles, candidate.triangle), candidate.u, candidate.v
        )
        store(positions[candidate.particle], met)
        candidate.distance = -thickness


@native_part
def find_strikes(
    contacts: Contacts,
    positions: Reals,
    previous: Reals,
    number: int,
    first: int,
    count: int,
    thread: int,
) -> None:
    """Look for crossed triangles where a particle moved farther than it is from the collider.

    A candidate with a crossing gets the feature STRUCK, the normal towards the side that it came
    from, and the gap beyond the thickness in place of the distance.
    """
    collider, worker = contacts.colliders[number], contacts.workers[thread]
    part = collider.fraction - collider.fraction_before
    for index in range(first, first + count):
        candidate = contacts.candidates[index]
        start, end = row_of(previous, candidate.particle), row_of(positions, candidate.particle)
        companion = load(contacts.pairs[number, candidate.particle].companion)
        way = add_scaled(subtract(end, start), -part, companion)
        most = part * pace_of(contacts.ways, collider.box_start, companion)
        if candidate.distance <= sqrt(dot(way, way)) + most:
            store(worker.start, start)
            store(worker.end, end)
            _strike(contacts, positions, number, index, thread)
