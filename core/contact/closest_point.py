# SPDX-License-Identifier: GPL-3.0-or-later
"""Closest point of a triangle, and on which side of a mesh a point is.

Closest point: Ericson 2005, Real-Time Collision Detection, 5.1.5. Side: angle-weighted
pseudo-normals, Baerentzen and Aanaes 2005, Signed distance computation using the angle weighted
pseudonormal.
"""

from __future__ import annotations

from math import acos, sqrt

from ..compiled import native, native_part
from .data import EDGE, FACE, VERTEX, Integers, Reals, Surface

SLIVER = 1e-8
"""A triangle with (2 area)² below this times (sum of squared edges)² has no usable normal."""


@native
def closest_point(
    px: float, py: float, pz: float,
    ax: float, ay: float, az: float,
    bx: float, by: float, bz: float,
    cx: float, cy: float, cz: float,
) -> tuple[float, float, float, int]:  # fmt: skip
    """Closest point a + u (b - a) + v (c - a) of the triangle a, b, c to p.

    Returns:
        squared distance [m²], u, v, and where the point lies (FACE, EDGE + k or VERTEX + k).
        Triangles without area are fine.
    """
    abx, aby, abz = bx - ax, by - ay, bz - az
    acx, acy, acz = cx - ax, cy - ay, cz - az
    apx, apy, apz = px - ax, py - ay, pz - az
    ab_ap = abx * apx + aby * apy + abz * apz
    ac_ap = acx * apx + acy * apy + acz * apz
    ab_ab = abx * abx + aby * aby + abz * abz
    ac_ac = acx * acx + acy * acy + acz * acz
    ab_ac = abx * acx + aby * acy + abz * acz
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
    dx = apx - u * abx - v * acx
    dy = apy - u * aby - v * acy
    dz = apz - u * abz - v * acz
    return dx * dx + dy * dy + dz * dz, u, v, feature


@native_part
def face_side(
    dx: float, dy: float, dz: float,
    ax: float, ay: float, az: float,
    bx: float, by: float, bz: float,
    cx: float, cy: float, cz: float,
) -> float:  # fmt: skip
    """1 if the vector d points to the front of a triangle, else -1; 0 if it has no normal."""
    abx, aby, abz = bx - ax, by - ay, bz - az
    acx, acy, acz = cx - ax, cy - ay, cz - az
    bcx, bcy, bcz = cx - bx, cy - by, cz - bz
    nx = aby * acz - abz * acy
    ny = abz * acx - abx * acz
    nz = abx * acy - aby * acx
    edges = abx * abx + aby * aby + abz * abz + acx * acx + acy * acy + acz * acz
    edges += bcx * bcx + bcy * bcy + bcz * bcz
    if not nx * nx + ny * ny + nz * nz > SLIVER * edges * edges:
        return 0.0
    return 1.0 if nx * dx + ny * dy + nz * dz >= 0 else -1.0


@native_part
def unit_normal(
    vertices: Reals, triangles: Integers, triangle: int
) -> tuple[float, float, float, bool]:
    """Unit normal of a triangle, and whether it has one."""
    a, b, c = triangles[triangle, 0], triangles[triangle, 1], triangles[triangle, 2]
    abx, aby = vertices[b, 0] - vertices[a, 0], vertices[b, 1] - vertices[a, 1]
    abz, acx = vertices[b, 2] - vertices[a, 2], vertices[c, 0] - vertices[a, 0]
    acy, acz = vertices[c, 1] - vertices[a, 1], vertices[c, 2] - vertices[a, 2]
    nx = aby * acz - abz * acy
    ny = abz * acx - abx * acz
    nz = abx * acy - aby * acx
    bcx, bcy, bcz = acx - abx, acy - aby, acz - abz
    edges = abx * abx + aby * aby + abz * abz + acx * acx + acy * acy + acz * acz
    edges += bcx * bcx + bcy * bcy + bcz * bcz
    square = nx * nx + ny * ny + nz * nz
    if not square > SLIVER * edges * edges:
        return 0.0, 0.0, 0.0, False
    scale = 1.0 / sqrt(square)
    return nx * scale, ny * scale, nz * scale, True


@native_part
def _corner_angle(vertices: Reals, triangles: Integers, triangle: int, corner: int) -> float:
    a = triangles[triangle, corner]
    b, c = triangles[triangle, (corner + 1) % 3], triangles[triangle, (corner + 2) % 3]
    ab_ab, ac_ac, ab_ac = 0.0, 0.0, 0.0
    for k in range(3):
        ab, ac = vertices[b, k] - vertices[a, k], vertices[c, k] - vertices[a, k]
        ab_ab += ab * ab
        ac_ac += ac * ac
        ab_ac += ab * ac
    return acos(min(1.0, max(-1.0, ab_ac / sqrt(ab_ab * ac_ac))))


@native_part
def _vertex_side(
    surface: Surface, vertices: Reals, vertex: int, dx: float, dy: float, dz: float
) -> float:
    around, total = surface.around[vertex], 0.0
    for k in range(around.fan_start, around.fan_end):
        triangle, corner = surface.fan[k] // 3, surface.fan[k] % 3
        nx, ny, nz, proper = unit_normal(vertices, surface.triangles, triangle)
        if proper:
            angle = _corner_angle(vertices, surface.triangles, triangle, corner)
            total += angle * (nx * dx + ny * dy + nz * dz)
    return total


@native_part
def side(
    surface: Surface,
    vertices: Reals,
    triangle: int,
    feature: int,
    dx: float,
    dy: float,
    dz: float,
) -> float:
    """1 if the vector d from the closest point to a point leads outside, else -1.

    ``triangle`` and ``feature`` are those of the closest point, ``vertices`` are the surface's
    ``before`` or ``now``. At a border there is no inside.
    """
    nx, ny, nz, proper = unit_normal(vertices, surface.triangles, triangle)
    along = nx * dx + ny * dy + nz * dz
    if feature == FACE and proper:
        return 1.0 if along >= 0 else -1.0
    corner = feature - VERTEX if feature >= VERTEX else 0
    if EDGE <= feature < VERTEX:
        other = surface.neighbours[triangle, feature - EDGE]
        if other < 0:
            return 1.0
        mx, my, mz, other_proper = unit_normal(vertices, surface.triangles, other)
        if proper or other_proper:
            return 1.0 if along + mx * dx + my * dy + mz * dz >= 0 else -1.0
        corner = feature - EDGE
    vertex = surface.around[surface.triangles[triangle, corner]].welded
    if surface.around[vertex].border == 1:
        return 1.0
    return 1.0 if _vertex_side(surface, vertices, vertex, dx, dy, dz) >= 0 else -1.0
