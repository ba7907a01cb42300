# SPDX-License-Identifier: GPL-3.0-or-later
"""The mouse's arithmetic, and what the operator makes of events, without a window."""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, evaluated_positions, sheet
from mathutils import Matrix, Vector
from playing import addon, cached, play

WIDTH, HEIGHT = 800, 600


def viewport(*, perspective: bool) -> tuple[Any, Any]:
    """A region, and a view from 10 m in front of the origin along y, z upwards."""
    view_matrix = Matrix.Rotation(math.radians(-90.0), 4, "X") @ Matrix.Translation((0, 10, 0))
    near, far, ratio = 0.1, 100.0, WIDTH / HEIGHT
    if perspective:
        shape = [
            (2.0 / ratio, 0, 0, 0),
            (0, 2.0, 0, 0),
            (0, 0, (far + near) / (near - far), 2 * far * near / (near - far)),
            (0, 0, -1, 0),
        ]
    else:
        shape = [
            (0.2 / ratio, 0, 0, 0),
            (0, 0.2, 0, 0),
            (0, 0, 2 / (near - far), (far + near) / (near - far)),
            (0, 0, 0, 1),
        ]
    return (
        SimpleNamespace(width=WIDTH, height=HEIGHT, x=0, y=0, tag_redraw=lambda: None),
        SimpleNamespace(
            view_matrix=view_matrix,
            perspective_matrix=Matrix(shape) @ view_matrix,
            is_perspective=perspective,
            view_perspective="PERSP" if perspective else "ORTHO",
        ),
    )


@pytest.mark.parametrize("perspective", [False, True])
@pytest.mark.parametrize("depth", [0.0, 4.0])
def test_the_mouse_leads_in_the_plane_of_the_view(perspective: bool, depth: float) -> None:
    """By as much as is seen of a metre at that depth."""
    place = addon.interface.grab_place
    region, view = viewport(perspective=perspective)
    point = Vector((0.5, depth, -0.3))
    mouse = place.seen(region, view, point)
    assert list(place.led(region, view, point, mouse)) == pytest.approx(point[:], abs=1e-4)
    metre = HEIGHT / (10.0 + depth) if perspective else 0.1 * HEIGHT
    moved = place.led(region, view, point, (mouse[0] + metre, mouse[1] - 0.5 * metre))
    assert list(moved - point) == pytest.approx([1.0, 0.0, -0.5], abs=1e-3)
    assert place.radius_at(region, view, point, 2.0 * metre) == pytest.approx(2.0, abs=1e-3)


def test_how_near_the_mouse_things_are_shown() -> None:
    place = addon.interface.grab_place
    region, view = viewport(perspective=True)
    points = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, -20.0, 0.0)])
    found = place.distances(region, view, points, (WIDTH / 2, HEIGHT / 2))
    assert found == pytest.approx([0.0, HEIGHT / 10.0, math.inf], abs=1e-3)


def event(kind: str, value: str = "NOTHING", mouse: tuple[float, float] = (0, 0)) -> Any:
    return SimpleNamespace(type=kind, value=value, mouse_x=mouse[0], mouse_y=mouse[1])


class Hand:
    """The operator's `modal` without a window, holding the free side of a sheet."""

    def __init__(self, obj: bpy.types.Object) -> None:
        self._class = addon.interface.grab.XPBD_OT_grab
        self.region, self.view = viewport(perspective=False)
        self.place = Vector((0.0, 1.0, 1.0))
        shown: list[Any] = []
        self.status = shown
        self.context = SimpleNamespace(
            workspace=SimpleNamespace(status_text_set=shown.append), region=self.region
        )
        fields = {
            name: getattr(self._class, name)
            for name in ("_handle", "_lead", "_tick", "end", "modal", "circle")
        }
        self.operator = type("Operator", (), fields)()
        vars(self.operator).update(
            _region=self.region,
            _view=self.view,
            _scene=bpy.context.scene,
            _place=self.place,
            _hand=self.place.copy(),
            _held=True,
            _stepped=0.0,
            _settled=0.0,
            _timer=SimpleNamespace(time_step=1 / 24),
            _drag=addon.simulation.by_hand.Drag(bpy.context.scene, obj, np.array(self.place), 0.5),
            report=lambda _level, text: shown.append(text),
        )
        self._class.running = self.operator

    def send(self, *given: Any, **more: Any) -> set[str]:
        self.operator._stepped = 0.0
        found: set[str] = self.operator.modal(self.context, event(*given, **more))
        return found

    def move(self, x: float, z: float) -> None:
        """By metres to the right and up."""
        start = addon.interface.grab_place.seen(self.region, self.view, self.place)
        mouse = (start[0] + 60.0 * x, start[1] + 60.0 * z)
        assert self.send("MOUSEMOVE", mouse=mouse) == {"RUNNING_MODAL"}


