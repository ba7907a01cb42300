# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs that slide over each other in a substep.

Seen from the substep's start, a vertex beside a face is pushed away from its border: where it
slides in over the face, as on the next triangle of a floor, that would be a brake. Where it ends
above the face, the face's normal says on which side it has to stay, as long as it has not changed
sides beside the face. The same is true of edges.
"""

from __future__ import annotations

from math import sqrt

from ...native.compiled import native_part
from ...native.vectors import cross, dot, scale, subtract
from ..closest_point import scaled_normal
from .closest import closest, way_between
from .continuous import places_at, starts_beyond
from .pairs import GOAL, SLID, TURNED, UNTURNED

SKEW = 1e-4
"""Edges with a smaller squared sine of their angle have no normal."""

SLIDING = 0.1
"""Of their distance that pieces have to slide, to be looked at again."""

RAISED, ENOUGH = 0.05, 0.95
"""Of the distance at the start what has to be left in the normal's direction: to know the side of a
face, and to look from elsewhere."""


@native_part
def _normal(split, places):  # type: ignore[no-untyped-def]
    """The normal of the face or of both edges, and whether there is one."""
    a, b, c, d = places
    if split == 1:
        normal, proper = scaled_normal((b, c, d))
    else:
        ab, cd = subtract(b, a), subtract(d, c)
        normal = cross(ab, cd)
        proper = dot(normal, normal) > SKEW * dot(ab, ab) * dot(cd, cd)
    return normal, proper


@native_part
def follow_slide(pairs, start, rows, pair):  # type: ignore[no-untyped-def]
    """Give a pair the normal and weights of where it ends, if it has not changed sides there;
    returns whether it has other weights.
    """
    followed = _follow(pairs, start, rows, pair)
    pairs.goals[pair, TURNED] = UNTURNED if starts_beyond(pairs, start, pair) else SLID
    return followed


@native_part
def _follow(pairs, start, rows, pair):  # type: ignore[no-untyped-def]
    split, goal = int(pairs.splits[pair]), pairs.goals[pair, GOAL]
    starts = places_at(pairs, start, rows, pair, 0.0)
    ends = places_at(pairs, start, rows, pair, 1.0)
    u, v, inside = closest(split, ends)
    way = way_between(split, ends, u, v)
    normal, enough = way, min(goal, pairs.normals[pair, 3])
    if inside:
        normal, proper = _normal(split, starts)
        enough *= RAISED
        if not proper:
            return False
    length = sqrt(dot(normal, normal))
    if length == 0.0:
        return False
    if not inside and length >= goal:
        # Where both end nothing has to be pushed; that they don't cross is still to be proved.
        pairs.goals[pair, GOAL] = 0.0
        return False
    normal = scale(1.0 / length, normal)
    before, after = dot(normal, way_between(split, starts, u, v)), dot(normal, way)
    if inside and before * after < 0.0:
        time = before / (before - after)
        _, _, through = closest(split, places_at(pairs, start, rows, pair, time))
        if not through:
            return False
    if inside and before < 0.0:
        normal, before = scale(-1.0, normal), -before
    if before < ENOUGH * enough:
        return False
    for d in range(3):
        pairs.normals[pair, d] = normal[d]
    pairs.normals[pair, 3] = before
    set_weights(pairs.weights, pair, split == 2, u, v)
    return True


@native_part
def set_weights(weights, pair, edges, u, v):  # type: ignore[no-untyped-def]
    """The weights of a pair's vertices, where two of them are u and v."""
    if edges:
        weights[pair, 0], weights[pair, 1] = 1.0 - u, u
        weights[pair, 2], weights[pair, 3] = v - 1.0, -v
    else:
        weights[pair, 0], weights[pair, 1] = 1.0, u + v - 1.0
        weights[pair, 2], weights[pair, 3] = -u, -v
