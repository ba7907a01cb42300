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

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...mesh.connected import root_of
from ...native.by_address import by_address
from ...native.compiled import native_part
from ...native.vectors import dot
from .data import MOST_MET, NONE, Shape
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
from .strand_ends import (
    is_strand,
    measure_pieces,
    note_ends,
    note_lost_pieces,
    wrong_end_of,
)
from .strips import (
    begin_strips,
    height_of,
    join_faces,
    known_crossings,
    normal_of_face,
    parts_of,
    place_gone_through,
)
from .tangles import WRONG_END

SLIGHT = 0.125
"""Of the vertices that the largest strip of a contour has in both halves: folds beside it that have
less don't decide which side is wrong."""

JOINING, BEGINNING, GOING_AROUND, MEASURING, COMPARING, NOTING = range(6)
"""Stages: what hangs together, where halves begin, around which a way leads, how large strips are,
which half is the smallest, which end is in it."""


@by_address
class Contours(NamedTuple):
    """Along what surfaces go through each other, and what is on either side.

    A face has a place at each contour: p = MOST_MET WIDTH l in all. A contour, or a strip, has the
    number of one of its places; a half twice that of its strip, and one more in front.

    Attributes:
        met: of each face bits of the parts with which it is at contours, shape (WIDTH l, MOST_MET),
            uint64.
        strips, lines: of each place another one of the same surface at the same contour, of either
            surface, see :mod:`core.mesh.connected`, shape (p,), int32.
        pieces: of each vertex another one that is joined to it by edges that go through nothing, or
            itself, shape (m,), int32.
        piece_sizes: vertices of each such piece, see :mod:`.strand_ends`, shape (m,), int32.
        halves: of each vertex those that it is in, of contours with different parts, or NONE, and
            how many edges it is from them: ``rings``, shape (m, MOST_MET), int32.
        fixed: 1 for contours with pins in their halves, shape (p,), uint8.
        sizes: vertices behind and in front of each strip, shape (p, 2), int32.
        depths: how far at most those next to it are from what they go through [m], shape (p, 2).
        largest: of each contour how many vertices the largest strip has on both sides, shape (p,),
            int32.
        smallest: of each contour the smallest half of a surface, shape (p,), int32.
        alignment: of each contour how far normals of both surfaces agree, shape (p,).
        involved: bits of the parts at each contour, shape (p,), uint64.
    """

    met: NDArray[Any]
    strips: NDArray[Any]
    lines: NDArray[Any]
    pieces: NDArray[Any]
    piece_sizes: NDArray[Any]
    halves: NDArray[Any]
    rings: NDArray[Any]
    fixed: NDArray[Any]
    sizes: NDArray[Any]
    depths: NDArray[Any]
    largest: NDArray[Any]
    smallest: NDArray[Any]
    alignment: NDArray[Any]
    involved: NDArray[Any]


def new_contours(shape: Shape) -> Contours:
    """Memory for all contours that there may be."""
    count, faces = len(shape.rest), len(shape.faces.corners)
    places = MOST_MET * faces
    return Contours(
        met=np.zeros((faces, MOST_MET), np.uint64),
        strips=np.zeros(places, np.int32),
        lines=np.zeros(places, np.int32),
        pieces=np.zeros(count, np.int32),
        piece_sizes=np.zeros(count, np.int32),
        halves=np.zeros((count, MOST_MET), np.int32),
        rings=np.zeros((count, MOST_MET), np.int32),
        fixed=np.zeros(places, np.uint8),
        sizes=np.zeros((places, 2), np.int32),
        depths=np.zeros((places, 2)),
        largest=np.zeros(places, np.int32),
        smallest=np.zeros(places, np.int32),
        alignment=np.zeros(places),
        involved=np.zeros(places, np.uint64),
    )


@native_part
def find_wrong_ends(surface, threads):  # type: ignore[no-untyped-def]
    """Note for edges that go through a face which end is on the wrong side, if that is known."""
    shape, tangles, contours = surface.shape, surface.tangles, surface.contours
    start = surface.motion.start
    begin_strips(contours)
    forget_halves(contours)
    for place in range(len(contours.lines)):
        contours.largest[place] = contours.fixed[place] = 0
        contours.smallest[place], contours.alignment[place] = NONE, 0.0
        contours.involved[place] = 0
    for stage in (JOINING, BEGINNING, GOING_AROUND, MEASURING, COMPARING, NOTING):
        if stage == GOING_AROUND:
            find_pieces(shape, contours.pieces, tangles.cut)
            measure_pieces(contours, start)
            spread_halves(shape, contours, tangles.cut, start)
        for thread in range(threads):
            for number in range(known_crossings(tangles, thread)):
                _look_at(shape, tangles, contours, start, tangles.crossed[thread, number], stage)
    note_lost_pieces(tangles, contours)
    for vertex in range(len(contours.halves)):
        for k in range(MOST_MET):
            if contours.halves[vertex, k] != NONE:
                _note_right_side(shape, tangles, contours, vertex, k)


