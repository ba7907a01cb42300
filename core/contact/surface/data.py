# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays of the contact surface: everything that can touch, as faces, edges and vertices.

Vertices are rows of the state: first its particles, behind them those of colliders, which have no
inverse mass and know where they are at the end of the substep. Pieces of surface (faces, or edges
where there are none) follow each other in leaves of ``WIDTH`` that lie close together; boxes around
the pieces of a leaf, around leaves, around ``WIDTH`` of these and so on are the tree in which near
ones are found. Each vertex and each edge belongs to one leaf.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from ...native.by_address import by_address
from ..carried import Carried

WIDTH = 8
"""Pieces in a leaf, and boxes in a box."""

NONE = -1
"""Where a leaf or a block has nothing."""

MOST_MET = 2
"""Parts with which a face has places at contours; of what more of them go through it nobody knows a
side."""

FACTOR, LEAST_FACTOR = 3, 6
"""Places in rows of ``rest`` and of ``rest_boxes``."""

EMPTY = 1e30
"""Lower corner of a box that has nothing [m]; the upper one is its negative."""

STREAMS = 4
VERTEX_FACE, EDGE_EDGE, NEAR = 0, 1, 2
"""Candidates are listed in streams: by what they are, plus NEAR where they are near at rest."""

LISTED, RANGES, AT_ONCE, LAST, LAST_RANGE, LISTS = range(6)
"""Places in ``listed``: candidates, ranges of them, candidates that were listed all at once; the
first candidate and range of those that were listed last; and how many numbers there are."""

NEVER = 1e30
"""How much nearer both leaves of a range have to come whose candidates count no more."""

WRONG_END = 2
"""Place in ``crossed`` of the end of an edge, 0 or 1, on the wrong side; NONE if nobody knows."""

CHUNK = 512
"""Candidates that are measured together."""

GOAL, PUSH, LEAST, INERTIA, TURNED = range(5)
"""Of a pair the distance wanted [m], the multiplier by which it was pushed apart [m kg], the
distance that is left at the least [m], 1 / Σ wᵢ² / mᵢ, which turns a way into a multiplier [kg],
and whose normal it has."""

UNTURNED, SLID, IMPACT = 0.0, 1.0, 2.0
"""Normals of pairs: with a plane between both at the start; of where both slide to, without one; of
the time when they would have touched."""

SPREAD = 16
"""Particles that move with a pair at most: four corners of each vertex."""

NEVER_PROVED = -(2.0**100)
"""LEAST of what goes through each other already and is led out, and of what is next to that; exact
in single precision."""

FOUND, ACTIVE, SQUEEZED, HELD_BACK, STRAYED, ORDERED, IMPACTS, CROSSED, BEGUN = range(9)
ENDS, TURNING, COUNTS = 9, 14, 16
"""Places in ``counts`` of a thread: pairs found; of the first thread also those solved, those that
prescribed motion forced through each other, and vertices held back, in this substep; whether a
vertex has left its box; how many pairs are in ``order``; of those that are not, how many were found
before them, and from ENDS on after each stream, and after what is led out; whether a leaf may have
turned; and how many numbers there are."""

STALE = -1.0

AGE, HORIZON, DRIFT, SHIFT, SEEKING, TANGLED, PROVING, REUSE = 0, 1, 2, 5, 8, 9, 10, 11
"""Places in ``reuse``: substeps since candidates were found, STALE where there are none, so many
that they were meant for; the mean way of everything in this substep [m], and in those before since
candidates were found; whether tangles are looked for, too, whether there are any; how often
vertices were held back, where there is no memory for the pairs that they have then; and how many
numbers there are."""


@by_address
class Blocks(NamedTuple):
    """Faces, edges or vertices of all leaves, in blocks of WIDTH.

    Attributes:
        starts: first block of each leaf, and the end, shape (l + 1,), int32.
        corners: vertices of each, NONE where a block is not full, shape (WIDTH b, k), int32.
        offsets: byte offsets of their hulls, in blocks as kernels want them, uint32.
        boxes: WIDTH lower x, lower y, lower z, upper x, upper y, upper z of each block, (b, 48),
            float32.
        same: ``Shape.same`` of the first corners of each block, of the second ones and so on, NONE
            where it is not full, shape (WIDTH k b,), int32.
        proper: a bit for each in a block whose corners are all different, shape (b,), int64.
    """

    starts: NDArray[Any]
    corners: NDArray[Any]
    offsets: NDArray[Any]
    boxes: NDArray[Any]
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
        joined: what hangs together with each leaf, and behind them each row of ``Moving.boxes``,
            see :mod:`.patches`, and where those of each begin, and the end, shape (l + rows + 1,):
            ``joined_starts``; what lies between both, or NONE: ``joined_between``; all int32; and
            their bits, int64: ``joined_bits``.
        levels: first row in ``Moving.boxes`` of each level of the tree, and their end, int64.
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


