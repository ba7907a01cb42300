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
from .data import NONE, STREAMS
from .no_room import is_stuck
from .outward import outside_of_edge
from .pairs import ENDS, FOUND, GOAL, INERTIA, LEAST, NEVER_PROVED, PUSH, TURNED, UNTURNED
from .sliding import set_weights
from .solve import gap_of
from .spread import inertia_of, spread_out
from .strand_ends import is_strand
from .strips import known_crossings
from .tangles import WRONG_END, piercing

BESIDE = 1.0
"""How far beside a face, as a weight of a corner, an edge of strands that went through it may go
through its plane, and is led out still: nothing else holds it where it slides on to the next."""

UNDECIDED = 1e-6
"""The square of a sum of unit vectors that cancel each other."""

BEGINNING, ADDING, LEADING = range(3)
"""Stages of summing up where the outside is, and leading there."""


@native_part
def lead_out(surface, recovery, threads, capacity):  # type: ignore[no-untyped-def]
    """Add pairs for what went through colliders when the frame began, and still does.

    Args:
        recovery: how far [m] it is led.
        threads: that looked for it.
        capacity: pairs a thread has memory for; the rest is counted only.
    """
    shape, pairs, tangles = surface.shape, surface.pairs, surface.tangles
    start = surface.motion.start
    for stage in range(3):
        for thread in range(threads):
            for number in range(known_crossings(tangles, thread)):
                crossing = tangles.crossed[thread, number]
                edge, corners = shape.edges.corners[crossing[0]], shape.faces.corners[crossing[1]]
                ends, face = (edge[0], edge[1]), (corners[0], corners[1], corners[2])
                if shape.sided[ends[0]] != 0:
                    _lead_face_out(surface, recovery, capacity, ends, face, stage)
                elif shape.sided[face[0]] != 0:
                    strand = is_strand(shape, crossing[0])
                    _lead_edge_out(surface, recovery, capacity, ends, face, strand, stage)
                elif stage == LEADING and crossing[WRONG_END] != NONE:
                    wrong, right = ends[crossing[WRONG_END]], ends[1 - crossing[WRONG_END]]
                    slack = BESIDE if is_strand(shape, crossing[0]) else 0.0
                    _lead_end_out(pairs, start, recovery, capacity, wrong, right, face, slack)
    pairs.counts[0, ENDS + STREAMS] = pairs.counts[0, FOUND]


@native_part
def _lead_face_out(surface, recovery, capacity, edge, face, stage):  # type: ignore[no-untyped-def]
    """Lead a face out that a collider's edge goes through."""
    pairs, enclosed = surface.pairs, surface.enclosed
    (a, b), (c, d, e), start = edge, face, surface.motion.start
    through, t, u, v = piercing(start, a, b, c, d, e)
    if not through or is_stuck(enclosed, face):
        return
    outside = unit(outside_of_edge(enclosed.outward, a, b))
    mean = _sum_up(enclosed.outside, c, outside, stage)
    mean = add_scaled(mean, 1.0, _sum_up(enclosed.outside, d, outside, stage))
    mean = add_scaled(mean, 1.0, _sum_up(enclosed.outside, e, outside, stage))
    if stage == LEADING:
        vertex = a if t < 0.5 else b  # moves as the point of the edge does
        pair = _new_pair(pairs, (vertex, c, d, e), 1, u, v, capacity)
        way = recovery * dot(outside, unit(mean))
        _lead(pairs, start, pair, scale(-1.0, outside), way)


