# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a surface is on either side of a contour: its halves, and how large they are.

What can be reached from the one side of a strip without crossing it is one half of the surface,
what is nearer to the other side is the other half. A vertex is in a half for each of the parts that
its surface goes through around it.
"""

from __future__ import annotations

from ...mesh.connected import root_of, unite
from ...native.compiled import native_part
from .data import MOST_MET, NONE
from .strips import height_of, looking_edges, part_met_at, place_beside

RINGS = 64
"""How far from the contour halves are measured, in edges."""

AROUND = 2**30
"""Added to sizes: halves of a strip that a way leads around."""

OPEN = 2**31 - 1
"""In place of sizes: where that way leads to the other surface as well."""


@native_part
def forget_halves(contours):  # type: ignore[no-untyped-def]
    """Let no vertex be in a half."""
    for place in range(len(contours.sizes)):
        contours.sizes[place, 0] = contours.sizes[place, 1] = 0
        contours.depths[place, 0] = contours.depths[place, 1] = 0.0
    for vertex in range(len(contours.halves)):
        for k in range(MOST_MET):
            contours.halves[vertex, k] = NONE


@native_part
def half_of(shape, contours, start, crossing, end):  # type: ignore[no-untyped-def]
    """The half in which an end of an edge lies, NONE for strands and colliders."""
    place = place_beside(shape, contours, crossing, 0)
    if place == NONE or crossing[0] >= looking_edges(shape):
        return NONE
    in_front = (end == 0) == (height_of(shape, start, crossing, 0) > 0.0)
    return 2 * root_of(contours.strips, place) + in_front


@native_part
def begin_halves(shape, contours, start, crossing):  # type: ignore[no-untyped-def]
    """Let both ends of an edge be in the halves that they lie in."""
    for end in range(2):
        half = half_of(shape, contours, start, crossing, end)
        if half == NONE:
            continue
        depth = abs(height_of(shape, start, crossing, end))
        contours.depths[half // 2, half % 2] = max(contours.depths[half // 2, half % 2], depth)
        _put_into(contours, start, shape.edges.corners[crossing[0], end], half, 0)


@native_part
def _put_into(contours, start, vertex, half, ring):  # type: ignore[no-untyped-def]
    """Put a vertex into a half, unless it is in one for the same part; returns whether it was."""
    for k in range(MOST_MET):
        known = contours.halves[vertex, k]
        if known == NONE:
            contours.halves[vertex, k], contours.rings[vertex, k] = half, ring
            contours.sizes[half // 2, half % 2] += 1
            contour = root_of(contours.lines, half // 2)
            contours.fixed[contour] |= start[vertex, 3] == 0.0
            return True
        if part_met_at(contours, known // 2) == part_met_at(contours, half // 2):
            return False
    return False


@native_part
def spread_halves(shape, contours, cut, start):  # type: ignore[no-untyped-def]
    """Let vertices belong to the halves that they are nearest to, and count them."""
    for ring in range(1, RINGS + 1):
        grown = False
        for edge in range(looking_edges(shape)):
            a, b = shape.edges.corners[edge, 0], shape.edges.corners[edge, 1]
            if a != NONE and cut[edge] == 0:
                grown |= _spread(contours, start, a, b, ring) | _spread(contours, start, b, a, ring)
        if not grown:
            return


@native_part
def _spread(contours, start, a, b, ring):  # type: ignore[no-untyped-def]
    """Put a vertex into the halves that another one was in before this ring."""
    grown = False
    for k in range(MOST_MET):
        if contours.halves[a, k] != NONE and contours.rings[a, k] < ring:
            grown |= _put_into(contours, start, b, contours.halves[a, k], ring)
    return grown


@native_part
def find_pieces(shape, pieces, cut):  # type: ignore[no-untyped-def]
    """Find what of the bodies is joined by edges that go through nothing."""
    edges = shape.edges.corners
    for vertex in range(len(pieces)):
        pieces[vertex] = vertex
    for edge in range(looking_edges(shape)):
        if edges[edge, 0] != NONE and cut[edge] == 0:
            unite(pieces, edges[edge, 0], edges[edge, 1])


@native_part
def note_way_around(shape, contours, start, crossing):  # type: ignore[no-untyped-def]
    """Let halves of a strip be larger than others where a way leads around it, or have no sizes.

    They have none either where pins hold something at the contour: nobody can tell how far what is
    led out would have to go, and a hem went in and out of a skirt as its wearer walked.
    """
    one, other = shape.edges.corners[crossing[0], 0], shape.edges.corners[crossing[0], 1]
    half, piece = half_of(shape, contours, start, crossing, 0), root_of(contours.pieces, one)
    if half == NONE or piece != root_of(contours.pieces, other):
        return
    sizes = contours.sizes[half // 2]
    fixed = contours.fixed[root_of(contours.lines, half // 2)] != 0
    if fixed or piece == root_of(contours.pieces, shape.faces.corners[crossing[1], 0]):
        sizes[0] = sizes[1] = OPEN
    elif max(sizes[0], sizes[1]) < AROUND:
        sizes[0] += AROUND
        sizes[1] += AROUND


@native_part
def is_open(contours, half):  # type: ignore[no-untyped-def]
    """Whether a half reaches no farther than the contour: a way leads around to the other side."""
    return contours.sizes[half // 2, 0] == OPEN


@native_part
def size_of_strip(contours, half):  # type: ignore[no-untyped-def]
    """How many vertices the strip of a half has in both, 0 where those have no sizes."""
    sizes = contours.sizes[half // 2]
    return 0 if sizes[0] == OPEN else sizes[0] % AROUND + sizes[1] % AROUND


@native_part
def is_empty(contours, half):  # type: ignore[no-untyped-def]
    """Whether all vertices that could be in a half are in others."""
    return contours.sizes[half // 2, half % 2] in (0, AROUND)


@native_part
def is_smaller(contours, one, other):  # type: ignore[no-untyped-def]
    """Whether a half is rather on the wrong side than another one."""
    size, least = contours.sizes[one // 2, one % 2], contours.sizes[other // 2, other % 2]
    if size != least:
        return size < least
    if size != OPEN:
        return one < other
    depth = contours.depths[one // 2, one % 2]
    shallowest = contours.depths[other // 2, other % 2]
    return depth < shallowest or (depth == shallowest and one < other)
