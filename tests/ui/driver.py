# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives a live Blender window like a user: mouse, keys, looking.

A scenario is a generator function: `yield 0.5` gives Blender's event loop half a second,
`yield until(condition, "what")` waits for it. `run` starts it and ends the process: exit status
0 when it reached its end, 1 otherwise, with a screenshot of the moment it failed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

STARTED = time.monotonic()
SHOTS = Path(os.environ["SHOTS"])
CONTEXT: Any = bpy.context  # the stubs know neither windows nor simulated events well enough
OPERATORS: Any = bpy.ops


@dataclass(frozen=True)
class Until:
    """Wait for `condition`; after `seconds` the scenario fails, naming `what`."""

    condition: Callable[[], bool]
    what: str
    seconds: float


Steps = Generator[float | Until, None, None]
Place = tuple[float, float]


def until(condition: Callable[[], bool], what: str, seconds: float = 60.0) -> Until:
    return Until(condition, what, seconds)


def log(message: str) -> None:
    sys.stdout.write(f"[{time.monotonic() - STARTED:6.1f} s] {message}\n")
    sys.stdout.flush()


# Looking --------------------------------------------------------------------------------


def window() -> Any:
    return CONTEXT.window_manager.windows[0]


def area(kind: str) -> Any:
    return next(a for a in window().screen.areas if a.type == kind)


def region(area_kind: str, kind: str = "WINDOW") -> Any:
    return next(r for r in area(area_kind).regions if r.type == kind)


def centre(area_kind: str, kind: str = "WINDOW") -> Place:
    r = region(area_kind, kind)
    return r.x + r.width / 2, r.y + r.height / 2


def screenshot(name: str) -> Path:
    """The whole screen as a user sees it. Returns the PNG's path.

    Blender's own screenshot operator gives a black image under software OpenGL.
    """
    path = SHOTS / (name + ".png")
    subprocess.run(["import", "-window", "root", path], check=True)
    log(f"screenshot {name}.png")
    return path


def difference(first: Path, second: Path, area_kind: str) -> float:
    """How much an area changed between two screenshots: root mean square, 0 to 1."""
    r = region(area_kind)
    crop = f"{r.width}x{r.height}+{r.x}+{window().height - r.y - r.height}"
    pair = ["convert", str(first), str(second), "-crop", crop, "+repage"]
    measure = ["-metric", "RMSE", "-compare", "-format", "%[distortion]", "info:"]
    return float(subprocess.run(pair + measure, check=True, capture_output=True, text=True).stdout)


def seconds_to_draw(times: int = 3) -> float:
    """How long this machine takes to draw the window once, with what else it has to do."""
    started = time.monotonic()
    OPERATORS.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=times)
    return (time.monotonic() - started) / times


class LongestGap:
    """Measures the longest time between two ticks of Blender's event loop while active."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.ticks = 0
        self._last = time.monotonic()
        self._timer = self._tick  # Blender knows a timer by its identity
        bpy.app.timers.register(self._timer)

    def check(self, limit: float) -> None:
        """Stop measuring; AssertionError if Blender stood still for `limit` seconds."""
        self.stop()
        assert self.seconds < limit, f"Blender froze for {self.seconds:.2f} s"

    def stop(self) -> None:
        bpy.app.timers.unregister(self._timer)

    def _tick(self) -> float:
        now = time.monotonic()
        self.seconds = max(self.seconds, now - self._last)
        self.ticks += 1
        self._last = now
        return 0.02


# Mouse and keys -------------------------------------------------------------------------

NAMES = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "PERIOD")
DIGITS = dict(zip("0123456789.", NAMES, strict=True))
_pointer = [0, 0]


def _event(kind: str, value: str, **more: Any) -> None:
    # Without a place, event_simulate sends keys to whatever lies at (0, 0).
    window().event_simulate(type=kind, value=value, x=_pointer[0], y=_pointer[1], **more)


def move(place: Place) -> Steps:
    _pointer[:] = [int(place[0]), int(place[1])]
    _event("MOUSEMOVE", "NOTHING")
    yield 0.05


def tap(key: str, **more: Any) -> Steps:
    """Press and release a key or mouse button where the pointer is."""
    _event(key, "PRESS", **more)
    yield 0.05
    more.pop("unicode", None)
    _event(key, "RELEASE", **more)
    yield 0.05


def click(place: Place) -> Steps:
    yield from move(place)
    yield from tap("LEFTMOUSE")
    yield 0.1


def type_number(place: Place, digits: str) -> Steps:
    """Click a number field, type, confirm."""
    yield from click(place)
    yield 0.2
    for digit in digits:
        yield from tap(DIGITS[digit], unicode=digit)
    yield from tap("RET")
    yield 0.2


def scroll(area_kind: str, notches: int, kind: str = "WINDOW") -> Steps:
    """Turn the wheel over a region: positive goes towards its end, negative to its start."""
    yield from move(centre(area_kind, kind))
    for _ in range(abs(notches)):
        _event("WHEELDOWNMOUSE" if notches > 0 else "WHEELUPMOUSE", "PRESS")
        yield 0.03
    yield 0.3


def under_pointer(area_kind: str, kind: str) -> str:
    """What Blender says is under the mouse: an operator call or a property's path, or ''."""
    manager = CONTEXT.window_manager
    r = region(area_kind, kind)
    with CONTEXT.temp_override(window=window(), area=area(area_kind), region=r):
        for ask in (OPERATORS.ui.copy_python_command_button, OPERATORS.ui.copy_data_path_button):
            if not ask.poll():
                continue
            manager.clipboard = ""
            try:
                ask()
            except RuntimeError:  # this operator's way to say: not such a button
                continue
            if manager.clipboard:
                return str(manager.clipboard)
    return ""


