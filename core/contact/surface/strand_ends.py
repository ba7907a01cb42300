# SPDX-License-Identifier: GPL-3.0-or-later
"""Which end of a strand's edge that goes through cloth is on the wrong side.

The edge cuts its strand in two. The piece with fewer vertices is on the wrong side, unless pins
hold it there, or both pieces hang together elsewhere: then nobody knows how to get it out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...mesh.connected import root_of
from ...native.compiled import native_part
from .data import NONE, Shape

HELD = 2**30
"""Added to the sizes of pieces that have pins."""


@native_part
def is_strand(shape, edge):  # type: ignore[no-untyped-def]
    """Whether an edge is one of strands, and no face's."""
    piece, corners = shape.beside[edge, 0], shape.faces.corners
    return piece != NONE and corners[piece, 1] == corners[piece, 2]


def are_strands(shape: Shape, edges: NDArray[np.integer]) -> NDArray[np.bool_]:
    """The same of several edges, shape (k,)."""
    corners = shape.faces.corners[shape.beside[edges, 0]]
    return np.asarray((shape.beside[edges, 0] != NONE) & (corners[:, 1] == corners[:, 2]))


@native_part
def measure_pieces(contours, start):  # type: ignore[no-untyped-def]
    """Count the vertices of each piece, and note which ones have pins."""
    sizes, pieces = contours.piece_sizes, contours.pieces
    for vertex in range(len(sizes)):
        sizes[vertex] = 0
    for vertex in range(len(sizes)):
        piece = root_of(pieces, vertex)
        sizes[piece] += 1
        if start[vertex, 3] == 0.0:
            sizes[piece] |= HELD


@native_part
def wrong_end_of(shape, contours, edge):  # type: ignore[no-untyped-def]
    """The end, 0 or 1, of a strand's edge that is on the wrong side, NONE if nobody knows."""
    ends, sizes = shape.edges.corners[edge], contours.piece_sizes
    one, other = root_of(contours.pieces, ends[0]), root_of(contours.pieces, ends[1])
    wrong = 0 if sizes[one] % HELD < sizes[other] % HELD else 1
    held = sizes[other if wrong else one] >= HELD
    return NONE if one == other or held else wrong


@native_part
def note_ends(tangles, contours, ends, through, height, wrong):  # type: ignore[no-untyped-def]
    """Note on which side of cloth the ends of a strand's edge belong.

    Args:
        through: the bits of what the edge goes through.
        height: of its first end above the face that it goes through [m].
        wrong: its end on the wrong side, NONE if nobody knows.
    """
    if wrong == NONE:
        return
    piece = root_of(contours.pieces, ends[wrong])
    tangles.lost[piece] = 1
    tangles.tangled[piece] |= through
    tangles.right[ends[1 - wrong]] = 1 if (height > 0.0) == (wrong == 1) else -1


@native_part
def note_lost_pieces(tangles, contours):  # type: ignore[no-untyped-def]
    """Let all of a piece be on the wrong side that the vertex which stands for it is on."""
    for vertex in range(len(contours.pieces)):
        piece = root_of(contours.pieces, vertex)
        if tangles.lost[piece] != 0:
            tangles.lost[vertex] = 1
            tangles.tangled[vertex] |= tangles.tangled[piece]
