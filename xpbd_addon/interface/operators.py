# SPDX-License-Identifier: GPL-3.0-or-later
"""The small operators of the Physics tab; the work is in `physics` and `job`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ..errors import SceneError
from ..scene import physics
from ..settings import kinds
from ..simulation import job


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

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            physics.add(context.object, self.kind)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class XPBD_OT_remove(bpy.types.Operator):
    """Remove XPBD physics from the active object"""

    bl_idname = "xpbd.remove"
    bl_label = "Remove XPBD"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            physics.remove(context.object)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
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


CLASSES = (XPBD_OT_add, XPBD_OT_remove, XPBD_OT_cancel)


register, unregister = bpy.utils.register_classes_factory(CLASSES)
