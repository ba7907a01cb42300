# SPDX-License-Identifier: GPL-3.0-or-later
"""Sparse matrices of any shape as compressed rows: their products and transposes.

Rows are multiplied as by Gustavson 1978, "Two fast algorithms for sparse matrices". Entries stand
in the order in which they come up, so that the same input gives the same bytes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..native.compiled import native

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


class Compressed(NamedTuple):
    """A sparse matrix.

    Attributes:
        starts: where each row begins in ``columns``, shape (rows + 1,).
        columns, values: of the entries, shape (entries,).
        width: number of columns.
    """

    starts: Indices
    columns: Indices
    values: Numbers
    width: int

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self.starts) - 1

    @property
    def rows(self) -> Indices:
        """The row of each entry, shape (entries,)."""
        return np.repeat(np.arange(self.height), np.diff(self.starts))

    def __matmul__(self, vector: Numbers) -> Numbers:
        """The product with a vector, shape (width,) → (height,)."""
        terms = self.values * vector[self.columns]
        return np.bincount(self.rows, terms, minlength=self.height).astype(np.float64)

    def chosen(self, entries: NDArray[np.bool_]) -> Compressed:
        """The matrix without the entries that are not chosen, shape (entries,)."""
        kept = np.concatenate([[0], np.cumsum(entries)])
        return Compressed(
            kept[self.starts], self.columns[entries], self.values[entries], self.width
        )


def from_entries(
    rows: Indices, columns: Indices, values: Numbers, shape: tuple[int, int]
) -> Compressed:
    """The matrix with these entries, shape (m,) each; several may fall on the same place."""
    order = np.argsort(rows, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    return Compressed(starts.astype(np.int64), columns[order], values[order], shape[1])


def transposed(matrix: Compressed) -> Compressed:
    """Its transpose."""
    shape = matrix.width, matrix.height
    return from_entries(matrix.columns, matrix.rows, matrix.values, shape)


def product(a: Compressed, b: Compressed) -> Compressed:
    """A B, without two entries at the same place."""
    starts = np.zeros(a.height + 1, np.int64)
    seen = np.full(b.width, -1)
    _count(a.starts, a.columns, b.starts, b.columns, seen, starts[1:])
    np.cumsum(starts, out=starts)
    columns, values = np.empty(starts[-1], np.int64), np.empty(starts[-1])
    seen[:] = -1
    _multiply(*a[:3], *b[:3], seen, starts, columns, values)
    return Compressed(starts, columns, values, b.width)


@native
def _count(a_starts, a_columns, b_starts, b_columns, seen, counts):  # type: ignore[no-untyped-def]
    """How many entries each row of the product has; ``seen`` starts with -1 everywhere."""
    for row in range(len(counts)):
        for place in range(a_starts[row], a_starts[row + 1]):
            inner = a_columns[place]
            for entry in range(b_starts[inner], b_starts[inner + 1]):
                column = b_columns[entry]
                if seen[column] != row:
                    seen[column] = row
                    counts[row] += 1


@native
def _multiply(  # type: ignore[no-untyped-def]
    a_starts, a_columns, a_values, b_starts, b_columns, b_values, seen, starts, columns, values
):
    """Fill in the product; ``seen`` starts with -1 everywhere."""
    for row in range(len(starts) - 1):
        first = end = starts[row]
        for place in range(a_starts[row], a_starts[row + 1]):
            inner, factor = a_columns[place], a_values[place]
            for entry in range(b_starts[inner], b_starts[inner + 1]):
                column = b_columns[entry]
                if seen[column] < first:
                    seen[column] = end
                    columns[end] = column
                    values[end] = 0.0
                    end += 1
                values[seen[column]] += factor * b_values[entry]


def reciprocal(values: Numbers) -> Numbers:
    """One over each that is positive; of others zero."""
    return np.where(values > 0.0, 1.0 / np.where(values > 0.0, values, 1.0), 0.0)
