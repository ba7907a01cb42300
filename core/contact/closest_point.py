# SPDX-License-Identifier: GPL-3.0-or-later
"""Closest point of a triangle, and on which side of a mesh a point is.

Closest point: Ericson 2005, Real-Time Collision Detection, 5.1.5. Side: angle-weighted
pseudo-normals, Baerentzen and Aanaes 2005, Signed distance computation using the angle weighted
pseudonormal.
"""

from __future__ import annotations

from math import acos, sqrt

from ..native.compiled import native_part
from ..native.vectors import (
    Triangle,
    Vector,
    add_scaled,
    corners_of,
    cross,
    dot,
    row_of,
    scale,
    subtract,
)
from .data import EDGE, FACE, VERTEX, Integers, Meshes, Reals

SLIVER = 1e-8
"""A triangle with (2 area)² below this times (sum of squared edges)² has no usable normal."""


@native_part
def closest_point(p: Vector, corners: Triangle) -> tuple[float, float, float, int]:
    """Closest point a + u (b - a) + v (c - a) of a triangle to p.

    Returns:
        squared distance [m²], u, v, and where the point lies (FACE, EDGE + k or VERTEX + k).
        Triangles without area are fine.
    """
    a, b, c = corners
    ab, ac, ap = subtract(b, a), subtract(c, a), subtract(p, a)
    ab_ap, ac_ap = dot(ab, ap), dot(ac, ap)
    ab_ab, ac_ac, ab_ac = dot(ab, ab), dot(ac, ac), dot(ab, ac)
    ab_bp, ac_bp = ab_ap - ab_ab, ac_ap - ab_ac
    ab_cp, ac_cp = ab_ap - ab_ac, ac_ap - ac_ac
    area_a = ab_bp * ac_cp - ab_cp * ac_bp
    area_b = ab_cp * ac_ap - ab_ap * ac_cp
    area_c = ab_ap * ac_bp - ab_bp * ac_ap
    along_bc = ac_bp - ab_bp
    beyond_bc = ab_cp - ac_cp
    u, v, feature = 0.0, 0.0, VERTEX
    if ab_ap <= 0 and ac_ap <= 0:
        pass
    elif ab_bp >= 0 and along_bc <= 0:
        u, feature = 1.0, VERTEX + 1
    elif ac_cp >= 0 and beyond_bc <= 0:
        v, feature = 1.0, VERTEX + 2
    elif area_c <= 0 and ab_ap >= 0 and ab_bp <= 0 and ab_ab > 0:
        u, feature = ab_ap / ab_ab, EDGE
    elif area_b <= 0 and ac_ap >= 0 and ac_cp <= 0 and ac_ac > 0:
        v, feature = ac_ap / ac_ac, EDGE + 2
    elif area_a <= 0 and along_bc >= 0 and beyond_bc >= 0 and along_bc + beyond_bc > 0:
        v, feature = along_bc / (along_bc + beyond_bc), EDGE + 1
        u = 1.0 - v
    elif area_a + area_b + area_c > 0:
        scale = 1.0 / (area_a + area_b + area_c)
        u, v, feature = area_b * scale, area_c * scale, FACE
    way = add_scaled(add_scaled(ap, -u, ab), -v, ac)
    return dot(way, way), u, v, feature


@native_part
def scaled_normal(corners: Triangle) -> tuple[Vector, bool]:
    """(b - a) × (c - a) of a triangle, and whether it is long enough to be of use."""
    a, b, c = corners
    ab, ac, bc = subtract(b, a), subtract(c, a), subtract(c, b)
    normal = cross(ab, ac)
    edges = dot(ab, ab) + dot(ac, ac) + dot(bc, bc)
    return normal, dot(normal, normal) > SLIVER * edges * edges


@native_part
def face_side(way: Vector, corners: Triangle) -> float:
    """1 if a vector points to the front of a triangle, else -1; 0 if it has no normal."""
    normal, proper = scaled_normal(corners)
    if not proper:
        return 0.0
    return 1.0 if dot(normal, way) >= 0 else -1.0


@native_part
def unit_normal(vertices: Reals, triangles: Integers, triangle: int) -> tuple[Vector, bool]:
    """Unit normal of a triangle, and whether it has one."""
    normal, proper = scaled_normal(corners_of(vertices, triangles, triangle))
    length = 1.0 / sqrt(dot(normal, normal)) if proper else 0.0
    return scale(length, normal), proper


@native_part
def _corner_angle(vertices: Reals, triangles: Integers, triangle: int, corner: int) -> float:
    a = row_of(vertices, triangles[triangle, corner])
    ab = subtract(row_of(vertices, triangles[triangle, (corner + 1) % 3]), a)
    ac = subtract(row_of(vertices, triangles[triangle, (corner + 2) % 3]), a)
    return acos(min(1.0, max(-1.0, dot(ab, ac) / sqrt(dot(ab, ab) * dot(ac, ac)))))


@native_part
def _vertex_side(meshes: Meshes, vertices: Reals, vertex: int, way: Vector) -> float:
    around, total = meshes.around[vertex], 0.0
    for k in range(around.fan_start, around.fan_end):
        triangle, corner = meshes.fan[k] // 3, meshes.fan[k] % 3
        normal, proper = unit_normal(vertices, meshes.triangles, triangle)
        if proper:
            angle = _corner_angle(vertices, meshes.triangles, triangle, corner)
            total += angle * dot(normal, way)
    return total


@native_part
def side(meshes: Meshes, vertices: Reals, triangle: int, feature: int, way: Vector) -> float:
    """1 if the way from the closest point to a point leads outside, else -1.

    ``triangle`` and ``feature`` are those of the closest point, ``vertices`` are the meshes'
    ``before`` or ``now``. At a border there is no inside.
    """
    normal, proper = unit_normal(vertices, meshes.triangles, triangle)
    along = dot(normal, way)
    if feature == FACE and proper:
        return 1.0 if along >= 0 else -1.0
    corner = feature - VERTEX if feature >= VERTEX else 0
    if EDGE <= feature < VERTEX:
        other = meshes.neighbours[triangle, feature - EDGE]
        if other < 0:
            return 1.0
        normal, other_proper = unit_normal(vertices, meshes.triangles, other)
        if proper or other_proper:
            return 1.0 if along + dot(normal, way) >= 0 else -1.0
        corner = feature - EDGE
    vertex = meshes.around[meshes.triangles[triangle, corner]].welded
    if meshes.around[vertex].border == 1:
        return 1.0
    return 1.0 if _vertex_side(meshes, vertices, vertex, way) >= 0 else -1.0
