# SPDX-License-Identifier: GPL-3.0-or-later
"""From the mouse to the world and back: what lies under it, and where it leads what it holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector
from numpy.typing import NDArray

from ..scene import mesh_io

Mouse = tuple[float, float]
"""Pixels from the lower left corner of a region."""


class Place(NamedTuple):
    """Where the mouse takes hold of an object, in the world [Blender units]."""

    obj: bpy.types.Object
    point: Vector


def led(region: Any, view: Any, place: Vector, mouse: Mouse) -> Vector:
    """Where the mouse leads what was at a place: in the plane of the view that goes through it.

    Args:
        region, view: a viewport's region, and its RegionView3D.
    """
    found: Vector = view3d_utils.region_2d_to_location_3d(region, view, mouse, place)
    return found


def seen(region: Any, view: Any, place: Vector) -> Mouse | None:
    """Where a place is shown; None behind the viewer."""
    found = view3d_utils.location_3d_to_region_2d(region, view, place)
    return None if found is None else (found.x, found.y)


def radius_at(region: Any, view: Any, place: Vector, pixels: float) -> float:
    """How large so many pixels are at a place [Blender units]."""
    middle = seen(region, view, place)
    if middle is None:
        return 0.0
    aside = led(region, view, place, (middle[0] + pixels, middle[1]))
    return float((aside - led(region, view, place, middle)).length)


def under(
    context: bpy.types.Context, objects: Iterable[bpy.types.Object], mouse: Mouse, pixels: float
) -> Place | None:
    """What of some objects lies under the mouse, or near it where nothing does.

    What has no faces counts if it lies near even where something else lies under the mouse.

    Args:
        pixels: how near.
    """
    region, view = context.region, context.region_data
    depsgraph = context.evaluated_depsgraph_get()
    start = view3d_utils.region_2d_to_origin_3d(region, view, mouse)
    way = view3d_utils.region_2d_to_vector_3d(region, view, mouse)
    chosen = {obj.name_full: obj for obj in objects if obj.visible_get()}
    hit, point, _, _, found, _ = context.scene.ray_cast(depsgraph, start, way)
    if hit and found is not None and found.name_full in chosen:
        return Place(chosen[found.name_full], point)
    others = [obj for obj in chosen.values() if not hit or obj.xpbd.kind == "STRANDS"]
    near = [each for obj in others if (each := _nearest(region, view, depsgraph, obj, mouse))]
    distance, place = min(near, key=lambda each: each[0], default=(np.inf, None))
    return place if distance <= pixels else None


def _nearest(
    region: Any,
    view: Any,
    depsgraph: bpy.types.Depsgraph,
    obj: bpy.types.Object,
    mouse: Mouse,
) -> tuple[float, Place] | None:
    """The vertex that is shown nearest to the mouse, and how many pixels away."""
    evaluated = obj.evaluated_get(depsgraph)
    local = mesh_io.vectors(mesh_io.mesh_of(evaluated), "position")
    points = mesh_io.transformed(local, evaluated.matrix_world, np.float64)
    away = distances(region, view, points, mouse)
    if not len(away) or not np.isfinite(away.min()):
        return None
    vertex = int(np.argmin(away))
    return float(away[vertex]), Place(obj, Vector(points[vertex]))


def distances(
    region: Any, view: Any, points: NDArray[np.float64], mouse: Mouse
) -> NDArray[np.float64]:
    """How many pixels from the mouse points are shown, shape (n,); infinite behind the viewer."""
    matrix = np.array(view.perspective_matrix, np.float64)
    seen = points @ matrix[:, :3].T + matrix[:, 3]
    ahead = seen[:, 3] > 0.0
    seen = seen[:, :2] / np.where(ahead, seen[:, 3], 1.0)[:, None]
    pixels = 0.5 * (seen + 1.0) * [region.width, region.height]
    return np.where(ahead, np.linalg.norm(pixels - np.array(mouse), axis=1), np.inf)
