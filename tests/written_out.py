# SPDX-License-Identifier: GPL-3.0-or-later
"""Sparse matrices written out, to be compared with numpy's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.linear.compressed import Compressed


def dense(matrix: Compressed) -> NDArray[np.float64]:
    """The matrix, shape (height, width)."""
    full = np.zeros((matrix.height, matrix.width))
    np.add.at(full, (matrix.rows, matrix.columns), matrix.values)
    return full
