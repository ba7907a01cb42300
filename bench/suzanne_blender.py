# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by a bpy interpreter: RESULT_FILE MESH_FILE. Writes Suzanne, subdivided twice, as .npz."""

from __future__ import annotations

import sys

import bpy
import numpy as np

from .blenders import write_result


def main(path: str) -> None:
    """Write vertices [m], shape (n, 3), and triangles, shape (t, 3)."""
    bpy.ops.mesh.primitive_monkey_add()
    suzanne = bpy.context.object
    suzanne.modifiers.new("Subdivision", "SUBSURF").levels = 2
    mesh = suzanne.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    mesh.calc_loop_triangles()
    vertices = np.empty(3 * len(mesh.vertices), np.float32)
    triangles = np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.vertices.foreach_get("co", vertices)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    np.savez(path, vertices=vertices.reshape(-1, 3), triangles=triangles.reshape(-1, 3))


if __name__ == "__main__":
    main(sys.argv[2])
    write_result({})
