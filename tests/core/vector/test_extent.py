# SPDX-License-Identifier: GPL-3.0-or-later
"""The box around rows, however many there are and wherever they begin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.native.compiled import native
from core.vector.extent import extent

pytestmark = pytest.mark.jit_off


@native
def box(rows, first, last):  # type: ignore[no-untyped-def]
    return extent(rows, first, last)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("first", "last"), [(0, 40), (3, 39), (5, 7), (5, 9), (7, 7)])
def test_a_box_is_as_large_as_what_is_in_it(dtype: type, first: int, last: int) -> None:
    rows: NDArray[Any] = np.random.default_rng(3).normal(size=(40, 4)).astype(dtype)
    some = rows[first:last, :3]
    corners = box(rows, first, last)
    np.testing.assert_array_equal(corners[:3], some.min(axis=0, initial=np.inf))
    np.testing.assert_array_equal(corners[3:], some.max(axis=0, initial=-np.inf))