@by_address
class Moving(NamedTuple):
    """What is found while a step runs; there is memory for c pairs and d candidates.

    Attributes:
        start: where vertices are at the substep's start, and their inverse masses, shape (m, 4).
        leeway: of each vertex, in times its margin, how far it may stray, shape (m,), float32.
        lows, highs: lower and upper corners of its hull, where each vertex may go [m]; an empty one
            behind them; shape (m + 1, 4), float32.
        boxes: rows of the tree above the leaves, as in ``Blocks``.
        cones: of each leaf, and behind them each row of ``boxes``, a direction and how far normals
            are from it, see :mod:`.cones`, shape (l + rows, 5), float32.
        bent: how far vertices of each leaf have gone beside each other since then [m], shape (l,).
        offsets: of the candidates of each thread and stream byte offsets of rows, in blocks as
            kernels want them, shape (threads, STREAMS, 4 d), uint32.
        wanted: the distance wanted of each [m], shape (threads, STREAMS, d), float32.
        until: how much nearer [m] both leaves of each have to come in all before it can become a
            pair, shape (threads, STREAMS, d), float32.
        soonest: the least of these in each range, shape (threads, STREAMS, d), float32.
        ranges: both leaves of candidates that follow each other, and the first of these, shape
            (threads, STREAMS, d, 3), int32.
        approached: how much nearer [m] these may have come since they were listed, shape (threads,
            STREAMS, d), float32.
        listed: see LISTED and following, shape (threads, STREAMS, LISTS).
        concerned: 1 for leaves that have candidates, shape (l,), uint8.
        strayed: 1 for vertices that have left their hulls in this substep, shape (m,), uint8.
        vertices: of each pair, shape (c, 4), int32: vertex and corners of the face, or both edges.
        weights: of the closest points, those of the second with a minus, shape (c, 4), float32.
        normals: unit vector from the second to the first at the start, and distance [m], (c, 4).
        goals: GOAL, PUSH, LEAST, INERTIA and TURNED of each pair, shape (c, 5), float32.
        splits: how many of its vertices belong to the first: 1 or 2, shape (c,), uint8.
        carried: particles that others carry.
        spreads: of each pair with carried vertices how many particles move with it, else 0, shape
            (c,), uint8; and with such pairs these particles, int32: ``spread_to``, and their
            weights, float32: ``spread_weights``, shape (c, SPREAD).
        order: all pairs, in an order that does not depend on the number of threads, (c,), int32.
        active: pairs that are solved in this substep, shape (c,), int32.
        impacts: those that would have touched, shape (c,), int32.
        times: when they touch, as part of the substep, shape (c,), float32.
        zones: of each vertex another one of those it is held back with, shape (m,), int32.
        drift: of each zone what its displacement is made of, shape (m, 11), float64. Both serve for
            sums over vertices in :mod:`.leading_out` and :mod:`.no_room` as well.
        squeezed: 1 for vertices of pairs that prescribed motion forced through each other in this
            frame, shape (m,), uint8.
        outward: where the outside is, at vertices of colliders that have one, (m, 3), float32.
        no_room: not zero for vertices that colliders leave no room, see :mod:`.no_room`, shape
            (m,), uint8.
        pinned: 1 for pins inside of a collider, see :mod:`.no_room`, shape (m,), uint8.
        inside: of particles, not zero where they are inside of a collider, shape (n,), uint8,
        wedged: and where colliders leave them less than their thicknesses, shape (n,), uint8.
        ends: where vertices would end if nothing touched, later where those would that are held
            back, shape (m, 4).
        led: how far each is led away from where it started too near [m], shape (m, 4),
        led_out: and how far of that out of what it went through.
        counts: of each thread, shape (threads, COUNTS), int64.
        reuse: see AGE and following, shape (REUSE,), float64.
        around: lower and upper corners of a box, and how far from its sides bodies have to stay so
            that they reach nothing outside [m], shape (7,), float32.
        pushed: 1 for vertices that were pushed far in this substep, shape (m,), uint8.
        stirred: 1 for leaves that have vertices that were pushed, or strayed, shape (l,), uint8.
        ways: of each leaf with candidates the middle of how its vertices go in this substep, and
            how far any of them is from that [m], shape (l, 4).
        tangled: of vertices of edges that go through faces, and of these, the bits of what they go
            through, shape (m,), uint64.
        crossed: edges, the faces that they go through, and WRONG_END, (threads, most, 3), int32.
        cut: 1 for edges that go through a face, shape (WIDTH b,), uint8.
        met: of each face bits of the parts with which it is at contours, shape (WIDTH l, MOST_MET),
            uint64; it has a place at each of p = MOST_MET WIDTH l.
        strips, contours: of each place another one of the same surface at the same contour, of
            either surface, shape (p,), int32.
        pieces: of each vertex another one that is joined to it by edges that go through nothing, or
            itself, shape (m,), int32.
        halves: of each vertex those that it is in, of contours with different parts, or NONE, and
            how many edges it is from them: ``rings``, shape (m, MOST_MET), int32.
        fixed: 1 for contours with pins in their halves, shape (p,), uint8.
        largest: of each contour how many vertices the largest strip has on both sides, shape (p,),
            int32.
        sizes: vertices behind and in front of each strip, shape (p, 2), int32.
        depths: how far at most those next to it are from what they go through [m], shape (p, 2).
        smallest: of each contour the smallest half of a surface, shape (p,), int32.
        alignment: of each contour how far normals of both surfaces agree, shape (p,).
        involved: bits of the parts at each contour, shape (p,), uint64.
        piercing, pierced: of vertices of edges that go through faces, and of these, a bit for each
            such edge and face, the same one for few others, shape (m,), uint64.
        lost: 1 for vertices of a half that is on the wrong side, shape (m,), uint8.
        beside: the contour that vertices are known to be on a side of, NONE, shape (m,), int32.
        right: on which side of what it goes through a vertex belongs: 1 in front, -1 behind, 0 if
            nobody knows, shape (m,), int8.
        picked: candidates that are measured again, shape (threads, CHUNK), int64.
        again: their offsets, as ``offsets``, shape (threads, 4 CHUNK), uint32.
        belongs: the range of each, shape (threads, CHUNK), int64.
        measured: what a kernel puts out, shape (threads, 9 CHUNK).
        stack: boxes to visit, shape (threads, 512), int64.
    """

    start: NDArray[Any]
    leeway: NDArray[Any]
    lows: NDArray[Any]
    highs: NDArray[Any]
    boxes: NDArray[Any]
    cones: NDArray[Any]
    bent: NDArray[Any]
    offsets: NDArray[Any]
    wanted: NDArray[Any]
    until: NDArray[Any]
    soonest: NDArray[Any]
    ranges: NDArray[Any]
    approached: NDArray[Any]
    listed: NDArray[Any]
    concerned: NDArray[Any]
    strayed: NDArray[Any]
    vertices: NDArray[Any]
    weights: NDArray[Any]
    normals: NDArray[Any]
    goals: NDArray[Any]
    splits: NDArray[Any]
    carried: Carried
    spreads: NDArray[Any]
    spread_to: NDArray[Any]
    spread_weights: NDArray[Any]
    order: NDArray[Any]
    active: NDArray[Any]
    impacts: NDArray[Any]
    times: NDArray[Any]
    zones: NDArray[Any]
    drift: NDArray[Any]
    squeezed: NDArray[Any]
    outward: NDArray[Any]
    no_room: NDArray[Any]
    pinned: NDArray[Any]
    inside: NDArray[Any]
    wedged: NDArray[Any]
    ends: NDArray[Any]
    led: NDArray[Any]
    led_out: NDArray[Any]
    counts: NDArray[Any]
    reuse: NDArray[Any]
    around: NDArray[Any]
    pushed: NDArray[Any]
    stirred: NDArray[Any]
    ways: NDArray[Any]
    tangled: NDArray[Any]
    crossed: NDArray[Any]
    cut: NDArray[Any]
    met: NDArray[Any]
    strips: NDArray[Any]
    contours: NDArray[Any]
    pieces: NDArray[Any]
    halves: NDArray[Any]
    rings: NDArray[Any]
    fixed: NDArray[Any]
    largest: NDArray[Any]
    sizes: NDArray[Any]
    depths: NDArray[Any]
    smallest: NDArray[Any]
    alignment: NDArray[Any]
    involved: NDArray[Any]
    piercing: NDArray[Any]
    pierced: NDArray[Any]
    lost: NDArray[Any]
    beside: NDArray[Any]
    right: NDArray[Any]
    picked: NDArray[Any]
    again: NDArray[Any]
    belongs: NDArray[Any]
    measured: NDArray[Any]
    stack: NDArray[Any]


@by_address
class SurfaceArrays(NamedTuple):
    """What native code sees of the contact surface."""

    shape: Shape
    moving: Moving
