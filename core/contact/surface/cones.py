# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the surface is flat, and so does not touch itself: cones of normals, up the tree.

After Volino and Magnenat-Thalmann 1994, "Efficient self-collision detection on smoothly discretized
surface animations using geometrical shape regularity".

A leaf, or a row of the tree, is flat together with another that it hangs together with
(:mod:`.patches`) if all normals of both lie within an angle of a common direction.
"""

from __future__ import annotations

from math import cos, sin, sqrt

from ...native.compiled import native_part
from .boxes import find_normals
from .data import NONE, WIDTH

FLAT, NOT_FLAT = 0.78, 2.0
"""A patch whose normals lie within this angle [rad] of a common direction doesn't touch itself."""

COSINE, SINE = cos(FLAT), sin(FLAT)

TURN = 0.25
"""By how much normals may leave a cone [rad] until it is fitted anew; as much may be overlooked."""

TURN_COSINE, TURN_SINE = cos(TURN), sin(TURN)

CLOSENESS, WIDEST = 3, 4
"""Places in a cone: the cosine of the least angle between its direction and that of another one at
which both are not flat together, and that of the angle between its direction and the farthest
normal."""


END = 3 * WIDTH
"""Where normals at the end begin behind those at the start."""


@native_part
def fit_cone(shape, tree, start, rows, leaf, normals):  # type: ignore[no-untyped-def]
    """The mean normal of a leaf's faces at the start and the end, and how far they are from it.

    What lies folded may seem to go where it is flat, and is kept from it by what it touches.

    Args:
        start, rows: vertices at the substep's start and end, shape (m or more, 4).
        normals: memory of the thread's, shape (6 WIDTH or more,).
    """
    find_normals(shape, start, leaf, normals, 0)
    find_normals(shape, rows, leaf, normals, END)
    (a0, b0, c0), (a1, b1, c1) = _sum_of(normals, 0), _sum_of(normals, END)
    x, y, z = a0 + a1, b0 + b1, c0 + c1
    scale = _inverse_length(x, y, z)
    direction = scale * x, scale * y, scale * z
    least = min(_least_along(direction, normals, 0), _least_along(direction, normals, END))
    _put(tree.cones, leaf, direction, least)
    tree.bent[leaf] = 0.0


@native_part
def may_have_turned(shape, tree, leaf):  # type: ignore[no-untyped-def]
    """Whether a leaf that was flat may have normals outside of its cone."""
    return tree.bent[leaf] > shape.pliant[leaf] and tree.cones[leaf, CLOSENESS] < NOT_FLAT


@native_part
def has_turned(shape, tree, start, leaf, normals):  # type: ignore[no-untyped-def]
    """Whether a leaf has normals farther outside of its cone than these may be.

    Boxes say nothing about that: what is crumpled by a push hardly leaves its place. Arguments are
    those of :func:`fit_cone`.
    """
    cones = tree.cones
    find_normals(shape, start, leaf, normals, 0)
    direction = cones[leaf, 0], cones[leaf, 1], cones[leaf, 2]
    least = _least_along(direction, normals, 0)
    tree.bent[leaf] = 0.0
    widest = min(1.0, cones[leaf, WIDEST])
    return least < TURN_COSINE * widest - TURN_SINE * sqrt(1.0 - widest * widest)


@native_part
def _sum_of(normals, place):  # type: ignore[no-untyped-def]
    x, y, z = 0.0, 0.0, 0.0
    for face in range(place, place + WIDTH):
        x, y, z = x + normals[face], y + normals[WIDTH + face], z + normals[2 * WIDTH + face]
    return x, y, z


@native_part
def _least_along(direction, normals, place):  # type: ignore[no-untyped-def]
    """Cosine of the angle from a direction to the normal farthest from it."""
    (x, y, z), least = direction, 1.0
    for face in range(place, place + WIDTH):
        along = x * normals[face] + y * normals[WIDTH + face] + z * normals[2 * WIDTH + face]
        least = min(least, along)
    return least


@native_part
def fit_cone_above(tree, node, first, last):  # type: ignore[no-untyped-def]
    """The cone around those of [first, last), which a row of the tree holds."""
    cones, x, y, z = tree.cones, 0.0, 0.0, 0.0
    for other in range(first, last):
        if cones[other, CLOSENESS] == NOT_FLAT:
            cones[node, CLOSENESS] = NOT_FLAT
            return
        x, y, z = x + cones[other, 0], y + cones[other, 1], z + cones[other, 2]
    scale = _inverse_length(x, y, z)
    x, y, z = scale * x, scale * y, scale * z
    least = 1.0
    for other in range(first, last):
        along = min(1.0, x * cones[other, 0] + y * cones[other, 1] + z * cones[other, 2])
        # The cosine of a sum of angles, all of them less than FLAT if this shall be flat.
        widest = min(1.0, cones[other, WIDEST])
        across = sqrt(1.0 - along * along) * sqrt(1.0 - widest * widest)
        least = min(least, along * widest - across if along > 0.0 else 0.0)
    _put(cones, node, (x, y, z), least)


@native_part
def flat_together(shape, tree, i, j):  # type: ignore[no-untyped-def]
    """Whether two leaves, or rows of one level, hang together and don't touch each other.

    All normals of both are within FLAT of the direction halfway between theirs: half of the angle
    between these and the widest cone are less.
    """
    if not (shape.joined_bits[i] >> (j & 63)) & 1:
        return False
    for place in range(shape.joined_starts[i], shape.joined_starts[i + 1]):
        if shape.joined[place] == j:
            k = shape.joined_between[place]
            flat = tree.cones[i, CLOSENESS] < 1.0 if i == j else _is_flat(tree.cones, i, j)
            return flat and (
                k == NONE or (_is_flat(tree.cones, i, k) and _is_flat(tree.cones, k, j))
            )
    return False


@native_part
def _is_flat(cones, i, j):  # type: ignore[no-untyped-def]
    """Whether all normals of two leaves or rows are within FLAT of a common direction."""
    along = cones[i, 0] * cones[j, 0] + cones[i, 1] * cones[j, 1] + cones[i, 2] * cones[j, 2]
    return along > max(cones[i, CLOSENESS], cones[j, CLOSENESS])


@native_part
def _inverse_length(x, y, z):  # type: ignore[no-untyped-def]
    square = x * x + y * y + z * z
    return 1.0 / sqrt(square) if square > 0.0 else 0.0


@native_part
def _put(cones, node, direction, least):  # type: ignore[no-untyped-def]
    """Note a cone, with the cosine of the angle to the farthest normal."""
    cones[node, 0], cones[node, 1], cones[node, 2] = direction
    cones[node, WIDEST] = least
    if least <= COSINE:
        cones[node, CLOSENESS] = NOT_FLAT
        return
    # cos 2 (FLAT - widest)
    half = COSINE * least + SINE * sqrt(1.0 - min(1.0, least * least))
    cones[node, CLOSENESS] = 2.0 * half * half - 1.0
