# SPDX-License-Identifier: GPL-3.0-or-later
"""ruff over everything, and mypy over the extension as Blender sees it: one package."""

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .environments import clean_variables, lint_environment
from .jobs import Job, Tally, run_check
from .project import ROOT, SCRATCH

_EXTENSION = ("__init__.py", "core", "xpbd_addon")
_BESIDES = ("build.py", "build_tasks", "tests", "bench", "validation", "stress", "demo")
_LIMIT = 900.0


def lint_jobs() -> list[Job]:
    """Return one job for ruff and two for mypy: the extension, and what surrounds it."""
    return [
        Job("ruff", _ruff),
        Job("mypy extension", _mypy_extension),
        Job("mypy tools and tests", _mypy_besides),
    ]


def _ruff(log: Path) -> Tally:
    command = [
        str(lint_environment()),
        "-m",
        "ruff",
        "check",
        "--no-cache",
        "--output-format=concise",
        ".",
    ]
    return run_check(command, clean_variables({}), log, limit=_LIMIT)


def _mypy_extension(log: Path) -> Tally:
    """Check a copy in a folder named like a package.

    Relative imports such as `from ..core import …` have a meaning only below a package, and the
    checkout may have any name.
    """
    with tempfile.TemporaryDirectory(prefix="mypy-", dir=SCRATCH) as folder:
        package = Path(folder, "xpbd")
        package.mkdir()
        for name in _EXTENSION:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, package / name)
            elif (ROOT / name).is_file():
                shutil.copy(ROOT / name, package / name)
        return _mypy(["-p", "xpbd"], log, folder=package, search_path=Path(folder))


def _mypy_besides(log: Path) -> Tally:
    present = [name for name in _BESIDES if (ROOT / name).exists()]
    return _mypy(["--follow-imports=silent", *present], log, folder=ROOT, search_path=ROOT)


def _mypy(arguments: Sequence[str], log: Path, *, folder: Path, search_path: Path) -> Tally:
    command = [
        str(lint_environment()),
        "-m",
        "mypy",
        f"--config-file={ROOT / 'pyproject.toml'}",
        f"--cache-dir={os.devnull}",
        *arguments,
    ]
    variables = clean_variables({"MYPYPATH": str(search_path)})
    return run_check(command, variables, log, limit=_LIMIT, folder=folder)
