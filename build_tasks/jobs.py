# SPDX-License-Identifier: GPL-3.0-or-later
"""Running checks side by side: one log a job, one line when it ends, one sum for all."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock

from .project import ROOT, SCRATCH, BuildError

SKIPPED_STATUS = 77
_NOTHING_COLLECTED = 5
_AT_ONCE = 3
"""Jobs at a time: two, each of which waits now and then, left a quarter of two cores unused."""
_STOPPED = -9
_BEHIND = 15
"""Niceness of what leaves the processors to what measures time beside it."""
_console = Lock()
_running: set[subprocess.Popen[bytes]] = set()


@dataclass(frozen=True)
class Tally:
    """How many checks passed, failed and were skipped."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
        )

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


@dataclass(frozen=True)
class Job:
    """A named piece of testing; `work` gets the file to log to and may raise BuildError."""

    name: str
    work: Callable[[Path], Tally]


def run_jobs(jobs: Sequence[Job]) -> Tally:
    """Run the jobs, some at a time, printing each one's log when it failed; return the sum."""
    SCRATCH.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="logs-", dir=SCRATCH) as logs,
        ThreadPoolExecutor(max_workers=_AT_ONCE) as pool,
    ):
        try:
            return sum(pool.map(partial(_run_job, logs=Path(logs)), jobs), Tally())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in tuple(_running):
                _stop(process)
            raise


def say(text: str) -> None:
    """Print a line; lines of jobs that run at the same time don't mix."""
    with _console:
        print(text, flush=True)


def run_pytest(
    python: Path,
    arguments: Sequence[str],
    variables: Mapping[str, str],
    log: Path,
    *,
    limit: float,
) -> Tally:
    """Run pytest from the repository root and return its counts.

    A process that dies, hangs past `limit` seconds or ends badly counts as one more failure.
    """
    report = log.with_suffix(".xml")
    report.unlink(missing_ok=True)
    command = [str(python), "-m", "pytest", "-p", "no:cacheprovider", f"--junitxml={report}"]
    status = run_logged(_behind([*command, *arguments]), variables, log, limit=limit)
    tally = _read_report(report)
    if status not in (0, _NOTHING_COLLECTED) and tally.failed == 0:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"\npytest ended with status {status}\n")
        return tally + Tally(failed=1)
    return tally


def run_check(
    command: Sequence[str],
    variables: Mapping[str, str],
    log: Path,
    *,
    limit: float,
    folder: Path = ROOT,
    measures_time: bool = False,
) -> Tally:
    """Run a command that counts as one check: status 0 passed, 77 skipped, else failed."""
    ordered = command if measures_time else _behind(command)
    status = run_logged(ordered, variables, log, limit=limit, folder=folder)
    if status == SKIPPED_STATUS:
        return Tally(skipped=1)
    return Tally(passed=1) if status == 0 else Tally(failed=1)


def run_logged(
    command: Sequence[str],
    variables: Mapping[str, str],
    log: Path,
    *,
    limit: float,
    folder: Path = ROOT,
) -> int:
    """Append the command's output to `log`; return its status, or -9 when it was stopped.

    The command and its children are stopped after `limit` seconds.
    """
    with log.open("a", encoding="utf-8") as file:
        file.write(f"$ {' '.join(command)}\n")
        file.flush()
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(variables),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            # A group of its own, to be stopped with its children; in a session of its own, Linux
            # would give it as much of the processors as the others, however nice it is.
            process_group=0,
        )
        _running.add(process)
        try:
            return process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            file.write(f"\nstopped: it ran longer than {limit:.0f} s\n")
            return _STOPPED
        finally:
            _stop(process)
            _running.discard(process)


def _run_job(job: Job, logs: Path) -> Tally:
    log = logs / f"{job.name}.txt"
    log.write_text("", encoding="utf-8")
    say(f"[{job.name}] started")
    started = time.monotonic()
    try:
        tally = job.work(log)
    except BuildError as error:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{error}\n")
        tally = Tally(failed=1)
    seconds = time.monotonic() - started
    content = log.read_text(encoding="utf-8", errors="replace")
    shown = content if tally.failed else _skip_reasons(content)
    say(f"{shown}[{job.name}] {tally} in {seconds:.0f} s")
    return tally


def _behind(command: Sequence[str]) -> list[str]:
    nice = shutil.which("nice")
    return [*command] if nice is None else [nice, "-n", str(_BEHIND), *command]


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    if os.name == "nt":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _skip_reasons(log: str) -> str:
    return "".join(f"{line}\n" for line in log.splitlines() if "SKIPPED" in line)


def _read_report(report: Path) -> Tally:
    if not report.is_file():
        return Tally()
    total = Tally()
    for suite in ElementTree.parse(report).getroot().iter("testsuite"):
        tests, failures, errors, skipped = (
            int(suite.attrib[key]) for key in ("tests", "failures", "errors", "skipped")
        )
        failed = failures + errors
        total += Tally(max(tests - failed - skipped, 0), failed, skipped)
    return total
