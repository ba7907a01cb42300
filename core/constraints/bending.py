# SPDX-License-Identifier: GPL-3.0-or-later
"""Dihedral angle at an edge shared by two triangles: C = θ - θ₀.

Vertices: x₀, x₁ are the edge, x₂, x₃ the opposite corners of triangles (x₀, x₁, x₂) and
(x₁, x₀, x₃). Angle and gradient as in Bridson, Marino, Fedkiw 2003, "Simulation of clothing
with folds and wrinkles", section 4; the angle itself instead of its sine keeps the energy of
Grinspun et al. 2003, "Discrete shells".
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..vector.arithmetic import (
    Scalar,
    Vector,
    add,
    arctangent2,
    cross,
    dot,
    length_and_direction,
    reciprocal_or_zero,
    scale,
    select,
    subtract,
)
from .base import Constraint, Gradients, Values


def evaluate(x: Sequence[Vector], rest: Sequence[Scalar]) -> tuple[Values, Gradients]:
    """``rest`` holds the angle θ₀ [rad], zero when flat. A degenerate triangle has ∇C = 0."""
    length, direction = length_and_direction(subtract(x[1], x[0]))
    normal_a = cross(subtract(x[0], x[2]), subtract(x[1], x[2]))
    normal_b = cross(subtract(x[1], x[3]), subtract(x[0], x[3]))
    sine = dot(cross(normal_a, normal_b), direction)
    angle = wrap(arctangent2(sine, dot(normal_a, normal_b)) - rest[0])

    # ∂θ/∂x₂ = -|e| n_a/|n_a|²: how far the corner must rise for one radian.
    toward_a = scale(reciprocal_or_zero(dot(normal_a, normal_a)), normal_a)
    toward_b = scale(reciprocal_or_zero(dot(normal_b, normal_b)), normal_b)
    share_a = dot(subtract(x[2], x[0]), direction)
    share_b = dot(subtract(x[3], x[0]), direction)
    gradient = [
        add(scale(length - share_a, toward_a), scale(length - share_b, toward_b)),
        add(scale(share_a, toward_a), scale(share_b, toward_b)),
        scale(-1.0 * length, toward_a),
        scale(-1.0 * length, toward_b),
    ]
    return [angle], [gradient]


def wrap(angle: Scalar) -> Scalar:
    """The angle in [-π, π] of one in [-2π, 2π]."""
    angle = select(angle > math.pi, angle - 2.0 * math.pi, angle)
    return select(angle < -math.pi, angle + 2.0 * math.pi, angle)


def measure_rest(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Angles [rad], shape (count, 1), of hinges, shape (count, 4, 3)."""
    x0, x1, x2, x3 = np.moveaxis(points, 1, 0)
    edge = x1 - x0
    normal_a = np.cross(x0 - x2, x1 - x2)
    normal_b = np.cross(x1 - x3, x0 - x3)
    length = np.linalg.norm(edge, axis=1)
    direction = edge / np.where(length > 0.0, length, 1.0)[:, None]
    sine = np.einsum("ij,ij->i", np.cross(normal_a, normal_b), direction)
    cosine = np.einsum("ij,ij->i", normal_a, normal_b)
    return np.arctan2(sine, cosine)[:, None]


def reshape(
    rest: NDArray[np.float64], before: NDArray[np.float64], now: NDArray[np.float64]
) -> NDArray[np.float64]:
    """θ₀ and by how much the hinges have turned, in [-π, π]."""
    turned = rest + measure_rest(now) - measure_rest(before)
    return np.asarray(np.remainder(turned + np.pi, 2.0 * np.pi) - np.pi)


def carry(
    rest: NDArray[np.float64], before: NDArray[np.float64], now: NDArray[np.float64]
) -> NDArray[np.float64]:
    """By the same angle."""
    return rest + now - before


def flow(
    rest: NDArray[np.float64],
    points: NDArray[np.float64],
    limit: NDArray[np.float64],
    share: NDArray[np.float64],
) -> NDArray[np.float64]:
    """θ₀ nearer to θ, such that no more than the limit stays between them."""
    turned = np.remainder(measure_rest(points) - rest + np.pi, 2.0 * np.pi) - np.pi
    limit, share = limit[:, None], share[:, None]
    return np.asarray(rest + share * (turned - np.clip(turned, -limit, limit)))


CONSTRAINT = Constraint(
    kind="bending",
    vertices=4,
    components=1,
    rest_size=1,
    evaluate=evaluate,
    measure_rest=measure_rest,
    order=10,
    reshape=reshape,
    carry=carry,
    flow=flow,
)
