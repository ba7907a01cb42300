# SPDX-License-Identifier: GPL-3.0-or-later
"""Which triangles are near a particle.

Every collider has a balanced tree of boxes, stored implicitly: children of box k are 2k + 1 and
2k + 2, and leaf j of L holds triangles [j t / L, (j + 1) t / L). A particle asks it rarely: each
answer also says how far the particle may move before it has to ask again.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from ..native.compiled import native, native_part
from .closest_point import closest_point
from .data import LIST_SIZE, LISTED, UNKNOWN, Contacts, Reals, Records
from .motion import localise
from .vectors import Vector, columns_of, corners_of, dot, load, row_of, store, subtract

UNLIMITED = 1e30
INDEX: Any = np.int64
ROUNDED_DOWN = 1.0 - 1e-6
ROUNDING = 1e-6


@native
def fit_boxes(contacts: Contacts, number: int) -> None:
    """Fit a collider's boxes to its vertices at the substep's end, in time linear in triangles."""
    boxes, collider = contacts.boxes, contacts.colliders[number]
    triangles, vertices = contacts.surface.triangles, contacts.surface.now
    root, leaves = collider.box_start, collider.leaves
    begin, count = collider.triangle_start, collider.triangle_count
    for leaf in range(leaves):
        box = root + leaves - 1 + leaf
        for k in range(3):
            low, high = UNLIMITED, -UNLIMITED
            for t in range(begin + leaf * count // leaves, begin + (leaf + 1) * count // leaves):
                for corner in range(3):
                    vertex, value = triangles[t, corner], 0.0
                    for j in range(3):
                        value += collider.axes[j, k] * (vertices[vertex, j] - collider.centre[j])
                    low, high = min(low, value), max(high, value)
            boxes[box, k], boxes[box, 3 + k] = low, high
    for box in range(leaves - 2, -1, -1):
        left, right = root + 2 * box + 1, root + 2 * box + 2
        for k in range(3):
            boxes[root + box, k] = min(boxes[left, k], boxes[right, k])
            boxes[root + box, 3 + k] = max(boxes[left, 3 + k], boxes[right, 3 + k])
    collider.drift_fitted = collider.drift
    collider.searched = 0


@native_part
def _outside(value: float, low: float, high: float) -> float:
    return max(0.0, max(low - value, value - high))


@native_part
def _distance_to_box(boxes: Reals, box: int, point: Vector) -> float:
    dx = _outside(point[0], boxes[box, 0], boxes[box, 3])
    dy = _outside(point[1], boxes[box, 1], boxes[box, 4])
    dz = _outside(point[2], boxes[box, 2], boxes[box, 5])
    return sqrt(dx * dx + dy * dy + dz * dz)


@native_part
def _insert(pair: Records, place: int, triangle: int, distance: float) -> None:
    """Put a triangle into a list that is sorted up to a place, where it ends."""
    while place > 0 and pair.distances[place - 1] > distance:
        pair.triangles[place] = pair.triangles[place - 1]
        pair.distances[place] = pair.distances[place - 1]
        place -= 1
    pair.triangles[place], pair.distances[place] = triangle, distance


@native_part
def search(contacts: Contacts, point: Vector, number: int, index: int, thread: int) -> None:
    """Make the list of the triangles nearest to a candidate, which is at a point.

    The list holds every triangle nearer than ``reach``: at least the closest one, and all within
    a margin of it as far as there is room. ``distance`` of the candidate is an upper bound.
    """
    candidate, collider, worker = (
        contacts.candidates[index],
        contacts.colliders[number],
        contacts.workers[thread],
    )
    pair = contacts.pairs[number, candidate.particle]
    boxes, corners, vertices = contacts.boxes, contacts.surface.triangles, contacts.surface.now
    local = load(candidate.local)
    # Boxes are from when they were fitted: since then vertices have moved within their space.
    slack = abs(collider.drift - collider.drift_fitted)
    slack += ROUNDING * (abs(local[0]) + abs(local[1]) + abs(local[2]))
    root, leaves, margin = collider.box_start, collider.leaves, collider.margin
    begin, total = collider.triangle_start, collider.triangle_count
    reach, size, top, left, right = candidate.distance + margin, 0, 1, 0.0, 0.0
    worker.stack[0], worker.pending[0] = 0, 0.0
    while top > 0:
        top -= 1
        if worker.pending[top] > reach + slack:
            continue
        box = worker.stack[top]
        if box < leaves - 1:
            for side in range(2):
                child = root + 2 * box + 1 + side
                left, right = right, _distance_to_box(boxes, child, local)
            # The nearer one lies on top: what is found in it may spare the other.
            nearer = 1 if right < left else 0
            worker.stack[top], worker.pending[top] = 2 * box + 2 - nearer, max(left, right)
            worker.stack[top + 1], worker.pending[top + 1] = 2 * box + 1 + nearer, min(left, right)
            top += 2
            continue
        # Triangles are divided evenly among the leaves, in the order of the tree.
        leaf = box - leaves + 1
        for t in range(begin + leaf * total // leaves, begin + (leaf + 1) * total // leaves):
            square, _, _, _ = closest_point(point, corners_of(vertices, corners, t))
            distance = sqrt(square) * ROUNDED_DOWN
            if distance < reach:
                _insert(pair, min(size, LIST_SIZE - 1), t, distance)
                size = min(size + 1, LIST_SIZE)
                reach = min(reach, pair.distances[0] + margin)
                # A full list has dropped triangles, none of them nearer than its last one.
                if size == LIST_SIZE:
                    reach = min(reach, pair.distances[LIST_SIZE - 1] * ROUNDED_DOWN)
    store(pair.anchor, local)
    pair.reach, pair.drift, pair.count = reach, collider.drift, size
    collider.searched = 1


@native_part
def gather_near(contacts: Contacts, positions: Reals, number: int, first: int, last: int) -> int:
    """Make candidates of particles that have left their ball without contact; returns how many."""
    balls, collider = contacts.free[number], contacts.colliders[number]
    centre, drift = load(collider.centre), collider.drift
    axis_x, axis_y, axis_z = columns_of(collider.axes)
    count = 0
    for i in range(first, last):
        way = subtract(row_of(positions, i), centre)
        local = dot(axis_x, way), dot(axis_y, way), dot(axis_z, way)
        away = subtract(local, row_of(balls, i))
        radius = balls[i, 3] - drift
        square = dot(away, away)
        if radius > 0 and square < radius * radius:
            continue
        if positions[i, 3] > 0 and square < UNLIMITED:
            contacts.candidates[first + count].particle = i
            contacts.candidates[first + count].feature = UNKNOWN
            count += 1
    return count


@native_part
def find_closest(
    contacts: Contacts, positions: Reals, number: int, first: int, count: int, thread: int
) -> None:
    """Closest point on the collider for the particles of new candidates."""
    localise(contacts, positions, number, first, count)
    _closest_listed(contacts, positions, number, first, count)
    for index in range(first, first + count):
        candidate = contacts.candidates[index]
        if candidate.feature == UNKNOWN:
            search(contacts, row_of(positions, candidate.particle), number, index, thread)
            candidate.feature = LISTED
    _closest_listed(contacts, positions, number, first, count)


@native_part
def moved_since_listed(contacts: Contacts, number: int, index: int) -> float:
    """How much nearer [m] a candidate's particle may have come to triangles since they were listed
    for it.
    """
    candidate = contacts.candidates[index]
    pair = contacts.pairs[number, candidate.particle]
    way = subtract(load(candidate.local), load(pair.anchor))
    return sqrt(dot(way, way)) + abs(contacts.colliders[number].drift - pair.drift)


@native_part
def _closest_listed(
    contacts: Contacts, positions: Reals, number: int, first: int, count: int
) -> None:
    """Closest points on the listed triangles for the candidates that have none.

    UNKNOWN remains where a triangle that is not listed may be nearer.
    """
    vertices, corners = contacts.surface.now, contacts.surface.triangles
    for index in range(first, first + count):
        candidate = contacts.candidates[index]
        if candidate.feature != UNKNOWN and candidate.feature != LISTED:
            continue
        i = candidate.particle
        pair = contacts.pairs[number, i]
        point = row_of(positions, i)
        moved = moved_since_listed(contacts, number, index)
        best, distance, nearest, u, v, feature = UNLIMITED, UNLIMITED, 0, 0.0, 0.0, UNKNOWN
        for k in range(pair.count):
            if pair.distances[k] - moved > distance:
                break
            t = pair.triangles[k]
            square, u_t, v_t, feature_t = closest_point(point, corners_of(vertices, corners, t))
            if square < best:
                best, nearest, u, v, feature = square, t, u_t, v_t, feature_t
                distance = sqrt(square)
        candidate.distance, candidate.triangle, candidate.u, candidate.v = distance, nearest, u, v
        if candidate.feature == LISTED or distance <= pair.reach - moved:
            candidate.feature = feature
