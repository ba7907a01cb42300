# SPDX-License-Identifier: GPL-3.0-or-later
"""The rotations nearest to matrices (Müller et al. 2005, "Meshless deformations based on shape
matching", section 3.3).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

UNTURNED = 1e-9
"""Of a matrix: how strongly what it leaves open is not to turn."""


def nearest_rotations(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rotation nearest to each matrix, shape (k, 3, 3): also of points that lie in a plane, on
    a line or in one place.
    """
    sizes = np.linalg.norm(matrices, axis=(1, 2))
    sizes = np.where(sizes > 0.0, sizes, 1.0)[:, None, None]
    left, _, right = np.linalg.svd(matrices / sizes + UNTURNED * np.eye(3))
    left[:, :, 2] *= np.linalg.det(left @ right)[:, None]
    return np.asarray(left @ right)
