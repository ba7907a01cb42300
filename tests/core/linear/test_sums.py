# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums of products, against sums that are rounded once."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest

from core.linear.sums import sum_of_products


def test_sums_are_those_of_products() -> None:
    a, b = np.random.default_rng(1).normal(size=(2, 30_000))
    assert sum_of_products(a, b) == pytest.approx(fsum(a * b), abs=1e-10)
