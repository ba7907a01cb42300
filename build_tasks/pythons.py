# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding the Python interpreters of this machine."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .project import RUNNING_PYTHON, BuildError

_PROBE = (
    "import ensurepip, sys, venv;"
    "print('%d.%d' % sys.version_info[:2] + getattr(sys, 'abiflags', ''))"
)


@cache
def find_python(version: str) -> Path | None:
    """Return an interpreter of `version` ("3.11") that can make environments, or None."""
    return next((path for path in _candidates(version) if _answers(path, version)), None)


def require_python(version: str) -> Path:
    """Return `find_python(version)`; raise BuildError where there is none."""
    found = find_python(version)
    if found is None:
        raise BuildError(
            f"No Python {version} with venv and ensurepip was found: install it"
            f" (for example `pyenv install {version}`) and run this again."
        )
    return found


def _candidates(version: str) -> Iterator[Path]:
    if version == RUNNING_PYTHON:
        yield Path(sys.executable)
    for name in (f"python{version}", "python3", "python"):
        if on_path := shutil.which(name):
            yield Path(on_path)
    for folder in _installation_folders():
        yield from sorted(folder.glob(f"*/bin/python{version}"))
        yield from sorted(folder.glob("*/python.exe"))
    if launcher := shutil.which("py"):
        answer = subprocess.run(
            [launcher, f"-{version}", "-c", "import sys; print(sys.executable)"],
            capture_output=True,
            text=True,
            check=False,
        )
        if answer.returncode == 0:
            yield Path(answer.stdout.strip())


def _installation_folders() -> Iterator[Path]:
    """Yield folders in which pyenv, uv and the like keep one Python per subfolder."""
    yield Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    yield Path.home() / ".local" / "share" / "uv" / "python"
    yield Path(sys.base_prefix).parent


def _answers(path: Path, version: str) -> bool:
    try:
        answer = subprocess.run(
            [path, "-c", _PROBE], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0 and answer.stdout.strip() == version
