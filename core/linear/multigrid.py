# SPDX-License-Identifier: GPL-3.0-or-later
"""M + τ K of a surface at all levels, for any τ, as the multigrid cycle wants it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..native.rows import aligned_rows
from .compressed import Compressed, Numbers, transposed
from .cycle import Grids
from .levels import Level, diagonal
from .products import joined

FRACTION = 0.15
"""Of the largest eigenvalue: what a smoother reaches down to."""

WHOLE = 192
"""Unknowns of the last level up to which it is solved by its inverse."""

SOFT = 1.0
"""Of the mass: τ K of a level below which it needs no coarser one."""


class Multigrid:
    """The levels of a surface laid out for the cycle, with room for A of any τ.

    Attributes:
        grids: for native code.
    """

    def __init__(self, levels: Sequence[Level], dtype: DTypeLike) -> None:
        self._levels = levels
        self._dtype = np.dtype(dtype)
        sizes = [len(level.origin) for level in levels]
        firsts = np.concatenate([[0], np.cumsum(sizes)])
        count = int(firsts[-1])
        beside = [_beside_diagonal(level.stiffness) for level in levels]
        self._beside = beside
        ups = [level.up for level in levels if level.up is not None]
        whole = sizes[-1] <= WHOLE
        self.grids = Grids(
            firsts,
            np.ones(1, np.int64),
            np.zeros((len(levels), 3), dtype),
            joined(
                [level.stiffness.chosen(b) for level, b in zip(levels, beside, strict=True)],
                firsts[:-1], firsts[:-1], count, dtype,
            ),
            np.zeros(count, dtype),
            np.zeros(count, dtype),
            joined(ups, firsts[:-2], firsts[1:-1], count, dtype),
            joined([transposed(up) for up in ups], firsts[1:-1], firsts[:-2], count, dtype),
            np.zeros((sizes[-1] if whole else 0,) * 2, dtype),
            *(aligned_rows(count, dtype) for _ in range(4)),
        )

    def assemble(self, tau: Numbers) -> None:
        """Let A be M + τ K.

        Args:
            tau: of each point of the finest level, the same for all that hang together, shape (n,).
        """
        grids = self.grids
        for number, level in enumerate(self._levels):
            factor = tau[level.origin]
            matrix = self._put(number, factor)
            ratio = _largest_ratio(factor * diagonal(level.stiffness), diagonal(level.mass))
            grids.steps[number] = _chebyshev(level, ratio)
            grids.depth[0] = number + 1
            if ratio < SOFT:
                return
        if len(grids.last):
            grids.last[:] = _inverse(matrix)

    def _put(self, number: int, tau: Numbers) -> Compressed:
        """Put A of a level where native code reads it, and return it."""
        grids, level = self.grids, self._levels[number]
        own = slice(grids.firsts[number], grids.firsts[number + 1])
        rows = level.stiffness.rows
        matrix = level.mass._replace(
            values=level.mass.values + tau[rows] * level.stiffness.values
        )
        start = grids.entries.starts[grids.firsts[number]]
        beside = matrix.values[self._beside[number]]
        grids.entries.values[start : start + len(beside)] = beside
        grids.sums[own] = np.bincount(rows, matrix.values, minlength=matrix.height)
        entries = diagonal(matrix)
        positive = entries > 0.0
        grids.inverse[own] = np.where(positive, 1.0 / np.where(positive, entries, 1.0), 0.0)
        return matrix


def _largest_ratio(a: Numbers, b: Numbers) -> float:
    """The largest a / b where b is positive."""
    return float((a[b > 0.0] / b[b > 0.0]).max(initial=0.0))


def _beside_diagonal(matrix: Compressed) -> NDArray[np.bool_]:
    return matrix.rows != matrix.columns


def _chebyshev(level: Level, ratio: float) -> tuple[float, float, float]:
    """1/θ, and the factors of the step before and of the residual in the second step.

    For the eigenvalues of D⁻¹ A from a fraction of the largest on, or from the least where M is
    diagonal, as on the finest level.

    Args:
        ratio: of the diagonals of τ K and M, the largest.
    """
    largest = (level.largest_of_mass + ratio * level.largest_of_stiffness) / (1.0 + ratio)
    least = FRACTION * largest
    if level.largest_of_mass == 1.0:
        least = max(least, 1.0 / (1.0 + ratio))
    centre, half = 0.5 * (largest + least), 0.5 * max(largest - least, FRACTION * largest)
    before = half / centre
    now = 1.0 / (2.0 * centre / half - before)
    return 1.0 / centre, now * before, 2.0 * now / half


def _inverse(matrix: Compressed) -> Numbers:
    dense = np.zeros((matrix.height, matrix.width))
    dense[matrix.rows, matrix.columns] = matrix.values
    empty = np.flatnonzero(~dense.any(axis=1))
    dense[:, empty] = 0.0
    dense[empty, empty] = 1.0
    inverse = np.linalg.inv(dense)
    inverse[empty, empty] = 0.0
    return 0.5 * (inverse + inverse.T)


