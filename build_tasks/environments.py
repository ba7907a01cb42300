# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual environments under .venvs/, made again when their requirements change."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock

from .project import (
    ENVIRONMENTS,
    RUNNING_PYTHON,
    Blender,
    BuildError,
    core_requirements,
    dependency_group,
    validation_requirements,
)
from .pythons import find_python, require_python

_STAMP = "requirements.txt"
_locks: defaultdict[str, Lock] = defaultdict(Lock)


def core_environment(python: str) -> Path:
    """Return the interpreter of an environment with numba, pytest and no Blender."""
    return _environment(f"core-py{python}", require_python(python), core_requirements(python))


def blender_environment(blender: Blender) -> Path:
    """Return the interpreter of an environment with that bpy, pytest and no numba."""
    return _environment(f"bpy-{blender.name}", require_python(blender.python), blender.requirements)


def validation_environment() -> Path:
    """Return the interpreter of an environment with numba, matplotlib and no Blender."""
    name = f"validation-py{RUNNING_PYTHON}"
    return _environment(name, Path(sys.executable), validation_requirements())


def lint_environment() -> Path:
    """Return the interpreter of an environment with ruff and mypy."""
    return _environment("lint", Path(sys.executable), dependency_group("lint"))


def extra_environment(name: str, pythons: Sequence[str], requirements: Sequence[str]) -> Path:
    """Return the interpreter of an environment with other libraries.

    It is made with the first of `pythons` that this machine has. Raises BuildError where there is
    none, or where something can't be installed.
    """
    version = next((python for python in pythons if find_python(python)), pythons[0])
    return _environment(name, require_python(version), requirements)


def core_pythons(wanted: Sequence[str]) -> list[str]:
    """Return those Pythons of `wanted` that this machine has, else the running one."""
    return [version for version in wanted if find_python(version)] or [RUNNING_PYTHON]


def clean_variables(extra: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables for a child: ours, without the caller's Python settings."""
    dropped = {"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONDONTWRITEBYTECODE"}
    dropped |= {"VIRTUAL_ENV", "NUMBA_DISABLE_JIT"}
    kept = {key: value for key, value in os.environ.items() if key not in dropped}
    return kept | {"PYTHONNOUSERSITE": "1", "PYTHONUNBUFFERED": "1"} | dict(extra)


def _environment(name: str, python: Path, requirements: Sequence[str]) -> Path:
    folder = ENVIRONMENTS / name
    stamp = "\n".join([f"# {python}", *requirements]) + "\n"
    with _locks[name]:
        if _stamp_of(folder) != stamp:
            _make(folder, python, stamp)
    return _interpreter(folder)


def _make(folder: Path, python: Path, stamp: str) -> None:
    print(f"[{folder.name}] making the environment", flush=True)
    ENVIRONMENTS.mkdir(exist_ok=True)
    # Made beside its place and moved there when complete: an interrupted run leaves no half one.
    unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=ENVIRONMENTS))
    try:
        _run_quietly([str(python), "-m", "venv", str(unfinished)])
        (unfinished / _STAMP).write_text(stamp, encoding="utf-8")
        _run_quietly(
            [
                str(_interpreter(unfinished)),
                "-m",
                "pip",
                "install",
                "--no-input",
                "--disable-pip-version-check",
                "--only-binary=:all:",
                "--requirement",
                str(unfinished / _STAMP),
            ]
        )
        if folder.exists():
            shutil.rmtree(folder)
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _run_quietly(command: Sequence[str]) -> None:
    result = subprocess.run(
        command,
        env=clean_variables({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise BuildError(f"{' '.join(command)} failed:\n{result.stdout}")


def _stamp_of(folder: Path) -> str:
    stamp = folder / _STAMP
    return stamp.read_text(encoding="utf-8") if stamp.is_file() else ""


def _interpreter(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
