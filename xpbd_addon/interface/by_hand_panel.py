# SPDX-License-Identifier: GPL-3.0-or-later
"""Arranging things by hand, and keeping the shape that comes of it."""

from __future__ import annotations

from typing import ClassVar

import bpy

from ..bake import applying
from ..errors import shown_to_user
from ..show import display
from ..simulation import job
from .xpbd_panel import XPBDPanel, settings_column


class _Applying(bpy.types.Operator):
    """Changes the shape keys of the active object."""

    bl_options: ClassVar = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.object is not None and job.poll_idle(cls)


class XPBD_OT_apply_as_rest(_Applying):
    """Makes the shape shown the rest shape."""

    bl_idname = "xpbd.apply_as_rest"
    bl_label = "Apply as Rest"
    bl_description = (
        "Make the shape shown on this frame the shape without strain, as the shape key XPBD Rest: "
        "cloth keeps its wrinkles, and soft bodies their dents"
    )

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        applying.apply_as_rest(context.scene, context.object)
        display.show(context.scene)
        return {"FINISHED"}


class XPBD_OT_apply_as_start(_Applying):
    """Makes the shape shown the one in which it starts."""

    bl_idname = "xpbd.apply_as_start"
    bl_label = "Apply as Start"
    bl_description = (
        "Have the simulation start in the shape shown on this frame, as the shape key XPBD Start. "
        "At rest it is what it was, but for strands: these are at rest in it, too"
    )

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        applying.apply_as_start(context.scene, context.object)
        display.show(context.scene)
        return {"FINISHED"}


class XPBD_OT_remove_applied(_Applying):
    """Delete the shape keys XPBD Rest and XPBD Start: it starts, and is at rest, as modelled"""

    bl_idname = "xpbd.remove_applied"
    bl_label = "Remove Applied"

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        applying.remove(context.object)
        display.show(context.scene)
        return {"FINISHED"}


class PHYSICS_PT_xpbd_by_hand(XPBDPanel):
    """The way to the tool, and what can be made of what it arranged."""

    bl_label = "By Hand"
    bl_parent_id = "PHYSICS_PT_xpbd"
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        column.operator("xpbd.grab", text="Grab in Viewport", icon="VIEW_PAN")
        column.prop(context.scene.xpbd, "grab_radius")
        column.prop(context.scene.xpbd, "grab_pull")
        row = column.row(align=True)
        row.operator("xpbd.apply_as_rest", text="As Rest")
        row.operator("xpbd.apply_as_start", text="As Start")
        if applying.is_applied(context.object):
            row.operator("xpbd.remove_applied", text="", icon="X")


OPERATORS = (XPBD_OT_apply_as_rest, XPBD_OT_apply_as_start, XPBD_OT_remove_applied)
register, unregister = bpy.utils.register_classes_factory(OPERATORS)