@native_part
def _look_at(shape, tangles, contours, start, crossing, stage):  # type: ignore[no-untyped-def]
    """Do one stage's work for an edge that goes through a face."""
    crossing[WRONG_END] = NONE
    edge, face = shape.edges.corners[crossing[0]], shape.faces.corners[crossing[1]]
    if (shape.sided[edge[0]] | shape.sided[face[0]]) != 0:
        return
    if is_strand(shape, crossing[0]):
        if stage == NOTING:
            crossing[WRONG_END] = wrong_end_of(shape, contours, crossing[0])
            height = height_of(shape, start, crossing, 0)
            note_ends(tangles, contours, edge, shape.bits[face[0]], height, crossing[WRONG_END])
    elif stage == JOINING:
        join_faces(shape, contours, crossing)
    elif stage == BEGINNING:
        begin_halves(shape, contours, start, crossing)
    elif stage == GOING_AROUND:
        note_way_around(shape, contours, start, crossing)
    elif stage == MEASURING:
        _measure_strip(shape, contours, start, crossing)
    elif stage == COMPARING:
        _compare_halves(shape, contours, start, crossing)
    else:
        _note_wrong_end(shape, contours, start, crossing)


@native_part
def _contour_of(shape, contours, crossing):  # type: ignore[no-untyped-def]
    """The contour at which an edge goes through a face, NONE where nobody knows of it."""
    place = place_gone_through(shape, contours, crossing)
    return NONE if place == NONE else root_of(contours.lines, place)


@native_part
def _measure_strip(shape, contours, start, crossing):  # type: ignore[no-untyped-def]
    """Let a contour know of the size of a strip."""
    contour = _contour_of(shape, contours, crossing)
    half = half_of(shape, contours, start, crossing, 0)
    if contour != NONE and half != NONE:
        contours.largest[contour] = max(contours.largest[contour], size_of_strip(contours, half))


@native_part
def _compare_halves(shape, contours, start, crossing):  # type: ignore[no-untyped-def]
    """Let a contour know of both halves of the surface of an edge."""
    contour, (own, through) = _contour_of(shape, contours, crossing), parts_of(shape, crossing)
    if contour == NONE:
        return
    contours.involved[contour] |= own | through
    for k in range(2):
        if shape.beside[crossing[0], k] != NONE:
            normal = normal_of_face(shape, start, shape.beside[crossing[0], k])
            other = normal_of_face(shape, start, crossing[1])
            contours.alignment[contour] += dot(normal, other)
    for end in range(2):
        half, best = half_of(shape, contours, start, crossing, end), contours.smallest[contour]
        if half == NONE or is_empty(contours, half):
            continue
        if size_of_strip(contours, half) < SLIGHT * contours.largest[contour]:
            continue
        if best == NONE or is_smaller(contours, half, best):
            contours.smallest[contour] = half


@native_part
def _note_right_side(shape, tangles, contours, vertex, k):  # type: ignore[no-untyped-def]
    """Note for a vertex of a half on which side of the other surface it belongs.

    All of the half that is on the wrong side may go through the other surface. Of two halves that
    it is in that one counts, or the first.
    """
    half = contours.halves[vertex, k]
    if is_open(contours, half) and contours.rings[vertex, k] > 0:
        return
    contour = root_of(contours.lines, half // 2)
    wrong = contours.smallest[contour]
    if wrong == NONE:
        return
    if wrong == half:
        others = contours.involved[contour] & ~shape.bits[vertex]
        tangles.tangled[vertex] |= others if others != 0 else shape.bits[vertex]
    if tangles.lost[vertex] != 0 or (tangles.beside[vertex] != NONE and wrong != half):
        return
    right = 1 - 2 * (wrong % 2)
    if wrong // 2 != half // 2:
        right = -right if contours.alignment[contour] > 0.0 else right
    tangles.right[vertex], tangles.beside[vertex] = right, contour
    tangles.lost[vertex] = wrong == half


@native_part
def _note_wrong_end(shape, contours, start, crossing):  # type: ignore[no-untyped-def]
    contour = _contour_of(shape, contours, crossing)
    wrong = NONE if contour == NONE else contours.smallest[contour]
    for end in range(2):
        half = half_of(shape, contours, start, crossing, end)
        if half != NONE and half == wrong:
            crossing[WRONG_END] = end
