# SPDX-License-Identifier: GPL-3.0-or-later
"""What follows from an object's size where nobody has said it."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

from . import mesh_io, stack

THICKNESS = 0.002
"""Of an object's diagonal: 2 mm for a T-shirt, 6 mm for a sheet of 2 m, 0.07 mm for a doll's."""

CELL, FINEST = 1.0 / 16.0, 1.0 / 64.0
"""Of an object's longest side: the widest cells, and the narrowest."""

THROUGH = 1.5
"""Times as wide as an object is thick, in the mean: the widest cells. A plank then bends by 2% too
little, but with three times its thickness by a tenth or, where it is stiff, by two thirds."""

DAMPING = 0.07
"""Of a soft body [s] for each metre of a cell: what wobbles is still after some swings, whether it
is large, and slow, or small."""


def follow_use(obj: bpy.types.Object) -> None:
    """Give an object that becomes a simulated one what goes by its size, unless it has that."""
    if not obj.xpbd.use or not stack.is_writable(obj):
        return
    sides = size(obj)
    cell = _cell(obj, sides)
    for name, value, digits in (
        ("thickness", THICKNESS * sides.length, 1),  # one digit is as much as is meant
        ("cell_size", cell, 2),
        ("bone_reach", cell, 2),
        ("elastic_damping", DAMPING * cell * _metres(obj), 1),
    ):
        rounded = float(f"{value:.{digits - 1}e}")
        if rounded > 0.0 and not obj.xpbd.is_property_set(name):
            setattr(obj.xpbd, name, rounded)


def _cell(obj: bpy.types.Object, sides: Vector) -> float:
    """Width of the cells that a soft body gets, in Blender units."""
    longest = max(*sides)
    widest = CELL * longest
    if stack.is_made(obj) or obj.data.is_editmode:
        return widest
    mesh = mesh_io.mesh_of(obj)
    through = THROUGH * depth(mesh, mesh_io.vectors(mesh, "position") * np.array(_scale(obj)))
    return max(FINEST * longest, min(widest, through)) if through > 0.0 else widest


def depth(mesh: bpy.types.Mesh, positions: NDArray[np.floating]) -> float:
    """How thick it is in the mean, twice its volume over its area; 0 where there is none.

    Args:
        positions: of its vertices, shape (n, 3); the same units.
    """
    from ...core.contact.topology import volume_and_area

    corners = positions[mesh_io.loop_triangles(mesh)].astype(np.float64)
    if len(corners) == 0:
        return 0.0
    volume, area = volume_and_area(corners, np.zeros(len(corners), np.int64))
    return 2.0 * abs(float(volume[0])) / float(area[0]) if area[0] > 0.0 else 0.0


def size(obj: bpy.types.Object) -> Vector:
    """Of the box around an object, along its own axes, in Blender units.

    As the object's transform is now, which in scripts may be newer than its ``matrix_world``.
    Once it is simulated, Blender's box is that of the shape shown, which falls and spreads: then
    it is the mesh's own, unless modifiers make what is simulated.
    """
    return _sides(obj) * _scale(obj)


def _scale(obj: bpy.types.Object) -> Vector:
    """Of an object now, by itself and its parents."""
    matrix = obj.matrix_basis
    if obj.parent is not None:
        matrix = obj.parent.matrix_world @ obj.matrix_parent_inverse @ matrix
    return matrix.to_scale()


def _sides(obj: bpy.types.Object) -> Vector:
    """Of the box around an object, before its scale."""
    if obj.xpbd.use and not stack.is_made(obj) and not obj.data.is_editmode:
        positions = mesh_io.vectors(mesh_io.mesh_of(obj), "position")
        return Vector(np.ptp(positions, axis=0).tolist()) if len(positions) else Vector()
    low, high = Vector(obj.bound_box[0]), Vector(obj.bound_box[6])
    return high - low


def _metres(obj: bpy.types.Object) -> float:
    """In a Blender unit, in the scene that an object is in."""
    return next((scene.unit_settings.scale_length for scene in obj.users_scene), 1.0)
