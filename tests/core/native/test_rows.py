# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of an array as a flat one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from core.native.compiled import native
from core.native.rows import numbers_of


@native
def negate(rows, first, last):  # type: ignore[no-untyped-def]
    numbers = numbers_of(rows, first, last)
    for i in range(len(numbers)):
        numbers[i] = -numbers[i]
    return len(numbers)


@pytest.mark.jit_off
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (3,), (4,)])
@pytest.mark.parametrize(("first", "last"), [(0, 6), (2, 5), (3, 3)])
def test_numbers_are_those_of_the_rows(
    dtype: Any, shape: tuple[int, ...], first: int, last: int
) -> None:
    rows = np.arange(1, 6 * math.prod(shape) + 1, dtype=dtype).reshape(6, *shape)
    expected = rows.copy()
    expected[first:last] *= -1
    assert negate(rows, first, last) == (last - first) * math.prod(shape)
    np.testing.assert_array_equal(rows, expected)
