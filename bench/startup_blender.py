# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by a bpy interpreter: RESULT_FILE START_TIME. How long until the extension's first frame."""

from __future__ import annotations

import sys
import time
from typing import Any

import bpy

from .blenders import write_result
from .peers_blender import EXTENSION, PIN_GROUP, add_sheet

SIDE = 32


def main(started: float, imported: float) -> dict[str, Any]:
    """Return the seconds of each stage; ``started``: time.time() before this process began."""
    marks = [started, imported]
    bpy.ops.preferences.addon_enable(module=EXTENSION)
    marks.append(time.time())
    sys.modules[f"{EXTENSION}.xpbd_addon.simulation.warmup"].wait()
    marks.append(time.time())
    sheet = add_sheet(SIDE)
    bpy.ops.xpbd.add(kind="CLOTH")
    sheet.xpbd.pin_group = PIN_GROUP
    scene = bpy.context.scene
    scene.xpbd.frame_end = scene.xpbd.frame_start + 1
    marks.append(time.time())
    bpy.ops.xpbd.simulate()
    marks.append(time.time())
    names = ("start Blender", "enable", "kernels", "set up", "first frame")
    stages = {name: marks[k + 1] - marks[k] for k, name in enumerate(names)}
    paths = sys.modules[f"{EXTENSION}.xpbd_addon.scene.paths"]
    about = {
        "blender": bpy.app.version_string,
        "processor": time.process_time(),
        "kernel_folder": str(paths.user_folder("kernels")),
    }
    return stages | about


if __name__ == "__main__":
    write_result(main(float(sys.argv[2]), time.time()))
