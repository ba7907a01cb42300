# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays that contact kernels read and write, grouped into named tuples that numba accepts.

c colliders are merged into v vertices, t triangles and b boxes; there are n particles. All real
numbers are float64 unless said otherwise, whatever the type of the model: contact geometry needs
the digits and is too irregular to gain from narrow vectors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

Reals = NDArray[Any]
Integers = NDArray[Any]
Flags = NDArray[Any]

LIST_SIZE = 16
"""Most triangles kept in the list of nearest ones of a particle."""

UNKNOWN, FACE, EDGE, VERTEX, STRUCK = -1, 0, 1, 4, 7
"""Where a closest point lies: the face, edge ``EDGE + k``, corner ``VERTEX + k``, or struck."""

LEAST_THICKNESS = 1e-4
"""Distance [m] kept at least: a particle exactly on a surface would be on no side of it."""


class Surface(NamedTuple):
    """Merged triangle meshes; triangles of a collider are contiguous, in the order of its tree.

    Attributes:
        first, last: vertices [m] at the frame's start and end, shape (v, 3).
        before, now: vertices [m] at the substep's start and end, shape (v, 3).
        triangles: corners, shape (t, 3), int32.
        neighbours: triangle across the edges ab, bc, ca, shape (t, 3), int32; -1 at a border.
        welded: vertex that stands for all vertices at the same place, shape (v,), int32.
        fan_start, fan: ``fan[fan_start[i]:fan_start[i + 1]]`` are the corners (3 triangle +
            corner) that meet in the welded vertex i, int32.
        border: 1 if the welded vertex touches a border, shape (v,), uint8.
        solid: 1 if the triangle belongs to a closed part with an inside, shape (t,), uint8.
    """

    first: Reals
    last: Reals
    before: Reals
    now: Reals
    triangles: Integers
    neighbours: Integers
    welded: Integers
    fan_start: Integers
    fan: Integers
    border: Flags
    solid: Flags


class Bodies(NamedTuple):
    """One row per collider.

    A collider's drift is how far any of its vertices can have moved since the frame's start,
    measured against its centre: what was known about distances is wrong by at most that much.

    Attributes:
        vertex_start, triangle_start, box_start: ranges in the merged arrays, shape (c + 1,).
        leaves: number of leaves of the box tree, a power of two, shape (c,).
        boxes: lower and upper corner of each box relative to the centre, shape (b, 6).
        thickness [m], friction, shape (c,); two_sided, moving: shape (c,), uint8.
        margin: how far beyond the closest triangle lists reach [m], shape (c,).
        centres: at frame start and end, substep start and end [m], shape (c, 4, 3).
        speed: drift over the whole frame [m], shape (c,).
        drift: at substep start, substep end, and when boxes were fitted [m], shape (c, 3).
        searched: 1 if boxes were used since they were fitted, shape (c,), uint8.
    """

    vertex_start: Integers
    triangle_start: Integers
    box_start: Integers
    leaves: Integers
    boxes: Reals
    thickness: Reals
    friction: Reals
    two_sided: Flags
    moving: Flags
    margin: Reals
    centres: Reals
    speed: Reals
    drift: Reals
    searched: Flags


class Nearby(NamedTuple):
    """What each particle remembers about the surroundings, relative to a collider's centre.

    Attributes:
        free: centre and radius plus drift of a ball without contact [m], shape (c, n, 4).
        anchor: where the list was made, the distance up to which it is complete, and the drift
            then [m], shape (c, n, 5).
        count: triangles in the list, shape (c, n), int32.
        triangles: nearest first, shape (c, n, LIST_SIZE), int32.
        distances: lower bounds of their distances from the anchor, same shape, float32 [m].
    """

    free: Reals
    anchor: Reals
    count: Integers
    triangles: Integers
    distances: Reals


class Touching(NamedTuple):
    """Contacts of the current substep.

    Attributes:
        push: sum of the pushes along the normal that make velocity [m], shape (c, n).
        triangle: the triangle touched last, shape (c, n), int32.
        weights: barycentric weights of its corners b and c, shape (c, n, 2).
        normal: direction of the last push, shape (c, n, 3).
        slide: tangential way over the collider [m], shape (c, n, 3).
    """

    push: Reals
    triangle: Integers
    weights: Reals
    normal: Reals
    slide: Reals


class Scratch(NamedTuple):
    """Memory of a pass over particles [first, last); rows from ``first`` on are in use.

    Threads that work on separate ranges of particles don't meet here.

    Attributes:
        particles: shape (n,), int32.
        triangle, feature: closest triangle and where on it, shape (n,), int32.
        distance: to the closest point, later the gap beyond the thickness [m], shape (n,).
        weights: barycentric weights of the corners b and c, shape (n, 2).
        normal: shape (n, 3).
        stack, stack_distance: boxes to visit and their distances, shape (threads, 128).
        path: start and end of a particle's way [m], in the world and relative to the collider's
            centre, shape (threads, 4, 3).
    """

    particles: Integers
    triangle: Integers
    feature: Integers
    distance: Reals
    weights: Reals
    normal: Reals
    stack: Integers
    stack_distance: Reals
    path: Reals


class Contacts(NamedTuple):
    """Everything the contact kernels need.

    Attributes:
        particle_thickness [m], particle_friction: shape (n,).
        recovery: speed [m/s] at which penetrations that a substep starts with are undone, the
            frame's length [s], and their product over the substep [m], shape (3,).
    """

    surface: Surface
    bodies: Bodies
    nearby: Nearby
    touching: Touching
    scratch: Scratch
    particle_thickness: Reals
    particle_friction: Reals
    recovery: Reals
