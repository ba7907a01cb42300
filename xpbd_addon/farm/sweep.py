# SPDX-License-Identifier: GPL-3.0-or-later
"""A sweep on one computer: each variation in a Blender of its own, a few at a time.

Nothing here waits: :meth:`Sweep.poll` looks at what the Blenders have said, and starts the next.
They write what they say to a file in the variation's folder, so that no pipe can fill up, and end
when this process does. One that dies is started once more, and goes on from its checkpoint.
"""

from __future__ import annotations

import json
import subprocess
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import bpy

from ...core.frame_cache import plain_file
from ..errors import SceneError
from . import blenders, record, varying
from .record import Result, Table
from .varying import Variation, Varied

TRIES = 2
_END = 5.0  # seconds that a Blender has to end in when it is told to

Event = dict[str, Any]
"""What happened: its ``event``, the number of the ``variation``, and more."""


def told(number: int, result: Result) -> Event:
    """What happened when a variation came to a result."""
    return {
        "event": "variation",
        "variation": number,
        "settings": result.settings,
        "figures": result.figures,
        "error": result.error,
        "left_out": result.left_out,
    }


@dataclass(frozen=True)
class Plan:
    """What is to be simulated, and where results go.

    Attributes:
        shot: the .blend file; it is only read.
        output: the folder of the sweep.
        frames: the first and the last.
        stills: whether a still of each is rendered.
    """

    shot: Path
    output: Path
    varied: tuple[Varied, ...]
    variations: list[Variation]
    frames: tuple[int, int]
    stills: bool = False

    @cached_property
    def checksum(self) -> str:
        """That of the shot when it is first asked for. Raises SceneError."""
        return record.checksum(self.shot)

    def result(self, number: int) -> Result | None:
        """What one of the variations, from 1 on, came to."""
        variation = self.variations[number - 1]
        return record.read_result(self.output, variation, self.frames, self.checksum)

    def table(self) -> Table:
        """What there is by now. Raises SceneError."""
        found = [self.result(number) for number in range(1, len(self.variations) + 1)]
        return Table(self.frames, self.variations, found, self.checksum)


def planned(
    scene: bpy.types.Scene, shot: Path, output: Path, varied: Sequence[Varied], *, stills: bool
) -> Plan:
    """The plan of a sweep over the scene's frames. Raises SceneError where it makes no sense."""
    varying.check(scene, varied)
    frames = (scene.xpbd.frame_start, scene.xpbd.frame_end)
    return Plan(shot, output, tuple(varied), varying.variations(varied), frames, stills)


def sweep_arguments(plan: Plan, output: str) -> list[str]:
    """Of the command of a plan, for a folder by whatever name."""
    vary = [f"--vary={each.setting}={','.join(each.values)}" for each in plan.varied]
    stills = ["--stills"] if plan.stills else []
    frames = f"--frames={plan.frames[0]}:{plan.frames[1]}"
    return ["sweep", *vary, f"--output={output}", frames, *stills]


@dataclass
class Worker:
    """A Blender at work on a variation."""

    number: int
    attempt: int
    process: subprocess.Popen[bytes]
    log: Path
    read: int = 0
    finished: bool = False

    def said(self) -> Iterator[Event]:
        """The whole lines that it has written since the last look."""
        with plain_file.opened(self.log, "rb") as file:
            file.seek(self.read)
            text = file.read()
        whole = text[: text.rfind(b"\n") + 1]
        self.read += len(whole)
        for line in whole.splitlines():
            if (event := _event(line)) is not None:
                yield event


def _event(line: bytes) -> Event | None:
    """What a line tells; None for one of the many that Blender and its add-ons print."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and "event" in found else None


class Sweep:
    """Runs the variations of a plan.

    Args:
        processes: how many Blenders work side by side.

    Attributes:
        progress: how much of each variation is done, 0 to 1.
        workers: the Blenders at work.

    Raises:
        SceneError: the folder can't be used.
    """

    def __init__(self, plan: Plan, processes: int) -> None:
        record.prepare(plan.output, plan.variations)
        record.write_table(plan.output, plan.table())
        self.plan = plan
        self.progress: dict[int, float] = {}
        self._processes = max(1, min(processes, len(plan.variations)))
        self._waiting = deque((number, 1) for number in range(1, len(plan.variations) + 1))
        self.workers: list[Worker] = []

    @property
    def is_running(self) -> bool:
        return bool(self._waiting or self.workers)

    @property
    def factor(self) -> float:
        """Share of the work done, 0 to 1."""
        return sum(self.progress.values()) / len(self.plan.variations)

    def poll(self) -> list[Event]:
        """Look at the Blenders, start those that are next, and return what happened.

        Raises:
            SceneError: no Blender can be started, or the folder can't be used any more.
        """
        happened: list[Event] = []
        for worker in list(self.workers):
            ended = worker.process.poll() is not None
            happened += self._heard(worker)
            if ended:
                worker.process.communicate()
                self.workers.remove(worker)
                happened.append(self._ended(worker))
        while self._waiting and len(self.workers) < self._processes:
            self._start(*self._waiting.popleft())
        if not self.is_running:
            record.write_table(self.plan.output, self.plan.table())
        return happened

    def close(self) -> None:
        """End all Blenders; what they have done is kept."""
        self._waiting.clear()
        for worker in self.workers:
            worker.process.kill()
        for worker in self.workers:
            worker.process.communicate(timeout=_END)
        self.workers.clear()

    def _heard(self, worker: Worker) -> Iterator[Event]:
        for event in worker.said():
            worker.finished |= event["event"] == "variation"
            if event["event"] == "progress":
                self.progress[worker.number] = event["done"] / max(1, event["total"])
                yield {**event, "variation": worker.number}

    def _start(self, number: int, attempt: int) -> None:
        variation = self.plan.variations[number - 1]
        log = record.folder_of(self.plan.output, variation) / record.LOG
        arguments = sweep_arguments(self.plan, str(self.plan.output))
        arguments += ["--only", str(number), "--json", "--tied"]
        try:
            with plain_file.opened(log, "wb") as file:
                process = subprocess.Popen(
                    blenders.command(self.plan.shot, arguments),
                    stdin=subprocess.PIPE,
                    stdout=file,
                    stderr=subprocess.STDOUT,
                    env=blenders.variables(self._processes),
                )
        except OSError as error:
            raise SceneError(f"Variation {number} can't be started: {error}") from error
        self.workers.append(Worker(number, attempt, process, log))

    def _ended(self, worker: Worker) -> Event:
        variation = self.plan.variations[worker.number - 1]
        result = self.plan.result(worker.number) if worker.finished else None
        if result is None and worker.attempt < TRIES:
            self._waiting.appendleft((worker.number, worker.attempt + 1))
            status = worker.process.returncode
            return {"event": "again", "variation": worker.number, "status": status}
        if result is None:
            result = self._given_up(worker, variation)
        self.progress[worker.number] = 1.0
        return told(worker.number, result)

    def _given_up(self, worker: Worker, variation: Variation) -> Result:
        why = (
            f"Its Blender ended twice, with status {worker.process.returncode}: what it said is in "
            f"'{worker.log}'"
        )
        result = Result(variation, self.plan.frames, error=why, shot=self.plan.checksum)
        record.write_result(self.plan.output, result)
        return result
