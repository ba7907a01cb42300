# SPDX-License-Identifier: GPL-3.0-or-later
"""Distance between two particles: C = |x₁ - x₀| - L (Müller et al. 2007, section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..vector.arithmetic import (
    Scalar,
    Vector,
    length_and_direction,
    reciprocal_or_zero,
    scale,
    subtract,
    total,
)
from .base import Constraint, Gradients, Values


def evaluate(x: Sequence[Vector], rest: Sequence[Scalar]) -> tuple[Values, Gradients]:
    """``rest`` holds the length L [m]. Coincident particles have no direction: ∇C = 0."""
    length, direction = length_and_direction(subtract(x[1], x[0]))
    return [length - rest[0]], [[scale(-1.0, direction), direction]]


def products(
    _x: Sequence[Vector], _rest: Sequence[Scalar], inverse_mass: Sequence[Scalar]
) -> list[list[Scalar]]:
    """∇C has length one. Without a direction λ changes in vain: nothing moves along ∇C = 0."""
    return [[total(inverse_mass)]]


def measure_rest(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lengths [m], shape (count, 1), of pairs of points, shape (count, 2, 3)."""
    return np.linalg.norm(points[:, 1] - points[:, 0], axis=1)[:, None]


def reshape(
    rest: NDArray[np.float64], before: NDArray[np.float64], now: NDArray[np.float64]
) -> NDArray[np.float64]:
    """L times by how much the points have come apart."""
    old = measure_rest(before)
    return np.asarray(rest * measure_rest(now) / np.where(old > 0.0, old, np.inf))


def carry(
    rest: NDArray[np.float64], before: NDArray[np.float64], now: NDArray[np.float64]
) -> NDArray[np.float64]:
    """In the same proportion."""
    return np.asarray(now * rest / np.where(before > 0.0, before, 1.0))


def flow(
    rest: NDArray[np.float64],
    points: NDArray[np.float64],
    limit: NDArray[np.float64],
    share: NDArray[np.float64],
) -> NDArray[np.float64]:
    """L longer or shorter, such that no more than the limit of the strain stays."""
    stretch = measure_rest(points) / np.where(rest > 0.0, rest, np.inf)
    limit, share = limit[:, None], share[:, None]
    least, most = 1.0 / (1.0 + limit), 1.0 + limit
    beyond = np.where(stretch > 0.0, stretch / np.clip(stretch, least, most), 1.0)
    return np.asarray(rest * beyond**share)


def stretch(values: Values, rest: Sequence[Scalar]) -> Scalar:
    """C / L; none of what has no length at rest."""
    return values[0] * reciprocal_or_zero(rest[0])


def sizes(rest: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The lengths, twice."""
    return rest[:, 0], rest[:, 0]


CONSTRAINT = Constraint(
    kind="distance",
    vertices=2,
    components=1,
    rest_size=1,
    evaluate=evaluate,
    measure_rest=measure_rest,
    order=30,
    stretch=stretch,
    sizes=sizes,
    products=products,
    reshape=reshape,
    carry=carry,
    flow=flow,
)
