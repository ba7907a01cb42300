# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by a bpy interpreter: RESULT_FILE SIDE FRAMES CELLS. What the time of a live frame goes to.

CELLS: on each side of a grid of triangles, two in each, that moves below the sheet; 0 for none.
"""

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
    "read pins and colliders": ("xpbd_addon.simulation.scene_input", "read_frame"),
    "simulate": ("xpbd_addon.simulation.live", "advance"),
    "hash what is read": ("xpbd_addon.scene.frame_inputs", "read"),
    "compare the hashes": ("xpbd_addon.simulation.scene_session", "Session.compare"),
    "write the hashes": ("xpbd_addon.simulation.inputs", "ObjectInputs.write"),
    "measure strain and residual": ("xpbd_addon.simulation.live", "measure"),
    "write the cache": ("core.frame_cache", "FrameCache.append"),
    "hand positions to Blender": ("xpbd_addon.show.display", "show"),
}
"""The add-on's functions of which a frame consists; what one spends in another is the other's."""

OTHERS = "Blender, and the rest of the add-on"


def main(side: int, frames: int, cells: int) -> dict[str, Any]:
    """Return for each part, and for all of it, the milliseconds of every frame."""
    for other in list(bpy.data.objects):
        bpy.data.objects.remove(other)
    scene = bpy.context.scene
    scene.render.fps = 24
    use_extension(add_sheet(side))
    if cells:
        _add_collider(cells)
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


def _add_collider(cells: int) -> None:
    """A grid of triangles that moves, out of reach of the sheet."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=cells, y_subdivisions=cells, location=(0, 0, -9))
    grid = bpy.context.object
    grid.modifiers.new("Triangles", "TRIANGULATE")
    bpy.ops.object.modifier_add(type="COLLISION")
    for frame, height in ((1, -9.0), (100, -8.0)):
        grid.location.z = height
        grid.keyframe_insert("location", frame=frame)


def _watch(spent: dict[str, float], part: str, place: Any, name: str) -> None:
    """Have a function add the time of its calls to a part."""
    *owners, name = name.split(".")
    for owner in owners:
        place = getattr(place, owner)
    function: Callable[..., Any] = getattr(place, name)

    def watched(*arguments: Any, **options: Any) -> Any:
        start, others = time.perf_counter(), sum(spent.values())
        try:
            return function(*arguments, **options)
        finally:
            inside = sum(spent.values()) - others
            spent[part] += time.perf_counter() - start - inside

    setattr(place, name, watched)


if __name__ == "__main__":
    write_result(main(*map(int, sys.argv[2:5])))