def find(
    wanted: str,
    area_kind: str = "PROPERTIES",
    kind: str = "WINDOW",
    column: float = 0.7,
    pages: int = 3,
) -> Generator[float | Until, None, Place]:
    """Hover over a region for the button whose operator call or property path has `wanted`.

    Goes down a `column` (a share of the width) and scrolls on at the region's end; along a
    header. Returns a place on the button; AssertionError if there is no such button.
    """
    for page in range(pages):
        hits: list[Place] = []
        for place in _places(region(area_kind, kind), column):
            yield from move(place)
            if wanted in under_pointer(area_kind, kind):
                hits.append(place)
            elif hits:
                break
        for place in hits[len(hits) // 2 :] + hits:  # Blender may answer late: ask again
            yield from move(place)
            yield 0.15
            if wanted in under_pointer(area_kind, kind):
                return place
        if page + 1 < pages:
            yield from scroll(area_kind, 8, kind)
    raise AssertionError(f"no button with {wanted!r} in the {area_kind} editor")


def _places(r: Any, column: float) -> list[Place]:
    """Where to hover, close enough to meet each row of a panel, each field of a header."""
    if r.height < 60:
        return [(r.x + x, r.y + r.height / 2) for x in range(r.width - 20, 20, -15)]
    return [(r.x + column * r.width, float(y)) for y in range(r.y + r.height - 8, r.y, -12)]


# Running --------------------------------------------------------------------------------


class _Runner:
    def __init__(self, scenario: Callable[[], Steps], limit: float) -> None:
        self._steps = scenario()
        self._waiting: Until | None = None
        self._deadline = 0.0
        self._end = time.monotonic() + limit

    def tick(self) -> float:
        try:
            return self._advance()
        except StopIteration:
            _finish("passed", 0)
        except BaseException:
            traceback.print_exc()
            screenshot("failure")
            _finish("FAILED", 1)
        raise AssertionError("unreachable")

    def _advance(self) -> float:
        if time.monotonic() > self._end:
            raise TimeoutError("the scenario took too long as a whole")
        if self._waiting is not None:
            if not self._waiting.condition():
                if time.monotonic() > self._deadline:
                    raise TimeoutError(f"waited {self._waiting.seconds} s for {self._waiting.what}")
                return 0.05
            self._waiting = None
        step = next(self._steps)
        if isinstance(step, Until):
            self._waiting = step
            self._deadline = time.monotonic() + step.seconds
            return 0.0
        return step


def _finish(verdict: str, status: int) -> None:
    log(f"scenario {verdict}")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # leaves without asking whether to save


def run(scenario: Callable[[], Steps], limit: float) -> None:
    """Start `scenario` in Blender's event loop; it ends the process after `limit` s at most."""
    CONTEXT.preferences.view.show_splash = False
    runner = _Runner(scenario, limit)
    bpy.app.timers.register(runner.tick, first_interval=0.5, persistent=True)
