# SPDX-License-Identifier: GPL-3.0-or-later
"""Grabbing cloth with the mouse: while it plays, while it stands, cancelled, taken back, undone."""

from __future__ import annotations

import os
from typing import Any

import bpy
import driver
import numpy as np
import stage
from bpy_extras import view3d_utils
from driver import CONTEXT, OPERATORS, Place, Steps, area, find, log, region, run, screenshot, until

FRAMES = 250


def scenario() -> Steps:
    stage.prepare()
    scene = stage.scene()
    scene.frame_end = scene.xpbd.frame_end = FRAMES
    OPERATORS.xpbd.add()
    stage.cloth().xpbd.pin_group = stage.PIN_GROUP
    yield from stage.wait_for_kernels()
    yield from choose_the_tool()
    yield from while_it_stands()
    yield from cancelled()
    yield from taken_back()
    yield from while_it_plays()
    yield from undone()


def choose_the_tool() -> Steps:
    """By the button of the panel, which is open."""
    with CONTEXT.temp_override(window=driver.window(), area=area("PROPERTIES")):
        OPERATORS.xpbd.grab("INVOKE_DEFAULT")
    yield 0.5
    tool = CONTEXT.workspace.tools.from_space_view3d_mode("OBJECT")
    assert tool.idname == "xpbd.grab", tool.idname


def while_it_stands() -> Steps:
    stage.scene().frame_set(1)
    for frame in range(2, 9):
        stage.scene().frame_set(frame)
    yield 0.5
    before = corner()
    yield from press(on_screen(before))
    yield from drag(on_screen(moved(before, 0.0, -0.3, 0.9)), 8)
    yield 1.5
    held = corner()
    yield from driver.move(on_screen(moved(before, 0.0, -0.3, 0.9)))
    screenshot("40-held-while-it-stands")
    log(f"corner {before} led to {held}")
    assert stage.scene().frame_current == 8
    assert held[2] - before[2] > 0.5, "it does not follow"
    yield from let_go()
    yield until(lambda: grab().running is None, "what was let go to settle", 60)
    settled = corner()
    screenshot("41-let-go")
    assert settled[2] < held[2] - 0.3, "it does not fall"
    assert "Changed by hand from frame 8 on" in told(), told()


def cancelled() -> Steps:
    before = stage.shown()
    yield from press(on_screen(corner()))
    yield from drag(on_screen(moved(corner(), 0.5, 0.0, 0.5)), 5)
    yield 0.5
    assert abs(stage.shown() - before).max() > 0.1
    yield from driver.tap("ESC")
    driver._event("LEFTMOUSE", "RELEASE")
    yield 0.5
    screenshot("42-cancelled")
    assert grab().running is None
    np.testing.assert_allclose(stage.shown(), before, atol=1e-5)


def taken_back() -> Steps:
    yield from driver.scroll("PROPERTIES", -20)
    place = yield from find("xpbd.take_back")
    screenshot("43-cache-panel")
    yield from driver.click(place)
    yield 0.5
    assert stage.cached().last == 8
    assert not stage.cached().outdated
    assert told() == "", told()


def while_it_plays() -> Steps:
    scene = stage.scene()
    scene.frame_set(1)
    OPERATORS.screen.animation_play()
    yield until(lambda: scene.frame_current > 12, "the animation to play", 60)
    before = corner()
    yield from press(on_screen(before))
    yield from drag(on_screen(moved(before, 0.0, 0.3, 0.4)), 6)
    here = scene.frame_current
    yield until(lambda: scene.frame_current > here + 8, "it to play on", 60)
    held = corner()
    away = np.linalg.norm(places() - np.array(grab().running._hand), axis=1).min()
    screenshot("44-held-while-it-plays")
    log(f"{away:.2f} m from the hand on frame {scene.frame_current}")
    assert away < 0.1, "it does not follow"
    yield from let_go()
    here = scene.frame_current
    yield until(lambda: scene.frame_current > here + 12, "it to play on", 60)
    OPERATORS.screen.animation_cancel(restore_frame=False)
    yield 0.7
    screenshot("45-let-go-while-it-plays")
    assert corner()[2] < held[2] - 0.2, "it does not fall"
    assert stage.cached().outdated
    assert "Changed by hand" in told(), told()
    scene.frame_set(1)
    OPERATORS.screen.animation_play()
    yield until(lambda: scene.frame_current > 20, "it to be simulated anew", 60)
    OPERATORS.screen.animation_cancel(restore_frame=False)
    yield 0.7
    screenshot("46-anew")
    assert not stage.cached().outdated
    assert told() == "", told()


def grab() -> Any:
    return stage.addon("interface.grab").XPBD_OT_grab


def undone() -> Steps:
    """Ctrl+Z while what was let go still moves: the scene that it moved in is gone, and the grab
    taken back.
    """
    stage.scene().frame_set(12)
    OPERATORS.ed.undo_push(message="Before")
    yield from press(on_screen(corner()))
    yield from drag(on_screen(moved(corner(), 0.2, 0.0, 0.3)), 4)
    yield from let_go()
    assert grab().running is not None, "it has settled already"
    yield from driver.tap("Z", ctrl=True)
    yield 1.0
    screenshot("47-undone")
    assert grab().running is None
    assert told() == "", told()


def told() -> str:
    """What the panel says of hands."""
    messages = stage.addon("interface.messages").in_panel(stage.scene(), stage.cloth())
    return " ".join(each.text for each in messages if "hand" in each.text)


def corner() -> Any:
    """In the world where the middle of the free side is shown."""
    rest = stage.rest()
    side = np.flatnonzero(rest[:, 1] < -stage.SIZE / 2 + 1e-4)
    middle = side[np.argmin(abs(rest[side, 0]))]
    return places()[middle]


def places() -> Any:
    """In the world where all vertices are shown, shape (n, 3)."""
    return np.array(stage.cloth().matrix_world, float)[:3, 3] + stage.shown()


def moved(point: Any, x: float, y: float, z: float) -> Any:
    return point + np.array([x, y, z])


def on_screen(point: Any) -> Place:
    window = region("VIEW_3D")
    view = area("VIEW_3D").spaces.active.region_3d
    found = view3d_utils.location_3d_to_region_2d(window, view, point)
    return window.x + found.x, window.y + found.y


def press(place: Place) -> Steps:
    yield from driver.move(place)
    driver._event("LEFTMOUSE", "PRESS")
    yield 0.3
    assert grab().running is not None, "nothing was grabbed"


def drag(place: Place, steps: int) -> Steps:
    start = tuple(driver._pointer)
    for step in range(1, steps + 1):
        part = step / steps
        yield from driver.move(
            (start[0] + part * (place[0] - start[0]), start[1] + part * (place[1] - start[1]))
        )


def let_go() -> Steps:
    driver._event("LEFTMOUSE", "RELEASE")
    yield 0.1


assert bpy.app.version >= (4, 2)
run(scenario, float(os.environ["LIMIT"]))
