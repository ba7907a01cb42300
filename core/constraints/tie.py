# SPDX-License-Identifier: GPL-3.0-or-later
"""A particle or a point of a triangle, tied to a point of a tetrahedron: C = Σ w x over all.

Weights of what is tied add up to one, those of the tetrahedron's corners to minus one. So a surface
that goes through cells is held without holding their corners.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..vector.arithmetic import Scalar, Vector, total
from .base import Constraint, Gradients, Values

IN_CELL = 4
"""Corners of a tetrahedron."""


def evaluate(x: Sequence[Vector], rest: Sequence[Scalar]) -> tuple[Values, Gradients]:
    """C = Σ w x, a vector, and its gradient; ``rest`` holds w."""
    values = [total([w * corner[k] for w, corner in zip(rest, x, strict=True)]) for k in range(3)]
    gradients = [[[w if j == k else 0.0 for j in range(3)] for w in rest] for k in range(3)]
    return values, gradients


def measure_rest(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of the middle of what is tied, and those of where it is in the tetrahedron."""
    tied = points.shape[1] - IN_CELL
    middle, cell = points[:, :tied].mean(axis=1), points[:, tied:]
    edges = np.moveaxis(cell[:, 1:] - cell[:, :1], 1, 2)
    others = np.linalg.solve(edges, (middle - cell[:, 0])[:, :, None])[:, :, 0]
    first = 1.0 - others.sum(axis=1, keepdims=True)
    return np.concatenate([np.full((len(points), tied), 1.0 / tied), -first, -others], axis=1)


CONSTRAINTS = tuple(
    Constraint(
        kind=f"tie_{tied}",
        vertices=tied + IN_CELL,
        components=3,
        rest_size=tied + IN_CELL,
        evaluate=evaluate,
        measure_rest=measure_rest,
        order=37,
        only_xpbd=True,
    )
    for tied in (1, 3)
)
