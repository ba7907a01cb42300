# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by a bpy interpreter: RESULT_FILE PROCESSES KILLS. How long a sweep of twelve takes."""

from __future__ import annotations

import importlib
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import bpy

from .blenders import write_result
from .peers_blender import EXTENSION, PIN_GROUP, add_sheet

SIDE, FRAMES = 40, 60
STIFFNESSES = ",".join(str(200 * number) for number in range(1, 7))
VARY = (f"Sheet.stretch_stiffness={STIFFNESSES}", "scene.largest_stretch=1%,3%")
_TICK = 0.05


def main(processes: int, kills: int) -> dict[str, Any]:
    """Return seconds, and how many variations were simulated though so many Blenders were ended."""
    bpy.ops.preferences.addon_enable(module=EXTENSION)
    farm = importlib.import_module(f"{EXTENSION}.xpbd_addon.farm.sweep")
    sheet = add_sheet(SIDE)
    sheet.name = "Sheet"
    bpy.ops.xpbd.add(kind="CLOTH")
    sheet.xpbd.pin_group = PIN_GROUP
    scene = bpy.context.scene
    scene.xpbd.frame_start, scene.xpbd.frame_end = 1, FRAMES
    varied = [farm.varying.read(text) for text in VARY]
    with tempfile.TemporaryDirectory(prefix="xpbd-sweep-") as folder:
        shot = Path(folder) / "shot.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(shot))
        plan = farm.planned(scene, shot, Path(folder) / "out", varied, stills=False)
        started = time.monotonic()
        sweep = farm.Sweep(plan, processes)
        again = _run(sweep, kills)
        seconds = time.monotonic() - started
        found = [each for each in plan.table().results if each is not None]
    good = [each for each in found if not each.error]
    simulating = sum(each.figures["seconds"] for each in good)
    return {
        "seconds": seconds,
        "simulating": simulating,
        "simulated": len(good),
        "variations": len(plan.variations),
        "again": again,
        "errors": [each.error for each in found if each.error],
    }


def _run(sweep: Any, kills: int) -> int:
    """Run a sweep; end so many Blenders in the middle of their work. Returns how many came back."""
    again = 0
    killed: set[int] = set()
    try:
        while sweep.is_running:
            for event in sweep.poll():
                again += event["event"] == "again"
                number = event["variation"]
                half = event["event"] == "progress" and 2 * event["done"] > event["total"]
                if half and len(killed) < kills and number not in killed:
                    killed.add(number)
                    _kill(sweep, number)
            time.sleep(_TICK)
    finally:
        sweep.close()
    return again


def _kill(sweep: Any, number: int) -> None:
    for worker in sweep.workers:
        if worker.number == number:
            worker.process.kill()


if __name__ == "__main__":
    write_result(main(int(sys.argv[2]), int(sys.argv[3])))
