# SPDX-License-Identifier: GPL-3.0-or-later
"""Co-rotational strain of a tetrahedron: C = ‖F - R‖, Frobenius' norm.

F is the deformation gradient, R the proper rotation nearest to it, also where the tetrahedron is
flattened or inverted. With the compliance α = 1 / (2 μ V) the energy ½ C² / α is μ V ‖F - R‖², the
co-rotational energy without its volume term, as in McAdams et al. 2011, "Efficient elasticity for
character skinning with contact and collisions", and Chao et al. 2010, "A simple geometric model
for elastic deformations".

As R is the best rotation, (F - R) : ∂R = 0, and so ∇C = (F - R) : ∂F/∂x / C exactly. Where two
rotations are equally near, C has a crease and this is the gradient of one side of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..mesh.simplices import content_and_width
from ..vector.arithmetic import SMALLEST, Scalar, Vector, add, scale, select, sqrt, subtract, total
from ..vector.rotation import nearest_rotation
from .base import Constraint, Gradients, Values


def deformation_gradient(x: Sequence[Vector], rest: Sequence[Scalar]) -> list[list[Scalar]]:
    """F, three rows; ``rest`` holds the inverse of the rest shape's edges row by row [1/m]."""
    edges = [subtract(corner, x[0]) for corner in x[1:]]
    return [
        [total([edges[k][i] * rest[3 * k + j] for k in range(3)]) for j in range(3)]
        for i in range(3)
    ]


def evaluate(x: Sequence[Vector], rest: Sequence[Scalar]) -> tuple[Values, Gradients]:
    """``rest`` holds the inverse, row by row, of the 3 × 3 matrix of the rest edges [1/m]."""
    F = deformation_gradient(x, rest)
    strain = [subtract(p, q) for p, q in zip(F, nearest_rotation(F), strict=True)]
    square = total([entry * entry for row in strain for entry in row])
    length = sqrt(square)
    inverse = select(square > SMALLEST, 1.0 / select(square > SMALLEST, length, 1.0), 0.0)
    direction = [scale(inverse, row) for row in strain]
    corners = [
        [total([row[j] * rest[3 * k + j] for j in range(3)]) for row in direction] for k in range(3)
    ]
    first = scale(-1.0, add(add(corners[0], corners[1]), corners[2]))
    return [length], [[first, *corners]]


def measure_rest(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inverse rest edges [1/m], shape (count, 9), of tetrahedra, shape (count, 4, 3).

    Tetrahedra must have a volume.

    Raises:
        ModelError: one is flat.
    """
    edges = (points[:, 1:] - points[:, :1]).transpose(0, 2, 1)
    flat = np.flatnonzero(np.linalg.det(edges) == 0.0)
    if len(flat):
        raise ModelError(f"Tetrahedron {flat[0]} is flat ({len(flat)} in all).")
    return np.asarray(np.linalg.inv(edges).reshape(-1, 9))


def coefficients(_points: NDArray[np.float64], rest: NDArray[np.float64]) -> NDArray[np.float64]:
    """F's columns as sums of positions, (count, 3, 4): E ≤ ½ ‖F - R₀‖² / α for any R₀."""
    inverse_edges = rest.reshape(-1, 3, 3).transpose(0, 2, 1)
    first = -inverse_edges.sum(axis=2, keepdims=True)
    return np.concatenate([first, inverse_edges], axis=2)


def stretch(values: Values, _rest: Sequence[Scalar]) -> Scalar:
    """‖F - R‖, which no principal strain exceeds."""
    return values[0]


def sizes(rest: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Volume and least height of tetrahedra."""
    return content_and_width(rest.reshape(-1, 3, 3))


CONSTRAINT = Constraint(
    kind="corotational",
    vertices=4,
    components=1,
    rest_size=9,
    stretch=stretch,
    sizes=sizes,
    evaluate=evaluate,
    measure_rest=measure_rest,
    order=25,
    coefficients=coefficients,
)
