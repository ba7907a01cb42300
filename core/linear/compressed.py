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
        found = np.empty(self.height)
        _apply(*self[:3], np.require(vector, np.float64, ["C", "W"]), found)
        return found

    def times(self, factors: Numbers) -> Compressed:
        """The matrix with its rows times these, shape (rows,)."""
        return self._replace(values=np.repeat(factors, np.diff(self.starts)) * self.values)

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
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    ends = starts[:-1].copy()
    columns_by_row, values_by_row = np.empty(len(rows), np.int64), np.empty(len(rows))
    # For arrays that can't be written to numba would compile another one.
    rows, columns = (np.require(each, np.int64, ["C", "W"]) for each in (rows, columns))
    values = np.require(values, np.float64, ["C", "W"])
    _put(rows, columns, values, ends, columns_by_row, values_by_row)
    return Compressed(starts, columns_by_row, values_by_row, shape[1])


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


def plus_product(c: Compressed, a: Compressed, b: Compressed) -> Compressed:
    """C + A B, without two entries at the same place."""
    own = np.arange(c.height)
    beside = from_entries(
        np.concatenate([own, a.rows]),
        np.concatenate([own, c.height + a.columns]),
        np.concatenate([np.ones(c.height), a.values]),
        (c.height, c.height + a.width),
    )
    return product(beside, above(c, b))


def above(a: Compressed, b: Compressed) -> Compressed:
    """The rows of one and then those of the other, of the same width."""
    starts = np.concatenate([a.starts, a.starts[-1] + b.starts[1:]])
    columns = np.concatenate([a.columns, b.columns])
    return Compressed(starts, columns, np.concatenate([a.values, b.values]), a.width)


@native
def _apply(starts, columns, values, vector, found):  # type: ignore[no-untyped-def]
    for row in range(len(found)):
        total = 0.0
        for place in range(starts[row], starts[row + 1]):
            total += values[place] * vector[columns[place]]
        found[row] = total


@native
def _put(rows, columns, values, ends, columns_by_row, values_by_row):  # type: ignore[no-untyped-def]
    """``ends`` begins with the starts of the rows."""
    for entry in range(len(rows)):
        place = ends[rows[entry]]
        ends[rows[entry]] = place + 1
        columns_by_row[place] = columns[entry]
        values_by_row[place] = values[entry]


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
