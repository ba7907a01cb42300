# SPDX-License-Identifier: GPL-3.0-or-later
"""The closest points of a vertex and a face, or of two edges.

``places`` are the four vertices of a pair, the first ``split`` of them those of its first piece.
"""

from __future__ import annotations

from ...native.compiled import native_part
from ...native.vectors import Vector, add_scaled, dot, spanned, subtract
from ..closest_point import closest_point
from ..data import FACE


@native_part
def _clamped(value: float) -> float:
    return min(max(value, 0.0), 1.0)


@native_part
def closest_on_edges(a: Vector, b: Vector, c: Vector, d: Vector) -> tuple[float, float]:
    """Where on the edges ab and cd they are closest, between 0 and 1."""
    ab, cd, ca = subtract(b, a), subtract(d, c), subtract(a, c)
    ab_ab, cd_cd, ab_cd = dot(ab, ab), dot(cd, cd), dot(ab, cd)
    ab_ca, cd_ca = dot(ab, ca), dot(cd, ca)
    sine = ab_ab * cd_cd - ab_cd * ab_cd
    u = _clamped((ab_cd * cd_ca - ab_ca * cd_cd) / sine) if sine > 1e-9 * ab_ab * cd_cd else 0.5
    v = _clamped((ab_cd * u + cd_ca) / cd_cd) if cd_cd > 0.0 else 0.0
    u = _clamped((ab_cd * v - ab_ca) / ab_ab) if ab_ab > 0.0 else 0.0
    return u, v


@native_part
def closest(split, places):  # type: ignore[no-untyped-def]
    """Weights u and v of the closest points, and whether these lie inside of both."""
    a, b, c, d = places
    if split == 1:
        _, u, v, feature = closest_point(a, (b, c, d))
        return u, v, feature == FACE
    u, v = closest_on_edges(a, b, c, d)
    return u, v, (0.0 < u) & (u < 1.0) & (0.0 < v) & (v < 1.0)


@native_part
def way_between(split, places, u, v):  # type: ignore[no-untyped-def]
    """From the point of the second to that of the first."""
    a, b, c, d = places
    if split == 1:
        return subtract(a, spanned((b, c, d), u, v))
    return subtract(add_scaled(a, u, subtract(b, a)), add_scaled(c, v, subtract(d, c)))


@native_part
def shortest_way(split, places):  # type: ignore[no-untyped-def]
    """From the second piece to the first."""
    u, v, _ = closest(split, places)
    return way_between(split, places, u, v)
