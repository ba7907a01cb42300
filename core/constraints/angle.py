# SPDX-License-Identifier: GPL-3.0-or-later
"""Turning angle at the middle of three particles in a row: C = θ - θ₀.

The bending of discrete elastic rods (Bergou et al. 2008, section 4.2) with the angle itself in the
place of 2 tan(θ/2), so that a fold costs a finite energy. The angle has no sign and no plane: a
strand that is curved at rest may turn its curve about its own axis at no cost. There is no torsion.

The energy is smooth where a strand is straight, C and ∇C are not: there, spend on substeps. Within
one, many iterations of XPBD see the direction of the bend change under λ.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..vector.arithmetic import (
    Scalar,
    Vector,
    add,
    arctangent2,
    dot,
    length_and_direction,
    reciprocal_or_zero,
    scale,
    sqrt,
    subtract,
)
from .base import Constraint, Gradients, Values


def evaluate(x: Sequence[Vector], rest: Sequence[Scalar]) -> tuple[Values, Gradients]:
    """``rest`` holds the angle θ₀ [rad], zero when straight.

    θ = 2 atan2(|t₁ - t₀|, |t₁ + t₀|) of the unit tangents keeps its precision at both ends. Where
    the strand is straight, folded back onto itself, or two particles coincide, the bend has no
    direction: ∇C = 0.
    """
    before, after = subtract(x[1], x[0]), subtract(x[2], x[1])
    inverse_before, inverse_after = inverse_length(before), inverse_length(after)
    t0, t1 = scale(inverse_before, before), scale(inverse_after, after)
    apart, across = length_and_direction(subtract(t1, t0))
    along, ahead = length_and_direction(add(t1, t0))
    angle = 2.0 * arctangent2(apart, along)

    # Half of apart and along are the sine and cosine of θ/2; the tangents turn across themselves.
    bend, back = scale(0.5 * along, across), scale(0.5 * apart, ahead)
    first = scale(inverse_before, add(bend, back))
    last = scale(inverse_after, subtract(bend, back))
    return [angle - rest[0]], [[first, scale(-1.0, add(first, last)), last]]


def inverse_length(segment: Vector) -> Scalar:
    """1 / |segment|, zero for a segment without length."""
    return sqrt(reciprocal_or_zero(dot(segment, segment)))


def measure_rest(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turning angles [rad], shape (count, 1), of three points each, shape (count, 3, 3)."""
    before, after = points[:, 1] - points[:, 0], points[:, 2] - points[:, 1]
    t0, t1 = _unit(before), _unit(after)
    apart, along = np.linalg.norm(t1 - t0, axis=1), np.linalg.norm(t1 + t0, axis=1)
    return 2.0 * np.arctan2(apart, along)[:, None]


def coefficients(points: NDArray[np.float64], _rest: NDArray[np.float64]) -> NDArray[np.float64]:
    """t₁ - t₀ of segments that keep their length, shape (count, 1, 3)."""
    before = np.linalg.norm(points[:, 1] - points[:, 0], axis=1)
    after = np.linalg.norm(points[:, 2] - points[:, 1], axis=1)
    first, last = (
        np.where(length > 0.0, 1.0 / np.where(length > 0.0, length, 1.0), 0.0)
        for length in (before, after)
    )
    return np.stack([first, -first - last, last], axis=1)[:, None]


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(vectors, axis=1)
    return np.asarray(vectors / np.where(lengths > 0.0, lengths, 1.0)[:, None])


CONSTRAINT = Constraint(
    kind="angle",
    vertices=3,
    components=1,
    rest_size=1,
    evaluate=evaluate,
    measure_rest=measure_rest,
    order=10,
    coefficients=coefficients,
)
