# SPDX-License-Identifier: GPL-3.0-or-later
"""A small sum that needs all that core uses of numba's internals.

It is compiled once and then loaded from disk as everything else.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .address_type import check_symbols, pass_by_address
from .parts import declare, declare_part


class Inner(NamedTuple):
    """A tuple within another, of a number and an array."""

    weight: float
    numbers: NDArray[np.float64]


class Outer(NamedTuple):
    """Two arrays of one type, with a tuple between them."""

    first: NDArray[np.float64]
    inner: Inner
    sums: NDArray[np.float64]


for _kind in (Inner, Outer):
    pass_by_address(_kind)


@declare_part
def _sum_at(outer: Any, place: int) -> Any:
    return outer.first[place] + outer.inner.weight * outer.inner.numbers[place]


@declare
def _add_up(outer: Any) -> None:
    for place in range(len(outer.sums)):
        outer.sums[place] = _sum_at(outer, place)


def run() -> None:
    """Raise RuntimeError where the sums come out wrong; a change of numba may raise anything."""
    check_symbols()
    outer = Outer(np.array([1.0, 2.0]), Inner(0.5, np.array([8.0, 16.0])), np.zeros(2))
    _add_up(outer)
    if outer.sums.tolist() != [5.0, 10.0]:
        raise RuntimeError(f"[5.0, 10.0] came out as {outer.sums.tolist()}")
