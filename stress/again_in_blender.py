# SPDX-License-Identifier: GPL-3.0-or-later
"""The campaigns that need the add-on, each in a Blender of its own that ``build.py`` has made."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from .judge import Wrong


def rounds(count: int, seed: int, _scratch: Path) -> dict[str, int]:
    """Add, simulate, bake, unbake, undo and remove, so many times. Raises Wrong."""
    return _run(count, 0, seed)


def scenes(count: int, seed: int, _scratch: Path) -> dict[str, int]:
    """So many generated objects and settings. Raises Wrong."""
    return _run(0, count, seed)


def _run(rounds: int, scenes: int, seed: int) -> dict[str, int]:
    if not rounds and not scenes:
        return {}
    python = os.environ.get("XPBD_BLENDER_PYTHON")
    if python is None:
        raise Wrong("there is no Blender with the extension: run `python build.py stress`")
    command = [python, "-m", "stress.in_blender", str(rounds), str(scenes), str(seed)]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        raise Wrong(f"Blender ended with status {result.returncode}")
    figures: dict[str, int] = json.loads(result.stdout.splitlines()[-1])
    return figures
