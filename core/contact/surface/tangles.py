# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges that go through faces: found when a frame begins, and pulled out in each substep.

What crosses has no right side that contact could keep it on: pairs of what crosses are no contacts.
Where surfaces go through each other is a contour; it is made shorter until it is gone (Volino and
Magnenat-Thalmann 2006, "Resolving surface collisions through intersection contour minimization").
The end of the contour's piece in a face is where an edge of the face goes through the other face:
X = a + t E. If the edge moves by δ, X moves by δ - E (N·δ) / (N·E), with N the normal of the other
face. The contour goes on from X in the directions Rᵢ, one in each of the faces beside the edge, so
that its length falls most quickly along G = Σ Rᵢ - N (E·Rᵢ) / (N·E). Where it is known what is on
the wrong side, that is led out instead: :mod:`.contours`, :mod:`.leading_out`.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...native.bits import add_bits
from ...native.by_address import by_address
from ...native.compiled import native_part
from ...native.vectors import add_scaled, cross, dot, row_of, scale, subtract, unit
from ...vector.overlap import lowest, overlap
from ..carried import lead_corners
from ..closest_point import scaled_normal
from .data import NONE, WIDTH, Shape
from .modelled import is_modelled
from .strand_ends import is_strand
from .strips import known_crossings
from .tree import box_of

SEEKING, TANGLED = range(2)
"""Places in ``Tangles.state``: whether tangles are looked for, too, and whether there are any."""

WRONG_END = 2
"""Place in ``Tangles.crossed`` of the end of an edge, 0 or 1, on the wrong side; NONE if nobody
knows."""

STEEP = 0.1
"""The least |N·E| that is divided by."""

SPREAD_EDGES, SPREAD_FACES = 7, 29
"""So that the bits of edges and faces that are near each other are different ones."""

NOTHING = 0.0, 0.0, 0.0

MOST_CROSSED = 1 << 15
"""Of what crosses, how much is pulled apart at a time by each thread; the rest has to wait."""


@by_address
class Tangles(NamedTuple):
    """What went through what when the frame began, and on which side of it m vertices are.

    Attributes:
        state: see SEEKING and TANGLED, shape (2,), float64.
        counts: how many edges each thread has found that go through faces, (threads,), int64.
        crossed: these edges, the faces that they go through, and WRONG_END, (threads, most, 3),
            int32.
        cut: 1 for edges that go through a face, shape (WIDTH b,), uint8.
        tangled: of vertices of edges that go through faces, and of these, the bits of what they go
            through, shape (m,), uint64.
        piercing, pierced: of vertices of edges that go through faces, and of these, a bit for each
            such edge and face, the same one for few others, shape (m,), uint64.
        lost: 1 for vertices of a half that is on the wrong side, shape (m,), uint8.
        beside: the contour that vertices are known to be on a side of, NONE, shape (m,), int32.
        right: on which side of what it goes through a vertex belongs: 1 in front, -1 behind, 0 if
            nobody knows, shape (m,), int8.
    """

    state: NDArray[Any]
    counts: NDArray[Any]
    crossed: NDArray[Any]
    cut: NDArray[Any]
    tangled: NDArray[Any]
    piercing: NDArray[Any]
    pierced: NDArray[Any]
    lost: NDArray[Any]
    beside: NDArray[Any]
    right: NDArray[Any]


def new_tangles(shape: Shape, threads: int) -> Tangles:
    """Memory for what may go through each other."""
    count, faces, edges = len(shape.rest), len(shape.faces.corners), len(shape.edges.corners)
    return Tangles(
        state=np.zeros(2),
        counts=np.zeros(threads, np.int64),
        crossed=np.zeros((threads, min(MOST_CROSSED, edges * faces), 3), np.int32),
        cut=np.zeros(edges, np.uint8),
        tangled=np.zeros(count, np.uint64),
        piercing=np.zeros(count, np.uint64),
        pierced=np.zeros(count, np.uint64),
        lost=np.zeros(count, np.uint8),
        beside=np.zeros(count, np.int32),
        right=np.zeros(count, np.int8),
    )


