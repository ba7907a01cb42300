# SPDX-License-Identifier: GPL-3.0-or-later
"""Products of sparse matrices with rows of four numbers, in native code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..native.by_address import by_address
from ..native.compiled import native_part
from ..native.lanes import add_scaled, load, no_lanes
from .compressed import Compressed


@by_address
class Products(NamedTuple):
    """A matrix: entries ``starts[i]`` to ``starts[i + 1]`` are those of row i."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[Any]


def joined(
    matrices: Sequence[Compressed],
    rows: Sequence[int],
    columns: Sequence[int],
    count: int,
    dtype: DTypeLike,
) -> Products:
    """Matrices as one of so many rows, each from its own first row and column on, ascending."""
    sizes = np.zeros(count, np.int64)
    for matrix, row in zip(matrices, rows, strict=True):
        sizes[row : row + matrix.height] = np.diff(matrix.starts)
    places = [matrix.columns + first for matrix, first in zip(matrices, columns, strict=True)]
    return Products(
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([np.empty(0), *places]).astype(np.int32),
        np.concatenate([np.empty(0), *(matrix.values for matrix in matrices)]).astype(dtype),
    )


@native_part
def differences(matrix, rows, i):  # type: ignore[no-untyped-def]
    """Σ a (x_j - x_i) over row i of a matrix: what rounds least where x is smooth."""
    own, total = load(rows, i), no_lanes(rows)
    minus = matrix.values.dtype.type(-1.0)
    for place in range(matrix.starts[i], matrix.starts[i + 1]):
        other = add_scaled(load(rows, matrix.columns[place]), minus, own)
        total = add_scaled(total, matrix.values[place], other)
    return total


@native_part
def weighted(matrix, rows, i):  # type: ignore[no-untyped-def]
    """Σ a x_j over row i of a matrix."""
    total = no_lanes(rows)
    for place in range(matrix.starts[i], matrix.starts[i + 1]):
        total = add_scaled(total, matrix.values[place], load(rows, matrix.columns[place]))
    return total
