# SPDX-License-Identifier: GPL-3.0-or-later
"""A sparse symmetric matrix with some unknowns held: assembled, split, factored once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...linear import SymmetricPattern, solver_for
from ...mesh.surface import Indices
from ...mesh.tetrahedra import TetrahedralBody

Numbers = NDArray[np.float64]
Contributions = tuple[Indices, Indices, Numbers]
"""Rows, columns and values, to be added up."""


def element_products(body: TetrahedralBody, weights: Numbers) -> Contributions:
    """The n × n matrix Σ w g gᵀ of linear finite elements, g the gradients of shape functions.

    With w the volumes it is the Laplacian.

    Args:
        weights: w of each tetrahedron, shape (m,).
    """
    corners, g = body.tetrahedra, body.gradients
    products = weights[:, None, None] * (g @ g.transpose(0, 2, 1))
    rows = np.repeat(corners, 4, axis=1).ravel()
    return rows, np.tile(corners, (1, 4)).ravel(), products.ravel()


class HeldMatrix:
    """A x = b where some x are given.

    Args:
        contributions: to A; (i, j) as well as (j, i).
        held: the unknowns whose values are given, shape (n,), bool.

    Raises:
        core.linear.NotPositiveDefinite: the free part of A is not positive definite; nothing holds
            a part of it.

    Attributes:
        free: the unknowns that are not held, shape (k,).
    """

    def __init__(self, contributions: Contributions, held: NDArray[np.bool_]) -> None:
        rows, columns, values = contributions
        number = np.cumsum(~held) - 1
        inner, coupled = ~held[rows] & ~held[columns], ~held[rows] & held[columns]
        self.free = np.flatnonzero(~held)
        pattern = SymmetricPattern(number[rows[inner]], number[columns[inner]], len(self.free))
        self._solver = solver_for(pattern.matrix(values[inner]))
        self._rows = number[rows[coupled]]
        self._columns = columns[coupled]
        self._values = values[coupled]

    def right_side(self, load: Numbers, given: Numbers) -> Numbers:
        """The load of the free unknowns less what the held ones take, shape (k, c).

        Args:
            load: b, shape (n, c).
            given: x, shape (n, c); the values of the held unknowns are read.
        """
        result = load[self.free]
        np.subtract.at(result, self._rows, self._values[:, None] * given[self._columns])
        return np.asarray(result)

    def solve(self, right: Numbers) -> Numbers:
        """The free unknowns for a right-hand side, shape (k, c)."""
        return self._solver.solve(right)
