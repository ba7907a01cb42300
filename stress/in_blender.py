# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on, again and again in one Blender; ``build.py stress`` runs this in one with the zip.

``python -m stress.in_blender ROUNDS SCENES SEED`` prints its figures as one line of JSON, the last.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import FunctionType

import bpy

from .objects import MODULE, empty, judged

WARM = 30
"""Rounds after which memory is looked at first: Blender's and numba's own are taken by then."""

MOST_MEMORY = 20
"""MB that memory may grow by from then on."""

FRAMES = 3
"""Of a round."""


def main(rounds: int, scenes: int, seed: int) -> dict[str, int]:
    """Do all of it. Raises AssertionError where something is not as it must be."""
    bpy.ops.preferences.addon_enable(module=MODULE)
    found = Counter[str]()
    if rounds:
        found.update(_rounds(rounds))
    with tempfile.TemporaryDirectory(prefix="xpbd-objects-") as folder:
        for number in range(scenes):
            print(f"scene {seed} {number}", file=sys.stderr, flush=True)
            found[judged(f"{seed} {number}", Path(folder))] += 1
    bpy.ops.preferences.addon_disable(module=MODULE)
    return dict(found)


def _rounds(count: int) -> dict[str, int]:
    """Add, simulate, bake, unbake, undo and remove, so many times."""
    before, memory = _left_over(), 0
    for number in range(count):
        empty(FRAMES)
        _round()
        if number == min(WARM, count // 2):
            _await_kernels()
            memory = _memory()
    grown = (_memory() - memory) // 1024
    assert grown < MOST_MEMORY, f"memory grew by {grown} MB"
    after = _left_over()
    assert after == before, f"handlers or timers are left over: {before} became {after}"
    return {"rounds": count, "MB that memory grew by": grown}


def _await_kernels() -> None:
    """What compiles in the background takes memory of its own, once."""
    warmup = importlib.import_module(f"{MODULE}.xpbd_addon.simulation.warmup")
    while warmup.is_compiling():
        time.sleep(0.1)


def _round() -> None:
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=8, y_subdivisions=8)
    bpy.ops.xpbd.add(kind="CLOTH")
    bpy.ops.ed.undo_push(message="Added")
    bpy.ops.xpbd.simulate()
    bpy.ops.xpbd.bake_shape_keys()
    bpy.ops.ed.undo_push(message="Baked")
    bpy.ops.xpbd.unbake()
    bpy.ops.ed.undo_push(message="Unbaked")
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    bpy.context.view_layer.objects.active = bpy.data.objects["Grid"]
    bpy.ops.xpbd.remove()
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()


def _left_over() -> dict[str, int]:
    """How many handlers are registered of each kind, and the timers that the extension has."""
    lists = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
    found = {name: len(each) for name, each in lists.items() if isinstance(each, list)}
    return found | dict.fromkeys(_timers(), 1)


def _timers() -> list[str]:
    """Functions of the extension that Blender calls as timers. It tells only of one at a time."""
    return [
        f"timer {name}.{each}"
        for name, module in list(sys.modules.items())
        if name.startswith(MODULE)
        for each, value in vars(module).items()
        if isinstance(value, FunctionType) and bpy.app.timers.is_registered(value)
    ]


def _memory() -> int:
    """What this process holds in memory [kB]. Linux only."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0])


if __name__ == "__main__":
    print(json.dumps(main(*map(int, sys.argv[1:]))), flush=True)
