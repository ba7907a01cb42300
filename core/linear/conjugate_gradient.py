# SPDX-License-Identifier: GPL-3.0-or-later
"""Conjugate gradients, preconditioned with the diagonal.

Hestenes, Stiefel 1952, "Methods of Conjugate Gradients for Solving Linear Systems", in the form of
Shewchuk 1994, "An Introduction to the Conjugate Gradient Method Without the Agonizing Pain",
appendix B3. The right-hand sides advance together, each with its own step lengths, so that the
matrix is read once for all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..native.compiled import native, native_part
from .errors import NotConverged, NotPositiveDefinite
from .sparse import Numbers, SymmetricMatrix, right_side

_CONVERGED, _TOO_SLOW, _INDEFINITE = 0, 1, 2


class ConjugateGradient:
    """Solves with a symmetric positive definite matrix without factoring it.

    Args:
        matrix: symmetric positive definite.
        tolerance: ‖b - A x‖₂ / ‖b‖₂ at which a right-hand side b counts as solved.
        limit: most iterations; ten times the number of rows where None.

    Raises:
        NotPositiveDefinite: a diagonal entry is not positive.
        ValueError: a tolerance that is not positive.
    """

    def __init__(
        self, matrix: SymmetricMatrix, *, tolerance: float = 1e-10, limit: int | None = None
    ) -> None:
        diagonal = matrix.diagonal()
        if not np.all(diagonal > 0.0):
            raise NotPositiveDefinite("The matrix has a diagonal entry that is not positive.")
        if not tolerance > 0.0:
            raise ValueError(f"The tolerance must be positive, not {tolerance}.")
        self._matrix = matrix
        self._inverse_diagonal = 1.0 / diagonal
        self._tolerance = float(tolerance)
        self._limit = 10 * matrix.size if limit is None else limit

    def solve(self, right: ArrayLike, start: ArrayLike | None = None) -> Numbers:
        """x with A x = ``right``.

        Args:
            right: shape (n,) or (n, k).
            start: where the iteration begins, of the same shape; zero where None. The better it is,
                the fewer iterations are needed.

        Returns:
            x of the shape of ``right``, not finite in columns where that is not finite.

        Raises:
            NotConverged: the limit was reached.
            NotPositiveDefinite: the iteration found a direction p with pᵀA p ≤ 0.
            ValueError: another shape.
        """
        given = right_side(self._matrix, right)
        result = np.zeros_like(given) if start is None else np.array(start, np.float64, order="C")
        if result.shape != given.shape:
            raise ValueError(f"A start of shape {given.shape} expected, not {result.shape}.")
        if given.size == 0:
            return result
        columns = (self._matrix.size, -1)
        outcome = _iterate(
            self._matrix.pattern.indptr,
            self._matrix.pattern.indices,
            self._matrix.data,
            self._inverse_diagonal,
            given.reshape(columns),
            result.reshape(columns),
            self._tolerance,
            self._limit,
        )
        if outcome == _INDEFINITE:
            raise NotPositiveDefinite("Conjugate gradients met a direction p with pᵀA p ≤ 0.")
        if outcome == _TOO_SLOW:
            raise NotConverged(f"Conjugate gradients need more than {self._limit} iterations.")
        return result


@native
def _iterate(indptr, indices, data, inverse_diagonal, b, x, tolerance, limit):  # type: ignore[no-untyped-def]
    """Advance all columns of x until every one is solved; returns how it ended."""
    columns = b.shape[1]
    r, p, q = np.empty_like(b), np.zeros_like(b), np.empty_like(b)
    target, size, energy = np.empty(columns), np.empty(columns), np.empty(columns)
    step, carried = np.empty(columns), np.empty(columns)
    _dot(b, b, target)
    _multiply(indptr, indices, data, x, r)
    for column in range(columns):
        target[column] *= tolerance * tolerance
        energy[column] = 0.0
        for row in range(b.shape[0]):
            if target[column] == 0.0:
                x[row, column], r[row, column] = 0.0, 0.0
            else:
                r[row, column] = b[row, column] - r[row, column]
    for _ in range(limit + 1):
        _dot(r, r, size)
        moving = False
        for column in range(columns):
            if not np.isfinite(size[column]):
                x[:, column], r[:, column], size[column] = np.nan, 0.0, 0.0
            moving = moving or size[column] > target[column]
        if not moving:
            return _CONVERGED
        _aim(inverse_diagonal, r, energy, carried, p)
        _multiply(indptr, indices, data, p, q)
        _dot(p, q, step)
        for column in range(columns):
            if not size[column] > target[column]:
                step[column] = 0.0
            elif step[column] > 0.0:
                step[column] = energy[column] / step[column]
            else:
                return _INDEFINITE
        _advance(step, p, q, x, r)
    return _TOO_SLOW


@native_part
def _aim(inverse_diagonal, r, energy, carried, p):  # type: ignore[no-untyped-def]
    """The next directions p = D⁻¹r + β p with β = rᵀD⁻¹r / (rᵀD⁻¹r before), both in ``energy``."""
    for column in range(r.shape[1]):
        before, now = energy[column], 0.0
        for row in range(r.shape[0]):
            now += r[row, column] * inverse_diagonal[row] * r[row, column]
        energy[column] = now
        carried[column] = now / before if before > 0.0 else 0.0
    for row in range(r.shape[0]):
        for column in range(r.shape[1]):
            own = inverse_diagonal[row] * r[row, column]
            p[row, column] = own + carried[column] * p[row, column]


@native_part
def _advance(step, p, q, x, r):  # type: ignore[no-untyped-def]
    """Go along p as far as ``step`` says; q is A p."""
    for row in range(x.shape[0]):
        for column in range(x.shape[1]):
            x[row, column] += step[column] * p[row, column]
            r[row, column] -= step[column] * q[row, column]


@native_part
def _multiply(indptr, indices, data, x, product):  # type: ignore[no-untyped-def]
    """A x for all columns of x."""
    for row in range(x.shape[0]):
        for column in range(x.shape[1]):
            product[row, column] = 0.0
        for entry in range(indptr[row], indptr[row + 1]):
            value, other = data[entry], indices[entry]
            for column in range(x.shape[1]):
                product[row, column] += value * x[other, column]


@native_part
def _dot(first, second, result):  # type: ignore[no-untyped-def]
    """Scalar products of the columns."""
    for column in range(first.shape[1]):
        result[column] = 0.0
    for row in range(first.shape[0]):
        for column in range(first.shape[1]):
            result[column] += first[row, column] * second[row, column]
