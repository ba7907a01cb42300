# SPDX-License-Identifier: GPL-3.0-or-later
"""Green strain of a triangle whose yarns are softer when they are pushed together.

Ambartsumyan's bimodular elasticity ("The axisymmetric problem of a circular cylindrical shell made
of materials with different stiffness in tension and compression", 1965; Jones 1977, "Stress-strain
relations for materials with different moduli in tension and compression") along the warp and the
weft: the compliance of each direction is q times as large where its stress is below zero, and what
couples both is the same, so that the complementary energy is convex and has no kink. Nor has

    W(ε) = ½ eᵀ S⁻¹ e,   S = (a, -ν; -ν, b),   e = (ε_x, r ε_y),

over the stiffness of the warp, where a and b are 1 or q as both stresses S⁻¹ e have it, and r² is
the stiffness of the weft over it. With S = L Lᵀ the first two components are C = L⁻¹ e: one
diagonal compliance serves for all signs. The third is ε_xy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..vector.arithmetic import Scalar, Vector, add, scale, select, sqrt
from . import strain
from .base import Constraint, Gradients, Values

EDGES = 4
"""Numbers of the rest state that are as for "strain"."""


def evaluate(x: Sequence[Vector], rest: Sequence[Scalar]) -> tuple[Values, Gradients]:
    """``rest`` holds the inverse material edges as for "strain" [1/m], then ν, r and q."""
    (first, second, shear), (of_first, of_second, of_shear) = strain.evaluate(x, rest)
    poisson, ratio = rest[EDGES], rest[EDGES + 1]
    a, b = softness(first, ratio * second, poisson, rest[EDGES + 2])
    along = 1.0 / sqrt(a)
    across = 1.0 / sqrt(b - poisson * poisson / a)
    mixed, own = across * poisson / a, across * ratio
    values = [along * first, mixed * first + own * second, shear]
    both = [
        add(scale(mixed, one), scale(own, other))
        for one, other in zip(of_first, of_second, strict=True)
    ]
    return values, [[scale(along, each) for each in of_first], both, of_shear]


def softness(
    x: Scalar,
    y: Scalar,
    poisson: Scalar,
    softer: Scalar,
    choose: Callable[[Any, Scalar, Scalar], Scalar] = select,
) -> tuple[Scalar, Scalar]:
    """a and b for e = (x, y): the one choice that goes with the signs of the stresses.

    Those are (b x + ν y) and (a y + ν x) over a positive determinant.

    Args:
        softer: q. choose: ``numpy.where`` for whole arrays.
    """
    x_apart = choose(x + poisson * y < 0.0, softer, 1.0)
    y_apart = choose(y + poisson * x < 0.0, softer, 1.0)
    x_pushed, y_pushed = softer * x + poisson * y < 0.0, softer * y + poisson * x < 0.0
    a = choose(y_pushed, choose(x_pushed, softer, 1.0), x_apart)
    b = choose(x_pushed, choose(y_pushed, softer, 1.0), y_apart)
    return a, b


def measure_rest(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inverse material edges [1/m] of triangles, shape (count, 3, 3), the same in all directions.

    Triangles must have an area.
    """
    return np.concatenate([strain.measure_rest(points), material(len(points))], axis=1)


def material(
    count: int, poisson: float = 0.0, ratio: float = 1.0, softer: NDArray[np.float64] | float = 1.0
) -> NDArray[np.float64]:
    """ν, r and q of so many triangles, shape (count, 3)."""
    columns = np.broadcast_arrays(np.zeros(count), poisson, ratio, softer)
    return np.stack(columns[1:], axis=1)


def reshape(
    rest: NDArray[np.float64], before: NDArray[np.float64], now: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Other shapes of the same material."""
    return np.concatenate([strain.reshape(rest[:, :EDGES], before, now), rest[:, EDGES:]], axis=1)


def carry(
    rest: NDArray[np.float64], before: NDArray[np.float64], now: NDArray[np.float64]
) -> NDArray[np.float64]:
    """In the same way, of the same material."""
    edges = strain.carry(rest[:, :EDGES], before[:, :EDGES], now[:, :EDGES])
    return np.concatenate([edges, now[:, EDGES:]], axis=1)


def flow(
    rest: NDArray[np.float64],
    points: NDArray[np.float64],
    limit: NDArray[np.float64],
    share: NDArray[np.float64],
) -> NDArray[np.float64]:
    """As of other triangles."""
    edges = strain.flow(rest[:, :EDGES], points, limit, share)
    return np.concatenate([edges, rest[:, EDGES:]], axis=1)


def stretch(values: Values, rest: Sequence[Scalar]) -> Scalar:
    """The larger principal strain of what is pulled both ways, as what is too long is."""
    x, both, shear = values
    poisson, ratio = rest[EDGES], rest[EDGES + 1]
    y = (sqrt(1.0 - poisson * poisson) * both - poisson * x) / ratio
    return strain.stretch([x, y, shear], rest)


def sizes(rest: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Area and least height of triangles."""
    return strain.sizes(rest[:, :EDGES])


CONSTRAINT = Constraint(
    kind="bimodular_strain",
    vertices=3,
    components=3,
    rest_size=EDGES + 3,
    evaluate=evaluate,
    measure_rest=measure_rest,
    order=strain.CONSTRAINT.order,
    stretch=stretch,
    sizes=sizes,
    reshape=reshape,
    carry=carry,
    flow=flow,
)
