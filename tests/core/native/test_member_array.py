# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays that go by their address do what arrays do."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from core.native.by_address import by_address
from core.native.compiled import native, native_part

RECORD = np.dtype([("number", np.int64), ("weight", np.float32)])


@by_address
class Arrays(NamedTuple):
    """Arrays of one, two and three axes, and of records."""

    line: NDArray[Any]
    table: NDArray[Any]
    block: NDArray[Any]
    records: NDArray[Any]


@native_part
def total(numbers):  # type: ignore[no-untyped-def]
    result = 0.0
    for number in range(len(numbers)):
        result += numbers[number]
    return result


@native
def go_through(arrays):  # type: ignore[no-untyped-def]
    line, table, block, records = arrays.line, arrays.table, arrays.block, arrays.records
    rows, columns = table.shape
    for row in range(rows):
        for column in range(columns):
            table[row, column] += line[row] * block[row, column, block.shape[2] - 1]
    record = records[1]
    record.weight = records[0].weight + record.number
    table[0] = table[1]
    line[1:3] = 7.0
    return total(line) + total(table[rows - 1]) + len(block)


def example(order: Any) -> Arrays:
    block = np.asarray(np.arange(24.0).reshape(3, 2, 4), order=order)
    table = np.asarray(np.arange(6.0).reshape(3, 2), order=order)
    records = np.array([(1, 2.0), (3, 4.0)], RECORD).view(np.recarray)
    return Arrays(np.arange(3.0), table, block, records)


@pytest.mark.jit_off
@pytest.mark.parametrize("order", ["C", "F"])
def test_reading_writing_and_slices(order: Any) -> None:
    arrays, expected = example(order), example(order)
    function = getattr(go_through, "py_func", go_through)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(function.__globals__, "total", getattr(total, "py_func", total))
        result = function(expected)
    assert go_through(arrays) == result
    for found, wanted in zip(arrays, expected, strict=True):
        assert found.tolist() == wanted.tolist()
    assert arrays.records.tolist() == [(1, 2.0), (3, 5.0)]


@pytest.mark.jit_off
def test_arrays_from_python_and_slices_of_them() -> None:
    @native
    def both(numbers):  # type: ignore[no-untyped-def]
        return total(numbers) + 10.0 * total(numbers[1:])

    for numbers in (np.arange(4.0), np.arange(8.0)[::2], np.arange(4, dtype=np.float32)):
        assert both(numbers) == numbers.sum() + 10.0 * numbers[1:].sum()


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="types are those of native code")
def test_an_array_that_may_not_be_written_is_not() -> None:
    @native
    def write(numbers):  # type: ignore[no-untyped-def]
        numbers[0] = 1.0

    numbers = np.zeros(3)
    numbers.flags.writeable = False
    with pytest.raises(numba.TypingError):
        write(numbers)
