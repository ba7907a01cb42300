# SPDX-License-Identifier: GPL-3.0-or-later
"""How thick an object is where nobody has said it: that follows from its size."""

from __future__ import annotations

import bpy
from mathutils import Vector

from . import stack

PART = 0.002
"""Of an object's diagonal: 2 mm for a T-shirt, 6 mm for a sheet of 2 m, 0.07 mm for a doll's."""


def follow_use(obj: bpy.types.Object) -> None:
    """Give an object that becomes a simulated one a thickness, unless it has been given one."""
    settings = obj.xpbd
    if not settings.use or settings.is_property_set("thickness") or not stack.is_writable(obj):
        return
    thickness = float(f"{PART * diagonal(obj):.0e}")  # one digit is as much as is meant
    if thickness > 0.0:
        settings.thickness = thickness


def diagonal(obj: bpy.types.Object) -> float:
    """Of the box around an object, along its own axes, in Blender units.

    As the object's transform is now, which in scripts may be newer than its ``matrix_world``.
    """
    matrix = obj.matrix_basis
    if obj.parent is not None:
        matrix = obj.parent.matrix_world @ obj.matrix_parent_inverse @ matrix
    low, high = Vector(obj.bound_box[0]), Vector(obj.bound_box[6])
    return ((high - low) * matrix.to_scale()).length
