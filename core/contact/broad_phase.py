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
from ..native.vectors import Vector, add_scaled, corners_of, dot, load, row_of, store, subtract
from .closest_point import closest_point
from .data import LIST_SIZE, LISTED, UNKNOWN, Contacts, Reals, Records
from .motion import pace_of, seen_from, way_of

UNLIMITED = 1e30
INDEX: Any = np.int64
ROUNDED_DOWN = 1.0 - 1e-6
ROUNDING = 1e-9


@native
def fit_boxes(contacts: Contacts, number: int) -> None:
    """Fit a collider's boxes to its vertices and their ways, in time linear in triangles."""
    boxes, ways, collider = contacts.boxes, contacts.ways, contacts.colliders[number]
    triangles, meshes = contacts.meshes.triangles, contacts.meshes
    root, leaves = collider.box_start, collider.leaves
    begin, count = collider.triangle_start, collider.triangle_count
    for leaf in range(leaves):
        box = root + leaves - 1 + leaf
        for k in range(3):
            boxes[box, k], boxes[box, 3 + k] = UNLIMITED, -UNLIMITED
            ways[box, k], ways[box, 3 + k] = UNLIMITED, -UNLIMITED
            for t in range(begin + leaf * count // leaves, begin + (leaf + 1) * count // leaves):
                for corner in range(3):
                    value = meshes.first[triangles[t, corner], k]
                    _hold(boxes, box, k, value, value)
                    way = meshes.last[triangles[t, corner], k] - value
                    _hold(ways, box, k, way, way)
    for box in range(leaves - 2, -1, -1):
        left, right = root + 2 * box + 1, root + 2 * box + 2
        for bounds in (boxes, ways):
            for k in range(3):
                bounds[root + box, k], bounds[root + box, 3 + k] = (
                    bounds[left, k],
                    bounds[left, 3 + k],
                )
                _hold(bounds, root + box, k, bounds[right, k], bounds[right, 3 + k])


@native_part
def _hold(bounds: Reals, box: int, k: int, low: float, high: float) -> None:
    """Let a box hold what lies between two numbers, too."""
    bounds[box, k], bounds[box, 3 + k] = min(bounds[box, k], low), max(bounds[box, 3 + k], high)


@native_part
def _outside(value: float, low: float, high: float) -> float:
    return max(0.0, max(low - value, value - high))


@native_part
def _distance_to_box(
    contacts: Contacts, box: int, x: float, y: float, z: float, fraction: float
) -> float:
    """From a point to where a box is at a fraction of the frame."""
    boxes, ways = contacts.boxes, contacts.ways
    low, high = boxes[box, 0] + fraction * ways[box, 0], boxes[box, 3] + fraction * ways[box, 3]
    dx = _outside(x, low, high)
    low, high = boxes[box, 1] + fraction * ways[box, 1], boxes[box, 4] + fraction * ways[box, 4]
    dy = _outside(y, low, high)
    low, high = boxes[box, 2] + fraction * ways[box, 2], boxes[box, 5] + fraction * ways[box, 5]
    dz = _outside(z, low, high)
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
    a margin of it as far as there is room. ``distance`` of the candidate is an upper bound. Its
    companion from now on goes as its triangle does; what is far away is allowed to be so much
    faster than the pace that is noted as keeps it beyond what is listed until the frame ends.
    """
    candidate, collider, worker = (
        contacts.candidates[index],
        contacts.colliders[number],
        contacts.workers[thread],
    )
    pair = contacts.pairs[number, candidate.particle]
    corners, vertices = contacts.meshes.triangles, contacts.meshes.now
    companion, ways = way_of(contacts.meshes, candidate.triangle), contacts.ways
    fraction, (x, y, z) = collider.fraction, point
    left_over, slack = max(1.0 - fraction, ROUNDING), ROUNDING * (abs(x) + abs(y) + abs(z))
    root, leaves, margin = collider.box_start, collider.leaves, collider.margin
    begin, total = collider.triangle_start, collider.triangle_count
    reach, size, top, left, right = candidate.distance + margin, 0, 1, 0.0, 0.0
    pace = 0.0
    worker.stack[0], worker.pending[0] = 0, 0.0
    while top > 0:
        top -= 1
        box, beyond = worker.stack[top], worker.pending[top] - slack - reach
        if beyond > 0.0:
            faster = pace_of(ways, root + box, companion) - beyond / left_over
            # Of what comes near fast only a small part may do so.
            if box >= leaves - 1 or faster <= max(pace, margin):
                pace = max(pace, faster)
                continue
        if box < leaves - 1:
            for side in range(2):
                child = root + 2 * box + 1 + side
                left, right = right, _distance_to_box(contacts, child, x, y, z, fraction)
            # The nearer one lies on top: what is found in it may spare the other.
            nearer = 1 if right < left else 0
            worker.stack[top], worker.pending[top] = 2 * box + 2 - nearer, max(left, right)
            worker.stack[top + 1], worker.pending[top + 1] = 2 * box + 1 + nearer, min(left, right)
            top += 2
            continue
        pace = max(pace, pace_of(ways, root + box, companion))
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
    store(pair.companion, companion)
    store(pair.anchor, add_scaled(point, -fraction, companion))
    pair.reach, pair.pace, pair.gone, pair.count = reach, pace, fraction * pace, size


@native_part
def gather_near(contacts: Contacts, positions: Reals, number: int, first: int, last: int) -> int:
    """Make candidates of particles that have left their ball without contact; returns how many."""
    balls, paces = contacts.free[number], contacts.paces[number]
    fraction, count = contacts.colliders[number].fraction, 0
    for i in range(first, last):
        away = add_scaled(row_of(positions, i), -fraction, row_of(paces, i))
        away = subtract(away, row_of(balls, i))
        radius = balls[i, 3] - fraction * paces[i, 3]
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
    _closest_listed(contacts, positions, number, first, count)
    for index in range(first, first + count):
        candidate = contacts.candidates[index]
        if candidate.feature == UNKNOWN:
            i = candidate.particle
            point, pair = row_of(positions, i), contacts.pairs[number, i]
            if pair.count == 0:
                # Only then is it known which triangle its companion is to go with.
                search(contacts, point, number, index, thread)
                candidate.triangle = pair.triangles[0]
            search(contacts, point, number, index, thread)
            candidate.feature = LISTED
    _closest_listed(contacts, positions, number, first, count)


@native_part
def moved_since_listed(contacts: Contacts, positions: Reals, number: int, i: int) -> float:
    """How much nearer [m] particle i may have come to triangles since they were listed for it."""
    pair = contacts.pairs[number, i]
    way = subtract(seen_from(contacts, positions, number, i), load(pair.anchor))
    return sqrt(dot(way, way)) + contacts.colliders[number].fraction * pair.pace - pair.gone


@native_part
def _closest_listed(
    contacts: Contacts, positions: Reals, number: int, first: int, count: int
) -> None:
    """Closest points on the listed triangles for the candidates that have none.

    UNKNOWN remains where a triangle that is not listed may be nearer.
    """
    vertices, corners = contacts.meshes.now, contacts.meshes.triangles
    for index in range(first, first + count):
        candidate = contacts.candidates[index]
        if candidate.feature != UNKNOWN and candidate.feature != LISTED:
            continue
        i = candidate.particle
        pair = contacts.pairs[number, i]
        point = row_of(positions, i)
        moved = moved_since_listed(contacts, positions, number, i)
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
