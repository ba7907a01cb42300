# SPDX-License-Identifier: GPL-3.0-or-later
"""Several threads on one step, and several simulations at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import naive
import pytest

import core
from core.layout.program import sensible_threads
from core.native import threads
from core.native.team import Team
from core.native.threads import available, run_on_threads, side_by_side


def fallen(threads: int | None) -> bytes:
    """Positions of a small cloth after a few frames."""
    positions, faces = naive.quad_grid(20, 20, 1.0, 1.0)
    model = core.Model()
    model.add_cloth(positions, faces, pins=[0, 20])
    simulation = core.Simulation(model, core.XPBD(substeps=20, threads=threads))
    for _ in range(5):
        simulation.advance(1 / 24)
    return simulation.positions.tobytes()


def test_simulations_at_the_same_time_do_not_wait_for_each_other_for_ever() -> None:
    """Their steps share a pool of threads, in which half of each could block the other's half."""
    alone = fallen(1)
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(fallen, [3, 3, 3, 3], timeout=120)) == {alone}


def test_every_thread_is_called_once() -> None:
    calls: list[tuple[str, int, int]] = []

    def note(argument: str, team: Team) -> int:
        calls.append((argument, team.thread, team.threads))
        return team.thread

    assert run_on_threads(4, note, "argument") == 0
    assert sorted(calls) == [("argument", thread, 4) for thread in range(4)]


def test_how_long_its_threads_ran_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of which one does nothing while the other works: half of the time."""
    noted: list[tuple[int, float, float]] = []
    monkeypatch.setattr(threads.free_cores, "note", lambda *call: noted.append(call))

    def work(team: Team) -> None:
        until = time.thread_time() + 0.1 * (team.thread + 1)
        while time.thread_time() < until:
            pass

    run_on_threads(1, work)
    assert noted == [], "one thread waits for nobody"
    run_on_threads(2, work)
    ((count, seconds, ran),) = noted
    assert count == 2
    assert ran == pytest.approx(0.3, rel=0.2)
    assert seconds >= 0.2


def test_steps_go_by_the_cores_that_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it is said how many threads share them."""
    asked: list[int] = []

    def only_one(wanted: int) -> int:
        asked.append(wanted)
        return 1

    monkeypatch.setattr(threads.free_cores, "of", only_one)
    monkeypatch.setattr("core.solvers.common.base.Solver.sensible_threads", lambda *_: 4)
    alone = fallen(2)
    assert asked == []
    assert fallen(None) == alone
    assert set(asked) == {4}


def test_tasks_side_by_side_are_all_done_before_one_that_failed_is_told() -> None:
    done: list[int] = []

    def fail() -> None:
        raise ValueError("the second")

    tasks: list[Callable[[], object]] = [partial(done.append, number) for number in range(9)]
    tasks.insert(1, fail)
    with pytest.raises(ValueError, match="the second"):
        side_by_side(3, tasks)
    assert sorted(done) == list(range(9))


def test_tasks_side_by_side_run_at_the_same_time() -> None:
    together = Barrier(2, timeout=60)
    side_by_side(2, [lambda: together.wait(), lambda: together.wait()])


def test_small_models_and_models_without_constraints_take_one_thread() -> None:
    assert available() >= 1
    model = core.Model()
    model.add_particles([(0, 0, 0), (1, 0, 0)], 1.0)
    assert sensible_threads(core.XPBD().prepare(model).program) == 1
    model.add_constraints("distance", [(0, 1)])
    assert sensible_threads(core.XPBD().prepare(model).program) == 1


def test_fewer_threads_where_processes_share_a_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "cores", lambda: 6)
    for allowed, expected in (("", 6), ("2", 2), ("99", 6), ("0", 1), ("many", 6)):
        monkeypatch.setenv("XPBD_THREADS", allowed)
        assert threads.available.__wrapped__() == expected
