# SPDX-License-Identifier: GPL-3.0-or-later
"""Stable neo-Hookean energy of a patch of tetrahedra: C = (I / √(I + 1), J - 1 - μ/l).

I = tr FᵀF and J = det F of the patch's mean deformation gradient. With the compliances 1 / (m V)
and 1 / (l V) the energy ½ Cᵀ α⁻¹ C is V (m/2 I² / (I + 1) + l/2 (J - 1 - μ/l)²). It grows for
whatever is flattened or inverted, and in small strains it is Hooke's law with Lamé's μ and λ for

    m = 16/15 μ,  l = λ + 14/15 μ.

Macklin and Müller 2021, "A constraint-based formulation of stable neo-Hookean materials", have √I
for the first component. A body of small λ that was flattened then shrinks to a point, where I is
least, and stays there. Smith et al. 2018, "Stable neo-Hookean flesh simulation", cure that by a
term, I - log(I + 1); I² / (I + 1) does the same without a logarithm.

Both components are not zero at rest, where their forces balance each other. They are solved
together: one after the other they would converge two to three times more slowly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..vector.arithmetic import Scalar, Vector, add, dot, scale, sqrt
from .base import Gradients, Values
from .patch import (
    at_corners,
    cofactor,
    contracted,
    deformation_gradient,
    measure_gradients,
    of_each_size,
    weighted_squares,
)

STIFF_IN_SHAPE = 16.0 / 15.0
"""m, for μ = 1."""

STIFF_IN_VOLUME = 14.0 / 15.0
"""What l is more than λ, for μ = 1."""


def evaluate(x: Sequence[Vector], rest: Sequence[Scalar]) -> tuple[Values, Gradients]:
    """``rest`` holds g of all corners but the first [1/m], and μ/l."""
    D, H, shape, J = _directions(x, rest)
    values = [shape, J - 1.0 - rest[3 * len(x) - 3]]
    return values, [at_corners(D, x, rest), at_corners(H, x, rest)]


def products(
    x: Sequence[Vector], rest: Sequence[Scalar], inverse_mass: Sequence[Scalar]
) -> list[list[Scalar]]:
    """∇C is P g with P of the patch: Σ w (P g) · (Q g) = tr P A Qᵀ with A = Σ w g gᵀ."""
    D, H, _, _ = _directions(x, rest)
    A = weighted_squares(rest, inverse_mass)
    along_D, along_H = ([[dot(row, column) for column in A] for row in P] for P in (D, H))
    return [[contracted(along_D, D)], [contracted(along_D, H), contracted(along_H, H)]]


def pull(
    x: Sequence[Vector], rest: Sequence[Scalar], multipliers: Sequence[Scalar]
) -> list[list[Scalar]]:
    """(λ₀ D + λ₁ H) g at each corner."""
    D, H, _, _ = _directions(x, rest)
    stress = [
        add(scale(multipliers[0], d), scale(multipliers[1], h)) for d, h in zip(D, H, strict=True)
    ]
    return at_corners(stress, x, rest)


def measure_rest(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """That of :func:`measure_gradients`, and μ/l of λ = 0."""
    ratio = np.full((len(points), 1), 1.0 / STIFF_IN_VOLUME)
    return np.concatenate([measure_gradients(points), ratio], axis=1)


def _directions(
    x: Sequence[Vector], rest: Sequence[Scalar]
) -> tuple[list[list[Scalar]], list[list[Scalar]], Scalar, Scalar]:
    """The derivatives of I / √(I + 1) and J with respect to F, and both of them."""
    F = deformation_gradient(x, rest)
    H, J = cofactor(F)
    square = contracted(F, F)
    inverse = 1.0 / sqrt(square + 1.0)
    factor = (square + 2.0) * inverse * inverse * inverse
    return [scale(factor, row) for row in F], H, square * inverse, J


CONSTRAINTS = of_each_size(
    "neo_hookean",
    components=2,
    rest_size=1,
    evaluate=evaluate,
    products=products,
    pull=pull,
    measure_rest=measure_rest,
    order=25,
)
