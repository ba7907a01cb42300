# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels that compute values of elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.native.rows import aligned_rows
from core.vector import compiler
from core.vector.elements import ElementKernel
from core.vector.specification import KernelSpecification

pytestmark = pytest.mark.jit_off


def _combine(x: Any, w: Any, previous: Any, numbers: Any, *_: Any) -> tuple[list[Any], list[Any]]:
    """Three values of two rows and two parameters, each told apart from the others."""
    return [
        x[0][0] + 10.0 * x[1][1],
        w[0] * numbers[0] - w[1] * numbers[1],
        numbers[1] * x[1][2],
    ], []


KERNEL = KernelSpecification("test_combine", _combine, 2, 2, 0, False, "values", 3)


@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("lanes", [1, 4, 8, 16])
@pytest.mark.parametrize("count", [1, 7, 16, 45])
def test_each_element_gets_its_own_values(
    real: type, lanes: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler, "native_lanes", lambda: lanes)
    random = np.random.default_rng(count)
    rows = aligned_rows(9, real)
    rows[:] = random.normal(size=rows.shape)
    before = rows.copy()
    indices = random.integers(0, 9, (count, 2))
    numbers = random.normal(size=(count, 2))
    kernel = ElementKernel(KERNEL, indices, numbers, real)
    kernel.run(rows)
    first, second = rows[indices[:, 0]], rows[indices[:, 1]]
    expected = np.stack(
        [
            first[:, 0] + 10.0 * second[:, 1],
            first[:, 3] * numbers[:, 0] - second[:, 3] * numbers[:, 1],
            numbers[:, 1] * second[:, 2],
        ],
        axis=1,
    )
    tolerance = 1e-14 if real is np.float64 else 1e-5
    np.testing.assert_allclose(kernel.values, expected, atol=tolerance)
    np.testing.assert_array_equal(rows, before)
    places = kernel.places[:, None] + kernel.stride * np.arange(3)
    np.testing.assert_array_equal(kernel.outputs[places], kernel.values)


def test_values_follow_the_rows() -> None:
    rows = aligned_rows(2, np.float64)
    kernel = ElementKernel(KERNEL, np.array([[0, 1]]), np.ones((1, 2)), np.float64)
    kernel.run(rows)
    assert (kernel.values == 0.0).all()
    rows[0, 0] = 3.0
    kernel.run(rows)
    assert kernel.values[0, 0] == 3.0
