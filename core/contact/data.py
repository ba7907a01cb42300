# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays that contact kernels read and write.

c colliders are merged into v vertices, t triangles and b boxes; there are n particles. All real
numbers are float64 unless said otherwise, whatever the type of the model: contact geometry needs
the digits and is too irregular to gain from narrow vectors.

Many small fields are kept in records: numba compiles a function that takes few arrays several
times faster than one that takes many.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..native.by_address import by_address

Reals = NDArray[Any]
Integers = NDArray[Any]
Records = Any

LIST_SIZE = 16
"""Most triangles kept in the list of nearest ones of a particle."""

LISTED, UNKNOWN, FACE, EDGE, VERTEX, STRUCK = -2, -1, 0, 1, 4, 7
"""Where a closest point lies: the face, edge ``EDGE + k`` or corner ``VERTEX + k``; STRUCK if it
is where a particle went through, UNKNOWN as long as it is, LISTED if the list is new."""

NOW, BEFORE = 2, 1
"""When a particle was inside a collider: at the start of this substep or of the one before."""

BY_COLLIDER, BY_BODY = 1, 2
"""Bits that tell what has pushed a particle: a collider; a body, be it its own."""

LEAST_THICKNESS = 1e-4
"""Distance [m] kept at least: a particle exactly on a surface would be on no side of it."""

AROUND = np.dtype(
    [
        ("welded", np.int64),  # the vertex that stands for all at the same place
        ("fan_start", np.int64),  # of a welded vertex: corners that meet there, a range of ``fan``
        ("fan_end", np.int64),
        ("border", np.int64),  # of a welded vertex: 1 if it touches a border
    ]
)
"""What is around a vertex."""

COLLIDER = np.dtype(
    [
        ("vertex_start", np.int64),
        ("vertex_end", np.int64),
        ("triangle_start", np.int64),
        ("triangle_count", np.int64),
        ("box_start", np.int64),
        ("leaves", np.int64),  # of the box tree, a power of two
        ("moving", np.int64),
        ("two_sided", np.int64),
        ("thickness", np.float64),  # [m]
        ("friction", np.float64),
        ("margin", np.float64),  # how far beyond the closest triangle lists reach [m]
        ("fraction_before", np.float64),  # of the frame at the substep's start
        ("fraction", np.float64),  # and at its end
    ]
)
"""A collider."""

PAIR = np.dtype(
    [
        ("companion", np.float64, (3,)),  # its way in the frame [m]
        ("pace", np.float64),  # how far triangles go in the frame at most, seen from it [m]
        ("anchor", np.float64, (3,)),  # where the list was made, less the companion's way [m]
        ("reach", np.float64),  # all triangles nearer than this to the anchor are listed [m]
        ("gone", np.float64),  # part of the pace that was gone then [m]
        ("count", np.int64),
        ("triangles", np.int32, (LIST_SIZE,)),  # nearest first
        ("distances", np.float32, (LIST_SIZE,)),  # lower bounds, from the anchor [m]
        ("push", np.float64),  # sum of the substep's pushes that make velocity [m]
        ("recovered", np.float64),  # and of those that don't
        ("gap", np.float64),  # where both leave it [m]
        ("touched", np.int64),  # the triangle touched last,
        ("u", np.float64),  # where, as weights of its corners b
        ("v", np.float64),  # and c,
        ("normal", np.float64, (3,)),  # and the direction of the push
    ]
)
"""What is remembered of a particle near a collider."""

CANDIDATE = np.dtype(
    [
        ("particle", np.int64),
        ("triangle", np.int64),  # the closest one
        ("feature", np.int64),  # where on it the closest point is
        ("u", np.float64),  # weights of the closest point for corners b
        ("v", np.float64),  # and c
        ("distance", np.float64),  # to the closest point, later the gap beyond the thickness [m]
        ("normal", np.float64, (3,)),
    ]
)
"""A particle that may touch the collider that is being worked on."""

