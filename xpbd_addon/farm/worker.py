# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender that does one variation after the other, and how it is spoken to.

To its standard input go the numbers of variations, a line each, and `END`. What it and Blender
print goes to a file in the variation's folder, so that no pipe can fill up; lines of JSON among it
are events. It ends when its standard input does, as with whoever started it.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.frame_cache import plain_file

END = 0
"""Stands for a number where nothing is left to do."""

_BEGINNING = b'{"event"'  # of an event, maybe behind half a line of Blender's own

Event = dict[str, Any]
"""What happened: its ``event``, the number of the ``variation``, and more."""


@dataclass
class Task:
    """A variation to be simulated.

    Attributes:
        number: of the variation.
        log: the file for what is printed meanwhile.
        attempt: 1, or more after Blenders that ended.
    """

    number: int
    log: Path
    attempt: int = 1


class Worker:
    """A Blender at work.

    Args:
        command: what starts it.
        task: its first.

    Attributes:
        task: what it works on; None where it has nothing to do.
        has_finished: whether it said that the task is done.
        is_dismissed: whether it gets no more.

    Raises:
        OSError: it can't be started, or the log not be written.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], task: Task) -> None:
        with plain_file.opened(task.log, "wb") as file:
            # This process keeps the end that is read, too: Blender, other than Python, would die
            # of writing to a pipe that nobody reads any more.
            self._pipe: tuple[int, ...] = os.pipe()
            try:
                self.process = subprocess.Popen(
                    command,
                    stdin=self._pipe[0],
                    stdout=file,
                    stderr=subprocess.STDOUT,
                    env=environment,
                )
            except OSError:
                self.abandon()
                raise
        self.is_dismissed = False
        self._begin(task)

    @property
    def is_idle(self) -> bool:
        """Whether it waits for a task."""
        return self.task is None and not self.is_dismissed

    def give(self, task: Task) -> None:
        """Let it begin a task. Raises OSError where the log can't be written."""
        with plain_file.opened(task.log, "wb"):  # what is in it may be an earlier sweep's
            self._begin(task)

    def dismiss(self) -> None:
        """Let it end: there is nothing left to do."""
        self.is_dismissed = True
        self._say(END)

    def abandon(self) -> None:
        """Close its standard input: it ends, if it has not."""
        for end in self._pipe:
            os.close(end)
        self._pipe = ()

    def said(self) -> Iterator[Event]:
        """The events that it has told of its task since the last look. Raises OSError."""
        if self.task is None:
            return
        with plain_file.opened(self.task.log, "rb") as file:
            file.seek(self._read)
            text = file.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            if (event := event_of(line)) is not None:
                self.has_finished |= event["event"] == "variation"
                yield event

    def _begin(self, task: Task) -> None:
        self.task: Task | None = task
        self.has_finished, self._read = False, 0
        self._say(task.number)

    def _say(self, number: int) -> None:
        os.write(self._pipe[1], b"%d\n" % number)


def event_of(line: bytes) -> Event | None:
    """What a line tells; None for one of the many that Blender and its add-ons print."""
    try:
        found = json.loads(line[max(0, line.find(_BEGINNING)) :])
    except ValueError:
        return None
    return found if isinstance(found, dict) and "event" in found else None


def numbers() -> Iterator[int]:
    """The variations that the Blender which runs this is to do, as they come in.

    It ends at once, whatever it does, when whoever started it is gone.
    """
    coming: queue.SimpleQueue[int] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(coming,), name="xpbd parent", daemon=True).start()
    return iter(coming.get, END)


def _listen(coming: queue.SimpleQueue[int]) -> None:
    # Without a buffer, whose lock the end of Python would wait for.
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as lines:
        for line in lines:
            coming.put(int(line))
            if int(line) == END:
                return
    os._exit(1)


def print_into(log: Path) -> None:
    """Let all that this Blender prints from now on go to a file. Raises OSError."""
    with plain_file.opened(log, "a+b") as file:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            os.dup2(file.fileno(), stream.fileno())
