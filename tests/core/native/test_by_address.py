# SPDX-License-Identifier: GPL-3.0-or-later
"""Named tuples in native code: members arrive, arrays can be written, types tell them apart."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from core.native.address_type import AddressType
from core.native.by_address import by_address
from core.native.compiled import native

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="types are those of native code")


@by_address
class Inner(NamedTuple):
    weight: Any
    table: NDArray[Any]


@by_address
class Outer(NamedTuple):
    first: NDArray[Any]
    inner: Inner
    size: int
    last: NDArray[Any]


@native
def add_up(outer):  # type: ignore[no-untyped-def]
    for i in range(outer.size):
        outer.last[i] = outer.first[i] + outer.inner.weight * outer.inner.table[i, 1]
    return outer.inner.table.shape


def example(dtype: Any, order: Any = "C") -> Outer:
    table = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype, order=order)
    first = np.array([10, 20, 30], np.uint32)
    return Outer(first, Inner(dtype(0.5), table), 3, np.zeros(3, dtype))


@pytest.mark.jit_off
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_native_code_sees_and_writes_members(dtype: Any, order: str) -> None:
    outer = example(dtype, order)
    assert add_up(outer) == (3, 2)
    np.testing.assert_array_equal(outer.last, [11.0, 22.0, 33.0])


@compiled
def test_the_type_follows_that_of_the_members() -> None:
    kinds = [numba.typeof(example(dtype)) for dtype in (np.float32, np.float64)]
    assert all(isinstance(kind, AddressType) for kind in kinds)
    assert kinds[0] != kinds[1]
    assert kinds[0] == numba.typeof(example(np.float32))
    assert kinds[0] != numba.typeof(example(np.float32, "F"))


def test_a_missing_array_is_an_error() -> None:
    outer = example(np.float64)
    with pytest.raises((numba.TypingError, AttributeError, TypeError)):
        add_up(outer._replace(first=None))


def test_native_code_keeps_no_references() -> None:
    outer = example(np.float64)
    add_up(outer)
    before = [sys.getrefcount(array) for array in (outer.first, outer.last, outer.inner.table)]
    for _ in range(10):
        add_up(outer)
    after = [sys.getrefcount(array) for array in (outer.first, outer.last, outer.inner.table)]
    assert before == after
