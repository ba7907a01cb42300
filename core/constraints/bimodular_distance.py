# SPDX-License-Identifier: GPL-3.0-or-later
"""A spring that is softer when it is pushed together: C = |x₁ - x₀| - L, times √ρ below zero.

The energy ½ C² / α is then that of the stiffness 1/α when it is pulled and ρ/α when it is pushed.
It has no kink, as its force is zero at rest on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..vector.arithmetic import Scalar, Vector, reciprocal_or_zero, scale, select, sqrt
from . import distance
from .base import Constraint, Gradients, Values


def evaluate(x: Sequence[Vector], rest: Sequence[Scalar]) -> tuple[Values, Gradients]:
    """``rest`` holds the length L [m], and ρ."""
    (value,), (gradient,) = distance.evaluate(x, rest)
    factor = select(value < 0.0, sqrt(rest[1]), 1.0)
    return [factor * value], [[scale(factor, each) for each in gradient]]


def measure_rest(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lengths [m] of pairs of points, shape (count, 2, 3), as stiff pushed as pulled."""
    lengths = distance.measure_rest(points)
    return np.concatenate([lengths, np.ones_like(lengths)], axis=1)


def reshape(
    rest: NDArray[np.float64], before: NDArray[np.float64], now: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Other lengths of the same material."""
    return np.concatenate([distance.reshape(rest[:, :1], before, now), rest[:, 1:]], axis=1)


def carry(
    rest: NDArray[np.float64], before: NDArray[np.float64], now: NDArray[np.float64]
) -> NDArray[np.float64]:
    """In the same way, of the same material."""
    lengths = distance.carry(rest[:, :1], before[:, :1], now[:, :1])
    return np.concatenate([lengths, now[:, 1:]], axis=1)


def flow(
    rest: NDArray[np.float64],
    points: NDArray[np.float64],
    limit: NDArray[np.float64],
    share: NDArray[np.float64],
) -> NDArray[np.float64]:
    """As of other springs."""
    return np.concatenate([distance.flow(rest[:, :1], points, limit, share), rest[:, 1:]], axis=1)


def stretch(values: Values, rest: Sequence[Scalar]) -> Scalar:
    """How much too long, over L; none of what has no length at rest."""
    length = values[0] * reciprocal_or_zero(rest[0])
    return select(length < 0.0, length * reciprocal_or_zero(sqrt(rest[1])), length)


CONSTRAINT = Constraint(
    kind="bimodular_distance",
    vertices=2,
    components=1,
    rest_size=2,
    evaluate=evaluate,
    measure_rest=measure_rest,
    order=distance.CONSTRAINT.order,
    stretch=stretch,
    sizes=distance.sizes,
    reshape=reshape,
    carry=carry,
    flow=flow,
)
