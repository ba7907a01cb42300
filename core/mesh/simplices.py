# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangles and tetrahedra by their edges."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def content_and_width(
    inverse_edges: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How large simplices are, and how slender.

    The rows of the inverse are the gradients of the barycentric coordinates of all corners but the
    first, and each is as long as the reciprocal of its corner's height.

    Args:
        inverse_edges: inverse of the matrix that has the edges from the first corner as columns,
            shape (count, d, d), d = 2 for triangles and 3 for tetrahedra [1/m].

    Returns:
        Area [m²] or volume [m³] and the least height [m] of each, both of shape (count,).
    """
    first = -inverse_edges.sum(axis=1, keepdims=True)
    gradients = np.concatenate([first, inverse_edges], axis=1)
    steepest = np.linalg.norm(gradients, axis=2).max(axis=1)
    dimension = inverse_edges.shape[1]
    content = 1.0 / (math.factorial(dimension) * np.abs(np.linalg.det(inverse_edges)))
    return content, 1.0 / steepest


def inverses(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Those of many small matrices, shape (..., k, k), column by column.

    For several columns at once the BLAS of ``np.linalg.inv`` wakes its threads, once a matrix: on a
    processor that is busy 30,000 of them then take a second instead of some milliseconds.

    Raises:
        np.linalg.LinAlgError: one is singular.
    """
    columns = np.eye(matrices.shape[-1])[:, :, None]
    shape = (*matrices.shape[:-1], 1)
    solved = [np.linalg.solve(matrices, np.broadcast_to(each, shape)) for each in columns]
    return np.concatenate(solved, axis=-1)
