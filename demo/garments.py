# SPDX-License-Identifier: GPL-3.0-or-later
"""Garments cut around the figure: a pleated skirt, a tunic over it, a poncho over both."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from figure import parts
from numpy.typing import NDArray
from surface import Part, Points, Quads, distance, edges_of, lattice, relaxed

Faces = list[list[int]]
WAISTBAND = 72
"""Vertices of the skirt that the figure holds, its first ones."""

_WAIST, _HEM, _PLEATS = 1.07, 0.46, 18
_CELL = 0.021  # of the tunic [m]
_LOW, _HIGH = (-0.34, -1.0, 0.86), (0.34, 1.0, 1.515)  # what is cut from, with arms held out
_RAISED = math.radians(45.0)  # how far that is above the pose at the start
_ARMS = {"upper_arm", "forearm"}
_ARMPIT = 0.165, 1.345  # x and z [m] about which sleeves are turned


def skirt() -> tuple[Points, Faces]:
    """Closed rings from the waist down."""

    def ring(height: float, angles: NDArray[np.float64]) -> Points:
        z = _WAIST + (_HEM - _WAIST) * height
        width = np.interp(z, [_HEM, 0.88, 0.98, _WAIST], [0.325, 0.213, 0.184, 0.141])
        pleat = 0.020 * height * np.cos(_PLEATS * angles)
        return _ellipse(width + pleat, 0.79, angles, z)

    return _rings(ring, [WAISTBAND] * 8 + [2 * WAISTBAND] * 21)


def poncho() -> tuple[Points, Faces]:
    """A cone around the neck."""

    def ring(out: float, angles: NDArray[np.float64]) -> Points:
        radius = 0.122 + 0.42 * out
        return _ellipse(radius, 1.0, angles, 1.578 - 0.76 * (radius - 0.122))

    return _rings(ring, [48] * 5 + [96] * 10 + [192] * 13)


def tunic() -> tuple[Points, Faces]:
    """A shirt with half sleeves, its lower part flared: cut with arms held out, then let down."""
    worn, held_out = _tunic_parts(0.0), _tunic_parts(_RAISED)
    points, quads = lattice(held_out, _CELL)
    points, quads, free = _within(points, quads, _LOW, _HIGH)
    points = relaxed(points, quads, held_out, free)
    inner = np.repeat(free.min(axis=1, keepdims=True), 3, axis=1)
    return relaxed(_let_down(points, held_out), quads, worn, inner), quads.tolist()


def _tunic_parts(raised: float) -> list[Part]:
    """The upper body with room around it, arms turned up by an angle, and a cone below."""
    room = {"chest": 0.030, "spine": 0.034, "neck": 0.026, "upper_arm": 0.032, "forearm": 0.036}
    found = [Part("", (0.0, 0.0, 1.20), (0.0, 0.0, 0.74), (0.150, 0.282), 0.80)]
    for part in parts():
        name = part.bone.split(".")[0]
        if name in _ARMS:
            part = replace(part, start=_turned(part.start, raised), end=_turned(part.end, raised))
        if name in room:
            found.append(_widened(part, room[name]))
    return found


def _turned(place: Sequence[float], angle: float) -> tuple[float, float, float]:
    """A place on an arm when that is turned up."""
    x, y, z = abs(place[0]) - _ARMPIT[0], place[1], place[2] - _ARMPIT[1]
    cosine, sine = math.cos(angle), math.sin(angle)
    out = _ARMPIT[0] + cosine * x - sine * z
    return math.copysign(out, place[0]), y, _ARMPIT[1] + sine * x + cosine * z


def _let_down(points: Points, held_out: Sequence[Part]) -> Points:
    """Points turned down with the arms, the more the nearer they are to them."""
    arms = [part for part in held_out if part.bone.split(".")[0] in _ARMS]
    rest = [part for part in held_out if part not in arms]
    further = distance(arms, points) - distance(rest, points)
    share = 1.0 / (1.0 + np.exp(further / 0.03))
    return np.array([_turned(point, -_RAISED * part) for point, part in zip(points, share)])


def _widened(part: Part, room: float) -> Part:
    widest = max(part.radii)
    radii = (part.radii[0] + room, part.radii[1] + room)
    return replace(part, radii=radii, depth=(widest * part.depth + room) / (widest + room))


def _within(
    points: Points, quads: Quads, low: Sequence[float], high: Sequence[float]
) -> tuple[Points, Quads, Points]:
    """What of a mesh lies in a box, and 0 for the axes along which its borders were cut."""
    inside = ((points >= low) & (points <= high)).all(axis=1)
    cut = (points < np.add(low, _CELL)) | (points > np.subtract(high, _CELL))
    in_border = cut[quads].all(axis=1).any(axis=1)  # they would stand off it like fins
    used, numbers = np.unique(quads[inside[quads].all(axis=1) & ~in_border], return_inverse=True)
    quads = numbers.reshape(-1, 4)
    edges, count = edges_of(quads)
    border = np.isin(np.arange(len(used)), edges[count == 1])
    return points[used], quads, 1.0 - (cut[used] & border[:, None])


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
