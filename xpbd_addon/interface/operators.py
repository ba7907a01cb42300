# SPDX-License-Identifier: GPL-3.0-or-later
"""The small operators of the Physics tab; the work is in `physics`, `job` and `faults`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ..errors import shown_to_user
from ..scene import physics
from ..settings import kinds
from ..simulation import faults, job


class XPBD_OT_add(bpy.types.Operator):
    """Simulate the active object with XPBD"""

    bl_idname = "xpbd.add"
    bl_label = "Add XPBD"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        kind: str
    else:
        kind: bpy.props.EnumProperty(
            name="Kind",
            description="What the object is made into",
            items=kinds.ITEMS,
            default="CLOTH",
        )

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        physics.add(context.object, self.kind)
        return {"FINISHED"}


class XPBD_OT_remove(bpy.types.Operator):
    """Remove XPBD physics from the active object"""

    bl_idname = "xpbd.remove"
    bl_label = "Remove XPBD"
    bl_options = {"REGISTER", "UNDO"}

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        physics.remove(context.object)
        return {"FINISHED"}


class XPBD_OT_cancel(bpy.types.Operator):
    """Stop the running simulation and keep the frames that are done"""

    bl_idname = "xpbd.cancel"
    bl_label = "Cancel Simulation"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return job.current() is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        running = job.current()
        if running is None:
            return {"CANCELLED"}
        running.cancel()
        return {"FINISHED"}


class XPBD_OT_select_faults(bpy.types.Operator):
    """Select the vertices at which something is wrong on this frame, for Edit Mode"""

    bl_idname = "xpbd.select_faults"
    bl_label = "Select Faults"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        fault: str
        object_name: str
    else:
        fault: bpy.props.EnumProperty(
            name="Fault",
            description="What is wrong with them",
            items=faults.ITEMS,
            default="OVERSTRETCHED",
        )
        object_name: bpy.props.StringProperty(
            name="Object",
            description="Whose vertices; the active object's where it is empty",
            options={"SKIP_SAVE"},
        )

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        obj = context.scene.objects.get(self.object_name, context.object)
        if obj is None:
            return {"CANCELLED"}
        count = faults.select(context.scene, obj, self.fault)
        context.tool_settings.mesh_select_mode = (True, False, False)  # type: ignore[assignment]
        if context.mode == "OBJECT":  # Edit Mode is for all that is selected
            context.view_layer.objects.active = obj
            for each in context.view_layer.objects:
                each.select_set(each == obj)
        self.report({"INFO"}, f"{count} vertices of '{obj.name}' selected")
        return {"FINISHED"}


class XPBD_OT_report(bpy.types.Operator):
    """Tell the user of something that happened outside of operators"""

    bl_idname = "xpbd.report"
    bl_label = "XPBD"
    bl_options = {"INTERNAL"}

    if TYPE_CHECKING:
        text: str
        is_news: bool
    else:
        text: bpy.props.StringProperty(options={"SKIP_SAVE"})
        is_news: bpy.props.BoolProperty(description="Not a warning", options={"SKIP_SAVE"})

    _timer: bpy.types.Timer

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Blender shows reports that come from events only."""
        self._timer = context.window_manager.event_timer_add(0.01, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        context.window_manager.event_timer_remove(self._timer)
        self.report({"INFO" if self.is_news else "WARNING"}, self.text)
        return {"FINISHED"}


CLASSES = (XPBD_OT_add, XPBD_OT_remove, XPBD_OT_cancel, XPBD_OT_select_faults, XPBD_OT_report)


register, unregister = bpy.utils.register_classes_factory(CLASSES)
