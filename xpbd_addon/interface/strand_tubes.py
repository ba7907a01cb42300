# SPDX-License-Identifier: GPL-3.0-or-later
"""Tubes around strands, which are edges and not seen in renders."""

from __future__ import annotations

import bpy

from ..scene import hair_nodes


class XPBD_OT_add_tubes(bpy.types.Operator):
    """Make tubes of the strands, to be seen in renders: of the thickness they have in Collisions"""

    bl_idname = "xpbd.add_tubes"
    bl_label = "Add Tubes"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obj = context.object
        return obj is not None and obj.library is None and lacks_tubes(obj)

    def execute(self, context: bpy.types.Context) -> set[str]:
        obj = context.object
        scale = abs(obj.matrix_world.to_3x3().determinant()) ** (1.0 / 3.0)
        hair_nodes.add_round_thickness(obj, obj.xpbd.thickness / (scale or 1.0))
        return {"FINISHED"}


def lacks_tubes(obj: bpy.types.Object) -> bool:
    """Whether these are strands without a thickness in renders."""
    return (
        obj.type == "MESH"
        and obj.xpbd.use
        and obj.xpbd.kind == "STRANDS"
        and not any(hair_nodes.is_thickness(found) for found in obj.modifiers)
    )


def register() -> None:
    """Offer the operator."""
    bpy.utils.register_class(XPBD_OT_add_tubes)


def unregister() -> None:
    """Take it away."""
    bpy.utils.unregister_class(XPBD_OT_add_tubes)
