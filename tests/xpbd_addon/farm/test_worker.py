# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender that gets tasks: what it says, and what becomes of one that ends."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playing import addon

ECHO = """
import sys
for line in sys.stdin:
    if int(line) == 0:
        break
    print("Fra:1 Mem", end="", flush=True)
    print('{"event": "variation", "number": %d}' % int(line), flush=True)
    print('{"event": "vari', end="", flush=True)
"""


def worker_of(script: str, task: Any) -> Any:
    return addon.farm.worker.Worker([sys.executable, "-c", script], dict(os.environ), task)


def task_of(folder: Path, number: int = 1) -> Any:
    return addon.farm.worker.Task(number, folder / f"{number}.txt")


def said_until_done(worker: Any) -> list[Any]:
    said: list[Any] = []
    while not worker.has_finished:
        assert worker.process.poll() is None
        said += worker.said()
        time.sleep(0.01)
    return said


def test_it_does_one_after_the_other_and_is_let_go(tmp_path: Path) -> None:
    first, second = task_of(tmp_path), task_of(tmp_path, 2)
    second.log.write_text('{"event": "variation", "number": 7}\n')  # an earlier sweep's
    worker = worker_of(ECHO, first)
    assert not worker.is_idle
    assert said_until_done(worker) == [{"event": "variation", "number": 1}]
    worker.task = None
    assert worker.is_idle and not list(worker.said())
    worker.give(second)
    assert not list(worker.said()) and not worker.has_finished
    worker.task = None
    worker.dismiss()
    assert not worker.is_idle
    assert worker.process.wait(60) == 0
    worker.abandon()
    assert "2}" in first.log.read_text()  # this script prints to where it did


@pytest.fixture
def as_in_blender() -> Iterator[None]:
    """Blender, other than Python, dies of a pipe that nobody reads."""
    if os.name != "posix":
        yield
        return
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGPIPE, before)


@pytest.mark.usefixtures("as_in_blender")
def test_one_that_has_ended_takes_a_task_that_another_can_do(tmp_path: Path) -> None:
    worker = worker_of("", task_of(tmp_path))
    worker.process.wait(60)
    worker.give(task_of(tmp_path, 2))
    assert worker.task.number == 2 and not worker.has_finished
    worker.abandon()


def test_one_that_can_not_be_started_leaves_nothing_open(tmp_path: Path) -> None:
    known = tmp_path / "known"
    known.touch()
    first = os.open(known, os.O_RDONLY)
    os.close(first)
    with pytest.raises(OSError):
        addon.farm.worker.Worker([str(tmp_path / "no")], dict(os.environ), task_of(tmp_path))
    assert os.open(known, os.O_RDONLY) == first
    os.close(first)


@pytest.mark.parametrize(
    ("line", "event"),
    [
        (b'{"event": "progress", "done": 1}', {"event": "progress", "done": 1}),
        (b'Fra:1 {Mem {"event": "progress"}', {"event": "progress"}),
        (b'{"event": "progress"', None),
        (b'{"frames": 1}', None),
        (b"[1]", None),
        (b"Fra:1", None),
        (b"", None),
    ],
)
def test_events_are_told_from_what_blender_prints(line: bytes, event: Any) -> None:
    assert addon.farm.worker.event_of(line) == event
