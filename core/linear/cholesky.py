# SPDX-License-Identifier: GPL-3.0-or-later
"""Sparse Cholesky factorisation, A = LLᵀ: factored once, solved for many right-hand sides.

By CHOLMOD (Chen, Davis, Hager, Rajamanickam 2008, "Algorithm 887") with METIS' nested dissection,
through the package cholespy. Both factoring and solving hold the interpreter lock.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .errors import NotPositiveDefinite
from .sparse import Numbers, SymmetricMatrix, right_side

# The largest condition number, after scaling the diagonal to 1, that leaves a digit of the result.
_WORST_CONDITION = 1e14


class Cholesky:
    """The factored matrix; the same matrix and right-hand side give the same bytes.

    Args:
        matrix: symmetric positive definite; only its lower half is read.

    Raises:
        NotPositiveDefinite: it is not, or it is singular to working precision.
        ModuleNotFoundError: the package cholespy is not installed.
    """

    def __init__(self, matrix: SymmetricMatrix) -> None:
        self._matrix = matrix
        self._factor: Any = None
        diagonal = matrix.diagonal()
        if not np.all(diagonal > 0.0):
            raise NotPositiveDefinite("The matrix has a diagonal entry that is not positive.")
        if matrix.size == 0:
            return
        self._factor = _factored(matrix)
        # cholespy keeps a buffer as large as the last right-hand side and never frees it; solving
        # for none at all makes it small.
        none = np.empty((matrix.size, 0))
        weakref.finalize(self, self._factor.solve, none, none).atexit = False
        if not self._condition(np.sqrt(diagonal)) < _WORST_CONDITION:
            raise NotPositiveDefinite("The matrix is singular to working precision.")

    def solve(self, right: ArrayLike, start: ArrayLike | None = None) -> Numbers:
        """x with A x = ``right``.

        Args:
            right: shape (n,) or (n, k).
            start: not needed; taken for the sake of methods that iterate.

        Returns:
            x of the shape of ``right``, not finite in columns where that is not finite.

        Raises:
            ValueError: another shape.
        """
        given = right_side(self._matrix, right)
        result = np.empty_like(given)
        if given.size:
            self._factor.solve(given, result)
        return result

    def _condition(self, scale: Numbers) -> float:
        """An estimate of ‖S⁻¹‖₂ where S is the matrix scaled to a diagonal of 1.

        Two steps of inverse iteration (Golub, Van Loan 2013, Matrix Computations, section 8.2.2).
        """
        vector = np.random.default_rng(0).standard_normal(self._matrix.size)
        growth = 0.0
        for _ in range(2):
            vector /= np.linalg.norm(vector)
            vector = scale * self.solve(scale * vector)
            growth = float(np.linalg.norm(vector))
        return growth


def _factored(matrix: SymmetricMatrix) -> Any:
    from cholespy import CholeskySolverD, MatrixType

    pattern = matrix.pattern
    # As compressed rows it copies; as compressed columns it would reallocate numpy's memory.
    rows = MatrixType.CSR
    try:
        return CholeskySolverD(matrix.size, pattern.indptr, pattern.indices, matrix.data, rows)
    except ValueError as error:
        raise NotPositiveDefinite(f"cholespy: {error}") from error
