# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by a bpy interpreter: RESULT_FILE PROCESSES KILLS. How long a sweep of twelve takes.

PROCESSES may be "each": a Blender for each variation, one after the other.
"""

from __future__ import annotations

import importlib
import subprocess
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


def main(processes: str, kills: int) -> dict[str, Any]:
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
        if processes == "each":
            again = _run_each(farm, plan)
        else:
            again = _run(farm.Sweep(plan, int(processes)), kills)
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


def _run_each(farm: Any, plan: Any) -> int:
    arguments = [*farm.sweep_arguments(plan, str(plan.output)), "--json", "--only"]
    for number in range(1, len(plan.variations) + 1):
        command = farm.blenders.command(plan.shot, [*arguments, str(number)])
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return 0


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
        if worker.task is not None and worker.task.number == number:
            worker.process.kill()


if __name__ == "__main__":
    write_result(main(sys.argv[2], int(sys.argv[3])))
