# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that are killed at any moment while they simulate, keep checkpoints or clear."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

from core.frame_cache import FrameCache

from . import judge, work

LONGEST = 0.5
"""Of the time that a whole simulation takes: after that a process is killed at the latest."""

CLEARING = b"\xff"


def campaign(count: int, seed: int, scratch: Path) -> dict[str, int]:
    """So many kills; each process goes on with what the one before has left.

    Raises:
        Wrong: what is left is not as it must be.
    """
    draw, found = random.Random(seed), Counter[str]()
    work.reference()
    folder = scratch / "kills"
    began = time.monotonic()
    _run(folder, 600.0)
    longest = LONGEST * (time.monotonic() - began)
    while found["killed"] < count:
        told, clearing, killed = _run(folder, draw.uniform(0.0, longest))
        found["killed"] += killed
        if clearing:
            found["killed while clearing"] += killed
            continue
        last = judge.last_frame(folder)
        found["frames lost"] += max(0, told - last)
        if told > last:
            raise judge.Wrong(f"frame {told} was stored, and {last} is the last one")
        if not killed:
            judge.is_whole(folder)
            found["simulations finished"] += 1
    judge.is_cleared(folder)
    return dict(found)


def _run(folder: Path, seconds: float) -> tuple[int, bool, bool]:
    """Simulate for a while in a process of its own, or clear what is complete.

    Returns:
        the last frame that was stored, whether it was clearing, and whether it was killed.
    """
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        _work(folder, writing)
    os.close(writing)
    until = time.monotonic() + seconds
    killed, done = False, 0
    while done == 0:
        done, status = os.waitpid(process, os.WNOHANG)
        if done == 0 and time.monotonic() >= until:
            os.kill(process, signal.SIGKILL)
            _, status = os.waitpid(process, 0)
            done, killed = process, os.WIFSIGNALED(status)
        time.sleep(0.0005)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    if not killed and os.waitstatus_to_exitcode(status) != 0:
        raise judge.Wrong(f"a process ended with {os.waitstatus_to_exitcode(status)}")
    frames = told.replace(CLEARING, b"")
    return (frames[-1] if frames else 0), CLEARING in told, killed


def _work(folder: Path, told: int) -> None:
    """In the process: never returns."""
    status = 1
    try:
        if (FrameCache(folder).last_frame_of(work.OBJECT) or 0) == work.LAST:
            os.write(told, CLEARING)
            FrameCache(folder).clear()
        else:
            work.simulate(folder, lambda frame: _tell(told, frame))
        status = 0
    finally:
        os._exit(status)


def _tell(told: int, frame: int) -> None:
    os.write(told, bytes([frame]))
