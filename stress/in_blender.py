# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on, again and again in one Blender; ``build.py stress`` runs this in one with the zip.

``python stress/in_blender.py ROUNDS SCENES SEED`` prints its figures as one line of JSON, the last.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path
from types import FunctionType
from typing import Any

import bpy
import numpy as np

MODULE = "bl_ext.user_default.xpbd"
WARM = 30
"""Rounds after which memory is looked at first: Blender's and numba's own are taken by then."""

MOST_MEMORY = 20
"""MB that memory may grow by from then on."""

LONGEST = 60.0
"""Seconds that a scene may take."""

FRAMES = 3


def main(rounds: int, scenes: int, seed: int) -> dict[str, int]:
    """Do all of it. Raises AssertionError where something is not as it must be."""
    bpy.ops.preferences.addon_enable(module=MODULE)
    found = Counter[str]()
    if rounds:
        found.update(_rounds(rounds))
    for number in range(scenes):
        outcome, seconds = _timed(f"{seed} {number}")
        if seconds > LONGEST:  # the first time its kernels may have been compiled
            outcome, seconds = _timed(f"{seed} {number}")
        assert seconds < LONGEST, f"scene {number} of seed {seed} took {seconds:.0f} s"
        found[outcome] += 1
    bpy.ops.preferences.addon_disable(module=MODULE)
    return dict(found)


def _rounds(count: int) -> dict[str, int]:
    """Add, simulate, bake, unbake, undo and remove, so many times."""
    before, memory = _left_over(), 0
    for number in range(count):
        _empty()
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


def _timed(seed: str) -> tuple[str, float]:
    """What became of a scene, and the seconds that it took."""
    began = time.monotonic()
    return _generated(random.Random(seed), f"scene {seed}"), time.monotonic() - began


def _generated(draw: random.Random, name: str) -> str:
    """What became of an object of random shape with random settings."""
    _empty()
    obj = _object(draw)
    try:
        bpy.ops.xpbd.add(kind=draw.choice(["CLOTH", "CLOTH", "SOFT_BODY", "STRANDS"]))
        _settings(draw, obj.xpbd)
        _settings(draw, bpy.context.scene.xpbd, ("frame_", "cache", "substeps"))
        bpy.ops.xpbd.simulate()
    except RuntimeError as error:
        if "Traceback" in str(error):
            raise AssertionError(f"{name}: {error}") from error
        outcome = "refused in a sentence"
    else:
        outcome = "simulated"
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        assert np.isfinite(_shown(obj)).all(), f"{name}: what is no number is shown"
    return outcome


def _empty() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    settings = bpy.context.scene.xpbd
    settings.frame_start, settings.frame_end, settings.substeps = 1, FRAMES, 2


def _object(draw: random.Random) -> bpy.types.Object:
    """A mesh that is uneven, and sometimes lacks faces or has vertices on each other."""
    mesh = bpy.ops.mesh
    draw.choice(
        [
            lambda: mesh.primitive_grid_add(x_subdivisions=draw.randint(1, 12)),
            lambda: mesh.primitive_ico_sphere_add(subdivisions=draw.randint(1, 3)),
            lambda: mesh.primitive_cylinder_add(vertices=draw.randint(3, 12)),
            lambda: mesh.primitive_torus_add(major_segments=8, minor_segments=5),
            lambda: mesh.primitive_circle_add(vertices=draw.randint(3, 20)),
            lambda: mesh.primitive_monkey_add(),
        ]
    )()
    obj = bpy.context.object
    points = np.empty(3 * len(obj.data.vertices), np.float32)
    obj.data.vertices.foreach_get("co", points)
    noise = np.random.default_rng(draw.getrandbits(32)).normal(size=len(points))
    points += draw.choice([0.0, 0.01, 0.2]) * noise
    if draw.random() < 0.1:
        points[:] = points[0]
    obj.data.vertices.foreach_set("co", points)
    obj.scale = [draw.choice([1.0, 1.0, 0.01, 30.0])] * 3
    group = obj.vertex_groups.new(name="Pins")
    group.add([0], draw.random(), "ADD")
    return obj


def _settings(draw: random.Random, owner: Any, left_alone: tuple[str, ...] = ()) -> None:
    """Set a third of the numbers and choices to something that the panel lets one type."""
    for item in owner.bl_rna.properties:
        if item.is_readonly or item.identifier.startswith(left_alone) or draw.random() > 0.3:
            continue
        if item.type == "BOOLEAN" and not item.is_array:
            value: Any = draw.random() < 0.5
        elif item.type == "ENUM" and not item.is_enum_flag and len(item.enum_items):
            value = draw.choice([each.identifier for each in item.enum_items])
        elif item.type in ("INT", "FLOAT") and not item.is_array:
            value = draw.choice([item.soft_min, item.soft_max, item.hard_min, item.default])
        else:
            continue
        if item.type == "INT":
            value = min(value, max(item.soft_max, 50)) if item.soft_max < 1000 else item.default
        setattr(owner, item.identifier, value)


def _shown(obj: bpy.types.Object) -> Any:
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([vertex.co for vertex in evaluated.data.vertices])


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
