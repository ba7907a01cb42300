# SPDX-License-Identifier: GPL-3.0-or-later
"""A sweep of twelve variations: two Blenders side by side against one, and Blenders that die."""

from __future__ import annotations

import os
from typing import Any

from .blenders import run_script
from .report import Table, at_most
from .setting import Setting
from .timing import median

ONE, TWO, KILLED = "one after the other", "two side by side", "two, three of them killed"
RUNS = {ONE: (1, 0), TWO: (2, 0), KILLED: (2, 3)}


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
    for _ in range(setting.rounds):
        for name, (processes, kills) in RUNS.items():
            found[name].append(run_script(python, "sweep_blender", str(processes), str(kills)))
    for name, runs in found.items():
        columns = ("seconds", "simulating", "variations", "simulated", "again")
        table.rows.append((name, *(median([run[column] for run in runs]) for column in columns)))
    ratios = [two["seconds"] / one["seconds"] for one, two in zip(found[ONE], found[TWO])]
    lost = max(run["variations"] - run["simulated"] for runs in found.values() for run in runs)
    table.bars = [
        at_most("two side by side over one after the other", median(ratios), 0.6),
        at_most("variations lost", lost, 0),
    ]
    table.remarks += {error for runs in found.values() for run in runs for error in run["errors"]}
    table.remarks.append(
        f"{os.cpu_count()} processors; where two of them are one core, two Blenders share it."
    )
    return [table]
