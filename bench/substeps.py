# SPDX-License-Identifier: GPL-3.0-or-later
"""What more substeps buy: the hanging sheet's strain against its time."""

from __future__ import annotations

from functools import partial

import core

from .report import Table
from .setting import Setting
from .sheet import frame_times, simulate, take_turns
from .timing import robust_mean

SIDES = (64, 128)
SUBSTEPS = (20, 40, 80, 160, 320)


def measure(setting: Setting) -> list[Table]:
    """Simulate the sheet of the measurement ``sheet`` at several numbers of substeps, in turn."""
    core.warm_up.warm_up()
    table = Table(
        "The sheet hung by two corners: what substeps buy, one thread",
        ("vertices", "substeps", "ms/frame", "strain max %", "p99 %", "max: typical frame %"),
    )
    for side in SIDES:
        methods = {
            str(count): partial(simulate, side, 1, {"substeps": count}) for count in SUBSTEPS
        }
        for name, runs in take_turns(methods, setting.rounds).items():
            strain = runs[-1]["strain"]
            table.rows.append(
                (
                    side * side,
                    int(name),
                    robust_mean(frame_times(runs)),
                    100 * strain["largest"],
                    100 * strain["percentile_99"],
                    100 * strain["largest_in_typical_frame"],
                )
            )
    table.remarks = ["To compare with a peer fairly, take the row with its strain, then its time."]
    return [table]
