# SPDX-License-Identifier: GPL-3.0-or-later
"""Running one native function on several threads at once."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numba

from ..layout.program import BLOCKS, LANES, Program

_SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"

WORK_PER_THREAD = 400
"""Constraints a thread needs in an average batch to earn what meeting the others costs."""


@cache
def available() -> int:
    """Threads worth using: one for each core that this process may run on, at most eight."""
    return max(1, min(8, _linux_cores() or (os.cpu_count() or 1) // 2))


def _linux_cores() -> int:
    """Cores, not processors: processors that share a core count once. Zero where unknown."""
    siblings = {
        path.read_text()
        for processor in (os.sched_getaffinity(0) if sys.platform == "linux" else ())
        if (path := Path(_SIBLINGS.format(processor))).exists()
    }
    return len(siblings)


def sensible_threads(program: Program) -> int:
    """How many threads a program of this size keeps busy."""
    if len(program.batches) == 0 or numba.config.DISABLE_JIT:
        return 1
    constraints = (program.batches[:, BLOCKS] * program.batches[:, LANES]).mean()
    return max(1, min(available(), int(constraints / WORK_PER_THREAD)))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="xpbd")


_lock = threading.Lock()


def run_on_threads(threads: int, function: Callable[..., Any], *arguments: Any) -> None:
    """Call ``function(*arguments, thread, threads)`` for every thread at the same time.

    One call after the other: threads of two calls that share a pool would wait for each other.
    """
    if threads == 1:
        function(*arguments, 0, 1)
        return
    with _lock:
        helpers = [
            _pool(threads - 1).submit(function, *arguments, thread, threads)
            for thread in range(1, threads)
        ]
        function(*arguments, 0, threads)
        for helper in helpers:
            helper.result()
