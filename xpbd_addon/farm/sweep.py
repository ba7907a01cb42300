# SPDX-License-Identifier: GPL-3.0-or-later
"""A sweep on one computer: a few Blenders, each of which does one variation after the other.

Nothing here waits: :meth:`Sweep.poll` looks at what the Blenders have said, and gives them what is
next. What one was at that died is done once more, from its checkpoint on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import bpy

from ..errors import SceneError
from . import blenders, record, varying
from .record import Result, Table
from .varying import Variation, Varied
from .worker import Event, Task, Worker

TRIES = 2
_END = 5.0  # seconds that a Blender has to end in when it is told to


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

    def log(self, number: int) -> Path:
        """The file for what is printed while one of the variations is simulated."""
        return record.folder_of(self.output, self.variations[number - 1]) / record.LOG

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
        numbers = range(1, len(plan.variations) + 1)
        self._waiting = deque(Task(number, plan.log(number)) for number in numbers)
        self.workers: list[Worker] = []

    @property
    def is_running(self) -> bool:
        return bool(self._waiting or self.workers)

    @property
    def factor(self) -> float:
        """Share of the work done, 0 to 1."""
        return sum(self.progress.values()) / len(self.plan.variations)

    def poll(self) -> list[Event]:
        """Look at the Blenders, give them what is next, and return what happened.

        Raises:
            SceneError: no Blender can be started, or the folder can't be used any more.
        """
        happened: list[Event] = []
        for worker in list(self.workers):
            ended = worker.process.poll() is not None
            happened += self._heard(worker)
            if worker.task is not None and (ended or worker.has_finished):
                happened.append(self._done(worker, worker.task))
            if ended:
                worker.abandon()
                self.workers.remove(worker)
        self._hand_out()
        if not self.is_running:
            record.write_table(self.plan.output, self.plan.table())
        return happened

    def close(self) -> None:
        """End all Blenders; what they have done is kept."""
        self._waiting.clear()
        for worker in self.workers:
            worker.process.kill()
        for worker in self.workers:
            worker.process.wait(_END)
            worker.abandon()
        self.workers.clear()

    def _heard(self, worker: Worker) -> Iterator[Event]:
        for event in worker.said():
            if worker.task is not None and event["event"] == "progress":
                number = worker.task.number
                self.progress[number] = event["done"] / max(1, event["total"])
                yield {**event, "variation": number}

    def _hand_out(self) -> None:
        """Give those that wait what is next, start others, and let go who isn't needed."""
        try:
            for worker in self.workers:
                if worker.is_idle and self._waiting:
                    worker.give(self._waiting.popleft())
                elif worker.is_idle:
                    worker.dismiss()
            while self._waiting and len(self.workers) < self._processes:
                self.workers.append(self._started(self._waiting.popleft()))
        except OSError as error:
            raise SceneError(f"The next variation can't be started: {error}") from error

    def _started(self, task: Task) -> Worker:
        arguments = [*sweep_arguments(self.plan, str(self.plan.output)), "--worker", "--json"]
        command = blenders.command(self.plan.shot, arguments)
        return Worker(command, blenders.variables(self._processes), task)

    def _done(self, worker: Worker, task: Task) -> Event:
        """Take a task from who did it, or died from it."""
        worker.task = None
        result = self.plan.result(task.number) if worker.has_finished else None
        if not worker.has_finished and task.attempt < TRIES:
            self._waiting.appendleft(replace(task, attempt=task.attempt + 1))
            status = worker.process.returncode
            return {"event": "again", "variation": task.number, "status": status}
        if result is None:
            result = self._given_up(worker, task)
        self.progress[task.number] = 1.0
        return told(task.number, result)

    def _given_up(self, worker: Worker, task: Task) -> Result:
        why = f"'{self.plan.shot}' was saved meanwhile, or its result can't be read: sweep again"
        if not worker.has_finished:
            status = worker.process.returncode
            why = f"Its Blender ended twice, with status {status}: what it said is in '{task.log}'"
        variation = self.plan.variations[task.number - 1]
        result = Result(variation, self.plan.frames, error=why, shot=self.plan.checksum)
        record.write_result(self.plan.output, result)
        return result
