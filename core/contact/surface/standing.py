# SPDX-License-Identifier: GPL-3.0-or-later
"""How both of a candidate stand to each other: as they should, or where others go through."""

from __future__ import annotations

from ...native.compiled import native_part
from ...native.vectors import row_of
from ..closest_point import face_side
from .data import NONE
from .no_room import is_stuck
from .outward import is_behind
from .tangles import TANGLED

CONTACT, HOOKED, BESIDE, WRONG = range(4)
"""How two pieces stand to each other: as they should; next to where a collider is hooked, so that
they need not be held back, as that is led out; next to where others go through each other, so that
they are not pushed apart, but go no farther through; on the wrong sides of each other."""


@native_part
def standing_of(surface, edges, normal, vertices):  # type: ignore[no-untyped-def]
    """How both of a candidate stand to each other.

    What is tangled knows its right side from where it goes through; what is behind the face of a
    collider that has an outside is led out of there in another way, see :mod:`..response`.
    """
    shape, tangles, enclosed = surface.shape, surface.tangles, surface.enclosed
    (a, b, c, d), start = vertices, surface.motion.start
    if _is_inside(shape, enclosed, edges, vertices):
        return WRONG
    if shape.sided[d] != 0 and not edges:
        return WRONG if _side(start, normal, b, c, d) < 0.0 else CONTACT
    if tangles.state[TANGLED] == 0.0:
        return CONTACT
    tangled, right = tangles.tangled, tangles.right[a]
    one = tangled[a] | tangled[b] if edges else tangled[a]
    other = tangled[c] | tangled[d] if edges else tangled[b] | tangled[c] | tangled[d]
    one_is, other_is = one & shape.bits[d] != 0, other & shape.bits[a] != 0
    if shape.sided[a] != 0 or shape.sided[d] != 0:
        # The tip of a collider is through without being at an edge that goes through a face.
        if not (one_is | other_is):
            return CONTACT
        if is_behind(shape, enclosed.outward, edges, normal, vertices):
            return WRONG
        return CONTACT if is_stuck(enclosed, _of_body(shape, edges, vertices)) else HOOKED
    lost = _is_lost(tangles, edges, vertices, one_is, other_is)
    if not ((one_is & other_is) | lost):
        return CONTACT
    if not edges and right != 0 and _side(start, normal, b, c, d) == right:
        return CONTACT
    return WRONG if lost or _goes_through(tangles, edges, vertices) else BESIDE


@native_part
def _of_body(shape, edges, vertices):  # type: ignore[no-untyped-def]
    """Those of the vertices that are not the collider's; some of them twice."""
    a, b, c, d = vertices
    if shape.sided[d] != 0:
        return a, b if edges else a, a
    return c if edges else b, c, d


@native_part
def _is_lost(tangles, edges, vertices, one_is, other_is):  # type: ignore[no-untyped-def]
    """Whether one of both is on the wrong side of a contour, and the other is beside it.

    Args:
        one_is, other_is: whether they are tangled with the other's part.
    """
    a, b, c, d = vertices
    lost, beside = tangles.lost, tangles.beside
    contour, second = beside[a], beside[b]
    near = contour != NONE and (contour == beside[c] or contour == beside[d])
    # Strands are at no contour.
    for vertex in vertices:
        near |= lost[vertex] != 0 and beside[vertex] == NONE and one_is and other_is
    if edges:
        near |= second != NONE and (second == beside[c] or second == beside[d])
    else:
        near |= contour != NONE and contour == second
    one_lost = one_is & ((lost[a] | (lost[b] if edges else 0)) != 0)
    other_lost = other_is & ((lost[c] | lost[d] | (0 if edges else lost[b])) != 0)
    return near and (one_lost | other_lost)


@native_part
def _goes_through(tangles, edges, vertices):  # type: ignore[no-untyped-def]
    """Whether both are of an edge and a face that it went through when the frame began."""
    a, b, c, d = vertices
    piercing, pierced = tangles.piercing, tangles.pierced
    if not edges:
        return (piercing[a] & pierced[b] & pierced[c] & pierced[d]) != 0
    through = piercing[a] & piercing[b] & pierced[c] & pierced[d]
    return (through | (pierced[a] & pierced[b] & piercing[c] & piercing[d])) != 0


@native_part
def _is_inside(shape, enclosed, edges, vertices):  # type: ignore[no-untyped-def]
    """Whether one of both is a collider, and of the other a vertex is inside of one."""
    if (shape.sided[vertices[0]] | shape.sided[vertices[3]]) == 0:
        return False
    inside = 0
    for vertex in _of_body(shape, edges, vertices):
        inside |= enclosed.inside[vertex] | enclosed.pinned[vertex]
    return inside != 0


@native_part
def _side(start, normal, a, b, c):  # type: ignore[no-untyped-def]
    """1 if a vertex is in front of the face abc, -1 if it is behind it."""
    return face_side(normal, (row_of(start, a), row_of(start, b), row_of(start, c)))
