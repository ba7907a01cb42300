# SPDX-License-Identifier: GPL-3.0-or-later
"""Co-rotational energy of a patch of tetrahedra: C = (‖F - R‖, J - 1).

F is the patch's mean deformation gradient, R the proper rotation nearest to it, J = det F. With the
compliances 1 / (2 μ V) and 1 / (λ V) the energy ½ Cᵀ α⁻¹ C is V (μ ‖F - R‖² + λ/2 (J - 1)²), that
of Stomakhin et al. 2012, "Energetically consistent invertible elasticity", which in small strains
is Hooke's law. Both components are solved together.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..vector.arithmetic import Scalar, Vector, subtract
from ..vector.rotation import nearest_rotation
from .base import Gradients, Values
from .patch import (
    at_corners,
    cofactor,
    deformation_gradient,
    measure_gradients,
    norm_and_direction,
    of_each_size,
)


def evaluate(x: Sequence[Vector], rest: Sequence[Scalar]) -> tuple[Values, Gradients]:
    """``rest`` holds g of all corners but the first [1/m]."""
    F = deformation_gradient(x, rest)
    H, J = cofactor(F)
    strain = [subtract(p, q) for p, q in zip(F, nearest_rotation(F), strict=True)]
    norm, direction = norm_and_direction(strain)
    return [norm, J - 1.0], [at_corners(direction, x, rest), at_corners(H, x, rest)]


CONSTRAINTS = of_each_size(
    "patch_corotational",
    components=2,
    rest_size=0,
    evaluate=evaluate,
    measure_rest=measure_gradients,
    order=25,
)
