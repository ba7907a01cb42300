# SPDX-License-Identifier: GPL-3.0-or-later
"""`python build.py test`: which checks run where."""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from .environments import clean_variables, core_environment, core_pythons
from .isolated import best_blender, blender_named, isolated_blender, runnable_blenders
from .jobs import Job, Tally, run_check, run_jobs, run_pytest, say
from .lint import lint_jobs
from .packaging import build_zips, host_platform, zip_name
from .project import BLENDER_PYTHONS, BLENDERS, DIST, ROOT, SCRATCH, Blender, Series
from .wheels import PLATFORMS

_BODIES_TESTS = tuple(f"tests/core/{each}" for each in ("bodies", "contact", "forces", "solvers"))
"""On one Python: on the others the add-on's tests try how bodies move, in a Blender of each."""
_CORE_TESTS = ("tests/core", "tests/test_*.py")
_PACKAGING_TESTS = ("tests/packaging",)
_ADDON_TESTS = ("tests/xpbd_addon",)
_WINDOW_TEST = ROOT / "tests" / "ui" / "run.py"
_PYTEST_LIMIT = 3300.0
_WINDOW_LIMIT = 1500.0
# Debian suites with a Blender for the window test, and the Python that Debian builds it with.
WINDOW_SUITES = {"trixie": "3.13", "sid": "3.14"}


@dataclass(frozen=True)
class Request:
    """What was asked for on the command line.

    `blenders` names Blenders ("4.2"); empty means the best one, or all with `everything`.
    With pytest arguments only pytest runs: no lint, no window.
    """

    everything: bool = False
    blenders: tuple[str, ...] = ()
    pytest_arguments: tuple[str, ...] = ()
    window_suites: tuple[str, ...] = ("trixie",)


def run_tests(request: Request) -> Tally:
    """Run what was asked for, say what could not be run, and return the sum."""
    SCRATCH.mkdir(exist_ok=True)
    blenders, missing = _choose_blenders(request)
    with tempfile.TemporaryDirectory(prefix="test-", dir=SCRATCH) as folder:
        scratch = Path(folder)
        platforms = PLATFORMS if request.everything else (host_platform(),)
        say(f"building and validating the extension for {', '.join(platforms)}")
        build_zips(scratch, platforms)
        tally = run_jobs(_jobs(request, blenders, scratch))
    for reason in missing:
        say(f"SKIPPED {reason}")
    return tally + Tally(skipped=len(missing))


def _choose_blenders(request: Request) -> tuple[list[Blender], list[str]]:
    """Return the Blenders to test, and a sentence for each that was asked for but can't run."""
    runnable = runnable_blenders()
    if request.blenders:
        wanted = [blender_named(name) for name in request.blenders]
    elif request.everything or not runnable:
        wanted = list(BLENDERS)
    else:
        wanted = [best_blender()]
    missing = [
        f"Blender {blender.name}: no Python {blender.python} was found on this machine"
        for blender in wanted
        if blender not in runnable
    ]
    return [blender for blender in wanted if blender in runnable], missing


def _jobs(request: Request, blenders: Sequence[Blender], scratch: Path) -> list[Job]:
    """Return the jobs in the order they start: the long ones first."""
    arguments = request.pytest_arguments
    pythons = core_pythons(sorted({blender.python for blender in blenders}))
    core = _select(_CORE_TESTS, arguments)
    bodies = [] if arguments else [*_BODIES_TESTS]
    others = [*core, *(f"--ignore={folder}" for folder in bodies)]
    jobs = [_core_job("bodies of core", pythons[0], bodies, {}, scratch)] if bodies else []
    if addon := _select(_ADDON_TESTS, arguments):
        jobs += _addon_jobs(addon, blenders, scratch)
    if not arguments:
        jobs += [_window_job(suite, scratch) for suite in request.window_suites]
    if core:
        jobs.append(_core_job("core", pythons[0], others, {}, scratch))
        further = _without_long(others)
        jobs += [_core_job("core", python, further, {}, scratch) for python in pythons[1:]]
        interpreted = [*core, "-m", "jit_off"], {"NUMBA_DISABLE_JIT": "1"}
        jobs.append(_core_job("core without JIT", pythons[0], *interpreted, scratch))
    if packaging := _select(_PACKAGING_TESTS, arguments):
        zips = {"XPBD_ZIPS": str(scratch)}
        jobs.append(_core_job("packaging", pythons[0], packaging, zips, scratch))
    return jobs if arguments else [*jobs, *lint_jobs()]


