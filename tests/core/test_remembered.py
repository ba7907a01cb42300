# SPDX-License-Identifier: GPL-3.0-or-later
"""What functions have returned is known for equal arguments, and is nobody's to spoil."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from core import remembered as memory
from core.remembered import forget, in_units, remembered


class Pair(NamedTuple):
    one: Any
    other: Any


@dataclass(frozen=True)
class Thing:
    numbers: Any


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    forget()
    yield
    forget()


class Counted:
    """A remembered function that counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

        @remembered
        def of(*arguments: Any, **options: Any) -> Any:
            self.calls += 1
            return arguments, options

        self.of = of


ZEROS = np.zeros(4)
DIFFERENT = {
    "values": (ZEROS, np.array([0.0, 0.0, 0.0, 1e-300])),
    "negative zero": (ZEROS, -ZEROS),
    "types": (ZEROS, ZEROS.astype(np.float32)),
    "types of equal bytes": (ZEROS, ZEROS.view(np.int64)),
    "shapes": (ZEROS, ZEROS.reshape(2, 2)),
    "empty shapes": (np.zeros((0, 3)), np.zeros((0, 2))),
    "plain values": (1, 2),
    "a truth and a number": (True, 1),
    "a text and a number": ("1", 1),
    "where a list ends": (([1, 2], [3]), ([1], [2, 3])),
    "kinds of containers": ((1, 2), [1, 2]),
    "fields": (Pair(1, 2), Pair(2, 1)),
    "fields of dataclasses": (Thing(ZEROS), Thing(ZEROS + 1.0)),
    "keys": ({"a": 1}, {"b": 1}),
    "types of numbers": (np.float32, np.float64),
}


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_other_arguments_have_their_own_result(one: Any, other: Any) -> None:
    counted = Counted()
    for argument in (one, other, one, other):
        assert repr(counted.of(argument)) == repr(((argument,), {}))
    assert counted.calls == 2


def test_equal_arguments_are_known_wherever_they_lie() -> None:
    counted = Counted()
    grid = np.arange(12.0).reshape(3, 4)
    for same in (grid, grid.copy(), np.asfortranarray(grid), np.repeat(grid, 2, axis=0)[::2]):
        counted.of(Thing(same), by=[Pair(same, None)])
    assert counted.calls == 1


def test_who_is_told_of_progress_does_not_matter() -> None:
    counted = Counted()
    counted.of(1, progress=lambda share: None)
    counted.of(1, progress=print)
    assert counted.calls == 1


def test_what_was_returned_can_be_written_to() -> None:
    @remembered
    def made(size: int) -> tuple[Thing, list[Any], dict[str, Any]]:
        return Thing(np.zeros(size)), [np.zeros(size)], {"a": np.zeros(size)}

    for _ in range(3):
        thing, listed, keyed = made(3)
        for array in (thing.numbers, listed[0], keyed["a"]):
            assert not array.any()
            array[:] = 1.0


def test_what_fails_is_tried_again() -> None:
    calls = []

    @remembered
    def fails_once() -> int:
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("not yet")
        return 7

    with pytest.raises(ValueError, match="not yet"):
        fails_once()
    assert fails_once() == fails_once() == 7
    assert len(calls) == 2


def test_what_was_not_asked_for_longest_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MOST", 30_000)
    counted = Counted()
    large = [np.full(1000, float(number)) for number in range(4)]
    for number in (0, 1, 2, 0, 3):
        counted.of(large[number])
    assert counted.calls == 4
    counted.of(large[0])
    counted.of(large[3])
    assert counted.calls == 4
    counted.of(large[1])
    assert counted.calls == 5
    counted.of(np.zeros(10_000))
    counted.of(np.zeros(10_000))
    assert counted.calls == 7  # too large to be known


def test_what_has_no_content_is_refused() -> None:
    with pytest.raises(TypeError, match="nothing can be remembered"):
        Counted().of({1, 2})


def test_what_is_large_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does it drive out what is."""
    counted = Counted()
    counted.of(1)
    monkeypatch.setattr(memory, "LARGEST", 10_000)
    for _ in range(2):
        counted.of(np.zeros(2000))
    assert counted.calls == 3
    counted.of(1)
    assert counted.calls == 3


def test_multiples_are_as_many_units() -> None:
    numbers, part = np.random.default_rng(1).random(600), np.repeat([0, 2, 3], 200)
    factors = np.array([1e-9, 0.0, 0.3, 1e12])
    units, counts = in_units(numbers, part, 4)
    larger, same = in_units(factors[part] * numbers, part, 4)
    np.testing.assert_allclose(units[part] * counts, numbers, rtol=1e-9)
    np.testing.assert_allclose(larger[part], (factors * units)[part])
    np.testing.assert_array_equal(same, counts)


def test_units_of_what_is_none_or_without_end() -> None:
    part = np.array([0, 0, 0, 0, 1])
    units, counts = in_units(np.array([0.0, np.inf, 2.0, 1.0, 0.0]), part, 2)
    np.testing.assert_array_equal(units, [2.0, 1.0])
    np.testing.assert_array_equal(counts, [0.0, np.inf, 1.0, 0.5, 0.0])
    assert len(in_units(np.empty(0), part[:0], 0)[1]) == 0
