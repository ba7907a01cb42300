# SPDX-License-Identifier: GPL-3.0-or-later
"""Four numbers at a time, against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import DTypeLike

from core.native.compiled import native
from core.native.lanes import (
    add_scaled,
    along,
    every,
    flat,
    fourth,
    load,
    lower,
    minus,
    plus,
    store,
    upper,
    widened,
)

pytestmark = pytest.mark.jit_off


@native
def work(rows: Any, results: Any, sums: Any) -> None:
    """Everything once, of the first two rows."""
    one, other = load(rows, 0), load(rows, 1)
    store(results, 0, plus(one, other))
    store(results, 1, minus(one, other))
    store(results, 2, add_scaled(one, rows[0, 0], other))
    store(results, 3, every(rows[1, 2]))
    store(results, 4, flat(rows[1, 0], rows[1, 1], rows[1, 2]))
    store(results, 5, lower(one, other))
    store(results, 6, upper(one, other))
    sums[0], sums[1] = along(one, other), fourth(other)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lanes_are_rows(dtype: DTypeLike) -> None:
    rows = np.array([(0.5, 2.0, -3.0, 7.0), (4.0, -1.0, 0.25, 11.0)], dtype)
    results, sums = np.full((7, 4), np.nan, dtype), np.full(2, np.nan, dtype)
    work(rows, results, sums)
    one, other = rows
    expected = [one + other, one - other, one + one[0] * other, [0.25] * 4, [*other[:3], 0.0]]
    expected += [np.minimum(one, other), np.maximum(one, other)]
    np.testing.assert_array_equal(results, np.array(expected, dtype))
    np.testing.assert_array_equal(sums, [one[:3] @ other[:3], 11.0])


@native
def widen(rows: Any, results: Any) -> None:
    """The first row in double precision."""
    store(results, 0, widened(load(rows, 0)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_widened_lanes_are_the_same_in_double_precision(dtype: DTypeLike) -> None:
    rows, results = np.array([(0.1, 2.0, -1e-9, 7e20)], dtype), np.zeros((1, 4))
    widen(rows, results)
    np.testing.assert_array_equal(results, rows.astype(np.float64))