OPPOSITE = np.dtype(
    [
        ("normal", np.float64, (3,)),  # out of it
        ("deep", np.float64),  # how deep the particle is in it and its thickness [m]
        ("height", np.float64),  # and how high above it [m]
        ("step", np.float64, (3,)),  # how far it goes where the particle is held fast [m]
        ("way", np.float64, (3,)),  # and how far the particle [m]
        ("collider", np.int64),  # its number
        ("remembered", np.int64),  # for so many substeps
        ("held_fast", np.int64),  # and so long the particle is held fast
    ]
)
"""The collider that a particle was too near to last; see :mod:`.wedged`."""

WORKER = np.dtype(
    [
        ("stack", np.int64, (128,)),  # boxes to visit
        ("pending", np.float64, (128,)),  # and their distances [m]
        ("start", np.float64, (3,)),  # a particle's way through a substep [m]
        ("end", np.float64, (3,)),
    ]
)
"""Memory of one thread."""


@by_address
class Meshes(NamedTuple):
    """Merged triangle meshes; triangles of a collider are contiguous, in the order of its tree.

    Attributes:
        first, last: vertices [m] at the frame's start and end, shape (v, 3).
        before, now: vertices [m] at the substep's start and end, shape (v, 3).
        triangles: corners, shape (t, 3), int32.
        neighbours: triangle across the edges ab, bc, ca, shape (t, 3), int64; -1 at a border.
        solid: 1 if the triangle belongs to a closed part with an inside, shape (t,), uint8.
        around: AROUND of each vertex, shape (v,).
        fan: corners (3 triangle + corner) in the ranges that ``around`` tells, int64.
    """

    first: Reals
    last: Reals
    before: Reals
    now: Reals
    triangles: Integers
    neighbours: Integers
    solid: Integers
    around: Records
    fan: Integers


@by_address
class Contacts(NamedTuple):
    """Everything the contact kernels need.

    Attributes:
        meshes: those of all colliders, merged.
        colliders: COLLIDER of each collider, shape (c,).
        boxes: lower and upper corners when the frame begins [m], shape (b, 6),
        ways: and the least and greatest way in the frame of what is in them [m], shape (b, 6).
        free: centre and radius [m] when the frame begins of a ball in which a particle touches
            nothing, shape (c, n, 4); without an end for those that never touch it,
        paces: and the way of the centre in the frame, and by how much the radius gets less [m],
            shape (c, n, 4).
        pairs: PAIR of each collider and particle, shape (c, n).
        candidates: CANDIDATE of each near particle; of particles [first, last) those from ``first``
            on are in use, so that threads with ranges of their own don't meet. Shape (n,).
        workers: WORKER of each thread.
        thickness [m], friction, restitution: of each particle, shape (n,).
        touched: BY_COLLIDER and BY_BODY where those have pushed the particle in this frame, shape
            (n,), uint8.
        inside: whether a particle started inside a collider, NOW or in the substep BEFORE, else 0,
            shape (n,), uint8.
        opposite: OPPOSITE of each particle, shape (n,).
        engaged: 0 for particles of which nothing is known that a substep would have to forget, and
            that no collider has pushed in it, shape (n,), uint8.
        wedged: not zero for particles that colliders leave less than their thicknesses, shape (n,),
            uint8.
        sides: the triangles of a single collider that they were between last, shape (n, 2), int32.
        incoming: way [m] that a particle's velocity before gravity makes in the substep, and in
            the fourth column the least that bounces, shape (n, 4), or (0, 4) where none does.
        recovery: how far particles that start inside are led out, per second [m/s] and in this
            substep [m], and the length of the frame [s], shape (3,).
    """

    meshes: Meshes
    colliders: Records
    boxes: Reals
    ways: Reals
    free: Reals
    paces: Reals
    pairs: Records
    candidates: Records
    workers: Records
    thickness: Reals
    friction: Reals
    restitution: Reals
    touched: Integers
    inside: Integers
    opposite: Records
    engaged: Integers
    wedged: Integers
    sides: Integers
    incoming: Reals
    recovery: Reals
