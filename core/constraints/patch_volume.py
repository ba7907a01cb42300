# SPDX-License-Identifier: GPL-3.0-or-later
"""Volume of a patch of tetrahedra: C = J - 1, J the determinant of its mean deformation gradient.

With the compliance 1 / (k V) it resists changes of volume by k [Pa]. Patches that share no
tetrahedron leave a solid free to bend at constant volume, which single tetrahedra don't: there are
more of them than vertices to move.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..vector.arithmetic import Scalar, Vector, scale, select
from .base import Gradients, Values
from .patch import (
    at_corners,
    cofactor,
    contracted,
    deformation_gradient,
    measure_gradients,
    of_each_size,
)

COLLAPSED = 1e-4
"""‖∂J/∂F‖, about the share of its area that a patch has left, below which no way leads out of it:
what undoes J - 1 to first order is then thousands of times its size."""


def evaluate(x: Sequence[Vector], rest: Sequence[Scalar]) -> tuple[Values, Gradients]:
    """``rest`` holds g of all corners but the first [1/m]."""
    H, J = cofactor(deformation_gradient(x, rest))
    spread = contracted(H, H) > COLLAPSED * COLLAPSED
    return [J - 1.0], [at_corners([scale(select(spread, 1.0, 0.0), row) for row in H], x, rest)]


CONSTRAINTS = of_each_size(
    "patch_volume",
    components=1,
    rest_size=0,
    evaluate=evaluate,
    measure_rest=measure_gradients,
    order=26,
)
