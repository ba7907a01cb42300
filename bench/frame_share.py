# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of a live frame in Blender is the solver, and how little is knowing what it read."""

from __future__ import annotations

from .blenders import run_script
from .report import Table, at_least, at_most
from .setting import Setting
from .timing import robust_mean

SIDE = 128
FRAMES = 30
CELLS = 90
SOLVER = "simulate"
HASHES = ("hash what is read", "compare the hashes", "write the hashes")
SOLVER_BAR, HASHES_BAR = 80.0, 2.0  # percent


def measure(setting: Setting) -> list[Table]:
    """Play the sheet in Blender with a clock around each part of a frame."""
    alone, share = _table(setting, cells=0)
    if SOLVER in share:
        bar = at_least("the solver's part of a frame [%]", share[SOLVER], SOLVER_BAR)
        alone.bars.append(bar)
    beside, share = _table(setting, cells=CELLS)
    if SOLVER in share:
        part = sum(share[each] for each in HASHES)
        beside.bars.append(at_most("the part of a frame that hashes take [%]", part, HASHES_BAR))
    return [alone, beside]


def _table(setting: Setting, cells: int) -> tuple[Table, dict[str, float]]:
    """The table of a sheet beside a collider, and the share of each part [%]."""
    collider = f", a moving collider of {2 * cells**2} triangles" if cells else ""
    table = Table(
        f"A live frame in Blender, default settings: {SIDE} x {SIDE} vertices{collider}",
        ("part", "ms/frame", "%"),
    )
    python = setting.blenders.extended
    if python is None:
        table.remarks = ["SKIPPED: no extension was named (see bench/blenders.py)."]
        return table, {}
    runs = [
        run_script(python, "frame_share_blender", str(SIDE), str(FRAMES), str(cells))
        for _ in range(setting.rounds)
    ]
    times = {
        part: robust_mean([run["milliseconds"][part] for run in runs])
        for part in runs[0]["milliseconds"]
    }
    whole = sum(times.values())
    share = {part: 100 * taken / whole for part, taken in times.items()}
    table.rows = [(part, taken, share[part]) for part, taken in times.items()]
    table.rows.append(("the whole frame", whole, 100.0))
    table.remarks = [
        f"Blender {runs[0]['blender']}, scene.frame_set without a window; each frame's median over "
        f"{setting.rounds} runs, mean of {FRAMES} frames.",
        "The frames after the first simulated one, which builds the simulation.",
    ]
    return table, share
