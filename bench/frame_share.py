# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of a live frame in Blender is the solver."""

from __future__ import annotations

from .blenders import run_script
from .report import Table, at_least
from .setting import Setting
from .timing import robust_mean

SIDE = 128
FRAMES = 30
SOLVER = "simulate"
BAR = 80.0  # percent


def measure(setting: Setting) -> list[Table]:
    """Play the sheet in Blender with a clock around each part of a frame."""
    table = Table(
        f"A live frame in Blender: {SIDE} x {SIDE} vertices, default settings and threads",
        ("part", "ms/frame", "%"),
    )
    python = setting.blenders.extended
    if python is None:
        table.remarks = ["SKIPPED: no extension was named (see bench/blenders.py)."]
        return [table]
    runs = [
        run_script(python, "frame_share_blender", str(SIDE), str(FRAMES))
        for _ in range(setting.rounds)
    ]
    times = {
        part: robust_mean([run["milliseconds"][part] for run in runs])
        for part in runs[0]["milliseconds"]
    }
    whole = sum(times.values())
    table.rows = [(part, taken, 100 * taken / whole) for part, taken in times.items()]
    table.rows.append(("the whole frame", whole, 100.0))
    share = 100 * times[SOLVER] / whole
    table.bars.append(at_least("the solver's part of a frame [%]", share, BAR))
    table.remarks = [
        f"Blender {runs[0]['blender']}, scene.frame_set without a window; each frame's median over "
        f"{setting.rounds} runs, mean of {FRAMES} frames.",
        "The frames after the first simulated one, which builds the simulation.",
    ]
    return [table]
