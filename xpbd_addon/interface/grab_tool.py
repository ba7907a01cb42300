# SPDX-License-Identifier: GPL-3.0-or-later
"""The tool of 3D viewports with which things are grabbed, and the circle that shows how much."""

from __future__ import annotations

from typing import Any, ClassVar

import bpy
from gpu_extras.presets import draw_circle_2d

from .grab_place import Mouse

_COLOR = (1.0, 1.0, 1.0, 0.8)
_RADIUS = {"properties": [("data_path_primary", "scene.xpbd.grab_radius")]}


class XPBDGrabTool(bpy.types.WorkSpaceTool):
    """Grabbing in Object Mode."""

    bl_space_type = "VIEW_3D"
    bl_context_mode = "OBJECT"
    bl_idname = "xpbd.grab"
    bl_label = "XPBD Grab"
    bl_description = (
        "Drag what XPBD simulates, while the timeline plays or stands.\n"
        "F changes the radius; Esc while dragging has all as it was"
    )
    bl_icon = "ops.sculpt.cloth_filter"
    bl_keymap: ClassVar = (
        ("xpbd.grab", {"type": "LEFTMOUSE", "value": "PRESS"}, None),
        ("wm.radial_control", {"type": "F", "value": "PRESS"}, _RADIUS),
    )

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, _tool: Any) -> None:
        """In the header."""
        layout.prop(context.scene.xpbd, "grab_radius")
        layout.prop(context.scene.xpbd, "grab_pull")

    @staticmethod
    def draw_cursor(context: bpy.types.Context, _tool: Any, xy: Mouse) -> None:
        """Around the mouse."""
        draw_circle(context, xy)


def draw_circle(context: bpy.types.Context, middle: Mouse) -> None:
    """Show how far the hand reaches, around a place in the region that is drawn."""
    radius = context.scene.xpbd.grab_radius * context.preferences.system.ui_scale
    draw_circle_2d(middle, _COLOR, radius)


def choose() -> set[str]:
    """Make it the tool of 3D viewports, in the modes in which it is there."""
    return set(bpy.ops.wm.tool_set_by_id(name=XPBDGrabTool.bl_idname, space_type="VIEW_3D"))


def register() -> None:
    """Put it into the toolbar."""
    bpy.utils.register_tool(XPBDGrabTool, after={"builtin.measure"}, separator=True)


def unregister() -> None:
    """Take it away."""
    bpy.utils.unregister_tool(XPBDGrabTool)
