# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape of the contact surface: everything that can touch, as faces, edges and vertices.

Vertices are rows of the state: first its particles, behind them those of colliders, which have no
inverse mass and know where they are at the end of the substep. Pieces of surface (faces, or edges
where there are none) follow each other in leaves of ``WIDTH`` that lie close together; boxes around
the pieces of a leaf, around leaves, around ``WIDTH`` of these and so on are the tree in which near
ones are found. Each vertex and each edge belongs to one leaf.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from numpy.typing import NDArray

from ...native.by_address import by_address

WIDTH = 8
"""Pieces in a leaf, and boxes in a box."""

NONE = -1
"""Where a leaf or a block has nothing."""

MOST_MET = 2
"""Parts with which a face has places at contours; of what more of them go through it nobody knows a
side."""

FACTOR, LEAST_FACTOR = 3, 6
"""Places in rows of ``rest`` and of ``rest_boxes``."""

EMPTY = math.inf
"""Lower corner of a box that has nothing [m]; the upper one is its negative."""

OUTERMOST = 1e30
"""Where a hull ends at most [m], whatever becomes of its vertex: so nothing meets empty boxes."""

STREAMS = 4
VERTEX_FACE, EDGE_EDGE, NEAR = 0, 1, 2
"""Candidates are listed in streams: by what they are, plus NEAR where they are near at rest."""

STRAYED, TURNING, TOLD = 0, 1, 8
"""Places in ``SurfaceArrays.told`` of a thread: how many of what it has looked at are not where
they were expected, or whether there are any; whether a leaf may have turned; and how many numbers
there are."""


@by_address
class Blocks(NamedTuple):
    """Faces, edges or vertices of all leaves, in blocks of WIDTH.

    Attributes:
        starts: first block of each leaf, and the end, shape (l + 1,), int32.
        corners: vertices of each, NONE where a block is not full, shape (WIDTH b, k), int32.
        offsets: byte offsets of their hulls, in blocks as kernels want them, uint32.
        boxes: WIDTH lower x, lower y, lower z, upper x, upper y, upper z of each block, (b, 48),
            float32; the same at rest, not extended: ``at_rest``.
        same: ``Shape.same`` of the first corners of each block, of the second ones and so on, NONE
            where it is not full, shape (WIDTH k b,), int32.
        proper: a bit for each in a block whose corners are all different, shape (b,), int64.
    """

    starts: NDArray[Any]
    corners: NDArray[Any]
    offsets: NDArray[Any]
    boxes: NDArray[Any]
    at_rest: NDArray[Any]
    same: NDArray[Any]
    proper: NDArray[Any]


@by_address
class Shape(NamedTuple):
    """What does not change within a frame; m vertices, l leaves.

    Attributes:
        rest: of each vertex x, y, z [m] in the rest shape, and by which FACTOR lengths around it
            are longer than there, shape (m, 4).
        thickness: [m], what each keeps from others, to be added to theirs, float32, shape (m,).
        friction: Coulomb coefficient, float32, shape (m,).
        same: of each the number of a vertex that it is sewn to, or its own: pieces that share one
            don't touch each other, int32, shape (m,).
        parts: the part (body, collider) of each leaf, shape (l,), int32.
        members: vertices of each leaf, leaf by leaf, int32, and where those of each begin, and the
            end, shape (l + 1,), int32: ``member_starts``.
        folded: 1 for vertices that were modelled through each other, and next to these, see
            :mod:`.modelled`, shape (m,), uint8.
        rest_boxes: lower and upper corners of each leaf at rest [m], and the LEAST_FACTOR of its
            vertices, shape (l, 7), float32.
        joined: what hangs together with each leaf, and behind them each row of ``Tree.boxes``,
            see :mod:`.patches`, and where those of each begin, and the end, shape (l + rows + 1,):
            ``joined_starts``; what lies between both, or NONE: ``joined_between``; all int32; and
            their bits, int64: ``joined_bits``.
        levels: first row in ``Tree.boxes`` of each level of the tree, and their end, int64.
        meets: whether the pieces of two parts can touch, shape (parts, parts), uint8.
        reach: how far boxes of a part are extended [m], shape (parts,), float32.
        margin: how far beyond its foreseen way each vertex may stray [m], float32, shape (m,).
        pliant: how far vertices of each leaf may go beside each other until its normals are looked
            at again [m], float32, shape (l,).
        kernels: addresses of the kernels that measure VERTEX_FACE and EDGE_EDGE, and the same at
            rest, shape (4,), int64.
        fits: addresses of the kernels that fit boxes around vertices, edges and faces, and of the
            one that finds normals, all of WIDTH lanes, shape (4,), int64.
        face_offsets: byte offsets of the rows of faces, for the last one, uint32.
        numbers: see VERTICES and following.
        beside: both faces of each edge, NONE where there is no more, shape (WIDTH b, 2), int32.
        bits: of each vertex one that stands for its part, shape (m,), uint64.
        sided: 1 for vertices of colliders whose normals tell what is outside, shape (m,), uint8.
        faces, edges, vertices: what may touch, in blocks.
    """

    rest: NDArray[Any]
    folded: NDArray[Any]
    thickness: NDArray[Any]
    friction: NDArray[Any]
    same: NDArray[Any]
    parts: NDArray[Any]
    members: NDArray[Any]
    member_starts: NDArray[Any]
    rest_boxes: NDArray[Any]
    joined: NDArray[Any]
    joined_between: NDArray[Any]
    joined_starts: NDArray[Any]
    joined_bits: NDArray[Any]
    levels: NDArray[Any]
    meets: NDArray[Any]
    reach: NDArray[Any]
    margin: NDArray[Any]
    pliant: NDArray[Any]
    kernels: NDArray[Any]
    fits: NDArray[Any]
    face_offsets: NDArray[Any]
    numbers: NDArray[Any]
    beside: NDArray[Any]
    bits: NDArray[Any]
    sided: NDArray[Any]
    faces: Blocks
    edges: Blocks
    vertices: Blocks


VERTICES, LOOKING, LANES, ROW_SHIFT, LATE = range(5)
"""Places in ``Shape.numbers``: vertices m; leaves whose pieces look for others, which come first;
lanes of the kernels; the binary logarithm of bytes in a row; how many candidates of a stream may be
listed later than the others."""