def _without_long(arguments: Sequence[str]) -> Sequence[str]:
    """As on a further one of several Pythons."""
    return arguments if "-m" in arguments else [*arguments, "-m", "not slow and not long"]


def _addon_jobs(arguments: Sequence[str], blenders: Sequence[Blender], scratch: Path) -> list[Job]:
    """The newest first, which does all that takes long. Of each Python one Blender after the other,
    as those of one share what is compiled.
    """
    newest_first = blenders[::-1]
    further = _without_long(arguments)
    pythons = [blender.python for blender in newest_first]
    turns = [pythons[:i].count(python) for i, python in enumerate(pythons)]
    in_turn = sorted(zip(turns, newest_first, strict=True), key=itemgetter(0))
    return [
        _addon_job(blender, further if number > 0 else arguments, scratch)
        for number, (_, blender) in enumerate(in_turn)
    ]


def _addon_job(blender: Blender, arguments: Sequence[str], scratch: Path) -> Job:
    archive = scratch / zip_name(host_platform())
    shared = {"NUMBA_CACHE_DIR": str(scratch / f"compiled in Blenders of Python {blender.python}")}

    def work(log: Path) -> Tally:
        with isolated_blender(blender, archive) as place:
            variables = place.variables | shared
            return run_pytest(place.python, arguments, variables, log, limit=_PYTEST_LIMIT)

    return Job(f"Blender {blender.name}", work)


def _core_job(
    title: str, python: str, arguments: Sequence[str], extra: Mapping[str, str], scratch: Path
) -> Job:
    name = f"{title} on Python {python}"
    compiled = scratch / f"compiled for Python {python}"

    def work(log: Path) -> Tally:
        variables = clean_variables({"NUMBA_CACHE_DIR": str(compiled), **extra})
        interpreter = core_environment(python)
        return run_pytest(interpreter, arguments, variables, log, limit=_PYTEST_LIMIT)

    return Job(name, work)


def _window_job(suite: str, scratch: Path) -> Job:
    shots = DIST / "ui" / suite

    def work(log: Path) -> Tally:
        archive = scratch / zip_name(host_platform())
        if WINDOW_SUITES[suite] not in BLENDER_PYTHONS:
            series = Series("", (WINDOW_SUITES[suite],))
            (archive,) = build_zips(scratch / suite, (host_platform(),), series=series)
        command = [sys.executable, str(_WINDOW_TEST), f"--zip={archive}", f"--suite={suite}"]
        command.append(f"--shots={shots}")
        variables = clean_variables({})
        return run_check(command, variables, log, limit=_WINDOW_LIMIT, measures_time=True)

    return Job(f"window of Debian {suite}", work)


def _select(suite: Sequence[str], arguments: Sequence[str]) -> list[str]:
    """Return the pytest arguments for one suite: empty when nothing of it was asked for.

    Paths among `arguments` ("tests/…") replace the suite's own; each suite keeps those inside it.
    """
    own = [path for pattern in suite for path in sorted(ROOT.glob(pattern))]
    given = [argument for argument in arguments if argument.startswith("tests")]
    options = [argument for argument in arguments if argument not in given]
    if not given:
        return [*(str(path.relative_to(ROOT)) for path in own), *options] if own else []
    inside = [argument for argument in given if _is_inside(argument, own)]
    return [*inside, *options] if inside else []


def _is_inside(argument: str, folders: Sequence[Path]) -> bool:
    path = (ROOT / argument.split("::")[0]).resolve()
    return any(path == folder or folder in path.parents for folder in folders)
