# SPDX-License-Identifier: GPL-3.0-or-later
"""What functions of meshes have returned, for the next simulation of the same meshes.

A simulation is laid out anew whenever an artist has changed a number, or other pins hold: mostly of
what it was laid out of before. Neighbours, trees, chains and grids of a mesh are worked out once.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import wraps
from hashlib import blake2b
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

MOST = 1 << 28
"""Bytes that are remembered at most; what has not been asked for longest goes first."""

LARGEST = MOST // 4
"""Bytes of a result above which it is not remembered."""

LEAST = 1 << 10
"""Bytes that a result counts at least."""

DIGITS = 2.0**32
"""To which part of themselves numbers are rounded that are counted in units: far above what differs
by rounding in multiples of each other."""

PLAIN = np.ndarray, np.generic, np.dtype, type, bool, int, float, str, bytes, type(None)


class _Memory:
    """Results by what they are of, in the order in which they were asked for last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: OrderedDict[tuple[str, bytes], tuple[Any, int]] = OrderedDict()
        self._bytes = 0

    def get(self, key: tuple[str, bytes]) -> tuple[Any, int] | None:
        """A result and its bytes; None where it is not known."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
            return self._found.get(key)

    def put(self, key: tuple[str, bytes], result: Any) -> None:
        """Know a copy of a result, and forget others where there are too many."""
        size = LEAST + sum(part.nbytes for part in _parts(result) if isinstance(part, np.ndarray))
        if size > LARGEST:
            return
        copied = _copy(result)
        with self._lock:
            if key not in self._found:
                self._found[key] = copied, size
                self._bytes += size
            while self._bytes > MOST:
                _, (_, size) = self._found.popitem(last=False)
                self._bytes -= size

    def clear(self) -> None:
        """Know nothing."""
        with self._lock:
            self._found.clear()
            self._bytes = 0


_memory = _Memory()
forget = _memory.clear


def remembered(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """A function that knows what it has returned for equal arguments, and returns a copy of that.

    Args:
        function: whose result depends on its arguments only. These and it are arrays and plain
            values, and tuples, lists, dictionaries and dataclasses of such; or what is called to
            tell how far it is, which is not when the result is known.
    """
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def known(*arguments: Arguments.args, **options: Arguments.kwargs) -> Result:
        key = name, _digest((arguments, options))
        before = _memory.get(key)
        if before is not None:
            copied: Result = _copy(before[0])
            return copied
        found = function(*arguments, **options)
        _memory.put(key, found)
        return found

    return known


def in_units(
    numbers: NDArray[np.float64], part: NDArray[np.int64], parts: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A unit of each part, and how many of it numbers are, none below zero, to some ten digits.

    What is worked out of these is known of parts that are any number of times as large, too.

    Args:
        numbers: shape (n,). part: that each is of, shape (n,). parts: how many there are.
    """
    units = np.zeros(parts)
    finite = np.isfinite(numbers)
    np.maximum.at(units, part[finite], numbers[finite])
    units[units == 0.0] = 1.0
    fractions, exponents = np.frexp(numbers / units[part])
    return units, np.ldexp(np.round(fractions * DIGITS) / DIGITS, exponents)


def _digest(value: Any) -> bytes:
    state = blake2b(digest_size=16)
    for part in _parts(value):
        if isinstance(part, np.ndarray):
            state.update(f"{part.dtype.str}{part.shape}".encode())
            state.update(np.ascontiguousarray(part).data)
        else:
            state.update(f"{type(part).__name__}{part!r}|".encode())
    return state.digest()


def _parts(value: Any) -> Iterator[Any]:
    """The arrays and plain values of which something consists, each container begun by its size."""
    inside = _inside(value)
    if inside is None:
        yield value if isinstance(value, PLAIN) else None
        return
    yield type(value).__name__, len(inside)
    for each in inside:
        yield from _parts(each)


def _inside(value: Any) -> list[Any] | None:
    if isinstance(value, (tuple, list)):
        return list(value)
    if isinstance(value, dict):
        return [each for item in value.items() for each in item]
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name) for field in fields(value)]
    if isinstance(value, PLAIN) or callable(value):
        return None
    raise TypeError(f"Of {type(value).__name__} nothing can be remembered.")


def _copy(value: Any) -> Any:
    """The same in other arrays, which may be written to."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple):
        inside = [_copy(each) for each in value]
        return type(value)(*inside) if hasattr(value, "_fields") else tuple(inside)
    if isinstance(value, list):
        return [_copy(each) for each in value]
    if isinstance(value, dict):
        return {key: _copy(each) for key, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        of_fields = {field.name: _copy(getattr(value, field.name)) for field in fields(value)}
        return replace(value, **of_fields)
    return value
