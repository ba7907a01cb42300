# SPDX-License-Identifier: GPL-3.0-or-later
"""How long Simulate takes in the window, and the same work without Blender's event loop."""

from __future__ import annotations

import time
from dataclasses import dataclass

import stage
from driver import OPERATORS, LongestGap, Steps, log, seconds_to_draw, until


@dataclass
class Round:
    """Seconds of one simulation, done twice in turn."""

    alone: float = 0.0
    window: float = 0.0
    redraw: float = 0.0
    gap: float = 0.0


def simulate(taken: Round) -> Steps:
    """Simulate the scene's range without and with the window; the cache holds the second one."""
    OPERATORS.xpbd.clear_cache()
    yield 0.5
    started = time.monotonic()
    stage.addon("simulation.job").run_blocking(stage.scene())
    taken.alone = time.monotonic() - started
    OPERATORS.xpbd.clear_cache()
    taken.redraw = _draw_another_frame()
    yield 0.5
    started, gap = time.monotonic(), LongestGap()
    OPERATORS.xpbd.simulate("INVOKE_DEFAULT")
    yield until(lambda: not stage.simulating(), "the simulation to end", 200)
    taken.window, taken.gap = time.monotonic() - started, gap.seconds
    gap.stop()
    taken.redraw = max(taken.redraw, _draw_another_frame())
    log(f"simulated: {taken}")


def _draw_another_frame() -> float:
    """Seconds, with what Blender prepares for drawing where the meshes are others."""
    scene = stage.scene()
    frame = scene.frame_current
    scene.frame_set(frame + 1)
    seconds = seconds_to_draw(times=1)
    scene.frame_set(frame)
    return max(seconds, seconds_to_draw(times=1))
