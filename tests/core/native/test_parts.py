# SPDX-License-Identifier: GPL-3.0-or-later
"""How functions are compiled: once for all constants, parts only within others."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from core.native.compiled import native, native_part

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


@native_part
def weighed(value, first, negative):  # type: ignore[no-untyped-def]
    return -value * first if negative else value * first


@native
def with_constants(value):  # type: ignore[no-untyped-def]
    return weighed(value, 2, True) + weighed(value, 3, False) + weighed(value, 5, True)


@native
def with_variables(value, first, negative):  # type: ignore[no-untyped-def]
    return weighed(value, first, negative)


def test_constants_are_no_types() -> None:
    assert with_constants(1.5) == 1.5 * (-2 + 3 - 5)
    assert with_variables(1.5, 7, True) == -10.5
    assert len(weighed.signatures) == 1


def test_parts_have_no_machine_code() -> None:
    with_constants(1.5)
    (part,), (whole,) = weighed.overloads.values(), with_constants.overloads.values()
    name = part.fndesc.llvm_func_name
    assert part.library.get_function(name)
    assert "ret" in str(part.library.get_function(name))
    assert name not in str(whole.library.get_asm_str())


def test_python_finds_what_was_compiled_whatever_goes_by_its_address() -> None:
    @native
    def first_of(numbers):  # type: ignore[no-untyped-def]
        return numbers[0]

    first_of(np.arange(3.0))
    compile_again = first_of._compile_for_args
    first_of._compile_for_args = None
    assert first_of(np.arange(5.0)) == 0.0
    first_of._compile_for_args = compile_again
    assert first_of(np.arange(5)) == 0
    assert len(first_of.signatures) == 2


def test_a_part_that_is_called_only_after_it_was_dropped_is_there() -> None:
    """LLVM takes along what has been called; where a call comes to nothing, another may not."""

    @native_part
    def inner(value):  # type: ignore[no-untyped-def]
        return 2.0 * value

    @native_part
    def without(value):  # type: ignore[no-untyped-def]
        return inner(value) if value != value and value == value else value

    @native
    def whole(value):  # type: ignore[no-untyped-def]
        return without(value) + inner(value)

    assert whole(1.5) == 4.5


def test_loops_over_ranges_and_extremes_are_those_of_python() -> None:
    @native_part
    def visited(first, last, step, seen):  # type: ignore[no-untyped-def]
        count = 0
        for number in range(first, last):
            if number == 3:
                continue
            count += 1
            seen[count - 1] = number
        for number in range(last, first, step):
            count += number
        for number in range(min(first, 2), max(last, 1, 2.5) > 2.0):
            count += 100 * (1 + number)
        return count

    @native
    def whole(first, last, step, seen):  # type: ignore[no-untyped-def]
        return visited(first, last, step, seen)

    for first, last in ((0, 6), (2, 2), (5, 1), (-2, 4)):
        for step in (-1, -2, 2):
            seen, expected = np.zeros(8, np.int64), np.zeros(8, np.int64)
            count = visited.py_func(first, last, step, expected)
            assert whole(first, last, step, seen) == count
            assert seen.tolist() == expected.tolist()
