# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that turn the simulation into shape keys and back; the work is in `shape_keys`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ..errors import SceneError
from ..settings.scene_settings import BAKE_MODE_ITEMS
from ..simulation import job, session
from . import shape_keys


class XPBD_OT_bake_shape_keys(bpy.types.Operator):
    """Turn the simulation into shape keys with keyframes, which play without the extension"""

    bl_idname = "xpbd.bake_shape_keys"
    bl_label = "Bake to Shape Keys"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        mode: str
        selected_only: bool
    else:
        mode: bpy.props.EnumProperty(
            name="Mode",
            description="How the shape keys are animated",
            items=BAKE_MODE_ITEMS,
            default="RELATIVE",
        )
        selected_only: bpy.props.BoolProperty(
            name="Selected Only",
            description="Bake the selected objects instead of all simulated objects of the scene",
            default=False,
        )

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return job.poll_idle(cls)

    def execute(self, context: bpy.types.Context) -> set[str]:
        scene = context.scene
        objects = shape_keys.objects_to_bake(scene)
        if self.selected_only:
            objects = [obj for obj in objects if obj.select_get()]
        manager = context.window_manager
        manager.progress_begin(0.0, 1.0)
        try:
            baked = shape_keys.bake_shape_keys(
                scene, objects, self.mode, lambda done, total: manager.progress_update(done / total)
            )
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        finally:
            manager.progress_end()
        self.report({"INFO"}, f"Baked {', '.join(obj.name for obj in baked)} to shape keys")
        for sentence in session.left_out(scene):
            self.report({"WARNING"}, f"Left out: {sentence}")
        return {"FINISHED"}


class XPBD_OT_unbake(bpy.types.Operator):
    """Remove the baked shape keys and keyframes and return to the live simulation"""

    bl_idname = "xpbd.unbake"
    bl_label = "Delete Bake"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        selected_only: bool
    else:
        selected_only: bpy.props.BoolProperty(
            name="Selected Only",
            description="Delete the bakes of the selected objects, not of all in the scene",
            default=False,
        )

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return job.poll_idle(cls)

    def execute(self, context: bpy.types.Context) -> set[str]:
        objects = shape_keys.baked_objects(context.scene)
        if self.selected_only:
            objects = [obj for obj in objects if obj.select_get()]
        try:
            damaged = shape_keys.unbake_all(objects)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if damaged:
            self.report(
                {"WARNING"},
                f"What {', '.join(damaged)} remembered of the bake was damaged: remove the baked "
                "shape keys yourself, and switch modifiers on again",
            )
        return {"FINISHED"}


CLASSES = (XPBD_OT_bake_shape_keys, XPBD_OT_unbake)


register, unregister = bpy.utils.register_classes_factory(CLASSES)
