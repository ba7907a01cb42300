# SPDX-License-Identifier: GPL-3.0-or-later
"""For `python build.py bench window`: prints a line of JSON with what was measured."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import Any

import simulating
import stage
from driver import OPERATORS, Steps, log, run

SIDES_AND_FRAMES = ((60, 400), (100, 120))
ROUNDS = 6  # the first one is not counted: it warms up


def scenario() -> Steps:
    stage.prepare()
    yield from stage.wait_for_kernels()
    found: list[dict[str, Any]] = []
    for cells, frames in SIDES_AND_FRAMES:
        stage.hang_a_sheet(cells)
        OPERATORS.xpbd.add()
        stage.cloth().xpbd.pin_group = stage.PIN_GROUP
        scene = stage.scene()
        scene.frame_end = scene.xpbd.frame_end = frames
        rounds = [simulating.Round() for _ in range(ROUNDS)]
        for each in rounds:
            yield from simulating.simulate(each)
        found.append({
            "vertices": len(stage.cloth().data.vertices),
            "frames": frames,
            "rounds": [asdict(each) for each in rounds[1:]],
        })  # fmt: skip
    log("measured " + json.dumps(found))


run(scenario, float(os.environ["LIMIT"]))
