# SPDX-License-Identifier: GPL-3.0-or-later
"""A T-shirt of two flat panels, and the body that it is sewn onto, by procedure."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Indices = NDArray[np.int64]

LOW, HIGH, ARMPIT = 0.85, 1.48, 1.2
HALF_BODY, HALF_SLEEVES, HALF_NECK, NECK = 0.24, 0.44, 0.12, 1.41
"""Heights and half widths of the pattern [m]."""

APART = 0.2
"""Distance [m] of each panel from the middle of the body."""

LIMBS = (
    ((0.0, 0.0, 0.95), (0.0, 0.0, 1.24), 0.13),
    ((-0.14, 0.0, 1.34), (0.14, 0.0, 1.34), 0.06),
    ((0.13, 0.0, 1.34), (0.62, 0.0, 1.34), 0.045),
    ((-0.13, 0.0, 1.34), (-0.62, 0.0, 1.34), 0.045),
    ((0.0, 0.0, 1.3), (0.0, 0.0, 1.6), 0.055),
)
"""Ends and radius of each capsule of the body: trunk, shoulders, arms and neck [m]."""


class Shirt(NamedTuple):
    """Panels and seams.

    Attributes:
        points: [m], shape (n, 3), the front panel first.
        faces: corners of quads, shape (f, 4).
        seams: pairs of vertices to be sewn together, shape (m, 2).
    """

    points: Points
    faces: Indices
    seams: Indices


def shirt(cell: float = 0.02) -> Shirt:
    """A front and a back of square cells, which face each other."""
    columns, rows = round(2.0 * HALF_SLEEVES / cell), round((HIGH - LOW) / cell)
    x = np.linspace(-HALF_SLEEVES, HALF_SLEEVES, columns + 1)
    z = np.linspace(LOW, HIGH, rows + 1)
    corner = np.arange((columns + 1) * (rows + 1)).reshape(columns + 1, rows + 1)
    quads = np.stack([corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]], axis=-1)
    middle_x, middle_z = np.meshgrid(x[:-1] + 0.5 * cell, z[:-1] + 0.5 * cell, indexing="ij")
    inside = (np.abs(middle_x) < HALF_BODY) | (middle_z > ARMPIT)
    inside &= ~((np.abs(middle_x) < HALF_NECK) & (middle_z > NECK))
    used, faces = np.unique(quads[inside].reshape(-1, 4), return_inverse=True)
    faces = faces.reshape(-1, 4)
    flat = np.stack(np.meshgrid(x, z, indexing="ij"), axis=-1).reshape(-1, 2)[used]
    front = np.stack([flat[:, 0], np.full(len(flat), -APART), flat[:, 1]], axis=1)
    back = front * (1.0, -1.0, 1.0)
    sewn = np.flatnonzero(_at_border(faces) & ~_is_open(flat, cell))
    return Shirt(
        np.concatenate([front, back]),
        np.concatenate([faces, faces[:, ::-1] + len(front)]),
        np.stack([sewn, sewn + len(front)], axis=1),
    )


def _at_border(faces: Indices) -> NDArray[np.bool_]:
    sides = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    pairs, uses = np.unique(sides, axis=0, return_counts=True)
    found = np.zeros(faces.max() + 1, np.bool_)
    found[pairs[uses == 1]] = True
    return found


def _is_open(flat: Points, cell: float) -> NDArray[np.bool_]:
    """The hem, the ends of the sleeves, and the hole for the neck."""
    x, z = np.abs(flat[:, 0]), flat[:, 1]
    neck = (x < HALF_NECK + 0.5 * cell) & (z > NECK - cell) & (z < HIGH - 1e-9)
    return np.asarray((z < LOW + 1e-9) | (x > HALF_SLEEVES - 1e-9) | neck)


def body(rings: int = 24) -> list[tuple[Points, Indices]]:
    """The capsules, each as vertices and triangles that turn outwards."""
    return [_capsule(np.array(start), np.array(end), radius, rings) for start, end, radius in LIMBS]


def _capsule(start: Points, end: Points, radius: float, rings: int) -> tuple[Points, Indices]:
    axis = (end - start) / np.linalg.norm(end - start)
    side = np.cross(axis, [0.0, 1.0, 0.0])
    side /= np.linalg.norm(side)
    other = np.cross(axis, side)
    around = np.linspace(0.0, 2.0 * np.pi, rings, endpoint=False)
    circle = np.cos(around)[:, None] * side + np.sin(around)[:, None] * other
    tilts = np.linspace(-0.5 * np.pi, 0.5 * np.pi, rings // 2 + 2)[1:-1]
    points = [start - radius * axis]
    for tilt in tilts:
        middle = start if tilt < 0.0 else end
        points += list(middle + radius * (np.cos(tilt) * circle + np.sin(tilt) * axis))
    points.append(end + radius * axis)
    last, count = len(points) - 1, len(tilts)
    faces = []
    for k in range(rings):
        n = (k + 1) % rings
        faces.append((0, 1 + n, 1 + k))
        for row in range(count - 1):
            a, b = 1 + row * rings + k, 1 + row * rings + n
            faces += [(a, b, b + rings), (a, b + rings, a + rings)]
        faces.append((last, 1 + (count - 1) * rings + k, 1 + (count - 1) * rings + n))
    triangles = np.array(faces)
    corners = np.array(points)[triangles]
    volume = np.linalg.det(corners - start).sum()
    return np.array(points), triangles if volume > 0.0 else triangles[:, ::-1]
