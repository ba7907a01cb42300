# SPDX-License-Identifier: GPL-3.0-or-later
"""From starting a process to the first simulated frame, the first time and later."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from .blenders import run_script
from .report import Table, at_most
from .setting import Setting
from .timing import median

FIRST, LATER = "first (nothing compiled)", "later (from disk)"
CORE_STAGES = ("start Python", "import core", "kernels", "first frame")
BLENDER_STAGES = ("start Blender", "enable", "kernels", "set up", "first frame")


def measure(setting: Setting) -> list[Table]:
    """Start processes with an empty and with a filled folder of compiled code, in turn."""
    tables = [_table("The core alone", CORE_STAGES, [_core_pair() for _ in range(setting.rounds)])]
    extended = setting.blenders.extended
    if extended is None:
        tables[0].remarks.append("SKIPPED Blender: no extension was named (bench/blenders.py).")
        return tables
    kernels = _start_blender(extended)["kernel_folder"]
    pairs = [_blender_pair(extended, Path(kernels)) for _ in range(setting.rounds)]
    title = f"Blender {pairs[0][FIRST]['blender']} with the extension"
    tables.append(_table(title, BLENDER_STAGES, pairs))
    tables[-1].bars = [
        at_most(
            "kernels ready without a cache [s]",
            median([pair[FIRST]["kernels"] for pair in pairs]),
            10.0,
        ),
        at_most(
            "starting Blender to the first frame with a warm cache [s]",
            median([sum(pair[LATER][stage] for stage in BLENDER_STAGES) for pair in pairs]),
            1.5,
        ),
    ]
    return tables


def _core_pair() -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="xpbd-bench-") as folder:
        return {key: _start_core(folder) for key in (FIRST, LATER)}


def _blender_pair(python: Path, kernels: Path) -> dict[str, Any]:
    shutil.rmtree(kernels)
    return {key: _start_blender(python) for key in (FIRST, LATER)}


def _start_core(folder: str) -> Any:
    return run_script(sys.executable, "startup_core", str(time.time()), folder)


def _start_blender(python: Path) -> Any:
    return run_script(python, "startup_blender", str(time.time()))


def _table(what: str, stages: tuple[str, ...], pairs: list[dict[str, Any]]) -> Table:
    table = Table(
        f"{what}: seconds from starting the process to the first simulated frame",
        ("", *(f"{stage} s" for stage in stages), "together s", "least s", "most s", "processor s"),
    )
    for key in (FIRST, LATER):
        runs = [[pair[key][stage] for stage in stages] for pair in pairs]
        totals = [sum(run) for run in runs]
        parts = [median([run[k] for run in runs]) for k in range(len(stages))]
        processor = median([pair[key]["processor"] for pair in pairs])
        table.rows.append((key, *parts, median(totals), min(totals), max(totals), processor))
    table.remarks = [
        f"Medians of {len(pairs)} pairs of processes, first and later in turn; files are in the "
        "system's cache, as they are after any earlier use.",
        "The first frame is of a sheet of 32 x 32 vertices at default settings.",
        "processor s: what the process itself used; other programs disturb it less.",
    ]
    return table
