# SPDX-License-Identifier: GPL-3.0-or-later
"""Cutting a soft body into pieces that can break from each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ..errors import shown_to_user
from ..scene import pieces


class XPBD_OT_cut_into_pieces(bpy.types.Operator):
    """Cut the inside of the mesh into pieces, which hold together until they are torn apart"""

    bl_idname = "xpbd.cut_into_pieces"
    bl_label = "Cut into Pieces"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        count: int
        seed: int
        material: int
    else:
        count: bpy.props.IntProperty(
            name="Pieces", description="About how many", default=20, min=2, max=1000, soft_max=200
        )
        seed: bpy.props.IntProperty(
            name="Seed", description="Another number cuts elsewhere", default=0, min=0
        )
        material: bpy.props.IntProperty(
            name="Material",
            description="Material slot of what is cut, from 0 on",
            default=0,
            min=0,
            max=32766,
        )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obj = context.object
        return (
            obj is not None
            and obj.mode == "OBJECT"
            and obj.type == "MESH"
            and obj.xpbd.use
            and obj.xpbd.kind == "SOFT_BODY"
        )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return set(context.window_manager.invoke_props_dialog(self))

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        made = pieces.cut(context.object, self.count, self.seed, self.material)
        context.object.xpbd.use_breaking = True
        self.report({"INFO"}, f"Cut into {made} pieces")
        return {"FINISHED"}


def register() -> None:
    """Offer the operator."""
    bpy.utils.register_class(XPBD_OT_cut_into_pieces)


def unregister() -> None:
    """Take it away."""
    bpy.utils.unregister_class(XPBD_OT_cut_into_pieces)
