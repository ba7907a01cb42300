# SPDX-License-Identifier: GPL-3.0-or-later
"""Which side of a contour, along which two surfaces go through each other, is the wrong one.

Contours are taken together with the strips of faces on both surfaces along them. What can be
reached from the one side of a strip without crossing it is one half of that surface, what is nearer
to the other side is the other half. The smallest of the four halves is on the wrong side (after
Baraff, Witkin and Kass 2003, "Untangling cloth"). A contour that ends within a surface, where the
other one has its border, does not cut it into two: its halves are what is nearer to either side of
it, and they are larger than any that are cut off. Where both surfaces are pieces of one, which go
through each other where they hang together, there is no telling: of such only the vertices next to
the contour are told apart, and those are wrong that have the least way to go.
What is behind the faces of something closed is wrong anyway: such places are left out, or two that
go through the same body would seem to go through each other.
"""

from __future__ import annotations

from ...mesh.connected import root_of
from ...native.compiled import native_part
from ..closest_point import scaled_normal
from ..vectors import corners_of, dot, row_of, subtract, unit
from .data import CROSSED, LOOKING, NONE, WIDTH, WRONG_END

RINGS = 64
"""How far from the contour halves are measured, in edges."""

AROUND = 2**30
"""Added to sizes: halves of a strip that a way leads around."""

OPEN = 2**31 - 1
"""In place of sizes: where that way leads to the other surface as well."""

JOINING, BEGINNING, OPENING, COMPARING, NOTING = range(5)
"""Stages: what hangs together, where halves begin, around which a way leads, which is the smallest,
which end is in it."""


@native_part
def find_wrong_ends(shape, moving, threads):  # type: ignore[no-untyped-def]
    """Note for edges that go through a face which end is on the wrong side, if that is known."""
    for face in range(len(moving.strips)):
        moving.strips[face] = moving.contours[face] = face
        moving.smallest[face] = NONE
        moving.sizes[face, 0] = moving.sizes[face, 1] = 0
        moving.depths[face, 0] = moving.depths[face, 1] = 0.0
        moving.alignment[face] = 0.0
        moving.involved[face] = 0
    for vertex in range(len(moving.zones)):
        moving.zones[vertex] = NONE
    for stage in (JOINING, BEGINNING, OPENING, COMPARING, NOTING):
        if stage == OPENING:
            _find_pieces(shape, moving)
            _spread_halves(shape, moving)
        for thread in range(threads):
            for number in range(known_crossings(moving, thread)):
                _look_at(shape, moving, moving.crossed[thread, number], stage)
    _note_right_sides(shape, moving)


@native_part
def _look_at(shape, moving, crossing, stage):  # type: ignore[no-untyped-def]
    """Do one stage's work for an edge that goes through a face."""
    crossing[WRONG_END] = NONE
    edge, face = shape.edges.corners[crossing[0]], shape.faces.corners[crossing[1]]
    if (shape.sided[edge[0]] | shape.sided[face[0]]) != 0:
        return
    if stage == JOINING:
        _join_faces(shape, moving, crossing)
    elif stage == BEGINNING:
        _begin_halves(shape, moving, crossing)
    elif stage == OPENING:
        _note_open(shape, moving, crossing)
    elif stage == COMPARING:
        _compare_halves(shape, moving, crossing)
    else:
        _note_wrong_end(shape, moving, crossing)


@native_part
def known_crossings(moving, thread):  # type: ignore[no-untyped-def]
    """How many of the edges that a thread has found to go through faces count: in all threads as
    many as one has room for, the first.
    """
    left = moving.crossed.shape[1]
    for earlier in range(thread):
        left = max(0, left - moving.counts[earlier, CROSSED])
    return min(moving.counts[thread, CROSSED], left)


@native_part
def _unite(parents, one, other):  # type: ignore[no-untyped-def]
    one, other = root_of(parents, one), root_of(parents, other)
    parents[max(one, other)] = min(one, other)


@native_part
def _join_faces(shape, moving, crossing):  # type: ignore[no-untyped-def]
    """Faces beside an edge are in one strip, and at one contour with what it goes through."""
    one, other = shape.beside[crossing[0], 0], shape.beside[crossing[0], 1]
    if one != NONE:
        _unite(moving.contours, crossing[1], one)
    if other != NONE:
        _unite(moving.contours, one, other)
        _unite(moving.strips, one, other)


@native_part
def _normal(shape, moving, face):  # type: ignore[no-untyped-def]
    normal, _ = scaled_normal(corners_of(moving.start, shape.faces.corners, face))
    return normal


@native_part
def height_of(shape, moving, crossing, end):  # type: ignore[no-untyped-def]
    """How far an end of an edge is in front of the face that it goes through [m]."""
    origin = row_of(moving.start, shape.faces.corners[crossing[1], 0])
    way = subtract(row_of(moving.start, shape.edges.corners[crossing[0], end]), origin)
    return dot(unit(_normal(shape, moving, crossing[1])), way)


@native_part
def _half(shape, moving, crossing, end):  # type: ignore[no-untyped-def]
    """The half in which an end of an edge lies, NONE for strands and colliders."""
    face = shape.beside[crossing[0], 0]
    if face == NONE or crossing[0] >= looking_edges(shape):
        return NONE
    in_front = (end == 0) == (height_of(shape, moving, crossing, 0) > 0.0)
    return 2 * root_of(moving.strips, face) + in_front


