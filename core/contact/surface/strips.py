# SPDX-License-Identifier: GPL-3.0-or-later
"""The faces along which surfaces go through each other: strips of either, together at contours.

A face has a place at each contour; those of different pairs of bodies are different ones, or three
that go through each other would seem to be at a single one.
"""

from __future__ import annotations

from ...mesh.connected import unite
from ...native.compiled import native_part
from ...native.vectors import corners_of, dot, row_of, subtract, unit
from ..closest_point import scaled_normal
from .data import LOOKING, MOST_MET, NONE, WIDTH


@native_part
def known_crossings(tangles, thread):  # type: ignore[no-untyped-def]
    """How many of the edges that a thread has found to go through faces count: in all threads as
    many as one has memory for, the first.
    """
    left = tangles.crossed.shape[1]
    for earlier in range(thread):
        left = max(0, left - tangles.counts[earlier])
    return min(tangles.counts[thread], left)


@native_part
def looking_edges(shape):  # type: ignore[no-untyped-def]
    """How many edges are those of bodies; the others are those of colliders."""
    return WIDTH * shape.edges.starts[shape.numbers[LOOKING]]


@native_part
def normal_of_face(shape, start, face):  # type: ignore[no-untyped-def]
    """That of a face when the frame began, as long as twice its area."""
    normal, _ = scaled_normal(corners_of(start, shape.faces.corners, face))
    return normal


@native_part
def height_of(shape, start, crossing, end):  # type: ignore[no-untyped-def]
    """How far an end of an edge is in front of the face that it goes through [m]."""
    origin = row_of(start, shape.faces.corners[crossing[1], 0])
    way = subtract(row_of(start, shape.edges.corners[crossing[0], end]), origin)
    return dot(unit(normal_of_face(shape, start, crossing[1])), way)


@native_part
def begin_strips(contours):  # type: ignore[no-untyped-def]
    """Let no face be at a contour."""
    for face in range(len(contours.met)):
        for k in range(MOST_MET):
            contours.met[face, k] = 0
    for place in range(len(contours.strips)):
        contours.strips[place] = contours.lines[place] = place


@native_part
def parts_of(shape, crossing):  # type: ignore[no-untyped-def]
    """The bits of the parts of an edge and of the face that it goes through."""
    edge, face = shape.edges.corners[crossing[0], 0], shape.faces.corners[crossing[1], 0]
    return shape.bits[edge], shape.bits[face]


@native_part
def place_beside(shape, contours, crossing, k):  # type: ignore[no-untyped-def]
    """The place of a face beside an edge, NONE where there is none."""
    _, through = parts_of(shape, crossing)
    return _place_at(contours, shape.beside[crossing[0], k], through)


@native_part
def place_gone_through(shape, contours, crossing):  # type: ignore[no-untyped-def]
    """The place of the face that an edge goes through, NONE where there is none."""
    own, _ = parts_of(shape, crossing)
    return _place_at(contours, crossing[1], own)


@native_part
def _place_at(contours, face, part):  # type: ignore[no-untyped-def]
    """The place of a face at its contour with a part; a new one if it has any left."""
    if face == NONE:
        return NONE
    for k in range(MOST_MET):
        if contours.met[face, k] == 0:
            contours.met[face, k] = part
        if contours.met[face, k] == part:
            return MOST_MET * face + k
    return NONE


@native_part
def part_met_at(contours, place):  # type: ignore[no-untyped-def]
    """The bits of the part that a face goes through at a place of it."""
    return contours.met[place // MOST_MET, place % MOST_MET]


@native_part
def join_faces(shape, contours, crossing):  # type: ignore[no-untyped-def]
    """Faces beside an edge are in one strip, and at one contour with what it goes through."""
    one, other = (
        place_beside(shape, contours, crossing, 0),
        place_beside(shape, contours, crossing, 1),
    )
    through = place_gone_through(shape, contours, crossing)
    if one != NONE and through != NONE:
        unite(contours.lines, through, one)
    if one != NONE and other != NONE:
        unite(contours.lines, one, other)
        unite(contours.strips, one, other)
