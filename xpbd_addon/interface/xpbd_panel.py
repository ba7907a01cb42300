# SPDX-License-Identifier: GPL-3.0-or-later
"""What all panels of simulated objects share."""

from __future__ import annotations

import bpy

from ..bake import bake_record


class XPBDPanel(bpy.types.Panel):
    """Their place, and the objects they appear for."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obj = context.object
        return obj is not None and obj.type == "MESH" and obj.xpbd.use


def settings_column(layout: bpy.types.UILayout, context: bpy.types.Context) -> bpy.types.UILayout:
    """A column for properties, greyed out where a bake has taken over."""
    layout.use_property_split = True
    layout.use_property_decorate = True
    layout.active = not bake_record.exists(context.object)
    return layout.column()


def draw_note(column: bpy.types.UILayout, text: str) -> None:
    """What a value of the line above means, greyed, below the value."""
    split = column.split(factor=0.4)
    split.label()
    note = split.row()
    note.active = False
    note.label(text=text)
