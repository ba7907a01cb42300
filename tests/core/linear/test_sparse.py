# SPDX-License-Identifier: GPL-3.0-or-later
"""Sparse symmetric matrices: what is summed where."""

import numpy as np
import pytest
from numpy.typing import NDArray

from core.linear import SymmetricMatrix, SymmetricPattern

pytestmark = pytest.mark.jit_off


def dense(matrix: SymmetricMatrix) -> NDArray[np.float64]:
    result = np.zeros((matrix.size, matrix.size))
    for row in range(matrix.size):
        for entry in range(matrix.pattern.indptr[row], matrix.pattern.indptr[row + 1]):
            result[row, matrix.pattern.indices[entry]] += matrix.data[entry]
    return result


def contributions(seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Symmetric 3 × 3 blocks of elements that share vertices."""
    generator = np.random.default_rng(seed)
    corners = np.array([generator.choice(20, 3, replace=False) for _ in range(40)])
    values = generator.standard_normal((40, 3, 3))
    rows = np.repeat(corners, 3, axis=1).ravel()
    columns = np.tile(corners, (1, 3)).ravel()
    return rows, columns, (values + values.transpose(0, 2, 1)).ravel()


def test_contributions_to_one_place_are_summed() -> None:
    rows, columns, values = contributions(0)
    expected = np.zeros((20, 20))
    np.add.at(expected, (rows, columns), values)
    matrix = SymmetricPattern(rows, columns, 20).matrix(values)
    np.testing.assert_allclose(dense(matrix), expected, atol=1e-14)
    np.testing.assert_allclose(matrix.diagonal(), np.diag(expected), atol=1e-14)


def test_rows_are_compressed_and_columns_ascend() -> None:
    rows, columns, _ = contributions(1)
    pattern = SymmetricPattern(rows, columns, 20)
    assert len(pattern.indices) == len(set(zip(rows, columns)))
    assert pattern.indptr[0] == 0 and pattern.indptr[-1] == len(pattern.indices)
    for start, end in zip(pattern.indptr, pattern.indptr[1:]):
        assert (np.diff(pattern.indices[start:end]) > 0).all()
    assert pattern.indptr.dtype == pattern.indices.dtype == np.int32


def test_the_sum_takes_contributions_in_their_order() -> None:
    values = [1.0, 1e16, -1e16, 0.5]
    pattern = SymmetricPattern([0] * 4, [0] * 4, 1)
    assert pattern.sum(values) == ((1.0 + 1e16) - 1e16) + 0.5
    assert pattern.sum(values[::-1]) == ((0.5 - 1e16) + 1e16) + 1.0
    assert pattern.sum(values) != pattern.sum(values[::-1])


def test_rows_without_entries() -> None:
    matrix = SymmetricPattern([1], [1], 4).matrix([2.0])
    assert dense(matrix).tolist() == np.diag([0.0, 2.0, 0.0, 0.0]).tolist()
    assert matrix.diagonal().tolist() == [0.0, 2.0, 0.0, 0.0]


def test_no_rows_at_all() -> None:
    matrix = SymmetricPattern([], [], 0).matrix([])
    assert matrix.size == 0 and matrix.diagonal().shape == (0,)
    assert matrix.pattern.indptr.tolist() == [0]
    assert matrix.data.dtype == np.float64


def test_the_mirror_image_must_be_there() -> None:
    with pytest.raises(ValueError, match="not symmetric"):
        SymmetricPattern([0, 1, 0], [0, 1, 1], 2)


@pytest.mark.parametrize(("row", "column"), [(2, 2), (-1, -1), (0, 2), (-1, 0)])
def test_a_place_outside(row: int, column: int) -> None:
    with pytest.raises(ValueError, match="outside"):
        SymmetricPattern([row, column], [column, row], 2)


@pytest.mark.parametrize(("rows", "columns"), [([0], [0, 0]), ([[0]], [[0]])])
def test_rows_and_columns_of_different_lengths(rows: list[int], columns: list[int]) -> None:
    with pytest.raises(ValueError, match="one length"):
        SymmetricPattern(rows, columns, 1)


def test_another_number_of_values() -> None:
    pattern = SymmetricPattern([0, 0], [0, 0], 1)
    for values in ([], [1.0], [1.0] * 3):
        with pytest.raises(ValueError, match="expected"):
            pattern.sum(values)
    with pytest.raises(ValueError, match="expected"):
        SymmetricMatrix(pattern, np.ones(2))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_must_be_finite(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        SymmetricPattern([0, 1], [0, 1], 2).matrix([1.0, bad])
