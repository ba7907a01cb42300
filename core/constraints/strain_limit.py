# SPDX-License-Identifier: GPL-3.0-or-later
"""Strain limit of a triangle: each singular value σ of F less what it is between σmin and σmax.

GAMES103, lecture 6: with F = U Σ Vᵀ the triangle becomes that of U Σ' Vᵀ, the singular values
clamped. Setting the corners to that shape keeps angular momentum only where the rotation is the
best fit for the masses (Wang, O'Brien, Ramamoorthi 2010, "Multi-resolution isotropic strain
limiting", leave U and V as they are). Here the clamping is a constraint instead: C is a function of
σ₁ and σ₂ that no translation and no rotation changes, so moves along M⁻¹∇Cᵀ keep linear and angular
momentum whatever the masses are. ∂σ/∂F = u vᵀ.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..vector.arithmetic import (
    SMALLEST,
    Scalar,
    Vector,
    add,
    cross,
    dot,
    maximum,
    reciprocal_or_zero,
    scale,
    select,
    sqrt,
)
from .base import Constraint, Gradients, Values
from .strain import balanced, deformation_gradient
from .strain import carry as edges_carried
from .strain import measure_rest as inverse_edges
from .strain import reshape as edges_reshaped
from .stretch_limit import beyond


def evaluate(x: Sequence[Vector], rest: Sequence[Scalar]) -> tuple[Values, Gradients]:
    """``rest`` holds the inverse material edges as for "strain" [1/m], then σmin and σmax.

    The larger singular value comes first. A triangle without width has no direction in which it
    could get one: ∇C = 0.
    """
    along_x, along_y = deformation_gradient(x, rest)
    values: Values = []
    gradients: Gradients = []
    for sigma, inverse, (p, q) in singular_values(along_x, along_y):
        excess, outside = beyond(sigma, rest[4], rest[5])
        u = scale(outside * inverse, add(scale(p, along_x), scale(q, along_y)))
        values.append(excess)
        gradients.append(
            balanced(scale(p * rest[0] + q * rest[1], u), scale(p * rest[2] + q * rest[3], u))
        )
    return values, gradients


def singular_values(
    first: Vector, second: Vector
) -> list[tuple[Scalar, Scalar, tuple[Scalar, Scalar]]]:
    """σ, 1/σ (or zero) and the right singular vector v of F = (first, second), larger σ first.

    In closed form: with the area J = σ₁σ₂ and r = (σ₁² - σ₂²) / 2, (σ₁ + σ₂)² = tr FᵀF + 2J and
    σ₁ - σ₂ = 2r / (σ₁ + σ₂), so that nothing is lost where they are equal. v turns by half the
    angle of (r cos 2θ, r sin 2θ); where r = 0 any v is one.
    """
    xx, xy, yy = dot(first, first), dot(first, second), dot(second, second)
    normal = cross(first, second)
    area, _ = root(dot(normal, normal))
    lean = 0.5 * (xx - yy)
    radius, inverse = root(lean * lean + xy * xy)
    both, _ = root(xx + yy + 2.0 * area)
    large = 0.5 * both + radius * reciprocal_or_zero(both)
    small = area * reciprocal_or_zero(large)

    cosine = select(inverse > 0.0, lean * inverse, 1.0)
    longer = sqrt(maximum(0.5 + 0.5 * select(cosine < 0.0, -cosine, cosine), 0.5))
    shorter = 0.5 * xy * inverse / longer
    p = select(cosine < 0.0, shorter, longer)
    q = select(cosine < 0.0, longer, shorter)
    return [
        (large, reciprocal_or_zero(large), (p, q)),
        (small, reciprocal_or_zero(small), (-q, p)),
    ]


def root(square: Scalar) -> tuple[Scalar, Scalar]:
    """√square and its reciprocal; zeros where that is not finite in single precision."""
    measurable = square > SMALLEST
    inverse = select(measurable, 1.0 / sqrt(select(measurable, square, 1.0)), 0.0)
    return square * inverse, inverse


def measure_rest(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inverse material edges [1/m] of triangles, shape (count, 3, 3), and limits without play.

    Triangles must have an area.
    """
    return np.concatenate([inverse_edges(points), np.ones((len(points), 2))], axis=1)


def reshape(
    rest: NDArray[np.float64], before: NDArray[np.float64], now: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Other shapes with the same limits."""
    return np.concatenate([edges_reshaped(rest[:, :4], before, now), rest[:, 4:]], axis=1)


def carry(
    rest: NDArray[np.float64], before: NDArray[np.float64], now: NDArray[np.float64]
) -> NDArray[np.float64]:
    """In the same way, with the same limits."""
    return np.concatenate(
        [edges_carried(rest[:, :4], before[:, :4], now[:, :4]), now[:, 4:]], axis=1
    )


CONSTRAINT = Constraint(
    kind="strain_limit",
    vertices=3,
    components=2,
    rest_size=6,
    evaluate=evaluate,
    measure_rest=measure_rest,
    order=40,
    inequality=True,
    reshape=reshape,
    carry=carry,
)
