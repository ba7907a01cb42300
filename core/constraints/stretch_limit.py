# SPDX-License-Identifier: GPL-3.0-or-later
"""Strain limit of a spring: C = |x₁ - x₀| - clamp(|x₁ - x₀|, σmin L, σmax L).

GAMES103, lecture 6, "strain limiting": a fabric hardly resists a little strain and hardly yields
to more. Both ends are moved by their share of the mass, along the spring, so linear and angular
momentum stay.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..vector.arithmetic import Scalar, Vector, length_and_direction, scale, select, subtract
from .base import Constraint, Gradients, Values
from .distance import carry as lengths_carried
from .distance import reshape as lengths_reshaped


def beyond(value: Scalar, least: Scalar, most: Scalar) -> tuple[Scalar, Scalar]:
    """How far a value is outside of its bounds, and the derivative of that: 0 inside, else 1."""
    bound = select(value > most, most, select(value < least, least, value))
    outside = select(value > most, 1.0, select(value < least, 1.0, 0.0))
    return value - bound, outside


def evaluate(x: Sequence[Vector], rest: Sequence[Scalar]) -> tuple[Values, Gradients]:
    """``rest`` holds the length L [m], σmin and σmax."""
    length, direction = length_and_direction(subtract(x[1], x[0]))
    excess, outside = beyond(length, rest[1] * rest[0], rest[2] * rest[0])
    return [excess], [[scale(-1.0 * outside, direction), scale(outside, direction)]]


def measure_rest(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lengths [m] of pairs of points, shape (count, 2, 3), and limits that allow no strain."""
    lengths = np.linalg.norm(points[:, 1] - points[:, 0], axis=1)
    return np.stack([lengths, np.ones_like(lengths), np.ones_like(lengths)], axis=1)


def reshape(
    rest: NDArray[np.float64], before: NDArray[np.float64], now: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Other lengths with the same limits."""
    return np.concatenate([lengths_reshaped(rest[:, :1], before, now), rest[:, 1:]], axis=1)


def carry(
    rest: NDArray[np.float64], before: NDArray[np.float64], now: NDArray[np.float64]
) -> NDArray[np.float64]:
    """In the same way, with the same limits."""
    return np.concatenate(
        [lengths_carried(rest[:, :1], before[:, :1], now[:, :1]), now[:, 1:]], axis=1
    )


CONSTRAINT = Constraint(
    kind="stretch_limit",
    vertices=2,
    components=1,
    rest_size=3,
    evaluate=evaluate,
    measure_rest=measure_rest,
    order=40,
    inequality=True,
    reshape=reshape,
    carry=carry,
)
