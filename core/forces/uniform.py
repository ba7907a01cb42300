# SPDX-License-Identifier: GPL-3.0-or-later
"""Gravity and still air that brakes, the same for all of a body."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = tuple[float, float, float]


def velocity_change(
    drag: NDArray[np.float64], h: float, gravity: Vector, weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What is left of each velocity before a substep is predicted, and what is added.

    Still air slows particles down by the rate c [1/s], implicitly: v ← (v + h g) / (1 + h c).

    Args:
        drag: c, shape (n,).
        h: for how long [s] both act before a substep.
        gravity: g [m/s²], and how far each particle feels it, shape (n,).

    Returns:
        The fraction that is left, shape (n,), and velocities [m/s], shape (n, 3).
    """
    kept = 1.0 / (1.0 + h * drag)
    gained: Any = np.multiply.outer(kept * weights, h * np.array(gravity))
    return kept, gained