@native_part
def _lead_edge_out(surface, recovery, capacity, edge, face, strand, stage):  # type: ignore[no-untyped-def]
    """Lead an edge out that goes through a collider's face, where neither end is inside.

    One of a strand goes in on one side and out on the other, and nothing of it is out on the way:
    it is led sideways. Flat sides don't tell where to, but the nearest corners do.
    """
    pairs, enclosed = surface.pairs, surface.enclosed
    (a, b), (c, d, e), start = edge, face, surface.motion.start
    through, t, u, v = piercing(start, a, b, c, d, e)
    if not through or (enclosed.inside[a] | enclosed.inside[b]) != 0 or is_stuck(enclosed, edge):
        return
    normal, _ = scaled_normal((row_of(start, c), row_of(start, d), row_of(start, e)))
    outside = unit(normal)
    if strand:
        outside = _outside_at_corner(enclosed.outward, face, u, v)
    mean = _sum_up(enclosed.outside, a, outside, stage)
    mean = add_scaled(mean, 1.0, _sum_up(enclosed.outside, b, outside, stage))
    if stage == LEADING:
        pair, way = _new_pair(pairs, (a, b, c, d), 2, t, 0.0, capacity), unit(mean)
        if not strand:
            _lead(pairs, start, pair, outside, recovery * dot(outside, way))
        elif dot(mean, mean) > UNDECIDED:
            _lead(pairs, start, pair, way, recovery)


@native_part
def _outside_at_corner(outward, face, u, v):  # type: ignore[no-untyped-def]
    """Where the outside of a collider is at the corner of a face that a point of it is nearest to.

    Args:
        u, v: the point's weights of the second corner and the third.
    """
    first = 1.0 - u - v
    corner = face[0] if first >= max(u, v) else (face[1] if u >= v else face[2])
    return unit(row_of(outward, corner))


@native_part
def _lead_end_out(pairs, start, recovery, capacity, wrong, right, face, slack):  # type: ignore[no-untyped-def]
    """Lead the end of an edge that is on the wrong side of a face through it, to the other end.

    Args:
        slack: see BESIDE.
    """
    c, d, e = face
    through, t, u, v = piercing(start, wrong, right, c, d, e)
    if not (through or (t > 0.0 and min(u, v, 1.0 - u - v) > -slack)):
        return
    u = min(max(u, 0.0), 1.0)
    v = min(max(v, 0.0), 1.0 - u)
    corners = row_of(start, c), row_of(start, d), row_of(start, e)
    normal, _ = scaled_normal(corners)
    side = 1.0 if dot(normal, subtract(row_of(start, right), corners[0])) > 0.0 else -1.0
    pair = _new_pair(pairs, (wrong, c, d, e), 1, u, v, capacity)
    _lead(pairs, start, pair, scale(side, unit(normal)), recovery)


@native_part
def _sum_up(sums, vertex, outside, stage):  # type: ignore[no-untyped-def]
    """Add up where the outside is for a vertex; returns the sum."""
    for k in range(3):
        if stage == BEGINNING:
            sums[vertex, k] = 0.0
        elif stage == ADDING:
            sums[vertex, k] += outside[k]
    return row_of(sums, vertex)


@native_part
def _new_pair(pairs, vertices, split, u, v, capacity):  # type: ignore[no-untyped-def]
    """The number of a new pair of the first thread, NONE if there is no memory."""
    pair = pairs.counts[0, FOUND]
    pairs.counts[0, FOUND] = pair + 1
    if pair >= capacity:
        return NONE
    for k in range(4):
        pairs.vertices[pair, k] = vertices[k]
    pairs.splits[pair] = split
    set_weights(pairs.weights, pair, split == 2, u, v)
    spread_out(pairs, pair)
    return pair


@native_part
def _lead(pairs, start, pair, normal: Vector, way):  # type: ignore[no-untyped-def]
    """Let the gap of a pair never fall, and grow on a way out [m]."""
    if pair == NONE:
        return
    normals, goals = pairs.normals, pairs.goals
    normals[pair, 0], normals[pair, 1], normals[pair, 2] = normal
    normals[pair, 3] = gap_of(pairs, start, pair)
    goals[pair, GOAL] = normals[pair, 3] + max(0.0, way)
    goals[pair, LEAST], goals[pair, PUSH], goals[pair, TURNED] = NEVER_PROVED, 0.0, UNTURNED
    goals[pair, INERTIA] = inertia_of(pairs, start, pair)
