# SPDX-License-Identifier: GPL-3.0-or-later
"""Which triangles are near a particle.

Every collider has a balanced tree of boxes, stored implicitly: children of box k are 2k + 1 and
2k + 2, and leaf j of L holds triangles [j t / L, (j + 1) t / L). A particle asks it rarely: each
answer also says how far the particle may move before it has to ask again.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ..compiled import native
from .closest_point import closest_point
from .data import LIST_SIZE, UNKNOWN, Bodies, Contacts, Integers, Reals, Surface

UNLIMITED = 1e30
REAL = np.float64
ROUNDED_DOWN = 1.0 - 1e-6
ROUNDING = 1e-6


@native
def fit_boxes(surface: Surface, bodies: Bodies, collider: int) -> None:
    """Fit a collider's boxes to its vertices at the substep's end, in time linear in triangles."""
    boxes, triangles, vertices = bodies.boxes, surface.triangles, surface.now
    root, leaves = bodies.box_start[collider], bodies.leaves[collider]
    begin = bodies.triangle_start[collider]
    count = bodies.triangle_start[collider + 1] - begin
    for leaf in range(leaves):
        box = root + leaves - 1 + leaf
        for k in range(3):
            low, high = UNLIMITED, -UNLIMITED
            for t in range(begin + leaf * count // leaves, begin + (leaf + 1) * count // leaves):
                for corner in range(3):
                    value = vertices[triangles[t, corner], k]
                    low, high = min(low, value), max(high, value)
            boxes[box, k] = low - bodies.centres[collider, 3, k]
            boxes[box, 3 + k] = high - bodies.centres[collider, 3, k]
    for box in range(leaves - 2, -1, -1):
        for k in range(3):
            left, right = root + 2 * box + 1, root + 2 * box + 2
            boxes[root + box, k] = min(boxes[left, k], boxes[right, k])
            boxes[root + box, 3 + k] = max(boxes[left, 3 + k], boxes[right, 3 + k])
    bodies.drift[collider, 2] = bodies.drift[collider, 1]
    bodies.searched[collider] = 0


@native
def _outside(value: float, low: float, high: float) -> float:
    return max(0.0, max(low - value, value - high))


@native
def search(
    contacts: Contacts,
    collider: int,
    particle: int,
    x: float,
    y: float,
    z: float,
    known: float,
    thread: int,
) -> None:
    """Make the list of the triangles nearest to the point x, y, z, ``known`` to be that near.

    The list holds every triangle nearer than ``anchor[3]``: at least the closest one, and all
    within a margin of it as far as there is room.
    """
    surface, bodies, nearby = contacts.surface, contacts.bodies, contacts.nearby
    triangles, distances = nearby.triangles[collider, particle], nearby.distances[collider, particle]
    stack, pending = contacts.scratch.stack[thread], contacts.scratch.stack_distance[thread]
    vertices, corners, boxes = surface.now, surface.triangles, bodies.boxes
    centre, drift = bodies.centres[collider, 3], bodies.drift[collider]
    lx, ly, lz = x - centre[0], y - centre[1], z - centre[2]
    slack = abs(drift[1] - drift[2]) + ROUNDING * (abs(lx) + abs(ly) + abs(lz))
    root, leaves = bodies.box_start[collider], bodies.leaves[collider]
    begin = bodies.triangle_start[collider]
    total = bodies.triangle_start[collider + 1] - begin
    margin = bodies.margin[collider]
    reach, size, top, left, right = known + margin, 0, 1, 0.0, 0.0
    stack[0], pending[0] = 0, 0.0
    while top > 0:
        top -= 1
        if pending[top] > reach + slack:
            continue
        box = stack[top]
        if box < leaves - 1:
            for side in range(2):
                child = root + 2 * box + 1 + side
                dx = _outside(lx, boxes[child, 0], boxes[child, 3])
                dy = _outside(ly, boxes[child, 1], boxes[child, 4])
                dz = _outside(lz, boxes[child, 2], boxes[child, 5])
                left, right = right, sqrt(dx * dx + dy * dy + dz * dz)
            right_first = int(right < left)
            stack[top], pending[top] = 2 * box + 2 - right_first, max(left, right)
            stack[top + 1], pending[top + 1] = 2 * box + 1 + right_first, min(left, right)
            top += 2
            continue
        leaf = box - leaves + 1
        for t in range(begin + leaf * total // leaves, begin + (leaf + 1) * total // leaves):
            a, b, c = corners[t, 0], corners[t, 1], corners[t, 2]
            square, _, _, _ = closest_point(
                x, y, z,
                vertices[a, 0], vertices[a, 1], vertices[a, 2],
                vertices[b, 0], vertices[b, 1], vertices[b, 2],
                vertices[c, 0], vertices[c, 1], vertices[c, 2],
            )  # fmt: skip
            distance = sqrt(square) * ROUNDED_DOWN
            if distance < reach:
                place = min(size, LIST_SIZE - 1)
                while place > 0 and distances[place - 1] > distance:
                    triangles[place], distances[place] = triangles[place - 1], distances[place - 1]
                    place -= 1
                triangles[place], distances[place] = t, distance
                size = min(size + 1, LIST_SIZE)
                reach = min(reach, distances[0] + margin)
                if size == LIST_SIZE:
                    reach = min(reach, distances[LIST_SIZE - 1] * ROUNDED_DOWN)
    anchor = nearby.anchor[collider, particle]
    anchor[0], anchor[1], anchor[2], anchor[3], anchor[4] = lx, ly, lz, reach, drift[1]
    nearby.count[collider, particle] = size
    bodies.searched[collider] = 1


@native
def gather_near(
    contacts: Contacts, positions: Reals, collider: int, first: int, last: int
) -> int:
    """Collect the particles that have left their ball without contact; returns how many."""
    free, near = contacts.nearby.free, contacts.scratch.particles
    cx, cy, cz = (
        contacts.bodies.centres[collider, 3, 0],
        contacts.bodies.centres[collider, 3, 1],
        contacts.bodies.centres[collider, 3, 2],
    )
    drift = contacts.bodies.drift[collider, 1]
    count = 0
    for i in range(first, last):
        dx = positions[i, 0] - cx - free[collider, i, 0]
        dy = positions[i, 1] - cy - free[collider, i, 1]
        dz = positions[i, 2] - cz - free[collider, i, 2]
        radius = free[collider, i, 3] - drift
        square = dx * dx + dy * dy + dz * dz
        if radius > 0 and square < radius * radius:
            continue
        if positions[i, 3] > 0 and square < UNLIMITED:
            near[first + count] = i
            count += 1
    return count


@native
def find_closest(
    contacts: Contacts,
    positions: Reals,
    collider: int,
    first: int,
    count: int,
    thread: int,
) -> None:
    """Closest point on the collider for the near particles, into the scratch rows."""
    scratch = contacts.scratch
    for row in range(first, first + count):
        scratch.feature[row] = UNKNOWN
    _closest_listed(contacts, positions, collider, first, count, False)
    for row in range(first, first + count):
        if scratch.feature[row] == UNKNOWN:
            i, known = scratch.particles[row], scratch.distance[row]
            x, y, z = REAL(positions[i, 0]), REAL(positions[i, 1]), REAL(positions[i, 2])
            search(contacts, collider, i, x, y, z, known, thread)
    _closest_listed(contacts, positions, collider, first, count, True)


@native
def _closest_listed(
    contacts: Contacts, positions: Reals, collider: int, first: int, count: int, fresh: bool
) -> None:
    """Closest points on the listed triangles for the scratch rows that have none.

    Unless lists are ``fresh``, UNKNOWN remains where a triangle that is not listed may be nearer.
    """
    nearby, scratch = contacts.nearby, contacts.scratch
    vertices, corners, anchor = contacts.surface.now, contacts.surface.triangles, nearby.anchor
    triangles, distances = nearby.triangles, nearby.distances
    centre, drift = contacts.bodies.centres, contacts.bodies.drift[collider, 1]
    cx, cy, cz = centre[collider, 3, 0], centre[collider, 3, 1], centre[collider, 3, 2]
    for row in range(first, first + count):
        if scratch.feature[row] != UNKNOWN:
            continue
        i = scratch.particles[row]
        x, y, z = REAL(positions[i, 0]), REAL(positions[i, 1]), REAL(positions[i, 2])
        dx = x - cx - anchor[collider, i, 0]
        dy = y - cy - anchor[collider, i, 1]
        dz = z - cz - anchor[collider, i, 2]
        moved = sqrt(dx * dx + dy * dy + dz * dz) + abs(drift - anchor[collider, i, 4])
        best, distance, nearest, u, v, feature = UNLIMITED, UNLIMITED, -1, 0.0, 0.0, UNKNOWN
        for k in range(nearby.count[collider, i]):
            if distances[collider, i, k] - moved > distance:
                break
            t = triangles[collider, i, k]
            a, b, c = corners[t, 0], corners[t, 1], corners[t, 2]
            square, u_t, v_t, feature_t = closest_point(
                x, y, z,
                vertices[a, 0], vertices[a, 1], vertices[a, 2],
                vertices[b, 0], vertices[b, 1], vertices[b, 2],
                vertices[c, 0], vertices[c, 1], vertices[c, 2],
            )  # fmt: skip
            if square < best:
                best, nearest, u, v, feature = square, t, u_t, v_t, feature_t
                distance = sqrt(square)
        complete = fresh or distance <= anchor[collider, i, 3] - moved
        scratch.distance[row], scratch.triangle[row] = distance, nearest
        scratch.weights[row, 0], scratch.weights[row, 1] = u, v
        scratch.feature[row] = feature if complete else UNKNOWN
