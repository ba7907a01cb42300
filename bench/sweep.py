# SPDX-License-Identifier: GPL-3.0-or-later
"""A sweep of twelve variations: two Blenders side by side against one, and Blenders that die.

Also a Blender for each variation, as on a farm, and other counts of threads.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .blenders import run_script
from .report import Table, at_most
from .setting import Setting
from .timing import median

EACH, ONE, TWO = "a Blender each, in turn", "one Blender", "two Blenders, a thread each"
ONE_THREAD, FOUR_THREADS = "one Blender, one thread", "two Blenders, two threads each"
KILLED = "two Blenders, three are killed"
RUNS = {
    EACH: ("each", 0, ""),
    ONE: ("1", 0, ""),
    ONE_THREAD: ("1", 0, "1"),
    TWO: ("2", 0, "1"),
    FOUR_THREADS: ("2", 0, "2"),
    KILLED: ("2", 3, "1"),
}
"""Blenders side by side, how many of them are killed, and their threads, where limited."""


def measure(setting: Setting) -> list[Table]:
    """Run the same sweep in each way, in turn."""
    table = Table(
        "A sweep of twelve variations of a sheet of 40 × 40 quads on 60 frames",
        ("", "seconds", "of them simulating", "variations", "simulated", "started again"),
    )
    python = setting.blenders.extended
    if python is None:
        table.remarks.append("SKIPPED: no extension was named (bench/blenders.py).")
        return [table]
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in RUNS}
    _run(python, ONE)  # kernels may have to be compiled
    for _ in range(setting.rounds):
        for name in RUNS:
            found[name].append(_run(python, name))
    for name, runs in found.items():
        columns = ("seconds", "simulating", "variations", "simulated", "again")
        table.rows.append((name, *(median([run[column] for run in runs]) for column in columns)))
    lost = max(run["variations"] - run["simulated"] for runs in found.values() for run in runs)
    table.bars = [
        at_most("two Blenders over a Blender each, in turn", _ratio(found, TWO, EACH), 0.6),
        at_most("two Blenders over one", _ratio(found, TWO, ONE), 0.6),
        at_most("variations lost", lost, 0),
    ]
    table.remarks += {error for runs in found.values() for run in runs for error in run["errors"]}
    table.remarks.append(
        f"{os.cpu_count()} processors; where two of them are one core, two Blenders share it."
    )
    return [table]


def _run(python: Path, name: str) -> dict[str, Any]:
    processes, kills, threads = RUNS[name]
    limit = {"XPBD_THREADS": threads}
    return dict(run_script(python, "sweep_blender", processes, str(kills), variables=limit))


def _ratio(found: dict[str, list[dict[str, Any]]], name: str, other: str) -> float:
    """Of the times of two ways, that of each round by itself."""
    pairs = zip(found[name], found[other], strict=True)
    return median([one["seconds"] / two["seconds"] for one, two in pairs])
