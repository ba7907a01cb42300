# SPDX-License-Identifier: GPL-3.0-or-later
"""How many threads share a step while other programs take cores."""

from __future__ import annotations

from itertools import pairwise

import pytest

from core.native import threads
from core.native.free_cores import FIRST_PAUSE, LONGEST_PAUSE, LOOK, FreeCores


class Computer:
    """One on which calls run as long as there are cores for their threads, by its own clock."""

    def __init__(self, free: float) -> None:
        self.free = free
        self.now = 0.0
        self.looks = 0
        self.cores = FreeCores(self._wait, lambda: self.now)

    def _wait(self, threads: int) -> None:
        self.looks += 1
        self.call(threads, 0.4 * LOOK)

    def call(self, threads: int, seconds: float) -> None:
        self.now += seconds
        self.cores.note(threads, seconds, seconds * min(threads, self.free))

    def step(self, wanted: int = 8, seconds: float = LOOK) -> int:
        """The threads that share a step."""
        threads = self.cores.of(wanted)
        if threads > 1:
            self.call(threads, seconds)
        else:
            self.now += seconds
        return threads


def test_all_that_are_wanted_where_nothing_else_runs() -> None:
    computer = Computer(free=8.0)
    assert [computer.step() for _ in range(100)] == 100 * [8]
    assert computer.looks == 3, "only once, before anything is known"


@pytest.mark.parametrize(("free", "threads"), [(7.1, 7), (5.9, 5), (1.4, 1), (0.3, 1)])
def test_as_many_as_there_are_cores_once_they_were_missing_twice(free: float, threads: int) -> None:
    computer = Computer(free=8.0)
    computer.step()
    computer.free = free
    assert [computer.step() for _ in range(5)] == [8, 8, threads, threads, threads]
    assert computer.step(wanted=1) == 1


def test_a_step_for_which_code_is_loaded_changes_nothing() -> None:
    computer = Computer(free=8.0)
    computer.step()
    for _ in range(10):
        computer.free = 1.0
        assert computer.step() == 8
        computer.free = 8.0
        assert computer.step() == 8


def test_a_part_of_a_core_that_is_missing_changes_nothing() -> None:
    computer = Computer(free=7.6)
    assert {computer.step() for _ in range(100)} == {8}


def test_none_but_one_is_used_before_there_are_any() -> None:
    computer = Computer(free=1.2)
    assert {computer.step() for _ in range(50)} == {1}


def test_more_are_looked_for_less_and_less_often() -> None:
    computer = Computer(free=1.0)
    looked_at = []
    while computer.now < 200.0:
        before = computer.looks
        computer.step()
        if computer.looks > before:
            looked_at.append(computer.now)
    pauses = [later - sooner for sooner, later in pairwise(looked_at)]
    assert pauses[0] == pytest.approx(FIRST_PAUSE, abs=4 * LOOK)
    assert pauses[1] == pytest.approx(2.0 * FIRST_PAUSE, abs=4 * LOOK)
    assert pauses[-1] == pytest.approx(LONGEST_PAUSE, abs=4 * LOOK)


def test_when_they_are_free_again_they_are_used_again() -> None:
    computer = Computer(free=8.0)
    computer.step()
    computer.free = 2.0
    for _ in range(10):
        computer.step()
    computer.free = 8.0
    before = computer.now
    while computer.step() < 8:
        pass
    assert computer.now - before <= FIRST_PAUSE + 4 * LOOK


def test_what_goes_to_and_fro_is_looked_at_less_often() -> None:
    """Where cores are gone again as soon as they are used."""
    computer = Computer(free=8.0)
    stood = 0
    for _ in range(20000):
        computer.free = 8.0
        threads = computer.cores.of(8)
        computer.free = 1.0
        stood += threads > 1
        computer.call(threads, LOOK) if threads > 1 else None
        computer.now += LOOK
    assert stood <= 8 + 20000 * 2 * LOOK / LONGEST_PAUSE


def test_real_threads_that_wait_for_each_other_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever way, on this computer just now."""
    cores = FreeCores(threads._wait_for_each_other)
    monkeypatch.setattr(threads, "free_cores", cores)
    assert cores.of(1) == 1
    assert 1 <= cores.of(2) <= 2
    assert cores._judged
