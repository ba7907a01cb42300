# SPDX-License-Identifier: GPL-3.0-or-later
"""The threads that work on one step together, as each of them sees them."""

from __future__ import annotations

from typing import Any, NamedTuple

from .barrier import wait
from .by_address import by_address
from .compiled import native_part

SPACING = 8
"""Numbers between those of two threads, so that they don't share a cache line."""


@by_address
class Team(NamedTuple):
    """One of several threads.

    Attributes:
        barrier: where they meet; see :func:`core.native.barrier.new_barrier`.
        thread: its number.
        threads: how many there are.
    """

    barrier: Any
    thread: int
    threads: int


@native_part
def meet(team):  # type: ignore[no-untyped-def]
    """Return once all threads have come here."""
    wait(team.barrier, team.threads)


@native_part
def share_of(count, thread, threads):  # type: ignore[no-untyped-def]
    """First and last of a thread's part of ``count`` things."""
    return count * thread // threads, count * (thread + 1) // threads


@native_part
def own_share(count, team):  # type: ignore[no-untyped-def]
    """The same for a thread of a team."""
    return share_of(count, team.thread, team.threads)
