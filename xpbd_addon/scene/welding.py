# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices that lie on one another are simulated as one, and the mesh stays as it is.

Other programs and formats split vertices where UV maps have seams or normals have edges.
"""

from __future__ import annotations

import bmesh
import numpy as np
from numpy.typing import NDArray


def targets(positions: NDArray[np.float64], distance: float) -> NDArray[np.int64] | None:
    """Of each vertex the one that it is welded to, else its own, as Blender's *Merge by Distance*
    finds them; None where none are welded.

    Args:
        positions: shape (n, 3).
        distance: up to which vertices are one; 0: none are.
    """
    if distance <= 0.0:
        return None
    mesh = bmesh.new()
    try:
        for point in (positions - positions.mean(axis=0)).tolist():
            mesh.verts.new(point)
        mesh.verts.index_update()
        found = bmesh.ops.find_doubles(mesh, verts=mesh.verts[:], dist=distance)["targetmap"]
        others = np.arange(len(positions))
        for vertex, target in found.items():
            others[vertex.index] = target.index
    finally:
        mesh.free()
    return others if found else None
