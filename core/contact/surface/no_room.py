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
"""Place in ``Moving.drift``: of how many vectors those before are the sum."""

SEVERAL = -2
"""In ``Moving.zones``, in place of a vertex of the only collider that something goes through."""


@native_part
def note_no_room(shape, moving, threads):  # type: ignore[no-untyped-def]
    """Mark the vertices of bodies that can't be led out of colliders, when a frame begins."""
    for vertex in range(len(moving.zones)):
        moving.zones[vertex], moving.no_room[vertex] = NONE, 0
    for thread in range(threads):
        for number in range(known_crossings(moving, thread)):
            _note_crossing(shape, moving, moving.crossed[thread, number])
    if _mark(moving):
        for ring in range(1, RINGS + 1):
            _spread(shape, moving, ring)


@native_part
def _note_crossing(shape, moving, crossing):  # type: ignore[no-untyped-def]
    """Add where the outside is at a crossing to what is known of the vertices of the body."""
    edge, face = shape.edges.corners[crossing[0]], shape.faces.corners[crossing[1]]
    if shape.sided[edge[0]] != 0:
        outside = unit(outside_of_edge(moving, edge[0], edge[1]))
        for k in range(3):
            _note(shape, moving, face[k], edge[0], outside)
    elif shape.sided[face[0]] != 0:
        normal, _ = scaled_normal(corners_of(moving.start, shape.faces.corners, crossing[1]))
        for k in range(2):
            _note(shape, moving, edge[k], face[0], unit(normal))
            if moving.start[edge[k], 3] == 0.0 and height_of(shape, moving, crossing, k) < 0.0:
                moving.pinned[edge[k]] = 1


@native_part
def _note(shape, moving, vertex, outer, outside):  # type: ignore[no-untyped-def]
    """Let a vertex know of a vertex of a collider that it goes through."""
    zones, drift = moving.zones, moving.drift
    if zones[vertex] == NONE:
        zones[vertex] = outer
        for k in range(COUNT + 1):
            drift[vertex, k] = 0.0
    elif zones[vertex] != SEVERAL and shape.bits[zones[vertex]] != shape.bits[outer]:
        zones[vertex] = SEVERAL
    for k in range(3):
        drift[vertex, k] += outside[k]
    drift[vertex, COUNT] += 1.0


@native_part
def _mark(moving):  # type: ignore[no-untyped-def]
    """Mark what goes through colliders that don't agree; returns whether there is any."""
    found = False
    for vertex in range(len(moving.zones)):
        if moving.zones[vertex] == SEVERAL:
            total, count = row_of(moving.drift, vertex), moving.drift[vertex, COUNT]
            if dot(total, total) < (AGREED * count) ** 2:
                moving.no_room[vertex], found = 1, True
    return found


@native_part
def is_stuck(moving, vertices):  # type: ignore[no-untyped-def]
    """Whether one of some vertices of a body can't be led out of what they go through."""
    stuck = 0
    for vertex in vertices:
        stuck |= moving.no_room[vertex] | moving.pinned[vertex] | moving.wedged[vertex]
    return stuck != 0


@native_part
def _spread(shape, moving, ring):  # type: ignore[no-untyped-def]
    """Mark the neighbours of what was marked last, in the given ring."""
    edges, no_room = shape.edges.corners, moving.no_room
    for edge in range(looking_edges(shape)):
        a, b = edges[edge, 0], edges[edge, 1]
        if a == NONE:
            continue
        if no_room[a] == ring and no_room[b] == 0:
            no_room[b] = ring + 1
        elif no_room[b] == ring and no_room[a] == 0:
            no_room[a] = ring + 1