@pytest.fixture
def no_timers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A window manager that has no window."""
    manager = SimpleNamespace(event_timer_remove=lambda _timer: None, windows=[])
    grab, redraw = addon.interface.grab, addon.simulation.redraw
    context = SimpleNamespace(window_manager=manager)
    for module in (grab, redraw, addon.simulation.waiting):
        shadow = SimpleNamespace(context=context, types=bpy.types, app=bpy.app)
        monkeypatch.setattr(module, "bpy", shadow)
    yield
    grab.XPBD_OT_grab.running = None


@pytest.fixture
def obj() -> bpy.types.Object:
    scene = empty_scene()
    made = sheet(cuts=10)
    play(scene, 4)
    return made


@pytest.mark.usefixtures("no_timers")
def test_dragged_and_let_go(obj: bpy.types.Object) -> None:
    before = evaluated_positions(obj)
    hand = Hand(obj)
    hand.move(0.3, 0.5)
    for _ in range(12):
        assert hand.send("TIMER") == {"PASS_THROUGH"}
    raised = evaluated_positions(obj) - before
    assert raised[:, 2].max() > 0.25
    assert hand.operator.circle[0] is hand.region
    assert hand.send("SPACE", "PRESS") == {"PASS_THROUGH"}
    assert hand.send("LEFTMOUSE", "RELEASE") == {"RUNNING_MODAL"}
    assert hand.operator.circle is None
    assert hand.send("ESC", "PRESS") == {"PASS_THROUGH"}
    for _ in range(48):
        found = hand.send("TIMER")
    assert found == {"FINISHED", "PASS_THROUGH"}
    assert evaluated_positions(obj)[:, 2].min() < before[:, 2].min() + 0.1
    assert addon.simulation.by_hand.touched_from(bpy.context.scene) == 4
    assert hand.send("TIMER") == {"FINISHED", "PASS_THROUGH"}


@pytest.mark.usefixtures("no_timers")
@pytest.mark.parametrize("key", ["ESC", "RIGHTMOUSE"])
def test_cancelled(obj: bpy.types.Object, key: str) -> None:
    before = evaluated_positions(obj)
    hand = Hand(obj)
    hand.move(0.3, 0.5)
    hand.send("TIMER")
    assert abs(evaluated_positions(obj) - before).max() > 0.01
    assert hand.send(key, "PRESS") == {"CANCELLED"}
    np.testing.assert_array_equal(evaluated_positions(obj), before)
    assert addon.simulation.by_hand.touched_from(bpy.context.scene) is None


@pytest.mark.usefixtures("no_timers")
def test_it_ends_where_something_else_is_simulated(obj: bpy.types.Object) -> None:
    hand = Hand(obj)
    bpy.ops.xpbd.clear_cache()
    assert hand.send("TIMER") == {"CANCELLED", "PASS_THROUGH"}
    assert cached(bpy.context.scene) == (None, None)


@pytest.mark.usefixtures("no_timers")
def test_what_goes_wrong_is_said(obj: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
    hand = Hand(obj)

    def fail(*_: object) -> None:
        raise addon.errors.SceneError("Frame 4: no")

    monkeypatch.setattr(addon.simulation.live, "advance", fail)
    assert hand.send("TIMER") == {"CANCELLED"}
    assert hand.status[-1] == "Frame 4: no"
    assert hand._class.running is None


@pytest.mark.usefixtures("no_timers")
def test_undo_lets_go_before_the_scene_is_another(obj: bpy.types.Object) -> None:
    hand = Hand(obj)
    hand.move(0.3, 0.5)
    hand.send("TIMER")
    before_undo: list[Any] = list(bpy.app.handlers.undo_pre)
    for handler in before_undo:
        handler(bpy.context.scene, None)
    assert hand._class.running is None
    hand.operator._scene = hand.operator._drag._scene = None  # as undo leaves it
    assert hand.send("TIMER") == {"FINISHED", "PASS_THROUGH"}


def test_undo_takes_back_one_grab_after_the_other(obj: bpy.types.Object) -> None:
    name, shapes = obj.name, []
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.ed.undo_push(message="Before")
    for way in ((0.3, 0.0, 0.5), (-0.4, 0.0, 0.3)):
        shapes.append(evaluated_positions(bpy.data.objects[name]))
        found = bpy.ops.xpbd.grab(center=(0.0, 1.0, 1.0), movement=way, radius=0.5, frames=6)
        assert found == {"FINISHED"}
    while shapes:
        assert abs(evaluated_positions(bpy.data.objects[name]) - shapes[-1]).max() > 0.01
        bpy.ops.ed.undo()
        np.testing.assert_array_equal(evaluated_positions(bpy.data.objects[name]), shapes.pop())
    assert addon.simulation.by_hand.touched_from(bpy.context.scene) is None
