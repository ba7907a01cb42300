# SPDX-License-Identifier: GPL-3.0-or-later
"""What the main thread does for a render's."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import addon_module, empty_scene, evaluated_positions, sheet
from playing import addon, play


@pytest.fixture
def main_thread(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The module, in a Blender with a window."""
    module = addon_module("main_thread")
    app = SimpleNamespace(background=False, is_job_running=lambda _kind: True)
    manager = SimpleNamespace(is_interface_locked=False)
    context = SimpleNamespace(window_manager=manager)
    monkeypatch.setattr(module, "bpy", SimpleNamespace(app=app, context=context))
    return module


class Render(threading.Thread):
    """Does something, and keeps what went wrong."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__()
        self.work = work
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self.work()
        except Exception as error:
            self.error = error

    def watch(self, main_thread: SimpleNamespace) -> None:
        """The main thread looks until this one has ended."""
        until = time.monotonic() + 20.0
        while self.is_alive() and time.monotonic() < until:
            main_thread.look()
            time.sleep(0.001)
        assert not self.is_alive()


def test_another_thread_waits_until_the_main_thread_has_done_it(
    main_thread: SimpleNamespace,
) -> None:
    done_by: list[threading.Thread] = []
    after: list[int] = []

    def render() -> None:
        main_thread.do(lambda: done_by.append(threading.current_thread()))
        after.append(len(done_by))

    Render(render).watch(main_thread)
    assert done_by == [threading.main_thread()]
    assert after == [1]


def test_where_the_interface_is_locked_nobody_waits(main_thread: SimpleNamespace) -> None:
    main_thread.bpy.context.window_manager.is_interface_locked = True
    done_by: list[threading.Thread] = []
    render = Render(lambda: main_thread.do(lambda: done_by.append(threading.current_thread())))
    render.join(20.0)
    assert done_by == [render]


def test_what_goes_wrong_is_told_where_it_was_wanted(main_thread: SimpleNamespace) -> None:
    def fail() -> None:
        raise ValueError("No")

    render = Render(lambda: main_thread.do(fail))
    render.watch(main_thread)
    assert isinstance(render.error, ValueError)


def test_a_main_thread_that_waits_for_the_render_is_not_waited_for(
    main_thread: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main_thread, "_PATIENCE", 0.05)
    done: list[int] = []
    render = Render(lambda: main_thread.do(lambda: done.append(1)))
    render.join(20.0)
    main_thread.look()
    assert done == [1], "once, by the render's thread"


def test_a_render_has_positions_written_by_the_main_thread(
    main_thread: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = empty_scene()
    obj = sheet()
    play(scene, 4)
    shown = evaluated_positions(obj)
    modifier = addon.scene.display_modifier
    write, writers = modifier.write, []

    def watched(*arguments: object) -> None:
        writers.append(threading.current_thread())
        write(*arguments)

    monkeypatch.setattr(modifier, "write", watched)
    modifier.hide(obj)
    Render(lambda: addon.show.display.show(scene)).watch(main_thread)
    assert writers == [threading.main_thread()]
    bpy.context.view_layer.update()
    np.testing.assert_array_equal(evaluated_positions(obj), shown)
