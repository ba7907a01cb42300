# SPDX-License-Identifier: GPL-3.0-or-later
"""The ordering and the envelope factorisation against dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from core.linear.envelope import eliminate, substitute_back, substitute_forward
from core.linear.ordering import reverse_cuthill_mckee
from core.native.compiled import native

pytestmark = pytest.mark.jit_off

Array = NDArray[np.float64]


@native
def solve(values, starts, diagonal, right, again, first, last):  # type: ignore[no-untyped-def]
    """Both right-hand sides, with one factorisation."""
    eliminate(values, starts, diagonal, right, first, last)
    substitute_back(values, starts, right, first, last)
    substitute_forward(values, starts, again, first, last)
    substitute_back(values, starts, again, first, last)


def envelope_of(matrix: Array) -> tuple[Array, NDArray[np.int64]]:
    """Rows from the diagonal to where they, or any before them, end."""
    own = [int(np.flatnonzero(row).max(initial=k)) for k, row in enumerate(matrix)]
    lasts = np.maximum.accumulate(own)
    rows = [matrix[k, k : last + 1] for k, last in enumerate(lasts)]
    return np.concatenate(rows), np.cumsum([0, *map(len, rows)])


def banded(size: int, seed: int = 0) -> Array:
    """Positive definite, its rows of various lengths, in two parts that are not coupled."""
    random = np.random.default_rng(seed)
    factor = np.eye(size)
    for row in range(1, size):
        first = max(0, row - int(random.integers(0, 5)))
        if row >= size // 2:
            first = max(first, size // 2)
        factor[row, first:row] = random.normal(size=row - first)
    return factor @ np.diag(random.uniform(0.5, 2.0, size)) @ factor.T


def solved(matrix: Array, right: Array, again: Array) -> tuple[Array, Array]:
    values, starts = envelope_of(matrix)
    x, y = right.copy(), again.copy()
    solve(values, starts, np.diag(matrix).copy(), x, y, 0, len(matrix))
    return x, y


@pytest.mark.parametrize("size", [1, 2, 30])
def test_it_solves_as_a_dense_solver_does(size: int) -> None:
    matrix, (b, c) = banded(size), np.random.default_rng(1).normal(size=(2, size))
    x, y = solved(matrix, b, c)
    np.testing.assert_allclose(x, np.linalg.solve(matrix, b), rtol=1e-9)
    np.testing.assert_allclose(y, np.linalg.solve(matrix, c), rtol=1e-9)


def test_ranges_of_rows_are_factored_on_their_own() -> None:
    matrix, b = banded(30), np.random.default_rng(1).normal(size=30)
    values, starts = envelope_of(matrix)
    x, diagonal = b.copy(), np.diag(matrix).copy()
    solve(values, starts, diagonal, x, b.copy(), 15, 30)
    np.testing.assert_array_equal(x[:15], b[:15])
    np.testing.assert_allclose(x[15:], np.linalg.solve(matrix[15:, 15:], b[15:]), rtol=1e-9)


def test_a_row_that_depends_on_others_is_left_out() -> None:
    """S = J Jᵀ with a row of J twice: a solution of the consistent equations, the last one zero."""
    J = np.random.default_rng(2).normal(size=(5, 8))
    J[4] = J[1] - 2.0 * J[3]
    matrix, b = J @ J.T, J @ np.arange(8.0)
    x, _ = solved(matrix, b, b)
    assert x[4] == 0.0
    np.testing.assert_allclose(matrix @ x, b, atol=1e-9)


def test_a_row_of_zeros_does_no_harm() -> None:
    matrix = np.diag([2.0, 0.0, 4.0])
    x, _ = solved(matrix, np.array([2.0, 0.0, 4.0]), np.zeros(3))
    np.testing.assert_array_equal(x, [1.0, 0.0, 1.0])


# --- order ----------------------------------------------------------------------------------------


def bandwidth(places: NDArray[np.int64], elements: NDArray[np.int64]) -> int:
    return int(np.ptp(places[elements], axis=1).max())


def ordered(elements: NDArray[np.int64], count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    numbers = np.repeat(np.arange(len(elements)), elements.shape[1])
    return reverse_cuthill_mckee(elements.ravel(), numbers, count, len(elements))


def test_a_shuffled_chain_becomes_a_chain() -> None:
    names = np.random.default_rng(0).permutation(50)
    places, parts = ordered(np.stack([names[:-1], names[1:]], axis=1), 50)
    np.testing.assert_array_equal(np.sort(places), np.arange(50))
    np.testing.assert_array_equal(np.abs(np.diff(places[names])), 1)
    np.testing.assert_array_equal(parts, 0)


def test_a_shuffled_grid_is_about_as_narrow_as_its_shorter_side() -> None:
    names = np.random.default_rng(0).permutation(5 * 40).reshape(40, 5)
    along = np.stack([names[:-1].ravel(), names[1:].ravel()], axis=1)
    across = np.stack([names[:, :-1].ravel(), names[:, 1:].ravel()], axis=1)
    elements = np.concatenate([along, across])
    places, _ = ordered(elements, names.size)
    assert bandwidth(places, elements) <= 7


def test_parts_follow_each_other_and_vertices_of_no_element_have_no_place() -> None:
    elements = np.array([(7, 1), (3, 4), (1, 5), (4, 0)])
    places, parts = ordered(elements, 9)
    np.testing.assert_array_equal(places[[2, 6, 8]], -1)
    np.testing.assert_array_equal(parts[[2, 6, 8]], -1)
    np.testing.assert_array_equal(np.sort(places[places >= 0]), np.arange(6))
    in_order = np.argsort(places)[3:]
    assert np.all(np.diff(parts[in_order]) >= 0)
    assert len(set(parts[[7, 1, 5]])) == len(set(parts[[3, 4, 0]])) == 1
    assert set(parts[in_order]) == {0, 1}
