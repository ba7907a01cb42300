# SPDX-License-Identifier: GPL-3.0-or-later
"""Hair curves to XPBD strands, as an operator and in Object > Convert; the work is in `hair`."""

from __future__ import annotations

import bpy

from ..errors import shown_to_user
from ..scene import hair


class XPBD_OT_strands_from_curves(bpy.types.Operator):
    """Make a mesh of edges of the active hair curves and simulate it with XPBD"""

    bl_idname = "xpbd.strands_from_curves"
    bl_label = "XPBD Strands from Curves"
    bl_options = {"REGISTER", "UNDO"}

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        curves = context.object
        strands = hair.strands_from_curves(curves, context.evaluated_depsgraph_get())
        for obj in context.selected_objects:
            obj.select_set(False)
        strands.select_set(True)
        context.view_layer.objects.active = strands
        self.report({"INFO"}, f"'{strands.name}' takes the place of '{curves.name}', now hidden")
        return {"FINISHED"}


def draw_convert(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """The entry in Object > Convert, for hair curves."""
    if context.object is not None and context.object.type == "CURVES":
        self.layout.operator("xpbd.strands_from_curves", text="XPBD Strands", icon="STRANDS")


def register() -> None:
    """Offer the conversion."""
    bpy.utils.register_class(XPBD_OT_strands_from_curves)
    bpy.types.VIEW3D_MT_object_convert.append(draw_convert)  # type: ignore[arg-type]


def unregister() -> None:
    """Withdraw the conversion."""
    bpy.types.VIEW3D_MT_object_convert.remove(draw_convert)  # type: ignore[arg-type]
    bpy.utils.unregister_class(XPBD_OT_strands_from_curves)
