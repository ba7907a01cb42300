# SPDX-License-Identifier: GPL-3.0-or-later
"""Closest points of a vertex and a face, and of two edges, as kernels over many pairs at once.

Written without branches for vector code; see :mod:`core.vector`. Positions are those at the
substep's start, ``previous`` those at its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from ...vector.arithmetic import (
    SMALLEST,
    Scalar,
    Vector,
    absolute,
    add,
    cross,
    dot,
    maximum,
    minimum,
    scale,
    select,
    sqrt,
    subtract,
    total,
)
from ...vector.specification import KernelSpecification, Update

WEIGHTS, NORMAL, DISTANCE, END_GAP, SLIDE, INERTIA_FOUND, VALUES = 0, 2, 5, 6, 7, 8, 9
"""Places of what a kernel puts out: two weights, the unit vector from the second to the first,
their distance [m], the gap between both in that direction at the end [m], the square of how far
closest points slide along each other [m²], the inverse of Σ wᵢ² / mᵢ [kg], less where LEVER says
so; and how many numbers that is."""

LEVER = 2.0
"""Times as far as both closest points have to move that a vertex is moved at most. Where others are
pinned it may be all that can move, as far from the closest points as its weight is small: it would
be flung away to make a millimetre of room."""

PLANE, LARGE = 0.6, 1e30
"""Of their distance how far all of the one are beyond all of the other at the start where both
closest points are found exactly; and how far what is to be looked at again seems to slide."""

PARALLEL = 1e-6
"""Edges with a smaller squared sine of their angle are taken for parallel."""


Closest = tuple[list[Scalar], list[Scalar], list[Scalar]]
"""Two weights, the vector between both points, and one in the same direction that is more exact."""


def _clamped(value: Scalar) -> Scalar:
    """The nearest number in [0, 1]."""
    return select(value > 0.0, select(value < 1.0, value, 1.0), 0.0)


def _ratio(dividend: Scalar, divisor: Scalar) -> Scalar:
    """A quotient, zero where the divisor vanishes."""
    proper = divisor > SMALLEST
    return select(proper, dividend / select(proper, divisor, 1.0), 0.0)


def _turned_along(normal: Vector, proper: Any, way: Vector) -> list[Scalar]:
    """The normal of two pieces, turned along the way between them, where it is proper; else the
    way.

    The way itself is not exact enough where it is short.
    """
    side = select(dot(normal, way) < 0.0, -1.0, 1.0)
    return [select(proper, side * p, q) for p, q in zip(normal, way, strict=True)]


def vertex_face(p: Vector, a: Vector, b: Vector, c: Vector) -> Closest:
    """The triangle's point closest to p, by its weights of b and c.

    The closest of those on the three edges, or where p lies above the face its projection.
    """
    ab, ac, ap = subtract(b, a), subtract(c, a), subtract(p, a)
    bc, bp = subtract(c, b), subtract(p, b)
    ab_ab, ac_ac, ab_ac = dot(ab, ab), dot(ac, ac), dot(ab, ac)
    ab_ap, ac_ap = dot(ab, ap), dot(ac, ap)
    on_ab = _clamped(_ratio(ab_ap, ab_ab))
    on_ac = _clamped(_ratio(ac_ap, ac_ac))
    on_bc = _clamped(_ratio(dot(bc, bp), dot(bc, bc)))
    area = ab_ab * ac_ac - ab_ac * ab_ac
    inverse = _ratio(1.0, area)
    v = (ac_ac * ab_ap - ab_ac * ac_ap) * inverse
    w = (ab_ab * ac_ap - ab_ac * ab_ap) * inverse
    candidates = [(on_ab, 0.0), (0.0, on_ac), (1.0 - on_bc, on_bc)]
    best_v, best_w, way, square = None, None, None, None
    for one_v, one_w in candidates:
        one = subtract(ap, add(scale(one_v, ab), scale(one_w, ac)))
        one_square = dot(one, one)
        if way is None:
            best_v, best_w, way, square = one_v, one_w, one, one_square
            continue
        nearer = one_square < square
        best_v, best_w = select(nearer, one_v, best_v), select(nearer, one_w, best_w)
        way = [select(nearer, p, q) for p, q in zip(one, way, strict=True)]
        square = select(nearer, one_square, square)
    above = subtract(ap, add(scale(v, ab), scale(w, ac)))
    least = minimum(minimum(v, w), 1.0 - v - w)
    inside = select(area > SMALLEST, least, -1.0) > 0.0
    way = [select(inside, p, q) for p, q in zip(above, way or above, strict=True)]
    weights = [select(inside, v, best_v), select(inside, w, best_w)]
    return weights, way, _turned_along(cross(ab, ac), inside, way)


def edge_edge(a: Vector, b: Vector, c: Vector, d: Vector) -> Closest:
    """The closest points of ab and cd, by their places in [0, 1]."""
    ab, cd, ca = subtract(b, a), subtract(d, c), subtract(a, c)
    ab_ab, cd_cd, ab_cd = dot(ab, ab), dot(cd, cd), dot(ab, cd)
    ab_ca, cd_ca = dot(ab, ca), dot(cd, ca)
    squares = ab_ab * cd_cd
    sine = squares - ab_cd * ab_cd
    skew = sine > PARALLEL * squares
    u = _clamped(_ratio(ab_cd * cd_ca - ab_ca * cd_cd, select(skew, sine, 0.0)))
    u = select(skew, u, 0.5)
    v = _clamped(_ratio(ab_cd * u + cd_ca, cd_cd))
    u = _clamped(_ratio(ab_cd * v - ab_ca, ab_ab))
    way = subtract(add(ca, scale(u, ab)), scale(v, cd))
    within = minimum(minimum(u, 1.0 - u), minimum(v, 1.0 - v))
    within = select(skew, within, 0.0) > 0.0
    return [u, v], way, _turned_along(cross(ab, cd), within, way)


def _gap(x: Sequence[Vector], normal: Vector, split: int) -> Scalar:
    """How far the first ``split`` vertices are beyond all others in the direction of the normal.

    If that is positive at the start and the end of even motion, nothing crosses on the way: a plane
    that moves evenly lies between both.
    """
    heights = [dot(normal, subtract(one, x[0])) for one in x]
    return reduce(minimum, heights[:split]) - reduce(maximum, heights[split:])


def _slide(ways: Sequence[Vector], weights: Sequence[Scalar], normal: Vector) -> Scalar:
    """The square of how far closest points move along each other."""
    way = reduce(add, [scale(w, one) for w, one in zip(weights, ways, strict=True)])
    along = dot(normal, way)
    return dot(way, way) - along * along


def _inertia(weights: Sequence[Scalar], inverse_mass: Sequence[Scalar]) -> Scalar:
    moved = [absolute(w) * m for w, m in zip(weights, inverse_mass, strict=True)]
    mobility = total([absolute(w) * m for w, m in zip(weights, moved, strict=True)])
    bounded = maximum(mobility, reduce(maximum, moved) * (1.0 / LEVER))
    return mobility * _ratio(1.0, bounded * bounded)


def _specification(name: str, closest: Any, split: int) -> KernelSpecification:
    def update(
        x: Sequence[Vector],
        inverse_mass: Sequence[Scalar],
        end: Sequence[Vector],
        *_: Any,
    ) -> tuple[list[Scalar], list[Scalar]]:
        (u, v), way, direction = closest(*x)
        distance = sqrt(dot(way, way))
        normal = scale(_ratio(1.0, sqrt(dot(direction, direction))), direction)
        weights = [1.0, u + v - 1.0, -u, -v] if split == 1 else [1.0 - u, u, v - 1.0, -v]
        slide = _slide([subtract(q, p) for p, q in zip(x, end, strict=True)], weights, normal)
        # So nearly parallel that no plane lies between both: to be looked at again, too.
        slide = select(_gap(x, normal, split) > PLANE * distance, slide, LARGE)
        inertia = _inertia(weights, inverse_mass)
        return [u, v, *normal, distance, _gap(end, normal, split), slide, inertia], []

    return _pairs(name, update, reads_previous=True, outputs=VALUES)


def _rest_specification(name: str, closest: Any) -> KernelSpecification:
    def update(
        x: Sequence[Vector], factors: Sequence[Scalar], *_: Any
    ) -> tuple[list[Scalar], list[Scalar]]:
        _, way, _ = closest(*x)
        return [sqrt(dot(way, way)) * reduce(minimum, factors)], []

    return _pairs(name, update, reads_previous=False, outputs=1)


def _pairs(name: str, update: Update, reads_previous: bool, outputs: int) -> KernelSpecification:
    return KernelSpecification(
        name=name,
        update=update,
        vertices=4,
        parameters=0,
        components=0,
        reads_previous=reads_previous,
        writes="values",
        outputs=outputs,
    )


VERTEX_FACE = _specification("closest_vertex_face", vertex_face, 1)
EDGE_EDGE = _specification("closest_edge_edge", edge_edge, 2)
REST_VERTEX_FACE = _rest_specification("rest_vertex_face", vertex_face)
REST_EDGE_EDGE = _rest_specification("rest_edge_edge", edge_edge)
