# SPDX-License-Identifier: GPL-3.0-or-later
"""A job for somebody else's scheduler: what its tasks run, and the file that describes it.

With settings to vary a job is a sweep: one task a variation, and one that collects the table.
Without, it simulates the shot and renders it in chunks of frames, from a copy of the file beside
the cache.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...core.frame_cache import plain_file
from ..errors import SceneError
from .sweep import Plan, sweep_arguments

MARK = "Written by XPBD Cloth & Soft Body"
"""Stands at the beginning of files that may be overwritten."""

_BEGINNING = 1 << 12  # bytes in which it does


@dataclass(frozen=True)
class Job:
    """What is to be done on other machines.

    Attributes:
        plan: the shot, its frames, the folder for what is made, and what is varied.
        chunk: frames that a task renders, where nothing is varied.
    """

    plan: Plan
    chunk: int = 10

    @property
    def is_sweep(self) -> bool:
        return bool(self.plan.varied)

    @property
    def name(self) -> str:
        return f"XPBD {'sweep' if self.is_sweep else 'shot'} {self.plan.shot.stem}"

    @property
    def chunks(self) -> list[tuple[int, int]]:
        """The first and the last frame of each task that renders."""
        start, end = self.plan.frames
        return [(at, min(at + self.chunk - 1, end)) for at in range(start, end + 1, self.chunk)]

    def variation(self, output: str, number: str) -> list[str]:
        """Arguments of Blender, after the file, that simulate one of the variations."""
        return [*self._sweep(output), "--only", number, "--json"]

    def collection(self, output: str) -> list[str]:
        """Those that write the table of all."""
        return [*self._sweep(output), "--collect", "--json"]

    def simulation(self, output: str) -> list[str]:
        """Those that simulate the shot into a folder, and save a copy of the file there."""
        start, end = self.plan.frames
        frames = f"--frames={start}:{end}"
        return ["--command", "xpbd", "simulate", f"--into={output}", frames, "--json"]

    def rendering(self, output: str, start: str, end: str) -> list[str]:
        """Those that render frames of that copy."""
        return ["-o", f"{output}/render/####", "-s", start, "-e", end, "-a"]

    def _sweep(self, output: str) -> list[str]:
        plan = self.plan
        return ["--command", "xpbd", *sweep_arguments(plan, output)]


def write(job: Job, name: str, text_of: Callable[[Job], str]) -> Path:
    """Write the file that describes a job into its folder, and return its path.

    Raises:
        SceneError: there is somebody else's file, or the folder can't be used.
    """
    path = job.plan.output / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if plain_file.exists(path) and not _is_ours(path):
            raise SceneError(f"'{path}' is another program's: choose another folder for the job")
        with plain_file.opened(path, "wb") as file:
            file.write(text_of(job).encode())
    except OSError as error:
        reason = error.strerror or str(error)
        raise SceneError(f"'{path}' can't be written ({reason}): choose another folder") from error
    return path


def _is_ours(path: Path) -> bool:
    with plain_file.opened(path, "rb") as file:
        return MARK.encode() in file.read(_BEGINNING)
