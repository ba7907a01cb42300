# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown and where: messages in the panel and the viewport, the timeline's bar, renders."""

from __future__ import annotations

import os
import time

import bpy
import stage
from driver import (
    CONTEXT,
    OPERATORS,
    SHOTS,
    LongestGap,
    Steps,
    log,
    run,
    screenshot,
    seconds_to_draw,
    until,
)

FRAMES = 60
LONG = 150  # frames


def scenario() -> Steps:
    stage.prepare()
    stage.scene().frame_end = stage.scene().xpbd.frame_end = FRAMES
    OPERATORS.xpbd.add()
    stage.cloth().xpbd.pin_group = stage.PIN_GROUP
    yield from stage.wait_for_kernels()
    yield 0.5
    screenshot("20-nothing-cached")
    yield from play_to(25)
    yield 0.7
    screenshot("21-played")
    stage.cloth().xpbd.density = 0.5
    yield 1.0
    screenshot("22-outdated")
    other = stage.cloth().copy()
    other.data = other.data.copy()
    other.name = "Other"
    other.location.x = 3.0
    stage.scene().collection.objects.link(other)
    OPERATORS.object.select_all(action="DESELECT")
    CONTEXT.view_layer.objects.active = other
    OPERATORS.object.mode_set(mode="EDIT")
    yield 0.7
    screenshot("23-edit-mode")
    yield from play_to(12)
    yield 0.7
    screenshot("24-others-go-on")
    OPERATORS.object.mode_set(mode="OBJECT")
    yield 0.7
    screenshot("25-edit-mode-left")
    bpy.data.objects.remove(bpy.data.objects["Other"])
    CONTEXT.view_layer.objects.active = stage.cloth()
    yield from simulate()
    yield from render()


def play_to(frame: int) -> Steps:
    stage.scene().frame_set(1)
    OPERATORS.screen.animation_play()
    yield until(lambda: stage.scene().frame_current > frame, "the animation to play", 60)
    OPERATORS.screen.animation_cancel(restore_frame=False)


def simulate() -> Steps:
    job = stage.addon("simulation.job")
    sheet = stage.cloth().modifiers.new("Finer", "SUBSURF")
    sheet.levels = 1
    OPERATORS.object.modifier_apply(modifier="Finer")
    stage.scene().xpbd.frame_end = LONG
    redraw = seconds_to_draw()
    times = []
    for _ in range(1):
        OPERATORS.xpbd.clear_cache()
        yield 0.5
        started = time.monotonic()
        job.run_blocking(stage.scene())
        blocking = time.monotonic() - started
        OPERATORS.xpbd.clear_cache()
        yield 0.5
        started = time.monotonic()
        gap = LongestGap()
        OPERATORS.xpbd.simulate("INVOKE_DEFAULT")
        yield until(stage.simulating, "it to start", 10)
        yield until(lambda: not stage.simulating(), "it to end", 200)
        seconds = time.monotonic() - started
        times.append((seconds, blocking, seconds / blocking, gap.seconds))
        bpy.app.timers.unregister(gap._timer)
    log(f"redraw {redraw:.2f} s; window, blocking, ratio, gap: {times}")
    yield 0.5
    screenshot("26-simulated")


def render() -> Steps:
    scene = stage.scene()
    OPERATORS.xpbd.clear_cache()
    scene.frame_set(1)
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x, scene.render.resolution_y = 320, 200
    scene.render.filepath = str(SHOTS / "render-")
    scene.frame_end = 20
    OPERATORS.render.render("INVOKE_DEFAULT", animation=True)
    yield until(lambda: bpy.app.is_job_running("RENDER"), "the render", 20)
    yield until(lambda: not bpy.app.is_job_running("RENDER"), "the render to end", 120)
    yield 1.0
    log(f"cached after the render: {stage.cached()}")
    screenshot("27-rendered")
    OPERATORS.xpbd.clear_cache()
    scene.frame_set(8)
    OPERATORS.render.render("INVOKE_DEFAULT")
    yield 0.5
    yield until(lambda: not bpy.app.is_job_running("RENDER"), "the render to end", 120)
    yield 0.7
    log(f"cached after the render: {stage.cached()}")
    screenshot("28-still")


run(scenario, float(os.environ["LIMIT"]))
