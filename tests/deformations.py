# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests look at in a tetrahedral body, element by element: F and R."""

from __future__ import annotations

import numpy as np

from core.mesh.tetrahedra import TetrahedralBody, edge_matrices
from core.solvers.corotational.rotation_step import ElementRotations


def deformation_gradients(body: TetrahedralBody, positions: np.ndarray) -> np.ndarray:
    """F of each tetrahedron for vertices at these positions, shape (m, 3, 3)."""
    return edge_matrices(np.asarray(positions, np.float64), body.tetrahedra) @ body.inverse_edges


def rotations(bound: ElementRotations) -> np.ndarray:
    """R of each tetrahedron as a local step has left it, a copy of shape (m, 3, 3)."""
    columns = bound.outputs[bound.places[:, None] + bound.stride * np.arange(9)]
    return columns.reshape(-1, 3, 3).transpose(0, 2, 1)
