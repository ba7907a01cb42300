# SPDX-License-Identifier: GPL-3.0-or-later
"""Other Blenders, in background, with this extension."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import bpy

from ...core.native.cores import cores
from ..scene.paths import EXTENSION

THREADS = "XPBD_THREADS"
"""Environment variable: how many threads a solver uses at most (`core.native.threads`)."""

_AS_MODULE = f"""
import importlib, os, sys
import bpy
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
bpy.ops.preferences.addon_enable(module={EXTENSION!r})
status = importlib.import_module({EXTENSION + ".xpbd_addon.interface.cli"!r}).main(sys.argv[2:])
sys.stdout.flush()
os._exit(status)
"""


def command(shot: Path, arguments: Sequence[str]) -> list[str]:
    """What starts a Blender like this one on a file: ``blender -b shot --command xpbd …``.

    Where Blender is a module of Python, that Python is started.
    """
    if bpy.app.binary_path:
        # Preferences that know of the extension may not be saved yet.
        enabled = ["--addons", EXTENSION]
        return [bpy.app.binary_path, *enabled, "-b", str(shot), "--command", "xpbd", *arguments]
    return [sys.executable, "-c", _AS_MODULE, str(shot), *arguments]


def variables(side_by_side: int) -> dict[str, str]:
    """The environment of each of so many that share this computer; a limit of the user's stays."""
    if side_by_side == 1 or os.environ.get(THREADS):
        return dict(os.environ)
    return {**os.environ, THREADS: str(max(1, cores() // side_by_side))}
