# SPDX-License-Identifier: GPL-3.0-or-later
"""Playing while the solver is being compiled, and where it can't be."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, evaluated_positions, sheet
from playing import addon, cached, play


class Window:
    """A Blender with a window, as far as waiting looks at it, and a solver that is compiled."""

    def __init__(self, scene: bpy.types.Scene, monkeypatch: pytest.MonkeyPatch) -> None:
        self.state: tuple[str, float, str] = ("COMPILING", 1.0, "Compiling")
        self.timers: list[Any] = []
        self.screen = SimpleNamespace(is_animation_playing=True)
        manager = SimpleNamespace(windows=[SimpleNamespace(scene=scene, screen=self.screen)])
        timers = SimpleNamespace(
            register=lambda timer, first_interval: self.timers.append(timer),
            unregister=self.timers.remove,
            is_registered=self.timers.__contains__,
        )
        window = SimpleNamespace(
            types=bpy.types,
            app=SimpleNamespace(background=False, timers=timers),
            context=SimpleNamespace(window_manager=manager),
        )
        waiting, warmup = addon.simulation.waiting, addon.simulation.warmup
        monkeypatch.setattr(waiting, "bpy", window)
        monkeypatch.setattr(warmup, "state", lambda _solver: self.state)
        monkeypatch.setattr(warmup, "start", lambda _solver: None)

    def pass_time(self) -> None:
        """What timers do that are due."""
        for timer in list(self.timers):
            if timer() is None:
                self.timers.remove(timer)


def error_of(scene: bpy.types.Scene) -> str:
    """What the panel says."""
    return str(addon.simulation.session.status(scene).error)


def said(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[str]:
    """The panel's lines."""
    return [message.text for message in addon.interface.messages.in_panel(scene, obj)]


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


@pytest.fixture
def window(scene: bpy.types.Scene, monkeypatch: pytest.MonkeyPatch) -> Window:
    return Window(scene, monkeypatch)


def test_playing_begins_when_the_solver_is_ready(scene: bpy.types.Scene, window: Window) -> None:
    obj = sheet()
    play(scene, 4)
    assert cached(scene) == (None, None)
    window.pass_time()
    assert said(scene, obj) == ["Compiling the solver once (1 s), then it simulates by itself"]
    assert scene.frame_current == 4
    window.state = ("READY", 9.0, "")
    window.pass_time()
    assert scene.frame_current == 1
    assert said(scene, obj) == ["No frames cached"]
    assert window.timers == []
    for frame in (2, 3, 4):
        scene.frame_set(frame)
    assert cached(scene) == (1, 4)


@pytest.mark.parametrize("state", ["COMPILING", "READY"])
def test_who_stops_playing_stays_where_he_is(
    state: str, scene: bpy.types.Scene, window: Window
) -> None:
    obj = sheet()
    play(scene, 4)
    window.screen.is_animation_playing = False
    window.state = (state, 9.0, "")
    window.pass_time()
    assert scene.frame_current == 4
    assert not any("by itself" in text for text in said(scene, obj))
    assert window.timers == []


def test_why_it_does_not_begin_is_said_once(scene: bpy.types.Scene, window: Window) -> None:
    obj = sheet()
    play(scene, 4)
    window.state = ("FAILED", 9.0, "The disk is full: make room there")
    window.pass_time()
    assert scene.frame_current == 4
    told = said(scene, obj)
    assert told.count("The disk is full: make room there") == 1
    assert not any("by itself" in text for text in told)
    window.state = ("READY", 9.0, "")
    assert not any("disk" in text for text in said(scene, obj))


def test_a_scene_that_is_gone_is_not_waited_for(scene: bpy.types.Scene, window: Window) -> None:
    sheet()
    play(scene, 4)
    other = bpy.data.scenes.new("Other")
    bpy.data.scenes.remove(scene)
    window.state = ("READY", 9.0, "")
    window.pass_time()
    assert window.timers == []
    assert other.frame_current == 1


def test_cached_frames_are_shown_where_the_solver_can_not_be_compiled(
    scene: bpy.types.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    obj = sheet()
    play(scene, 3)
    simulated = evaluated_positions(obj)

    def fail(_solver: str) -> None:
        raise addon.errors.SceneError("A part of the extension is missing")

    monkeypatch.setattr(addon.simulation.warmup, "wait", fail)
    play(scene, 4)
    assert error_of(scene) == "A part of the extension is missing"
    scene.frame_set(3)
    np.testing.assert_array_equal(evaluated_positions(obj), simulated)
