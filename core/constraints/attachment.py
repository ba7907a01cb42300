# SPDX-License-Identifier: GPL-3.0-or-later
"""A spring from a particle to where it is wanted: the distance, which is no matter of stretch.

Swept after what holds the material together, so that its force is that of where particles end.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from . import distance


def coefficients(points: NDArray[np.float64], _rest: NDArray[np.float64]) -> NDArray[np.float64]:
    """x₁ - x₀, shape (count, 1, 2): both may be in one place at rest, where ∇C is none."""
    return np.tile([-1.0, 1.0], (len(points), 1, 1))


CONSTRAINT = replace(
    distance.CONSTRAINT,
    kind="attachment",
    order=37,
    coefficients=coefficients,
    reshape=None,
    carry=None,
    flow=None,
    stretch=None,
    sizes=None,
)
