# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown where: messages in panel and viewport, the timeline's bar, renders, Simulate."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import bpy
import simulating
import stage
from driver import (
    CONTEXT,
    OPERATORS,
    SHOTS,
    Steps,
    log,
    region,
    run,
    screenshot,
    until,
    window,
)

FRAMES, LONG = 60, 300
BAR = 14.0  # pixels from the timeline's lower edge
LONGEST_FREEZE = 0.5  # seconds, beside redraws


def scenario() -> Steps:
    stage.prepare()
    scene = stage.scene()
    scene.frame_end = scene.xpbd.frame_end = FRAMES
    OPERATORS.xpbd.add()
    stage.cloth().xpbd.pin_group = stage.PIN_GROUP
    yield from stage.wait_for_kernels()
    yield from outdated()
    yield from tuned()
    yield from one_is_left_out()
    yield from simulate()
    yield from render()


def outdated() -> Steps:
    """The bar is there when frames are, and paler when a setting is changed."""
    yield 0.5
    empty = bar(screenshot("20-nothing-cached"))
    yield from play_to(25)
    yield 0.7
    valid = bar(screenshot("21-played"))
    stage.cloth().xpbd.density = 0.5
    yield 1.0
    pale = bar(screenshot("22-outdated"))
    log(f"timeline: empty {empty}, valid {valid}, outdated {pale}")
    assert valid[2] > empty[2] + 100, "no blue bar"
    assert empty[2] < pale[2] < valid[2], "the bar does not turn pale"
    assert told().startswith("'Flag' is outdated: material changed. Play from frame 1"), told()


def tuned() -> Steps:
    """What is changed while it plays is felt at once; it counts as by hand, till it starts anew."""
    cloth, scene = stage.cloth(), stage.scene()
    before, stiffness = cloth.xpbd.density, cloth.xpbd.stretch_stiffness
    scene.frame_set(1)
    OPERATORS.screen.animation_play()
    yield until(lambda: scene.frame_current > 8, "the animation to play", 60)
    cloth.xpbd.stretch_stiffness = 30.0
    changed = scene.frame_current
    yield until(lambda: scene.frame_current > changed + 12, "the animation to go on", 60)
    screenshot("23-tuned")
    assert stage.cached().last > changed + 8, "it stands still after a change"
    assert told().startswith("'Flag' is outdated: material changed. It is simulated anew"), told()
    cloth.xpbd.stretch_stiffness = stiffness
    yield 0.7
    assert panel() == f"Changed by hand from frame {changed + 1} on", panel()
    OPERATORS.screen.animation_cancel(restore_frame=False)
    cloth.xpbd.density = before


def one_is_left_out() -> Steps:
    """While one is in Edit Mode the other plays; the message goes when it leaves."""
    other = stage.cloth().copy()
    other.data = other.data.copy()
    other.name, other.location.x = "Other", 3.0
    stage.scene().collection.objects.link(other)
    OPERATORS.object.select_all(action="DESELECT")
    CONTEXT.view_layer.objects.active = other
    OPERATORS.object.mode_set(mode="EDIT")
    yield from play_to(12)
    yield 0.7
    screenshot("24-others-go-on")
    assert told() == "'Other' is in Edit Mode: leave it with Tab first"
    assert stage.cached().last >= 12
    OPERATORS.object.mode_set(mode="OBJECT")
    yield 0.7
    screenshot("25-edit-mode-left")
    assert "Edit Mode" not in told()
    bpy.data.objects.remove(bpy.data.objects["Other"])
    CONTEXT.view_layer.objects.active = stage.cloth()


def simulate() -> Steps:
    """In the window it takes hardly longer than without, however long a redraw takes."""
    stage.scene().xpbd.frame_end = LONG
    taken = simulating.Round()
    yield from simulating.simulate(taken)
    assert taken.gap < LONGEST_FREEZE + 3 * taken.redraw, "Blender froze"
    assert taken.window < 1.5 * taken.alone + 3 * taken.redraw, "Simulate waits for redraws"
    yield 0.5
    screenshot("26-simulated")


def render() -> Steps:
    """An animation is simulated; a still is not, and that is said."""
    scene = stage.scene()
    scene.xpbd.frame_end, scene.frame_end = FRAMES, 20
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x, scene.render.resolution_y = 320, 200
    scene.render.filepath = str(SHOTS / "render-")
    yield from rendered(1, animation=True)
    assert stage.cached().last == 20, stage.cached()
    assert told() == ""
    screenshot("27-rendered")
    yield from rendered(8, animation=False)
    assert stage.cached().last is None, stage.cached()
    screenshot("28-still")
    assert "not simulated on frame 8" in told()


def rendered(frame: int, *, animation: bool) -> Steps:
    """Render with an empty cache, as F12 does."""
    OPERATORS.xpbd.clear_cache()
    stage.scene().frame_set(frame)
    OPERATORS.render.render("INVOKE_DEFAULT", animation=animation)
    yield 0.3
    yield until(lambda: not bpy.app.is_job_running("RENDER"), "the render to end", 120)
    yield 1.0


def play_to(frame: int) -> Steps:
    stage.scene().frame_set(1)
    OPERATORS.screen.animation_play()
    yield until(lambda: stage.scene().frame_current > frame, "the animation to play", 60)
    OPERATORS.screen.animation_cancel(restore_frame=False)


def told() -> str:
    """The viewport's line."""
    message = stage.addon("interface.messages").of_scene(stage.scene())
    return message.text if message else ""


def panel() -> str:
    """The first line of the panel."""
    text: str = stage.addon("interface.messages").state(stage.scene(), stage.cloth()).text
    return text


def bar(picture: Path) -> tuple[int, int, int]:
    """Red, green and blue, 0 to 255, of the timeline's bar at frame 5."""
    timeline = region("DOPESHEET_EDITOR")
    x = timeline.x + timeline.view2d.view_to_region(5.0, 0.0, clip=False)[0]
    y = window().height - 1 - (timeline.y + BAR)
    line = ["convert", str(picture), "-crop", f"1x1+{x:.0f}+{y:.0f}", "-depth", "8", "rgb:-"]
    red, green, blue = subprocess.run(line, check=True, capture_output=True).stdout
    return red, green, blue


run(scenario, float(os.environ["LIMIT"]))
