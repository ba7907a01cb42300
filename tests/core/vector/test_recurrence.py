# SPDX-License-Identifier: GPL-3.0-or-later
"""Passes along rows as machine code do what the Python body does, there and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from core.native.compiled import native
from core.vector import compiler
from core.vector.arithmetic import sqrt
from core.vector.call import BEGINNING, call_kernel
from core.vector.interpreter import interpret_recurrence
from core.vector.specification import RecurrenceSpecification

ROWS, SIZES = 7, (2, 1, 3, 1)


def step(numbers: Sequence[Sequence[Any]], carried: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    (a, b), (c,), _, (d,) = numbers
    total = carried[0] + a * c
    return [[], [], [total, sqrt(b), 4.0], [d - total]], [total, 1.0]


def specification(backward: bool) -> RecurrenceSpecification:
    return RecurrenceSpecification(
        name=f"sums_{backward}",
        step=step,
        sizes=SIZES,
        reads=(True, True, False, True),
        carried=2,
        backward=backward,
    )


@native
def _run(address, a, b, c, d, rate, count):  # type: ignore[no-untyped-def]
    call_kernel(address, a, a, a, b, c, d, BEGINNING, rate, count)


def arrays(lanes: int, dtype: Any) -> list[np.ndarray]:
    random = np.random.default_rng(1)
    return [random.random((ROWS, size, lanes)).astype(dtype) for size in SIZES]


@pytest.mark.jit_off
@pytest.mark.parametrize("backward", [False, True])
def test_a_row_depends_on_those_before(backward: bool) -> None:
    found = arrays(3, np.float64)
    given = [each.copy() for each in found]
    flat = [each.ravel() for each in found]
    interpret_recurrence(specification(backward), 3)(None, None, *flat, 1.0, ROWS)
    products = given[0][:, 0] * given[1][:, 0]
    sums = np.cumsum(products[::-1], axis=0)[::-1] if backward else np.cumsum(products, axis=0)
    np.testing.assert_allclose(found[2][:, 0], sums)
    np.testing.assert_allclose(found[2][:, 1], np.sqrt(given[0][:, 1]))
    np.testing.assert_allclose(found[3][:, 0], given[3][:, 0] - sums)
    assert (found[2][:, 2] == 4.0).all()
    np.testing.assert_array_equal(found[0], given[0])


@pytest.mark.skipif(not hasattr(_run, "py_func"), reason="machine code is switched off")
@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("lanes", [1, 4, 8])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_machine_code_does_the_same(backward: bool, lanes: int, dtype: Any) -> None:
    expected, found = arrays(lanes, dtype), arrays(lanes, dtype)
    flat = [each.ravel() for each in expected]
    interpret_recurrence(specification(backward), lanes)(None, None, *flat, 1.0, ROWS)
    address = compiler.address(specification(backward), lanes, dtype == np.float64)
    run: Any = _run
    run(address, *(each.ravel() for each in found), dtype(1.0), ROWS)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
