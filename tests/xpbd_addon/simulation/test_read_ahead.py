# SPDX-License-Identifier: GPL-3.0-or-later
"""How many frames are read before they are simulated."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from playing import addon

END = 10_000


class Worker:
    """Reads and simulates by hand."""

    def __init__(self, end: int = END, *, follows_itself: bool = False) -> None:
        fingerprint = SimpleNamespace(objects={"a": ""}, followed=lambda _: follows_itself)
        simulation = SimpleNamespace(frame=1, inputs=SimpleNamespace(fingerprint=fingerprint))
        self.ahead = addon.simulation.read_ahead.Ahead(simulation, end)
        self.waiting: list[Future[None]] = []

    def read(self, size: int = 1) -> int:
        """As many frames as there is room for, of so many bytes; how many these were."""
        before = self.ahead.next_frame
        while self.ahead.has_room():
            targets: Any = SimpleNamespace(pins={0: np.zeros(size, np.uint8)}, colliders={})
            self.waiting.append(Future())
            self.ahead.add(targets, self.waiting[-1])
        return int(self.ahead.next_frame - before)

    def simulate(self, frames: int, seconds: float) -> None:
        """So many frames, each in so many seconds."""
        for _ in range(frames):
            self.waiting.pop(0).set_result(None)
            self.ahead.took(seconds)


@pytest.mark.parametrize(("seconds", "frames"), [(0.01, 50), (0.1, 5), (9.0, 1)])
def test_the_worker_has_enough_to_do_for_a_while(seconds: float, frames: int) -> None:
    worker = Worker()
    worker.simulate(worker.read(), seconds)
    assert worker.ahead.is_low()
    assert worker.read() == frames
    assert not worker.ahead.is_low()
    worker.simulate((frames + 1) // 2, seconds)
    assert worker.ahead.is_low()


def test_where_drawing_takes_long_more_is_read() -> None:
    worker = Worker()
    worker.simulate(worker.read(), 0.1)
    worker.ahead.drawing = 1.0
    worker.read()
    assert worker.ahead.is_enough()
    for _ in range(3):
        worker.simulate(10, 0.1)  # while Blender draws
        assert worker.waiting, "the worker has nothing to do"


def test_what_is_low_or_shorter_than_drawing_is_not_enough() -> None:
    worker = Worker(end=20)
    worker.read()
    worker.ahead.drawing = 0.15
    assert not worker.ahead.is_enough(), "it is not known how long that will take"
    worker.simulate(17, 0.1)
    assert worker.ahead.is_enough()
    worker.simulate(1, 0.1)
    assert not worker.ahead.is_enough()
    assert not worker.ahead.is_low(), "there is nothing left to read"


def test_what_follows_itself_is_read_frame_by_frame() -> None:
    worker = Worker(follows_itself=True)
    for _ in range(3):
        assert worker.read() == 1
        worker.simulate(1, 0.001)


def test_what_is_read_has_room_in_memory() -> None:
    worker = Worker()
    assert worker.read(size=2**25) < 2**28 // 2**25 + 2


def test_it_ends_when_all_is_done() -> None:
    worker = Worker(end=3)
    assert worker.read() == 2
    first, second = worker.waiting
    assert worker.ahead.first() is first
    worker.simulate(1, 0.1)
    assert worker.ahead.first() is second
    worker.simulate(1, 0.1)
    assert worker.ahead.first() is second, "somebody waits for it"
    assert worker.ahead.first() is None


def test_what_went_wrong_is_raised() -> None:
    worker = Worker()
    worker.read()
    worker.waiting[0].set_exception(addon.errors.SceneError("It broke"))
    with pytest.raises(addon.errors.SceneError, match="It broke"):
        worker.ahead.first()
