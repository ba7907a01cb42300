# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by a bpy interpreter: RESULT_FILE SIDE FRAMES. What the time of a live frame goes to."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import bpy

from .blenders import write_result
from .peers_blender import EXTENSION, add_sheet, use_extension

PARTS = {
    "look for changes": ("xpbd_addon.scene.fingerprint", "compute"),
    "read pins and colliders": ("xpbd_addon.simulation.live", "read_frame"),
    "simulate": ("xpbd_addon.simulation.live", "advance"),
    "measure strain and residual": ("xpbd_addon.simulation.live", "measure"),
    "write the cache": ("core.frame_cache", "FrameCache.append"),
    "hand positions to Blender": ("xpbd_addon.show.display", "show"),
}
"""The add-on's functions of which a frame consists; none calls another."""

OTHERS = "Blender, and the rest of the add-on"


def main(side: int, frames: int) -> dict[str, Any]:
    """Return for each part, and for all of it, the milliseconds of every frame."""
    for other in list(bpy.data.objects):
        bpy.data.objects.remove(other)
    scene = bpy.context.scene
    scene.render.fps = 24
    use_extension(add_sheet(side))
    spent = dict.fromkeys(PARTS, 0.0)
    for part, (module, name) in PARTS.items():
        _watch(spent, part, sys.modules[f"{EXTENSION}.{module}"], name)
    scene.frame_set(scene.frame_start)
    scene.frame_set(scene.frame_start + 1)  # builds the simulation
    taken: dict[str, list[float]] = {part: [] for part in [*PARTS, OTHERS]}
    for frame in range(scene.frame_start + 2, scene.frame_start + 2 + frames):
        spent.update(dict.fromkeys(PARTS, 0.0))
        start = time.perf_counter()
        scene.frame_set(frame)
        bpy.context.view_layer.update()
        whole = time.perf_counter() - start
        for part, seconds in {**spent, OTHERS: whole - sum(spent.values())}.items():
            taken[part].append(1e3 * seconds)
    return {"blender": bpy.app.version_string, "milliseconds": taken}


def _watch(spent: dict[str, float], part: str, place: Any, name: str) -> None:
    """Have a function add the time of its calls to a part."""
    *owners, name = name.split(".")
    for owner in owners:
        place = getattr(place, owner)
    function: Callable[..., Any] = getattr(place, name)

    def watched(*arguments: Any, **options: Any) -> Any:
        start = time.perf_counter()
        try:
            return function(*arguments, **options)
        finally:
            spent[part] += time.perf_counter() - start

    setattr(place, name, watched)


if __name__ == "__main__":
    write_result(main(int(sys.argv[2]), int(sys.argv[3])))
