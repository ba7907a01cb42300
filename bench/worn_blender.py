# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by a bpy interpreter: RESULT_FILE FRAMES PATH.

Writes the demo's figure on its way, and its garments, for ``contact_scenes_worn``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from .blenders import write_result
from .peers_blender import evaluated_positions

sys.path.insert(0, str(Path(__file__).parent.parent / "demo"))
from stage import add_dressed_figure


def main(frames: int, path: str) -> dict[str, Any]:
    """Write the file; return the names of the garments."""
    for other in list(bpy.data.objects):
        bpy.data.objects.remove(other)
    scene = bpy.context.scene
    garments = [garment for garment, _ in add_dressed_figure(scene, (0.0, 0.0, 0.0), frames + 1)]
    figure = bpy.data.objects["Figure"]
    written: dict[str, Any] = {"figure_triangles": _triangles(figure)}
    for garment in garments:
        garment.modifiers.remove(garment.modifiers["Subdivision"])
        written |= _described(garment)
    walked: dict[str, list[NDArray[np.float32]]] = {each.name: [] for each in (figure, *garments)}
    for frame in range(1, frames + 2):
        scene.frame_set(frame)
        for each in (figure, *garments):
            walked[each.name].append(evaluated_positions(each))
    written["figure"] = np.array(walked["Figure"], np.float64)
    for garment in garments:
        name = garment.name.lower()
        pinned = np.array(walked[garment.name], np.float64)[:, written[f"{name}_pins"]]
        written[f"{name}_pin_positions"] = pinned
    np.savez(path, **written)
    return {"garments": [garment.name.lower() for garment in garments]}


def _described(garment: Any) -> dict[str, NDArray[Any]]:
    """A garment's rest shape and what of it is pinned."""
    name, mesh = garment.name.lower(), garment.data
    pins = [vertex.index for vertex in mesh.vertices if len(vertex.groups) > 0]
    return {
        name: np.array([vertex.co for vertex in mesh.vertices], np.float64),
        f"{name}_triangles": _triangles(garment),
        f"{name}_edges": np.array([edge.vertices for edge in mesh.edges], np.int64),
        f"{name}_pins": np.array(pins, np.int64),
    }


def _triangles(shape: Any) -> NDArray[np.int64]:
    shape.data.calc_loop_triangles()
    return np.array([triangle.vertices for triangle in shape.data.loop_triangles], np.int64)


if __name__ == "__main__":
    write_result(main(int(sys.argv[2]), sys.argv[3]))
