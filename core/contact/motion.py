# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders on their way through a frame, and the space that goes with each.

Vertices move evenly. Seen from a space that moves with velocity c' and turns with angular velocity
ω, a vertex at p from its origin moves with v' - c' - ω × p. For even motion this is linear in time,
so it is fastest at the start or the end: the bound on drift is exact for any choice of ω, and
almost zero for rigid bodies.
"""

from __future__ import annotations

from math import cos, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from ..linear.sums import products_of_columns
from ..native.compiled import native_part
from .data import Contacts, Reals, Records, Surface
from .vectors import Vector, columns_of, corners_of, dot, load, row_of, spanned, store, subtract

Points = NDArray[np.float64]


def spin_of(start: Points, end: Points) -> tuple[Points, float]:
    """Rotation (axis times angle) that fits a motion best, and the drift it leaves [m].

    Args:
        start, end: vertices relative to their centres [m], shape (v, 3).
    """
    way, middle = end - start, 0.5 * (start + end)
    inertia = np.sum(middle**2) * np.eye(3) - products_of_columns(middle, middle)
    inertia += max(1e-9 * float(np.trace(inertia)), 1e-30) * np.eye(3)
    spin = np.linalg.solve(inertia, np.cross(middle, way).sum(axis=0))
    drifts = [np.linalg.norm(way - np.cross(spin, points), axis=1).max() for points in (start, end)]
    return spin, float(max(drifts))


@native_part
def turn(axes: Reals, turned: Reals, x: float, y: float, z: float) -> None:
    """Turn a matrix by a rotation vector (Rodrigues), both of shape (3, 3)."""
    angle = sqrt(x * x + y * y + z * z)
    scale = 1.0 / angle if angle > 0 else 0.0
    x, y, z = x * scale, y * scale, z * scale
    c, s = cos(angle), sin(angle)
    for k in range(3):
        vx, vy, vz = axes[0, k], axes[1, k], axes[2, k]
        along = (1.0 - c) * (x * vx + y * vy + z * vz)
        turned[0, k] = c * vx + s * (y * vz - z * vy) + along * x
        turned[1, k] = c * vy + s * (z * vx - x * vz) + along * y
        turned[2, k] = c * vz + s * (x * vy - y * vx) + along * z


@native_part
def move(surface: Surface, collider: Records, fraction0: float, fraction1: float) -> None:
    """Put a moving collider where it is between two fractions of the frame."""
    for i in range(collider.vertex_start, collider.vertex_end):
        for k in range(3):
            way = surface.last[i, k] - surface.first[i, k]
            surface.before[i, k] = surface.first[i, k] + fraction0 * way
            surface.now[i, k] = surface.first[i, k] + fraction1 * way
    for k in range(3):
        way = collider.centre_last[k] - collider.centre_first[k]
        collider.centre_before[k] = collider.centre_first[k] + fraction0 * way
        collider.centre[k] = collider.centre_first[k] + fraction1 * way
        collider.spin[k] = (fraction1 - fraction0) * collider.frame_spin[k]
    x, y, z = collider.frame_spin[0], collider.frame_spin[1], collider.frame_spin[2]
    turn(collider.axes_first, collider.axes_before, fraction0 * x, fraction0 * y, fraction0 * z)
    turn(collider.axes_first, collider.axes, fraction1 * x, fraction1 * y, fraction1 * z)
    collider.drift_before = fraction0 * collider.speed
    collider.drift = fraction1 * collider.speed


@native_part
def step_of(surface: Surface, t: int, u: float, v: float) -> Vector:
    """How far [m] a point of a triangle moves in the substep."""
    a0, b0, c0 = corners_of(surface.before, surface.triangles, t)
    a1, b1, c1 = corners_of(surface.now, surface.triangles, t)
    return spanned((subtract(a1, a0), subtract(b1, b0), subtract(c1, c0)), u, v)


@native_part
def localise(contacts: Contacts, positions: Reals, number: int, first: int, count: int) -> None:
    """Positions of near particles in the collider's space, into the candidates."""
    collider = contacts.colliders[number]
    axis_x, axis_y, axis_z = columns_of(collider.axes)
    for index in range(first, first + count):
        candidate = contacts.candidates[index]
        way = subtract(row_of(positions, candidate.particle), load(collider.centre))
        store(candidate.local, (dot(axis_x, way), dot(axis_y, way), dot(axis_z, way)))
