# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads of a step one after the other, in a chosen order, from each meeting to the next.

What a thread does between two meetings must not depend on what others do there. Where it does,
because a meeting is missing, real threads differ once in many steps; those that take turns differ
in every one: in ascending order each sees all that the threads before it have done, in descending
order all that those behind it have.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from core.native.barrier import GENERATION, new_barrier
from core.native.team import Team

Order = Callable[[int], Iterable[int]]

ARRIVALS = 0


def ascending(threads: int) -> Iterable[int]:
    return range(threads)


def descending(threads: int) -> Iterable[int]:
    return reversed(range(threads))


class TakingTurns:
    """Stands in for :func:`core.native.threads.run_on_threads`.

    Each thread has a barrier of its own, at which it waits until it is its turn.

    Args:
        order: in which they do so.

    Attributes:
        meetings: how often they have met.
    """

    def __init__(self, order: Order) -> None:
        self.order = order
        self.meetings = 0

    def __call__(self, threads: int, function: Callable[..., Any], *arguments: Any) -> Any:
        barriers = [new_barrier() for _ in range(threads)]
        with ThreadPoolExecutor(threads) as pool:
            calls: dict[int, Future[Any]] = {}
            turns = [0] * threads
            while len(calls) < threads or not all(call.done() for call in calls.values()):
                self.meetings += 1
                for thread in self.order(threads):
                    barrier = barriers[thread]
                    if thread not in calls:
                        team = Team(barrier, thread, threads)
                        calls[thread] = pool.submit(function, *arguments, team)
                    elif calls[thread].done():
                        continue
                    else:
                        barrier[ARRIVALS] = 0
                        time.sleep(0.0)  # let that be seen first
                        barrier[GENERATION] += 1
                    turns[thread] += 1
                    while barrier[ARRIVALS] == 0 and not calls[thread].done():
                        time.sleep(0.0)
        assert len(set(turns)) == 1, "some threads meet more often than others"
        return calls[0].result()


def take_turns(patch: pytest.MonkeyPatch, order: Order) -> TakingTurns:
    """Let threads of all steps take turns from now on."""
    turns = TakingTurns(order)
    patch.setattr("core.solvers.common.base.run_on_threads", turns)
    return turns
