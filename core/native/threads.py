# SPDX-License-Identifier: GPL-3.0-or-later
"""Running one native function on several threads at once."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import Any

from .barrier import new_barrier
from .compiled import native
from .cores import cores
from .free_cores import FreeCores
from .team import Team, meet

MOST_THREADS = 16
"""Threads that can share a step."""


@cache
def available() -> int:
    """Threads worth using: one for each core that this process may run on, at most eight.

    Fewer where `XPBD_THREADS` is set, by whoever starts several processes side by side.
    """
    allowed = os.environ.get("XPBD_THREADS", "")
    most = int(allowed) if allowed.isdecimal() else 8
    return max(1, min(most, 8, cores()))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="xpbd")


MEETINGS = 300
"""Of threads that find out whether there are cores for them: they take 60 µs, or 60 ms if not."""

_lock = threading.Lock()


def run_on_threads(threads: int, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call ``function(*arguments, team)`` for every thread at the same time.

    One call after the other: threads of two calls that share a pool would wait for each other.

    Returns:
        What the first thread's call returns.
    """
    barrier = new_barrier()
    teams = [Team(barrier, thread, threads) for thread in range(threads)]
    if threads == 1:
        return function(*arguments, teams[0])

    def run(team: Team) -> tuple[Any, float, float]:
        # From where it runs on: that a thread is woken takes some time on a quiet computer, too.
        began, before = time.perf_counter(), time.thread_time()
        result = function(*arguments, team)
        return result, time.perf_counter() - began, time.thread_time() - before

    with _lock:
        helpers = [_pool(threads - 1).submit(run, team) for team in teams[1:]]
        results, seconds, ran = zip(
            run(teams[0]), *(helper.result() for helper in helpers), strict=True
        )
        free_cores.note(threads, sum(seconds) / threads, sum(ran))
    return results[0]


@native
def _meet_often(meetings, team):  # type: ignore[no-untyped-def]
    for _ in range(meetings):
        meet(team)


def _wait_for_each_other(threads: int) -> None:
    run_on_threads(threads, _meet_often, MEETINGS)


free_cores = FreeCores(_wait_for_each_other)


def side_by_side(threads: int, tasks: Sequence[Callable[[], object]]) -> None:
    """Do tasks that each need one thread, so many at the same time; return when all are done."""
    if threads == 1 or len(tasks) == 1:
        for task in tasks:
            task()
        return
    started = [_pool(threads).submit(task) for task in tasks]
    wait(started)
    for each in started:
        each.result()
