# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blenders to compare with: interpreters that can `import bpy`, and scripts run in them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .report import ROOT

WITH_EXTENSION = "XPBD_BLENDER_PYTHON"
OTHERS = "XPBD_BENCH_BPY"


@dataclass(frozen=True)
class Blenders:
    """What was found in the environment variables.

    Attributes:
        plain: interpreters with bpy, each compared with.
        extended: the one in whose user folder the extension is installed, if any.
    """

    plain: tuple[Path, ...]
    extended: Path | None

    @staticmethod
    def from_environment() -> Blenders:
        """Read ``XPBD_BLENDER_PYTHON`` (one) and ``XPBD_BENCH_BPY`` (several, comma between)."""
        extended = os.environ.get(WITH_EXTENSION)
        others = os.environ.get(OTHERS, "").split(",")
        paths = dict.fromkeys(Path(path) for path in [*others, extended] if path)
        return Blenders(tuple(paths), Path(extended) if extended else None)


def run_plain(python: Path, module: str, *arguments: str) -> Any:
    """Run a script of this package in a Blender with factory settings and no extension."""
    with tempfile.TemporaryDirectory(prefix="xpbd-bench-") as folder:
        return run_script(python, module, *arguments, variables={"BLENDER_USER_RESOURCES": folder})


def run_script(
    python: Path | str, module: str, *arguments: str, variables: dict[str, str] | None = None
) -> Any:
    """Run ``python -m bench.<module> RESULT_FILE ARGUMENTS`` and return what it wrote as JSON.

    Raises:
        RuntimeError: the script failed; with the end of what it printed.
    """
    with tempfile.TemporaryDirectory(prefix="xpbd-bench-") as folder:
        result = Path(folder) / "result.json"
        ended = subprocess.run(
            [str(python), "-m", f"bench.{module}", str(result), *arguments],
            cwd=ROOT,
            env=os.environ | (variables or {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if not result.is_file():
            raise RuntimeError(f"bench.{module} {' '.join(arguments)} failed:\n{ended.stdout}")
        return json.loads(result.read_text(encoding="utf-8"))


def write_result(content: Any) -> None:
    """Hand a script's result back to ``run_script``."""
    Path(sys.argv[1]).write_text(json.dumps(content), encoding="utf-8")
