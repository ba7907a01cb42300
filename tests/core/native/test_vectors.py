# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors as tuples, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from core.native import vectors
from core.native.compiled import native

A, B, C = (0.3, -1.2, 2.5), (1.1, 0.4, -0.7), (-2.0, 0.9, 0.6)
MATRIX = np.array([A, B, C])


@native
def of_two(a, b):  # type: ignore[no-untyped-def]
    return (
        vectors.subtract(a, b),
        vectors.cross(a, b),
        vectors.scale(2.5, a),
        vectors.add_scaled(a, 2.5, b),
    )


@native
def points_of(corners, u, v):  # type: ignore[no-untyped-def]
    return vectors.between(corners, u, v), vectors.spanned(corners, u, v)


@native
def product(a, b):  # type: ignore[no-untyped-def]
    return vectors.dot(a, b)


@native
def move_row(rows, i, numbers):  # type: ignore[no-untyped-def]
    vectors.add_to(rows[i], 2.0, vectors.load(numbers))
    vectors.store(numbers, vectors.row_of(rows, i))


@pytest.mark.jit_off
def test_of_two() -> None:
    a, b = np.array(A), np.array(B)
    expected = (a - b, np.cross(a, b), 2.5 * a, a + 2.5 * b)
    np.testing.assert_allclose(of_two(A, B), expected, rtol=1e-15)
    assert product(A, B) == pytest.approx(a @ b)


@pytest.mark.jit_off
def test_points_of_a_triangle() -> None:
    expected = 0.5 * MATRIX[0] + 0.3 * MATRIX[1] + 0.2 * MATRIX[2]
    for point in points_of((A, B, C), 0.3, 0.2):
        np.testing.assert_allclose(point, expected, rtol=1e-14)


@pytest.mark.jit_off
def test_the_common_point_of_equal_corners_is_exact() -> None:
    assert points_of((A, A, A), 0.1, 0.7)[1] == A


@pytest.mark.jit_off
def test_rows_are_moved_in_place() -> None:
    rows, numbers = np.ones((3, 4), np.float32), np.array(B)
    move_row(rows, 1, numbers)
    expected = (1.0 + 2.0 * np.array(B)).astype(np.float32)
    np.testing.assert_array_equal(rows[1], [*expected, 1.0])
    np.testing.assert_array_equal(numbers, expected.astype(np.float64))
    np.testing.assert_array_equal(rows[[0, 2]], 1.0)
