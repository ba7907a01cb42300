# SPDX-License-Identifier: GPL-3.0-or-later
"""What the demo reports about its cloths."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray


def largest_edge_strain(scene: bpy.types.Scene, obj: bpy.types.Object, frame: int) -> float:
    """The largest relative elongation of a mesh edge at a frame, as the object is displayed."""
    scene.frame_set(frame)
    rest = vertices(obj)
    shown = vertices(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    pairs = np.empty(2 * len(obj.data.edges), np.int32)
    obj.data.edges.foreach_get("vertices", pairs)
    start, end = pairs.reshape(-1, 2).T
    length = np.linalg.norm(shown[end] - shown[start], axis=1)
    return float(np.max(length / np.linalg.norm(rest[end] - rest[start], axis=1)) - 1.0)


def vertices(obj: bpy.types.Object) -> NDArray[np.float32]:
    """Vertex coordinates of a mesh object, shape (n, 3)."""
    mesh = obj.data
    flat = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", flat)
    return flat.reshape(-1, 3)
