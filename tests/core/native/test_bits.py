# SPDX-License-Identifier: GPL-3.0-or-later
"""Bits that several threads add to the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

from core.native.bits import add_bits
from core.native.compiled import native
from core.native.team import meet
from core.native.threads import run_on_threads

ROUNDS, NUMBERS = 2000, 64


@native
def add_all(numbers, team):  # type: ignore[no-untyped-def]
    """Let every thread add a bit of its own to each number, again and again."""
    for number in range(ROUNDS):
        meet(team)
        for place in range(len(numbers[number])):
            add_bits(numbers[number], place, np.uint64(1) << np.uint64(team.thread))


@pytest.mark.parametrize("threads", [1, 3])
def test_no_bit_gets_lost(threads: int) -> None:
    numbers = np.zeros((ROUNDS, NUMBERS), np.uint64)
    run_on_threads(threads, add_all, numbers)
    np.testing.assert_array_equal(numbers, 2**threads - 1)


@pytest.mark.jit_off
def test_bits_that_were_there_stay() -> None:
    numbers = np.full((ROUNDS, 2), 0b110, np.uint64)
    run_on_threads(1, add_all, numbers)
    np.testing.assert_array_equal(numbers, 0b111)
