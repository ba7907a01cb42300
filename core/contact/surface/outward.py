# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the outside of colliders is."""

from __future__ import annotations

from ...native.compiled import native_part
from ...native.vectors import add_scaled, add_to, corners_of, dot, row_of
from ..closest_point import scaled_normal
from .data import LOOKING, NONE, WIDTH


@native_part
def note_outward(shape, outward, start):  # type: ignore[no-untyped-def]
    """Note where the outside is at vertices of colliders that have one."""
    corners = shape.faces.corners
    for vertex in range(len(outward)):
        for k in range(3):
            outward[vertex, k] = 0.0
    for face in range(WIDTH * shape.numbers[LOOKING], len(corners)):
        if corners[face, 0] == NONE or shape.sided[corners[face, 0]] == 0:
            continue
        normal, _ = scaled_normal(corners_of(start, corners, face))
        for corner in range(3):
            add_to(outward[corners[face, corner]], 1.0, normal)


@native_part
def outside_of_edge(outward, one, other):  # type: ignore[no-untyped-def]
    """Where the outside is at an edge of a collider, or at a vertex that is named twice; of any
    length.
    """
    return add_scaled(row_of(outward, one), 1.0, row_of(outward, other))


@native_part
def is_behind(shape, outward, edges, normal, vertices):  # type: ignore[no-untyped-def]
    """Whether a collider's edge or vertex has the other on its inner side.

    Args:
        outward: see ``Enclosed``.
        normal: from the second to the first.
    """
    a, b, c, d = vertices
    if shape.sided[d] != 0:
        return dot(normal, outside_of_edge(outward, c, d)) < 0.0
    return dot(normal, outside_of_edge(outward, a, b if edges else a)) > 0.0
