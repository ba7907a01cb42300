# SPDX-License-Identifier: GPL-3.0-or-later
"""Damping of everything but rigid motion (Müller et al. 2007, section 3.5).

With the mass centre x_cm and its velocity v_cm, the angular momentum L = Σ r × m v about it and
the inertia I = Σ m (|r|² 1 - r rᵀ), r = x - x_cm, the body as a whole moves like
v_cm + I⁻¹L × r. Every velocity goes a part k of the way there, which keeps both momenta; at k = 1
the body moves like a rigid one.

A body is what constraints connect. Kinematic particles belong to none: they end a body, they are
not damped, and the momenta are those of the particles that are free. So what hangs from a pin
swings undamped, and what is carried about is not held back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...layout.group import Group
from ...mesh.connected import connected
from ...native.compiled import native, native_part
from ...native.team import own_share

FLAT = 1e-12
"""Of the trace of the inertia: a body that is a straight line has none about itself."""


class Bodies(NamedTuple):
    """Bodies of two or more free particles.

    Attributes:
        members: free particles, those of a body together.
        starts: where in ``members`` each body starts, and the end, shape (bodies + 1,).
    """

    members: NDArray[np.int64]
    starts: NDArray[np.int64]


def bodies_of(groups: Sequence[Group], masses: NDArray[np.float64]) -> Bodies:
    """What constraints connect.

    Args:
        groups: the constraints.
        masses: of the particles, shape (n,); infinite for kinematic ones.
    """
    found = connected([group.indices for group in groups], np.isfinite(masses))
    particles = np.argsort(found, kind="stable")
    roots = found[particles]
    _, body, sizes = np.unique(roots, return_inverse=True, return_counts=True)
    chosen = (roots >= 0) & (sizes[body] > 1)
    starts = np.flatnonzero(np.diff(roots[chosen], prepend=-1))
    return Bodies(particles[chosen], np.append(starts, chosen.sum()))


@native
def damp_velocities(arrays, bodies, damping, team):  # type: ignore[no-untyped-def]
    """Damp the bodies that are a thread's share.

    Args:
        arrays: ``State.arrays``, velocities finished.
        bodies: of :func:`bodies_of`.
        damping: k between 0 and 1.
    """
    first, last = own_share(len(bodies.starts) - 1, team)
    for body in range(first, last):
        members = bodies.members[bodies.starts[body] : bodies.starts[body + 1]]
        _damp_body(arrays.rows, arrays.velocities, members, damping)


@native_part
def _damp_body(rows, velocities, members, damping):  # type: ignore[no-untyped-def]
    cx, cy, cz = _mean(rows, rows, members)
    vx, vy, vz = _mean(rows, velocities, members)
    wx, wy, wz = _spin(rows, velocities, members, cx, cy, cz)
    for i in members:
        x, y, z = rows[i, 0] - cx, rows[i, 1] - cy, rows[i, 2] - cz
        velocities[i, 0] += damping * (vx + wy * z - wz * y - velocities[i, 0])
        velocities[i, 1] += damping * (vy + wz * x - wx * z - velocities[i, 1])
        velocities[i, 2] += damping * (vz + wx * y - wy * x - velocities[i, 2])


@native_part
def _mean(rows, values, members):  # type: ignore[no-untyped-def]
    """The mean of values, (n, 4), weighted by mass."""
    mass, x, y, z = 0.0, 0.0, 0.0, 0.0
    for i in members:
        m = 1.0 / np.float64(rows[i, 3])
        mass += m
        x += m * values[i, 0]
        y += m * values[i, 1]
        z += m * values[i, 2]
    return x / mass, y / mass, z / mass


@native_part
def _spin(rows, velocities, members, cx, cy, cz):  # type: ignore[no-untyped-def]
    """The angular velocity I⁻¹ L about a mass centre."""
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    lx, ly, lz = 0.0, 0.0, 0.0
    for i in members:
        m = 1.0 / np.float64(rows[i, 3])
        x, y, z = rows[i, 0] - cx, rows[i, 1] - cy, rows[i, 2] - cz
        px, py, pz = m * velocities[i, 0], m * velocities[i, 1], m * velocities[i, 2]
        lx += y * pz - z * py
        ly += z * px - x * pz
        lz += x * py - y * px
        xx, yy, zz = xx + m * x * x, yy + m * y * y, zz + m * z * z
        xy, xz, yz = xy + m * x * y, xz + m * x * z, yz + m * y * z
    return _solve(yy + zz, -xy, -xz, xx + zz, -yz, xx + yy, lx, ly, lz)


@native_part
def _solve(a, b, c, d, e, f, x, y, z):  # type: ignore[no-untyped-def]
    """Solve [[a b c] [b d e] [c e f]] ω = (x, y, z), positive semi-definite, by LDLᵀ.

    About the line of a straight body there is neither inertia nor momentum; any ω does.
    """
    least = FLAT * (a + d + f)
    first = 1.0 / a if a > least else 0.0
    d, e, f = d - b * b * first, e - b * c * first, f - c * c * first
    second = 1.0 / d if d > least else 0.0
    f = f - e * e * second
    third = 1.0 / f if f > least else 0.0
    y -= b * first * x
    z -= c * first * x + e * second * y
    wz = z * third
    wy = (y - e * wz) * second
    wx = (x - b * wy - c * wz) * first
    return wx, wy, wz
