# SPDX-License-Identifier: GPL-3.0-or-later
"""An order of points in which what is near is mostly near (Morton 1966)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BITS = 10
"""Of each coordinate."""


def nearby_order(points: NDArray[np.float64]) -> NDArray[np.int64]:
    """The numbers of points along a curve through all cells of a grid, shape (n,)."""
    low, high = points.min(axis=0), points.max(axis=0)
    scaled = (points - low) / max(float((high - low).max()), 1e-300) * (2**BITS - 1)
    whole, code = scaled.astype(np.int64), np.zeros(len(points), np.int64)
    for bit in range(BITS):
        for axis in range(3):
            code |= (whole[:, axis] >> bit & 1) << (3 * bit + axis)
    return np.argsort(code, kind="stable")