@native_part
def looking_edges(shape):  # type: ignore[no-untyped-def]
    """How many edges are those of bodies; the others are those of colliders."""
    return WIDTH * shape.edges.starts[shape.numbers[LOOKING]]


@native_part
def _begin_halves(shape, moving, crossing):  # type: ignore[no-untyped-def]
    for end in range(2):
        half, vertex = _half(shape, moving, crossing, end), shape.edges.corners[crossing[0], end]
        if half == NONE:
            continue
        depth = abs(height_of(shape, moving, crossing, end))
        moving.depths[half // 2, half % 2] = max(moving.depths[half // 2, half % 2], depth)
        if moving.zones[vertex] == NONE:
            moving.zones[vertex], moving.drift[vertex, 0] = half, 0.0
            moving.sizes[half // 2, half % 2] += 1


@native_part
def _spread_halves(shape, moving):  # type: ignore[no-untyped-def]
    """Let vertices belong to the half that they are nearest to, and count them."""
    edges, zones, rounds = shape.edges.corners, moving.zones, moving.drift
    count = looking_edges(shape)
    for ring in range(1, RINGS + 1):
        grown = False
        for edge in range(count):
            a, b = edges[edge, 0], edges[edge, 1]
            if a == NONE or moving.cut[edge] != 0:
                continue
            if zones[a] == NONE:
                a, b = b, a
            if zones[a] != NONE and zones[b] == NONE and rounds[a, 0] < ring:
                half = zones[a]
                zones[b], rounds[b, 0], grown = half, ring, True
                moving.sizes[half // 2, half % 2] += 1
        if not grown:
            return


@native_part
def _find_pieces(shape, moving):  # type: ignore[no-untyped-def]
    """Find what of the bodies is joined by edges that go through nothing."""
    edges, pieces = shape.edges.corners, moving.pieces
    for vertex in range(len(pieces)):
        pieces[vertex] = vertex
    for edge in range(looking_edges(shape)):
        if edges[edge, 0] != NONE and moving.cut[edge] == 0:
            _unite(pieces, edges[edge, 0], edges[edge, 1])


@native_part
def _note_open(shape, moving, crossing):  # type: ignore[no-untyped-def]
    """Let halves of a strip be larger than others where a way leads around it, or have no sizes."""
    one, other = shape.edges.corners[crossing[0], 0], shape.edges.corners[crossing[0], 1]
    half, piece = _half(shape, moving, crossing, 0), root_of(moving.pieces, one)
    if half == NONE or piece != root_of(moving.pieces, other):
        return
    sizes = moving.sizes[half // 2]
    if piece == root_of(moving.pieces, shape.faces.corners[crossing[1], 0]):
        sizes[0] = sizes[1] = OPEN
    elif max(sizes[0], sizes[1]) < AROUND:
        sizes[0] += AROUND
        sizes[1] += AROUND


@native_part
def _is_smaller(moving, one, other):  # type: ignore[no-untyped-def]
    """Whether a half is rather on the wrong side than another one."""
    size, least = moving.sizes[one // 2, one % 2], moving.sizes[other // 2, other % 2]
    if size != least:
        return size < least
    if size != OPEN:
        return one < other
    depth, shallowest = moving.depths[one // 2, one % 2], moving.depths[other // 2, other % 2]
    return depth < shallowest or (depth == shallowest and one < other)


@native_part
def _compare_halves(shape, moving, crossing):  # type: ignore[no-untyped-def]
    """Let a contour know of both halves of the surface of an edge."""
    contour = root_of(moving.contours, crossing[1])
    bits, corners = shape.bits, shape.edges.corners
    moving.involved[contour] |= bits[corners[crossing[0], 0]]
    moving.involved[contour] |= bits[shape.faces.corners[crossing[1], 0]]
    for k in range(2):
        if shape.beside[crossing[0], k] != NONE:
            normal = _normal(shape, moving, shape.beside[crossing[0], k])
            moving.alignment[contour] += dot(normal, _normal(shape, moving, crossing[1]))
    for end in range(2):
        half, best = _half(shape, moving, crossing, end), moving.smallest[contour]
        if half != NONE and (best == NONE or _is_smaller(moving, half, best)):
            moving.smallest[contour] = half


@native_part
def _note_right_sides(shape, moving):  # type: ignore[no-untyped-def]
    """Note for the vertices of both halves on which side of the other surface they belong.

    All of the half that is on the wrong side may go through the other surface.
    """
    for vertex in range(len(moving.zones)):
        half = moving.zones[vertex]
        if half == NONE:
            continue
        if moving.sizes[half // 2, 0] == OPEN and moving.drift[vertex, 0] > 0.0:
            continue
        contour = root_of(moving.contours, half // 2)
        wrong = moving.smallest[contour]
        if wrong == NONE:
            continue
        right = 1 - 2 * (wrong % 2)
        if wrong // 2 != half // 2:
            right = -right if moving.alignment[contour] > 0.0 else right
        moving.right[vertex], moving.beside[vertex] = right, contour
        if wrong == half:
            others = moving.involved[contour] & ~shape.bits[vertex]
            moving.lost[vertex] = 1
            moving.tangled[vertex] |= others if others != 0 else shape.bits[vertex]


@native_part
def _note_wrong_end(shape, moving, crossing):  # type: ignore[no-untyped-def]
    wrong = moving.smallest[root_of(moving.contours, crossing[1])]
    for end in range(2):
        half = _half(shape, moving, crossing, end)
        if half != NONE and half == wrong:
            crossing[WRONG_END] = end
