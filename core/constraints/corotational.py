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
from ..mesh.simplices import content_and_width, inverses
from ..vector.arithmetic import Scalar, Vector, subtract
from ..vector.rotation import nearest_rotation
from .base import Constraint, Gradients, Values
from .patch import at_corners, deformation_gradient, norm_and_direction


def evaluate(x: Sequence[Vector], rest: Sequence[Scalar]) -> tuple[Values, Gradients]:
    """``rest`` holds the inverse, row by row, of the 3 × 3 matrix of the rest edges [1/m]."""
    F = deformation_gradient(x, rest)
    strain = [subtract(p, q) for p, q in zip(F, nearest_rotation(F), strict=True)]
    norm, direction = norm_and_direction(strain)
    return [norm], [at_corners(direction, x, rest)]


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
    return inverses(edges).reshape(-1, 9)


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