@native_part
def forget_tangles(tangles):  # type: ignore[no-untyped-def]
    """Begin anew."""
    tangles.counts[:] = 0
    for vertex in range(len(tangles.tangled)):
        tangles.tangled[vertex] = tangles.right[vertex] = tangles.lost[vertex] = 0
        tangles.piercing[vertex] = tangles.pierced[vertex] = 0
        tangles.beside[vertex] = NONE
    for edge in range(len(tangles.cut)):
        tangles.cut[edge] = 0


@native_part
def any_tangles(tangles, threads):  # type: ignore[no-untyped-def]
    """Whether something goes through something."""
    found = 0
    for thread in range(threads):
        found += tangles.counts[thread]
    return found > 0


@native_part
def seek_tangles(shape, tree, tangles, rows, thread, i, j):  # type: ignore[no-untyped-def]
    """Find the edges of leaf i that go through faces of leaf j.

    Args:
        rows: vertices, shape (m or more, 4).
    """
    edges, faces = shape.edges, shape.faces
    boxes, other_boxes = edges.boxes, faces.boxes
    a0, b0, c0, a1, b1, c1 = box_of(tree.boxes, shape.levels[0] + j // WIDTH, j % WIDTH)
    for block in range(edges.starts[i], edges.starts[i + 1]):
        near = overlap(boxes, block, a0, b0, c0, a1, b1, c1)
        while near != 0:
            lane = lowest(near)
            near &= near - 1
            x0, y0, z0, x1, y1, z1 = box_of(boxes, block, lane)
            hits = overlap(other_boxes, j, x0, y0, z0, x1, y1, z1)
            while hits != 0:
                face = WIDTH * j + lowest(hits)
                hits &= hits - 1
                _seek(shape, tangles, rows, thread, WIDTH * block + lane, face)


@native_part
def _seek(shape, tangles, rows, thread, edge, face):  # type: ignore[no-untyped-def]
    """Note an edge and a face that it goes through."""
    corners, ends = shape.faces.corners, shape.edges.corners
    a, b = ends[edge, 0], ends[edge, 1]
    c, d, e = corners[face, 0], corners[face, 1], corners[face, 2]
    one, other, same = shape.same[a], shape.same[b], shape.same
    if (one == same[c]) | (one == same[d]) | (one == same[e]):
        return
    if (other == same[c]) | (other == same[d]) | (other == same[e]):
        return
    through, _, _, _ = piercing(rows, a, b, c, d, e)
    if not through or is_modelled(shape, (a, b), (c, d, e)):
        return
    bits, number = shape.bits, tangles.counts[thread]
    own = _bit_of(edge, face)
    for vertex in (a, b):
        add_bits(tangles.tangled, vertex, bits[c])
        add_bits(tangles.piercing, vertex, own)
    for vertex in (c, d, e):
        add_bits(tangles.tangled, vertex, bits[a])
        add_bits(tangles.pierced, vertex, own)
    # A strand that goes into a collider is not cut by it: what leads out of there does not ask.
    if shape.sided[c] == 0 or not is_strand(shape, edge):
        tangles.cut[edge] = 1
    tangles.counts[thread] = number + 1
    if number < tangles.crossed.shape[1]:
        tangles.crossed[thread, number, 0] = edge
        tangles.crossed[thread, number, 1] = face


@native_part
def _bit_of(edge, face):  # type: ignore[no-untyped-def]
    """A bit for an edge and a face that it goes through."""
    return np.uint64(1) << np.uint64((edge * SPREAD_EDGES + face * SPREAD_FACES) % 64)


@native_part
def piercing(rows, a, b, c, d, e):  # type: ignore[no-untyped-def]
    """Whether the edge ab goes through the face cde, where on it, and the weights of d and e."""
    origin = row_of(rows, c)
    along, side = subtract(row_of(rows, d), origin), subtract(row_of(rows, e), origin)
    normal = cross(along, side)
    square = dot(normal, normal)
    start, end = subtract(row_of(rows, a), origin), subtract(row_of(rows, b), origin)
    before, after = dot(normal, start), dot(normal, end)
    if square == 0.0 or before * after >= 0.0:
        return False, 0.0, 0.0, 0.0
    t = before / (before - after)
    point = add_scaled(start, t, subtract(end, start))
    u, v = dot(cross(point, side), normal) / square, dot(cross(along, point), normal) / square
    return (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0), t, u, v


@native_part
def _shortening(shape, rows, edge, normal):  # type: ignore[no-untyped-def]
    """The direction in which an edge has to move to make the contour shorter, G.

    Args:
        normal: N, a unit vector.
    """
    a, b = shape.edges.corners[edge, 0], shape.edges.corners[edge, 1]
    origin, way = row_of(rows, a), NOTHING
    direction = unit(subtract(row_of(rows, b), origin))
    slope = dot(normal, direction)
    slope = max(slope, STEEP) if slope > 0.0 else min(slope, -STEEP)
    for k in range(2):
        face = shape.beside[edge, k]
        if face == NONE:
            continue
        for corner in range(3):
            vertex = shape.faces.corners[face, corner]
            if vertex in (a, b):
                continue
            inward = subtract(row_of(rows, vertex), origin)
            inward = add_scaled(inward, -dot(inward, direction), direction)
            piece = unit(cross(normal, cross(direction, inward)))
            if dot(piece, inward) < 0.0:
                piece = scale(-1.0, piece)
            way = add_scaled(way, 1.0, piece)
            way = add_scaled(way, -dot(direction, piece) / slope, normal)
    return way


@native_part
def _pull(shape, carried, led, rows, crossing, most):  # type: ignore[no-untyped-def]
    """Pull an edge out of a face that it goes through, by a way [m] at most.

    Not where it is known where to: see :mod:`.leading_out`.
    """
    edge, face, wrong = crossing[0], crossing[1], crossing[WRONG_END]
    corners, ends = shape.faces.corners, shape.edges.corners
    a, b = ends[edge, 0], ends[edge, 1]
    c, d, e = corners[face, 0], corners[face, 1], corners[face, 2]
    if shape.sided[a] != 0 or shape.sided[c] != 0 or wrong != NONE:
        return
    through, t, u, v = piercing(rows, a, b, c, d, e)
    if not through:
        return
    origin = row_of(rows, c)
    normal, _ = scaled_normal((origin, row_of(rows, d), row_of(rows, e)))
    way = _shortening(shape, rows, edge, unit(normal))
    rest = 1.0 - u - v
    mobility = (1.0 - t) * (1.0 - t) * rows[a, 3] + t * t * rows[b, 3]
    mobility += rest * rest * rows[c, 3] + u * u * rows[d, 3] + v * v * rows[e, 3]
    if mobility == 0.0:
        return
    amount = most / (mobility * sqrt(1.0 + dot(way, way)))
    _lead(carried, led, rows, a, amount * (1.0 - t), way)
    _lead(carried, led, rows, b, amount * t, way)
    _lead(carried, led, rows, c, -amount * rest, way)
    _lead(carried, led, rows, d, -amount * u, way)
    _lead(carried, led, rows, e, -amount * v, way)


@native_part
def _lead(carried, led, rows, vertex, amount, way):  # type: ignore[no-untyped-def]
    number = carried.numbers[vertex]
    if number != NONE:
        lead_corners(carried, led, rows, number, amount, way)
        return
    for k in range(3):
        led[vertex, k] += amount * rows[vertex, 3] * way[k]


@native_part
def pull_out(shape, tangles, carried, led, rows, threads, count, most):  # type: ignore[no-untyped-def]
    """Pull out all edges that still go through what they went through when the frame began.

    They are moved without getting a velocity.

    Args:
        led: how far, to be added to, shape (m, 4).
        rows: vertices at the substep's end, of which the first ``count`` are particles.
        threads: that looked for them.
        most: way [m] that a vertex is pulled at most.
    """
    for thread in range(threads):
        for number in range(known_crossings(tangles, thread)):
            _pull(shape, carried, led, rows, tangles.crossed[thread, number], most)
    for vertex in range(count):
        if tangles.tangled[vertex] == 0 and carried.carries[vertex] == 0:
            continue
        way = row_of(led, vertex)
        length = sqrt(dot(way, way))
        if length > most:
            way = scale(most / length, way)
        for k in range(3):
            led[vertex, k] = way[k]
            rows[vertex, k] += way[k]
