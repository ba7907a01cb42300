#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The project's tasks; each makes what it needs, from Python 3.11 and pip onwards."""

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

if sys.version_info < (3, 11):
    sys.exit("build.py needs Python 3.11 or newer: run it with `python3.11 build.py …`.")

from build_tasks import (
    isolated,
    jobs,
    lint,
    packaging,
    project,
    scripts,
    source_map,
    testing,
    wheels,
)

BLENDERS = [blender.name for blender in project.BLENDERS]


def main(arguments: Sequence[str]) -> int:
    """Run the task named on the command line; return the exit status."""
    parser = _parser()
    options, others = parser.parse_known_args(arguments)
    if others and options.task not in (_test, _bench, _stress):
        parser.error(f"unknown arguments: {' '.join(others)}")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    options.others = tuple(argument for argument in others if argument != "--")
    try:
        return options.task(options)
    except project.BuildError as error:
        print(f"build.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="build.py", description=__doc__, allow_abbrev=False)
    tasks = parser.add_subparsers(required=True, metavar="TASK")
    _add_zip(tasks.add_parser("zip", help="build and validate the extension's zips in dist/"))
    _add_test(
        tasks.add_parser(
            "test", allow_abbrev=False, help="run all tests; further arguments go to pytest"
        )
    )
    tasks.add_parser("lint", help="run ruff and mypy").set_defaults(task=_lint)
    tasks.add_parser("map", help="write docs/map.md: what each file is for").set_defaults(task=_map)

    task = tasks.add_parser(
        "check-zip", help="run Blender's validation on zips (default: dist/*.zip)"
    )
    task.add_argument("paths", nargs="*", type=Path)
    task.set_defaults(task=_check_zip)

    task = tasks.add_parser(
        "validate", help="recompute docs/validation.md: every method against its reference"
    )
    task.add_argument(
        "--case", action="append", metavar="NAME", help="only this section (repeatable)"
    )
    task.set_defaults(task=_validate)

    task = tasks.add_parser(
        "stress",
        allow_abbrev=False,
        help="kill, damage and generate, and write docs/reliability.md; further arguments go to "
        "`python -m stress`",
    )
    task.set_defaults(task=_stress)

    task = tasks.add_parser("demo", help="simulate, bake and render a scene")
    task.add_argument("--scene", choices=scripts.SCENES, default="clothes")
    task.add_argument("--blender", choices=BLENDERS)
    task.add_argument("--output", type=Path, default=project.DIST / "demo")
    task.set_defaults(task=_demo)

    task = tasks.add_parser(
        "bench",
        allow_abbrev=False,
        help="measure against Blender's own cloth; further arguments go to `python -m bench`",
    )
    task.add_argument("--blender", choices=BLENDERS)
    task.set_defaults(task=_bench)
    return parser


def _add_zip(task: argparse.ArgumentParser) -> None:
    task.add_argument(
        "--platform", default="all", help=f"all, or some of {','.join(wheels.PLATFORMS)}"
    )
    task.add_argument(
        "--python",
        action="append",
        metavar="3.14",
        help="pack wheels for these Pythons instead (for tests; repeatable)",
    )
    task.add_argument(
        "--series",
        choices=("all", "each"),
        default="all",
        help="one zip for all Blenders, or a smaller one for each series with the same Python",
    )
    task.add_argument("--output", type=Path, default=project.DIST, help="folder (default: dist)")
    task.set_defaults(task=_zip)


def _add_test(task: argparse.ArgumentParser) -> None:
    task.add_argument(
        "--all", action="store_true", help="in every Blender that a Python here can run"
    )
    task.add_argument(
        "--blender", action="append", choices=BLENDERS, help="in this one (repeatable)"
    )
    task.add_argument(
        "--window",
        action="append",
        choices=tuple(testing.WINDOW_SUITES),
        help="the Debian whose Blender the window test uses (repeatable, default: trixie)",
    )
    task.set_defaults(task=_test)


def _zip(options: argparse.Namespace) -> int:
    platforms = _platforms(options.platform)
    for series in _series(options):
        able = [name for name in platforms if packaging.can_run(name, series)]
        for name in sorted(set(platforms) - set(able)):
            print(f"{packaging.zip_name(name, series)}  left out: numba has no wheels for it")
        for path in packaging.build_zips(options.output, able, series=series):
            print(f"{path}  ({path.stat().st_size / 1e6:.0f} MB, validated)")
    return 0


def _series(options: argparse.Namespace) -> tuple[project.Series, ...]:
    if options.python:
        return (project.Series("", tuple(options.python)),)
    return project.SERIES if options.series == "each" else (project.EVERY_BLENDER,)


def _test(options: argparse.Namespace) -> int:
    started = time.monotonic()
    request = testing.Request(
        everything=options.all,
        blenders=tuple(options.blender or ()),
        pytest_arguments=options.others,
        window_suites=tuple(options.window or ("trixie",)),
    )
    tally = testing.run_tests(request)
    print(f"took {time.monotonic() - started:.0f} s")
    return _conclude(tally)


def _lint(_: argparse.Namespace) -> int:
    return _conclude(jobs.run_jobs(lint.lint_jobs()))


def _map(_: argparse.Namespace) -> int:
    print(source_map.write())
    return 0


def _check_zip(options: argparse.Namespace) -> int:
    paths = options.paths or sorted(project.DIST.glob("*.zip"))
    if not paths:
        raise project.BuildError("dist/ holds no zip: run `python build.py zip` first.")
    for path in paths:
        packaging.validate(path)
        print(f"{path}  valid")
    return 0


def _validate(options: argparse.Namespace) -> int:
    scripts.run_validation(options.case or ())
    return 0


def _stress(options: argparse.Namespace) -> int:
    scripts.run_stress(isolated.best_blender(), options.others)
    return 0


def _demo(options: argparse.Namespace) -> int:
    scripts.run_demo(_blender(options.blender), options.output, options.scene)
    return 0


def _bench(options: argparse.Namespace) -> int:
    scripts.run_bench(_blender(options.blender), options.others)
    return 0


def _blender(name: str | None) -> project.Blender:
    return isolated.blender_named(name) if name else isolated.best_blender()


def _platforms(text: str) -> tuple[str, ...]:
    names = wheels.PLATFORMS if text == "all" else tuple(text.split(","))
    for name in names:
        if name not in wheels.PLATFORMS:
            raise project.BuildError(
                f"{name} is no platform of this extension: {', '.join(wheels.PLATFORMS)}."
            )
    return names


def _conclude(tally: jobs.Tally) -> int:
    """Print the closing line; a run in which nothing passed counts as a failure."""
    print(tally)
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
