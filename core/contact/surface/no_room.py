# SPDX-License-Identifier: GPL-3.0-or-later
"""Where nothing can be led out of colliders.

Two that close on cloth leave it no room: what goes through two of them whose outsides are apart
could only be led out of one into the other. Around it, layers that hang together would be torn
between what is led and what can't be. They are left as they are until there is room again; then
they are led out like anything else.

What hangs on a pin inside of one, as a skirt whose waistband is a little too narrow, goes through
it as long as the pin is there. It would be led away from the pin for ever, and stretched without
end: edges and faces of such a pin go through the collider and are not touched by it; their other
vertices are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...native.by_address import by_address
from ...native.compiled import native_part
from ...native.vectors import corners_of, dot, row_of, unit
from ..closest_point import scaled_normal
from .data import NONE
from .outward import outside_of_edge
from .strips import height_of, known_crossings, looking_edges

RINGS = 3
"""How far around such places, in edges, nothing is led out of colliders."""

AGREED = 0.85
"""The least length of the mean of unit vectors to the outside of colliders that agree about it."""

COUNT = 3
"""Place in ``Enclosed.outside``: of how many vectors those before are the sum."""

SEVERAL = -2
"""In ``Enclosed.outer``, in place of a vertex of the only collider that something goes through."""


@by_address
class Enclosed(NamedTuple):
    """What is known of m vertices inside of colliders and beside them, n of them particles.

    Attributes:
        inside: of particles, not zero where they are inside of a collider, shape (n,), uint8,
        wedged: and where colliders leave them less than their thicknesses, shape (n,), uint8.
        outward: where the outside is, at vertices of colliders that have one, (m, 3), float32.
        outer: of vertices of bodies a vertex of the only collider that they go through; NONE, or
            SEVERAL where there are more; shape (m,), int32.
        outside: where the outside of these is, as a sum of unit vectors, and of how many, shape
            (m, 4), float64.
        stuck: 1 for vertices that colliders leave no room, more by how many edges they are away for
            some around these, else 0, shape (m,), uint8.
        pinned: 1 for pins inside of a collider, shape (m,), uint8.
    """

    inside: NDArray[Any]
    wedged: NDArray[Any]
    outward: NDArray[Any]
    outer: NDArray[Any]
    outside: NDArray[Any]
    stuck: NDArray[Any]
    pinned: NDArray[Any]


def new_enclosed(count: int, inside: NDArray[np.uint8], wedged: NDArray[np.uint8]) -> Enclosed:
    """Memory for what is known of so many vertices.

    Args:
        inside, wedged: of particles, as their own contact with colliders notes it.
    """
    return Enclosed(
        inside=inside,
        wedged=wedged,
        outward=np.zeros((count, 3), np.float32),
        outer=np.zeros(count, np.int32),
        outside=np.zeros((count, 4)),
        stuck=np.zeros(count, np.uint8),
        pinned=np.zeros(count, np.uint8),
    )


@native_part
def forget_pinned(enclosed):  # type: ignore[no-untyped-def]
    """Let no pin be known inside of a collider."""
    for vertex in range(len(enclosed.pinned)):
        enclosed.pinned[vertex] = 0


@native_part
def note_no_room(shape, tangles, enclosed, start, threads):  # type: ignore[no-untyped-def]
    """Mark the vertices of bodies that can't be led out of colliders, when a frame begins."""
    for vertex in range(len(enclosed.outer)):
        enclosed.outer[vertex], enclosed.stuck[vertex] = NONE, 0
    for thread in range(threads):
        for number in range(known_crossings(tangles, thread)):
            _note_crossing(shape, enclosed, start, tangles.crossed[thread, number])
    if _mark(enclosed):
        for ring in range(1, RINGS + 1):
            _spread(shape, enclosed, ring)


@native_part
def _note_crossing(shape, enclosed, start, crossing):  # type: ignore[no-untyped-def]
    """Add where the outside is at a crossing to what is known of the vertices of the body."""
    edge, face = shape.edges.corners[crossing[0]], shape.faces.corners[crossing[1]]
    if shape.sided[edge[0]] != 0:
        outside = unit(outside_of_edge(enclosed.outward, edge[0], edge[1]))
        for k in range(3):
            _note(shape, enclosed, face[k], edge[0], outside)
    elif shape.sided[face[0]] != 0:
        normal, _ = scaled_normal(corners_of(start, shape.faces.corners, crossing[1]))
        for k in range(2):
            _note(shape, enclosed, edge[k], face[0], unit(normal))
            if start[edge[k], 3] == 0.0 and height_of(shape, start, crossing, k) < 0.0:
                enclosed.pinned[edge[k]] = 1


@native_part
def _note(shape, enclosed, vertex, outer, outside):  # type: ignore[no-untyped-def]
    """Let a vertex know of a vertex of a collider that it goes through."""
    known, sums = enclosed.outer, enclosed.outside
    if known[vertex] == NONE:
        known[vertex] = outer
        for k in range(COUNT + 1):
            sums[vertex, k] = 0.0
    elif known[vertex] != SEVERAL and shape.bits[known[vertex]] != shape.bits[outer]:
        known[vertex] = SEVERAL
    for k in range(3):
        sums[vertex, k] += outside[k]
    sums[vertex, COUNT] += 1.0


@native_part
def _mark(enclosed):  # type: ignore[no-untyped-def]
    """Mark what goes through colliders that don't agree; returns whether there is any."""
    found = False
    for vertex in range(len(enclosed.outer)):
        if enclosed.outer[vertex] == SEVERAL:
            total, count = row_of(enclosed.outside, vertex), enclosed.outside[vertex, COUNT]
            if dot(total, total) < (AGREED * count) ** 2:
                enclosed.stuck[vertex], found = 1, True
    return found


@native_part
def is_stuck(enclosed, vertices):  # type: ignore[no-untyped-def]
    """Whether one of some vertices of a body can't be led out of what they go through."""
    stuck = 0
    for vertex in vertices:
        stuck |= enclosed.stuck[vertex] | enclosed.pinned[vertex] | enclosed.wedged[vertex]
    return stuck != 0


@native_part
def _spread(shape, enclosed, ring):  # type: ignore[no-untyped-def]
    """Mark the neighbours of what was marked last, in the given ring."""
    edges, stuck = shape.edges.corners, enclosed.stuck
    for edge in range(looking_edges(shape)):
        a, b = edges[edge, 0], edges[edge, 1]
        if a == NONE:
            continue
        if stuck[a] == ring and stuck[b] == 0:
            stuck[b] = ring + 1
        elif stuck[b] == ring and stuck[a] == 0:
            stuck[a] = ring + 1
