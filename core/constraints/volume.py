# SPDX-License-Identifier: GPL-3.0-or-later
"""Volume of a closed surface: C = V(x) - V₀, V = Σ x₀ · (x₁ × x₂) / 6 over its triangles.

One constraint over all triangles: the body below is the share of one of them, and the share of V₀
is the same for all. With the compliance α [m³/Pa], λ/Δt² is the pressure inside over that outside,
p = (V₀ - V) / α [Pa].

A balloon of Müller et al. 2007 (section 4.4, pressure) with the compliance of Macklin et al. 2016.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..vector.arithmetic import Scalar, Vector, cross, dot, scale
from .base import Constraint, Gradients, Values


def evaluate(x: Sequence[Vector], rest: Sequence[Scalar]) -> tuple[Values, Gradients]:
    """``rest`` holds the triangle's share [m³]. That of a lone triangle depends on the origin."""
    across = cross(x[1], x[2])
    share = (1.0 / 6.0) * dot(x[0], across) - rest[0]
    corners = [across, cross(x[2], x[0]), cross(x[0], x[1])]
    return [share], [[scale(1.0 / 6.0, corner) for corner in corners]]


def measure_rest(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares of triangles, shape (count, 1) [m³], from points of shape (count, 3, 3)."""
    return np.asarray(np.linalg.det(points)[:, None] / 6.0)


def check(triangles: NDArray[np.int64], points: NDArray[np.float64]) -> None:
    """Raise ModelError unless the triangles close a surface and turn their front outwards.

    Args:
        triangles: corners, shape (count, 3).
        points: where they are [m], shape (count, 3, 3).
    """
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    lone = np.count_nonzero(np.unique(_keys(np.sort(sides)), return_counts=True)[1] == 1)
    if lone:
        raise ModelError(
            f"A volume needs a closed surface, but {lone} sides of its triangles have no "
            "neighbour: fill the holes."
        )
    there, back = np.sort(_keys(sides)), np.sort(_keys(sides[:, ::-1]))
    if np.any(there != back):
        raise ModelError(
            "A volume needs a closed surface whose triangles all turn the same side outwards: "
            "recalculate the normals, and remove walls inside."
        )
    volume = measure_rest(points - points.mean(axis=(0, 1))).sum() if len(points) else 0.0
    extent = float(np.abs(np.ptp(points, axis=(0, 1))).max()) if len(points) else 0.0
    if volume < -1e-9 * extent**3:
        raise ModelError(
            "The triangles of a volume must be anticlockwise seen from outside: flip the normals."
        )


def _keys(sides: NDArray[np.int64]) -> NDArray[np.int64]:
    """One number for each directed side."""
    return np.asarray(sides[:, 0] * (sides.max(initial=0) + 1) + sides[:, 1])


CONSTRAINT = Constraint(
    kind="volume",
    vertices=3,
    components=1,
    rest_size=1,
    evaluate=evaluate,
    measure_rest=measure_rest,
    order=35,
    summed=True,
    check=check,
)
