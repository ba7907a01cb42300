# SPDX-License-Identifier: GPL-3.0-or-later
"""Which side of a contour, along which two surfaces go through each other, is the wrong one.

A contour cuts either surface into two, see :mod:`.strips`, :mod:`.halves`. The smallest of the four
halves is on the wrong side (after Baraff, Witkin and Kass 2003, "Untangling cloth"). A contour that
ends within a surface, where the other one has its border, does not cut it into two: its halves are
what is nearer to either side of it, and they are larger than any that are cut off. Where both
surfaces are pieces of one, which go through each other where they hang together, or pins hold
something of them, there is no telling: of such only the vertices next to the contour are told
apart, and those are wrong that have the least way to go. What is behind the faces of something
closed is wrong anyway: such places are left out, or two that go through the same body would seem to
go through each other.
"""

from __future__ import annotations

from ...mesh.connected import root_of
from ...native.compiled import native_part
from ...native.vectors import dot
from .data import MOST_MET, NONE, WRONG_END
from .halves import (
    begin_halves,
    find_pieces,
    forget_halves,
    half_of,
    is_empty,
    is_open,
    is_smaller,
    note_way_around,
    size_of_strip,
    spread_halves,
)
from .strips import (
    begin_strips,
    join_faces,
    known_crossings,
    normal_of_face,
    parts_of,
    place_gone_through,
)

SLIGHT = 0.125
"""Of the vertices that the largest strip of a contour has in both halves: folds beside it that have
less don't decide which side is wrong."""

JOINING, BEGINNING, GOING_AROUND, MEASURING, COMPARING, NOTING = range(6)
"""Stages: what hangs together, where halves begin, around which a way leads, how large strips are,
which half is the smallest, which end is in it."""


@native_part
def find_wrong_ends(shape, moving, threads):  # type: ignore[no-untyped-def]
    """Note for edges that go through a face which end is on the wrong side, if that is known."""
    begin_strips(moving)
    forget_halves(moving)
    for place in range(len(moving.contours)):
        moving.largest[place] = moving.fixed[place] = 0
        moving.smallest[place], moving.alignment[place], moving.involved[place] = NONE, 0.0, 0
    for stage in (JOINING, BEGINNING, GOING_AROUND, MEASURING, COMPARING, NOTING):
        if stage == GOING_AROUND:
            find_pieces(shape, moving)
            spread_halves(shape, moving)
        for thread in range(threads):
            for number in range(known_crossings(moving, thread)):
                _look_at(shape, moving, moving.crossed[thread, number], stage)
    for vertex in range(len(moving.halves)):
        for k in range(MOST_MET):
            if moving.halves[vertex, k] != NONE:
                _note_right_side(shape, moving, vertex, k)


@native_part
def _look_at(shape, moving, crossing, stage):  # type: ignore[no-untyped-def]
    """Do one stage's work for an edge that goes through a face."""
    crossing[WRONG_END] = NONE
    edge, face = shape.edges.corners[crossing[0]], shape.faces.corners[crossing[1]]
    if (shape.sided[edge[0]] | shape.sided[face[0]]) != 0:
        return
    if stage == JOINING:
        join_faces(shape, moving, crossing)
    elif stage == BEGINNING:
        begin_halves(shape, moving, crossing)
    elif stage == GOING_AROUND:
        note_way_around(shape, moving, crossing)
    elif stage == MEASURING:
        _measure_strip(shape, moving, crossing)
    elif stage == COMPARING:
        _compare_halves(shape, moving, crossing)
    else:
        _note_wrong_end(shape, moving, crossing)


@native_part
def _contour_of(shape, moving, crossing):  # type: ignore[no-untyped-def]
    """The contour at which an edge goes through a face, NONE where nobody knows of it."""
    place = place_gone_through(shape, moving, crossing)
    return NONE if place == NONE else root_of(moving.contours, place)


@native_part
def _measure_strip(shape, moving, crossing):  # type: ignore[no-untyped-def]
    """Let a contour know of the size of a strip."""
    contour, half = _contour_of(shape, moving, crossing), half_of(shape, moving, crossing, 0)
    if contour != NONE and half != NONE:
        moving.largest[contour] = max(moving.largest[contour], size_of_strip(moving, half))


@native_part
def _compare_halves(shape, moving, crossing):  # type: ignore[no-untyped-def]
    """Let a contour know of both halves of the surface of an edge."""
    contour, (own, through) = _contour_of(shape, moving, crossing), parts_of(shape, crossing)
    if contour == NONE:
        return
    moving.involved[contour] |= own | through
    for k in range(2):
        if shape.beside[crossing[0], k] != NONE:
            normal = normal_of_face(shape, moving, shape.beside[crossing[0], k])
            other = normal_of_face(shape, moving, crossing[1])
            moving.alignment[contour] += dot(normal, other)
    for end in range(2):
        half, best = half_of(shape, moving, crossing, end), moving.smallest[contour]
        if half == NONE or is_empty(moving, half):
            continue
        if size_of_strip(moving, half) < SLIGHT * moving.largest[contour]:
            continue
        if best == NONE or is_smaller(moving, half, best):
            moving.smallest[contour] = half


@native_part
def _note_right_side(shape, moving, vertex, k):  # type: ignore[no-untyped-def]
    """Note for a vertex of a half on which side of the other surface it belongs.

    All of the half that is on the wrong side may go through the other surface. Of two halves that
    it is in that one counts, or the first.
    """
    half = moving.halves[vertex, k]
    if is_open(moving, half) and moving.rings[vertex, k] > 0:
        return
    contour = root_of(moving.contours, half // 2)
    wrong = moving.smallest[contour]
    if wrong == NONE:
        return
    if wrong == half:
        others = moving.involved[contour] & ~shape.bits[vertex]
        moving.tangled[vertex] |= others if others != 0 else shape.bits[vertex]
    if moving.lost[vertex] != 0 or (moving.beside[vertex] != NONE and wrong != half):
        return
    right = 1 - 2 * (wrong % 2)
    if wrong // 2 != half // 2:
        right = -right if moving.alignment[contour] > 0.0 else right
    moving.right[vertex], moving.beside[vertex], moving.lost[vertex] = right, contour, wrong == half


@native_part
def _note_wrong_end(shape, moving, crossing):  # type: ignore[no-untyped-def]
    contour = _contour_of(shape, moving, crossing)
    wrong = NONE if contour == NONE else moving.smallest[contour]
    for end in range(2):
        half = half_of(shape, moving, crossing, end)
        if half != NONE and half == wrong:
            crossing[WRONG_END] = end
