# SPDX-License-Identifier: GPL-3.0-or-later
"""Large sparse systems of linear equations with symmetric positive definite matrices."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Protocol

from numpy.typing import ArrayLike

from .cholesky import Cholesky
from .conjugate_gradient import ConjugateGradient
from .errors import NotConverged, NotPositiveDefinite
from .sparse import Numbers, SymmetricMatrix, SymmetricPattern

__all__ = [
    "Cholesky",
    "ConjugateGradient",
    "LinearSolver",
    "NotConverged",
    "NotPositiveDefinite",
    "SymmetricMatrix",
    "SymmetricPattern",
    "solver_for",
]


class LinearSolver(Protocol):
    """Solves with one matrix for many right-hand sides."""

    def solve(self, right: ArrayLike, start: ArrayLike | None = None) -> Numbers:
        """x with A x = ``right``, from a guess ``start`` where the method can use one.

        Args:
            right: shape (n,) or (n, k).
            start: of the same shape.

        Returns:
            x of the same shape.

        Raises:
            NotPositiveDefinite, NotConverged: see the method.
        """


def solver_for(matrix: SymmetricMatrix) -> LinearSolver:
    """The best solver for a matrix that there is on this computer.

    The Cholesky factorisation, or conjugate gradients where cholespy is not installed: it has no
    wheel for Windows on ARM.

    Raises:
        NotPositiveDefinite: the matrix is not positive definite.
    """
    return ConjugateGradient(matrix) if find_spec("cholespy") is None else Cholesky(matrix)
