# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs that lead out what goes through each other, where it is known where to.

Where an edge goes through a face, neither may go farther in, and both are led out gently. Just
pulling is not enough: cloth that is tight goes back at once.

- Of two surfaces that can move, the end of the edge that is on the wrong side is led through the
  face; see :mod:`.contours`.
- A collider has an outside. Coarse cloth on a body can have all of its particles there, and the
  body's edges and corners through its faces, so that :mod:`..response` can't help. It is led in the
  mean direction of what is outside at all such places around, if there is room; see
  :mod:`.no_room`.
"""

from __future__ import annotations

from ...native.compiled import native_part
from ...native.vectors import (
    Vector,
    add_scaled,
    dot,
    row_of,
    scale,
    subtract,
    unit,
)
from ..closest_point import scaled_normal
from .data import (
    ENDS,
    FOUND,
    GOAL,
    INERTIA,
    LEAST,
    NEVER_PROVED,
    NONE,
    PUSH,
    STREAMS,
    TURNED,
    UNTURNED,
    WRONG_END,
)
from .no_room import is_stuck
from .outward import outside_of_edge
from .sliding import set_weights
from .solve import gap_of
from .spread import inertia_of, spread_out
from .strips import known_crossings
from .tangles import piercing

BEGINNING, ADDING, LEADING = range(3)
"""Stages of summing up where the outside is, and leading there."""


@native_part
def lead_out(shape, moving, recovery, threads, capacity):  # type: ignore[no-untyped-def]
    """Add pairs for what went through colliders when the frame began, and still does.

    Args:
        recovery: how far [m] it is led.
        threads: that looked for it.
        capacity: pairs a thread has memory for; the rest is counted only.
    """
    for stage in range(3):
        for thread in range(threads):
            for number in range(known_crossings(moving, thread)):
                crossing = moving.crossed[thread, number]
                edge, corners = shape.edges.corners[crossing[0]], shape.faces.corners[crossing[1]]
                ends, face = (edge[0], edge[1]), (corners[0], corners[1], corners[2])
                if shape.sided[ends[0]] != 0:
                    _lead_face_out(shape, moving, recovery, capacity, ends, face, stage)
                elif shape.sided[face[0]] != 0:
                    _lead_edge_out(shape, moving, recovery, capacity, ends, face, stage)
                elif stage == LEADING and crossing[WRONG_END] != NONE:
                    wrong = crossing[WRONG_END]
                    _lead_end_out(moving, recovery, capacity, ends[wrong], ends[1 - wrong], face)
    moving.counts[0, ENDS + STREAMS] = moving.counts[0, FOUND]


@native_part
def _lead_face_out(shape, moving, recovery, capacity, edge, face, stage):  # type: ignore[no-untyped-def]
    """Lead a face out that a collider's edge goes through."""
    (a, b), (c, d, e), start = edge, face, moving.start
    through, t, u, v = piercing(start, a, b, c, d, e)
    if not through or is_stuck(moving, face):
        return
    outside = unit(outside_of_edge(moving, a, b))
    mean = _sum_up(moving, c, outside, stage)
    mean = add_scaled(mean, 1.0, _sum_up(moving, d, outside, stage))
    mean = add_scaled(mean, 1.0, _sum_up(moving, e, outside, stage))
    if stage == LEADING:
        vertex = a if t < 0.5 else b  # moves as the point of the edge does
        pair = _new_pair(moving, (vertex, c, d, e), 1, u, v, capacity)
        _lead(moving, pair, scale(-1.0, outside), recovery * dot(outside, unit(mean)))


@native_part
def _lead_edge_out(shape, moving, recovery, capacity, edge, face, stage):  # type: ignore[no-untyped-def]
    """Lead an edge out that goes through a collider's face, where neither end is inside."""
    (a, b), (c, d, e), start = edge, face, moving.start
    through, t, _, _ = piercing(start, a, b, c, d, e)
    if not through or (moving.inside[a] | moving.inside[b]) != 0 or is_stuck(moving, edge):
        return
    normal, _ = scaled_normal((row_of(start, c), row_of(start, d), row_of(start, e)))
    outside = unit(normal)
    mean = _sum_up(moving, a, outside, stage)
    mean = add_scaled(mean, 1.0, _sum_up(moving, b, outside, stage))
    if stage == LEADING:
        pair = _new_pair(moving, (a, b, c, d), 2, t, 0.0, capacity)
        _lead(moving, pair, outside, recovery * dot(outside, unit(mean)))


@native_part
def _lead_end_out(moving, recovery, capacity, wrong, right, face):  # type: ignore[no-untyped-def]
    """Lead the end of an edge that is on the wrong side of a face through it, to the other end."""
    (c, d, e), start = face, moving.start
    through, _, u, v = piercing(start, wrong, right, c, d, e)
    if not through:
        return
    corners = row_of(start, c), row_of(start, d), row_of(start, e)
    normal, _ = scaled_normal(corners)
    side = 1.0 if dot(normal, subtract(row_of(start, right), corners[0])) > 0.0 else -1.0
    pair = _new_pair(moving, (wrong, c, d, e), 1, u, v, capacity)
    _lead(moving, pair, scale(side, unit(normal)), recovery)


@native_part
def _sum_up(moving, vertex, outside, stage):  # type: ignore[no-untyped-def]
    """Add up where the outside is for a vertex; returns the sum."""
    for k in range(3):
        if stage == BEGINNING:
            moving.drift[vertex, k] = 0.0
        elif stage == ADDING:
            moving.drift[vertex, k] += outside[k]
    return row_of(moving.drift, vertex)


@native_part
def _new_pair(moving, vertices, split, u, v, capacity):  # type: ignore[no-untyped-def]
    """The number of a new pair of the first thread, NONE if there is no memory."""
    pair = moving.counts[0, FOUND]
    moving.counts[0, FOUND] = pair + 1
    if pair >= capacity:
        return NONE
    for k in range(4):
        moving.vertices[pair, k] = vertices[k]
    moving.splits[pair] = split
    set_weights(moving.weights, pair, split == 2, u, v)
    spread_out(moving, pair)
    return pair


@native_part
def _lead(moving, pair, normal: Vector, way):  # type: ignore[no-untyped-def]
    """Let the gap of a pair never fall, and grow on a way out [m]."""
    if pair == NONE:
        return
    normals, goals = moving.normals, moving.goals
    normals[pair, 0], normals[pair, 1], normals[pair, 2] = normal
    normals[pair, 3] = gap_of(moving, moving.start, pair)
    goals[pair, GOAL] = normals[pair, 3] + max(0.0, way)
    goals[pair, LEAST], goals[pair, PUSH], goals[pair, TURNED] = NEVER_PROVED, 0.0, UNTURNED
    goals[pair, INERTIA] = inertia_of(moving, moving.start, pair)
