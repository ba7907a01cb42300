# SPDX-License-Identifier: GPL-3.0-or-later
"""The next day: scenario.py's file in a new Blender; the extension and Blender leave mid-way."""

from __future__ import annotations

import os

import numpy as np
import stage
from driver import OPERATORS, SHOTS, Steps, click, find, log, run, screenshot, until

FAR_END = 5000  # frames; too many to be done before this test goes on
MODULE = "bl_ext.user_default.xpbd"


def scenario() -> Steps:
    OPERATORS.wm.open_mainfile(filepath=str(SHOTS / "baked.blend"))
    yield 0.5
    yield from stage.wait_for_kernels()
    yield from delete_bake()
    yield from disable_while_simulating()
    yield from quit_while_simulating()


def delete_bake() -> Steps:
    """The bake survived saving; without it the cached preview shows the same."""
    end = stage.scene().xpbd.frame_end
    baked = stage.shown_at(end)
    screenshot("10-reopened")
    yield from click((yield from find("xpbd.unbake")))
    yield until(lambda: stage.cloth().data.shape_keys is None, "the bake to be deleted", 10)
    difference = float(np.abs(stage.shown_at(end) - baked).max())
    assert difference < 2e-6, f"the preview after Delete Bake differs by {difference} m"
    yield 0.5
    screenshot("11-bake-deleted")


def disable_while_simulating() -> Steps:
    yield from start_simulation()
    OPERATORS.preferences.addon_disable(module=MODULE)
    yield 0.5
    assert not hasattr(stage.cloth(), "xpbd"), "the extension is still there"
    OPERATORS.preferences.addon_enable(module=MODULE)
    yield from stage.wait_for_kernels()
    assert stage.cloth().xpbd.use, "the cloth's settings are lost"
    assert not stage.simulating()


def quit_while_simulating() -> Steps:
    yield from start_simulation()
    log("quitting Blender in the middle of a simulation")
    OPERATORS.wm.quit_blender()
    yield until(lambda: False, "Blender to quit", 30)


def start_simulation() -> Steps:
    stage.scene().xpbd.frame_end = FAR_END
    yield from click((yield from find("xpbd.simulate(", column=0.3)))
    yield until(stage.simulating, "the simulation to start", 10)
    job = stage.addon("simulation.job")
    yield until(lambda: job.current().frames_done >= 5, "the first frames", 30)
    assert stage.simulating(), "the simulation ended too early for this test"


run(scenario, float(os.environ["LIMIT"]))
