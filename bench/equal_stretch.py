# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's cloth modifier, and we with as many substeps as stretch no more than it does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import core

from .default_settings import DRAG, SOLVER
from .report import Table, at_least
from .scenes import Faces
from .setting import Setting
from .sheet import FRAMES, frame_times, run_peer, simulate
from .strain import LATE
from .timing import median, robust_mean

SIDES = (64, 128, 200)
SUBSTEPS = (10, 12, 14, 17, 20, 24, 28, 34, 40, 48, 57, 68, 80, 96, 113, 134, 160, 226, 320, 453)
FACES: dict[Faces, str] = {
    "irregular": "any mesh",
    "triangles": "grid cut into triangles",
    "quads": "detected grid",
}
BARS: dict[Faces, float] = {"irregular": 10.0, "quads": 25.0}
MODIFIER = "cloth modifier"
THREADS = {"ours, 1 thread": 1, "ours, default threads": None}

Run = Callable[[], dict[str, Any]]


def measure(setting: Setting) -> list[Table]:
    """For each mesh find the substeps that match the modifier, then time both in turn."""
    table = Table(
        f"Equal stretch: the hanging sheet, {FRAMES} frames, the modifier at quality 5",
        (
            "mesh",
            "vertices",
            "method",
            "substeps",
            "p99 %",
            "max %",
            "processor ms",
            "ms/frame",
            "modifier / this",
        ),
    )
    if not setting.blenders.plain:
        table.remarks = ["SKIPPED: no bpy was named (see bench/blenders.py)."]
        return [table]
    core.warm_up.warm_up()
    for faces, title in FACES.items():
        for side in SIDES:
            rows = _compare(setting, side, faces)
            table.rows += [(title, side * side, *row) for row in rows]
    every: list[Any] = table.rows
    for faces, bound in BARS.items():
        for name in THREADS:
            ratios = [
                row[-1] if row[3] else 0.0  # no number of substeps sufficed
                for row in every
                if row[0] == FACES[faces] and row[2] == name
            ]
            what = f"{FACES[faces]}: modifier / {name}, the least of {SIDES}²"
            table.bars.append(at_least(what, min(ratios), bound))
    table.remarks = [
        "any mesh: triangles of inner vertices moved by up to 0.3 of their distance.",
        f"p99: 99th percentile of the strain of all edges, the median of the last {LATE} frames; "
        "max: of the last frame. The sheet hangs by two vertices, whose own stretch grows with the "
        "mesh.",
        f"Ours: default material, drag {DRAG} 1/s, automatic quality with the lowest limit of "
        f"{SUBSTEPS} substeps, of one iteration, whose p99 is at most the modifier's.",
        f"ms/frame: each frame's median over {setting.rounds} runs taken in turn, mean; "
        "of the largest modifier one run, which takes minutes. The modifier: scene.frame_set in "
        "Blender, which uses all threads; processor ms: of all threads together.",
    ]
    return [table]


def _compare(setting: Setting, side: int, faces: Faces) -> list[tuple[Any, ...]]:
    """Return rows without mesh and vertices."""
    peer = partial(run_peer, _newest(setting), "modifier", side, faces)
    runs: dict[str, list[dict[str, Any]]] = {MODIFIER: [peer()]} | {name: [] for name in THREADS}
    aim = runs[MODIFIER][0]["strain"]["percentile_99_late"]
    substeps = _substeps_for(aim, side, faces)
    methods: dict[str, Run] = {
        name: partial(simulate, side, threads, options(substeps or SUBSTEPS[-1]), faces)
        for name, threads in THREADS.items()
    }
    for number in range(setting.rounds):
        for name, run in methods.items():
            runs[name].append(run())
        if number > 0 and side < SIDES[-1]:
            runs[MODIFIER].append(peer())
    times = {name: robust_mean(frame_times(found)) for name, found in runs.items()}
    rows = []
    for name, found in runs.items():
        title = f"{name}, Blender {found[0]['blender']}" if name == MODIFIER else name
        steps = None if name == MODIFIER else substeps
        strain = found[-1]["strain"]
        stretch = (100 * strain["percentile_99_late"], 100 * strain["largest"])
        used = median([run["processor"] for run in found])
        rows.append((title, steps, *stretch, used, times[name], times[MODIFIER] / times[name]))
    return rows


def options(substeps: int) -> dict[str, Any]:
    """Return the default solver's, but for always so many substeps."""
    return SOLVER | {"substeps": substeps, "iterations": 1, "largest_stretch": 0.0}


def _substeps_for(aim: float, side: int, faces: Faces) -> int | None:
    """Return the fewest substeps whose stretch is at most ``aim``, by halving; None if none is."""
    low, high = 0, len(SUBSTEPS)
    while low < high:
        middle = (low + high) // 2
        strain = simulate(side, None, options(SUBSTEPS[middle]), faces)["strain"]
        if strain["percentile_99_late"] <= aim:
            high = middle
        else:
            low = middle + 1
    return SUBSTEPS[low] if low < len(SUBSTEPS) else None


def _newest(setting: Setting) -> Path:
    return setting.blenders.plain[-1]
