# SPDX-License-Identifier: GPL-3.0-or-later
"""Symmetric sparse matrices whose pattern stays while their values change.

Assembled like a stiffness matrix: many small contributions, several of which may fall on the same
place, are summed in the order given, so that the same input gives the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]
Indices = NDArray[np.int32]


class SymmetricPattern:
    """Places of the entries of a symmetric matrix, as compressed sparse rows.

    Args:
        rows, columns: places of the contributions, shape (m,). Both halves are given, (i, j) as
            well as (j, i); the same place may be given several times.
        size: number of rows n.

    Raises:
        ValueError: arrays of different lengths, a place outside the matrix, or one whose mirror
            image is missing.

    Attributes:
        size: n.
        indptr: where each row begins in ``indices``, shape (n + 1,).
        indices: columns of the entries, ascending in each row, shape (entries,).
    """

    def __init__(self, rows: ArrayLike, columns: ArrayLike, size: int) -> None:
        row, column = _places(rows, columns, size)
        # Never 0, which can't divide; there are no places then.
        width = max(size, 1)
        keys, entries = np.unique(row * width + column, return_inverse=True)
        row, column = keys // width, keys % width
        if not np.array_equal(np.sort(column * width + row), keys):
            raise ValueError("The pattern is not symmetric: give (i, j) as well as (j, i).")
        self.size = size
        self.indices: Indices = column.astype(np.int32)
        ends = np.cumsum(np.bincount(row, minlength=size))
        self.indptr: Indices = np.concatenate(([0], ends)).astype(np.int32)
        self._entries: NDArray[np.intp] = entries.reshape(-1)
        self._diagonal = np.flatnonzero(row == column)

    def sum(self, values: ArrayLike) -> Numbers:
        """Values of the entries, shape (entries,), from those of the contributions, shape (m,).

        Raises:
            ValueError: another number of values than places.
        """
        given = np.asarray(values, np.float64)
        if given.shape != self._entries.shape:
            raise ValueError(f"Values of shape {self._entries.shape} expected, not {given.shape}.")
        total = np.bincount(self._entries, weights=given, minlength=len(self.indices))
        # Of no contributions at all it makes whole numbers.
        return total.astype(np.float64, copy=False)

    def matrix(self, values: ArrayLike) -> SymmetricMatrix:
        """The matrix that these contributions, shape (m,), add up to.

        Raises:
            ValueError: another number of values than places, or one that is not finite.
        """
        return SymmetricMatrix(self, self.sum(values))

    def diagonal(self, data: Numbers) -> Numbers:
        """Diagonal, shape (n,), of the matrix with these entries; 0 where there is none."""
        result = np.zeros(self.size)
        result[self.indices[self._diagonal]] = data[self._diagonal]
        return result


@dataclass(frozen=True)
class SymmetricMatrix:
    """A symmetric matrix; ``data`` must be symmetric too, which is not checked.

    Attributes:
        pattern: where the entries are.
        data: their values, shape (entries,).

    Raises:
        ValueError: another number of values than entries, or one that is not finite.
    """

    pattern: SymmetricPattern
    data: Numbers

    def __post_init__(self) -> None:
        if self.data.shape != self.pattern.indices.shape:
            raise ValueError(
                f"Values of shape {self.pattern.indices.shape} expected, not {self.data.shape}."
            )
        if not np.isfinite(self.data).all():
            raise ValueError("The values of a matrix must be finite.")

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.pattern.size

    def diagonal(self) -> Numbers:
        """Diagonal, shape (n,)."""
        return self.pattern.diagonal(self.data)


def right_side(matrix: SymmetricMatrix, values: ArrayLike) -> Numbers:
    """A right-hand side as an array that native code can read, shape (n,) or (n, k).

    Raises:
        ValueError: another shape.
    """
    right = np.require(values, np.float64, ["C_CONTIGUOUS", "WRITEABLE"])
    if right.ndim not in (1, 2) or len(right) != matrix.size:
        raise ValueError(
            f"A right-hand side of shape ({matrix.size},) or ({matrix.size}, k) expected,"
            f" not {right.shape}."
        )
    return right


def _places(
    rows: ArrayLike, columns: ArrayLike, size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    row, column = np.asarray(rows, np.int64), np.asarray(columns, np.int64)
    if row.ndim != 1 or row.shape != column.shape:
        raise ValueError(f"Rows {row.shape} and columns {column.shape} must be of one length.")
    if len(row) and not (0 <= min(row.min(), column.min()) and max(row.max(), column.max()) < size):
        raise ValueError(f"There are places outside a matrix of {size} rows.")
    return row, column
