# SPDX-License-Identifier: GPL-3.0-or-later
"""Garments cut around the figure: a pleated skirt, a tunic over it, a poncho over both."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import bmesh
import numpy as np
from figure import parts
from mathutils import Vector
from numpy.typing import NDArray
from surface import Part, Points, mesh

Faces = list[list[int]]
WAIST, HEM = 1.07, 0.46
_TUNIC_CELL = 0.021
_NECK, _TUNIC_HEM = 1.505, 0.86
_SLEEVE = 0.75  # part of the upper arm that is covered
PLEATS = 18


def skirt() -> tuple[Points, Faces]:
    """Closed rings from the waist down, the first 72 vertices at the waist."""

    def ring(height: float, angles: NDArray[np.float64]) -> Points:
        z = WAIST + (HEM - WAIST) * height
        width = np.interp(z, [HEM, 0.88, 0.98, WAIST], [0.325, 0.213, 0.184, 0.141])
        pleat = 0.020 * height * np.cos(PLEATS * angles)
        return _ellipse(width + pleat, 0.79, angles, z)

    return _rings(ring, [72] * 8 + [144] * 21)


def poncho() -> tuple[Points, Faces]:
    """A cone around the neck."""

    def ring(out: float, angles: NDArray[np.float64]) -> Points:
        radius = 0.110 + 0.43 * out
        return _ellipse(radius, 1.0, angles, 1.583 - 0.76 * (radius - 0.110))

    return _rings(ring, [48] * 5 + [96] * 10 + [192] * 13)


def tunic() -> tuple[Points, Faces]:
    """A shirt with half sleeves, its lower part flared."""
    cut = _tunic_parts()
    points, quads = mesh(cut, _TUNIC_CELL)
    work = bmesh.new()
    made = [work.verts.new(point) for point in points]
    for quad in quads:
        work.faces.new([made[corner] for corner in quad])
    planes = [((0.0, 0.0, _NECK), (0.0, 0.0, 1.0)), ((0.0, 0.0, _TUNIC_HEM), (0.0, 0.0, -1.0))]
    for at, normal in planes:
        _cut(work, at, normal, lambda _: True)
    for side in (1.0, -1.0):
        arm = next(part for part in parts() if part.bone == "upper_arm.L")
        at = np.add(arm.start, _SLEEVE * np.subtract(arm.end, arm.start)) * (side, 1.0, 1.0)
        _cut(work, at, (side, 0.0, -1.0), lambda co, side=side: side * co.x > 0.25)
    bmesh.ops.remove_doubles(work, verts=work.verts[:], dist=0.4 * _TUNIC_CELL)
    work.verts.index_update()
    points = np.array([vertex.co for vertex in work.verts])
    faces = [[vertex.index for vertex in face.verts] for face in work.faces]
    work.free()
    return points, faces


def _tunic_parts() -> list[Part]:
    """The upper body with room around it, and a cone below."""
    wide = {"chest": 0.030, "spine": 0.034, "neck": 0.026, "upper_arm": 0.030, "forearm": 0.034}
    found = [
        _widened(part, wide[part.bone.split(".")[0]])
        for part in parts()
        if part.bone.split(".")[0] in wide
    ]
    return [*found, Part("", (0.0, 0.0, 1.20), (0.0, 0.0, 0.74), (0.150, 0.282), 0.80)]


def _widened(part: Part, room: float) -> Part:
    widest = max(part.radii)
    radii = (part.radii[0] + room, part.radii[1] + room)
    return replace(part, radii=radii, depth=(widest * part.depth + room) / (widest + room))


def _cut(
    work: bmesh.types.BMesh,
    at: Sequence[float],
    normal: Sequence[float],
    concerns: Callable[[Vector], bool],
) -> None:
    """Take away what lies beyond a plane; what is near to it is moved onto it."""
    verts = {vertex for vertex in work.verts if concerns(vertex.co)}
    edges = [edge for edge in work.edges if verts.issuperset(edge.verts)]
    faces = [face for face in work.faces if verts.issuperset(face.verts)]
    bmesh.ops.bisect_plane(
        work,
        geom=[*verts, *edges, *faces],
        dist=0.3 * _TUNIC_CELL,
        plane_co=at,
        plane_no=normal,
        use_snap_center=True,
        clear_outer=True,
    )


def _ellipse(
    width: float | NDArray[np.float64], depth: float, angles: NDArray[np.float64], z: float
) -> Points:
    """Points around the z axis; half as wide as given along x."""
    across = width * np.cos(angles), depth * width * np.sin(angles)
    return np.stack([*across, np.full_like(angles, z)], axis=1)


def _rings(
    ring: Callable[[float, NDArray[np.float64]], Points], counts: Sequence[int]
) -> tuple[Points, Faces]:
    """Closed rings joined by quads, and by triangles where the count doubles.

    Args:
        ring: points at a place from 0 to 1 across the rings, at angles. counts: of each ring.
    """
    points, faces, first = [], [], 0
    for number, count in enumerate(counts):
        angles = 2.0 * math.pi * np.arange(count) / count
        points.append(ring(number / (len(counts) - 1), angles))
        if number:
            faces += _between(first - counts[number - 1], counts[number - 1], first, count)
        first += count
    return np.concatenate(points), faces


def _between(first: int, count: int, next_first: int, next_count: int) -> Faces:
    """Faces between two rings, of which the second has as many vertices or twice as many."""
    faces = []
    for k in range(count):
        a, b = first + k, first + (k + 1) % count
        if next_count == count:
            faces.append([a, next_first + k, next_first + (k + 1) % count, b])
            continue
        c, d, e = (next_first + (2 * k + i) % next_count for i in range(3))
        faces += [[a, c, d], [a, d, b], [b, d, e]]
    return faces
