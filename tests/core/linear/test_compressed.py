# SPDX-License-Identifier: GPL-3.0-or-later
"""Compressed rows against matrices that are written out."""

from __future__ import annotations

import numpy as np
import pytest
from written_out import dense

from core.linear.compressed import (
    Compressed,
    above,
    from_entries,
    plus_product,
    product,
    transposed,
)


def random_matrix(height: int, width: int, seed: int) -> Compressed:
    """A third of the places filled, some of them twice, a row and a column empty."""
    random = np.random.default_rng(seed)
    count = height * width // 3 + 1
    rows = random.integers(0, height, count)
    columns = random.integers(0, width, count)
    kept = (rows != height // 2) & (columns != width // 2)
    values = random.standard_normal(count)
    return from_entries(rows[kept], columns[kept], values[kept], (height, width))


@pytest.mark.jit_off
def test_products_and_transposes() -> None:
    a, b = random_matrix(20, 15, 0), random_matrix(15, 30, 1)
    np.testing.assert_allclose(dense(product(a, b)), dense(a) @ dense(b), atol=1e-12)
    np.testing.assert_array_equal(dense(transposed(a)), dense(a).T)
    vector = np.random.default_rng(2).standard_normal(15)
    np.testing.assert_allclose(a @ vector, dense(a) @ vector)
    joined = product(a, b)
    places = joined.rows * joined.width + joined.columns
    assert len(np.unique(places)) == len(places)


def test_entries_keep_their_order_in_each_row() -> None:
    rows, columns, values = np.array([2, 0, 2]), np.array([1, 3, 0]), np.array([1.0, 2.0, 3.0])
    found = from_entries(rows, columns, values, (4, 5))
    assert found.starts.tolist() == [0, 1, 1, 3, 3]
    assert found.columns.tolist() == [3, 1, 0]
    assert found.values.tolist() == [2.0, 1.0, 3.0]
    assert (found.height, found.width) == (4, 5)


@pytest.mark.parametrize("seed", range(5))
def test_sums_and_stacks_are_those_of_matrices(seed: int) -> None:
    a, b, c = random_matrix(7, 9, seed), random_matrix(9, 5, seed + 10), random_matrix(7, 5, seed)
    np.testing.assert_allclose(
        dense(plus_product(c, a, b)), dense(c) + dense(a) @ dense(b), atol=1e-13
    )
    np.testing.assert_array_equal(dense(above(c, b)), np.vstack([dense(c), dense(b)]))


def test_products_have_no_two_entries_at_the_same_place() -> None:
    found = plus_product(random_matrix(7, 5, 1), random_matrix(7, 9, 2), random_matrix(9, 5, 3))
    places = found.rows * found.width + found.columns
    assert len(np.unique(places)) == len(places)


def test_without_entries_that_are_not_chosen() -> None:
    matrix = random_matrix(7, 5, 4)
    kept = matrix.values > 0.0
    np.testing.assert_array_equal(
        dense(matrix.chosen(kept)),
        dense(matrix._replace(values=np.where(kept, matrix.values, 0.0))),
    )


def test_matrices_without_entries_or_rows() -> None:
    nothing = np.empty(0, np.int64)
    empty = from_entries(nothing, nothing, np.empty(0), (0, 4))
    assert (empty.height, empty.width) == (0, 4)
    assert above(empty, random_matrix(3, 4, 5)).height == 3
    assert (empty @ np.ones(4)).shape == (0,)
