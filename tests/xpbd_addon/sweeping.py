# SPDX-License-Identifier: GPL-3.0-or-later
"""A small file to vary, and commands on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bpy
from blender_scenes import empty_scene, sheet
from playing import addon

VARY = ("--vary", "Sheet.stretch_stiffness=200,2000", "--vary", "scene.largest_stretch=3%")
FRAMES = (1, 5)


def saved_file(folder: Path) -> Path:
    """A sheet in a file that is open."""
    scene = empty_scene()
    scene.xpbd.frame_end, scene.xpbd.checkpoint_interval = FRAMES[1], 2
    sheet()
    path = folder / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def command(*arguments: object) -> int:
    return addon.interface.cli.main(list(map(str, arguments)))


def told(printed: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
