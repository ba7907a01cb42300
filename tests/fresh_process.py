# SPDX-License-Identifier: GPL-3.0-or-later
"""Running a program in a Python of its own, in which nothing is imported or compiled yet."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import core

ROOT = Path(core.__file__).parents[1]


def run(
    program: str, *arguments: str, environment: Mapping[str, str] = os.environ
) -> tuple[str, str]:
    """What a program, which can import core and the tests' helpers, prints and logs."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=ROOT,
        env={**environment, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr
