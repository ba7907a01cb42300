# SPDX-License-Identifier: GPL-3.0-or-later
"""Values by key, in their order."""

from __future__ import annotations

import numpy as np
import pytest

from core.mesh.incidence import grouped

pytestmark = pytest.mark.jit_off


def test_grouping_keeps_the_order_within_a_key() -> None:
    starts, values = grouped(np.array([2, 0, 2, 0]), np.array([5, 6, 7, 8]), 4)
    np.testing.assert_array_equal(starts, [0, 2, 2, 4, 4])
    np.testing.assert_array_equal(values, [6, 8, 5, 7])


def test_nothing_is_grouped_into_empty_rows() -> None:
    starts, values = grouped(np.empty(0, np.int64), np.empty(0, np.int64), 3)
    np.testing.assert_array_equal(starts, [0, 0, 0, 0])
    assert len(values) == 0
