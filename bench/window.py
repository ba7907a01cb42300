# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulate in a live window over the same work in background, and the longest gap meanwhile."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from .report import ROOT, Table, at_most
from .setting import Setting
from .timing import median

RATIO_BAR = 1.5
GAP_BAR = 0.5  # seconds
SKIPPED = 77  # what tests/ui/run.py ends with where no such Blender can be had
MEASURED = "measured "


def measure(setting: Setting) -> list[Table]:
    """Have Blender simulate in its event loop and without it, in turn."""
    table = Table(
        "Simulate in a live window, default settings",
        ("vertices", "frames", "background s", "window s", "ratio", "a redraw s", "longest gap s"),
    )
    with tempfile.TemporaryDirectory(prefix="xpbd-bench-") as folder:
        found, why = _run(Path(folder))
    if why:
        table.remarks = [f"SKIPPED: {why}"]
        return [table]
    for each in found:
        taken = each["rounds"]
        alone, shown = (min(one[name] for one in taken) for name in ("alone", "window"))
        redraw, gap = (median([one[name] for one in taken]) for name in ("redraw", "gap"))
        ratio = shown / alone
        table.rows.append((each["vertices"], each["frames"], alone, shown, ratio, redraw, gap))
        what = f"of {each['vertices']:,} vertices"
        beyond = median([one["gap"] - one["redraw"] for one in taken])
        table.bars += [
            at_most(f"Simulate {what}: window over background", ratio, RATIO_BAR),
            at_most(f"Simulate {what}: longest gap beyond one redraw [s]", beyond, GAP_BAR),
        ]
    rounds = len(found[0]["rounds"])
    table.remarks = [
        f"{rounds} rounds, background and window in turn in one process: the least "
        "of each, as other programs only add to it; of redraws and longest gaps the median.",
        "Drawn in software: a redraw takes a processor's whole time, and from the solver's.",
    ]
    return [table]


def _run(folder: Path) -> tuple[list[dict[str, Any]], str]:
    """What was measured, or why nothing was."""
    zips = [sys.executable, "build.py", "zip", "--platform", "linux-x64", "--python", "3.13"]
    _ended([*zips, "--output", str(folder)])
    (archive,) = folder.glob("*.zip")
    window = [sys.executable, "tests/ui/run.py", "--suite", "trixie", "--zip", str(archive)]
    script = ["--script", "measure_simulate.py", "--shots", str(folder / "shots")]
    output = _ended([*window, *script])
    for line in output.splitlines():
        if MEASURED in line:
            return json.loads(line.partition(MEASURED)[2]), ""
    return [], output.strip().splitlines()[-1]


def _ended(command: list[str]) -> str:
    """What it printed; RuntimeError where it failed."""
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if ended.returncode not in (0, SKIPPED):
        raise RuntimeError(f"{' '.join(command)} failed:\n{ended.stdout}{ended.stderr}")
    return ended.stdout
