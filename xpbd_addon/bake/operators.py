# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that turn the simulation into what plays without the extension, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ..errors import shown_to_user
from ..settings.scene_settings import BAKE_MODE_ITEMS, PATH_OPTIONS
from ..simulation import job, session
from . import mesh_cache, preparing, shape_keys, unbaking
from .preparing import Progress


class _Bake(bpy.types.Operator if TYPE_CHECKING else object):
    """What operators that bake have in common."""

    if TYPE_CHECKING:
        selected_only: bool
        frame_start: int
        frame_end: int
    else:
        selected_only: bpy.props.BoolProperty(
            name="Selected Only",
            description="Bake the selected objects instead of all simulated objects of the scene",
            default=False,
        )
        frame_start: bpy.props.IntProperty(
            name="Start",
            description="The first frame to bake, 0 for that of the simulation",
            default=0,
        )
        frame_end: bpy.props.IntProperty(
            name="End",
            description="The last frame to bake, 0 for that of the simulation",
            default=0,
        )

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return job.poll_idle(cls)

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        scene, manager = context.scene, context.window_manager
        objects = preparing.objects_to_bake(scene)
        if self.selected_only:
            objects = [obj for obj in objects if obj.select_get()]
        manager.progress_begin(0.0, 1.0)
        try:
            done = self.bake(
                scene, objects, lambda done, total: manager.progress_update(done / total)
            )
        finally:
            manager.progress_end()
        self.report({"INFO"}, done)
        for sentence in session.left_out(scene):
            self.report({"WARNING"}, f"Left out: {sentence}")
        return {"FINISHED"}

    @property
    def frames(self) -> tuple[int, int]:
        """The first and the last, 0 for those of the simulation."""
        return self.frame_start, self.frame_end

    def bake(
        self, scene: bpy.types.Scene, objects: list[bpy.types.Object], progress: Progress
    ) -> str:
        """Bake, and say what was done. Raises SceneError."""
        raise NotImplementedError


class XPBD_OT_bake_shape_keys(_Bake, bpy.types.Operator):
    """Turn the simulation into shape keys with keyframes, which play without the extension"""

    bl_idname = "xpbd.bake_shape_keys"
    bl_label = "Bake to Shape Keys"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        mode: str
    else:
        mode: bpy.props.EnumProperty(
            name="Mode",
            description="How the shape keys are animated",
            items=BAKE_MODE_ITEMS,
            default="RELATIVE",
        )

    def bake(
        self, scene: bpy.types.Scene, objects: list[bpy.types.Object], progress: Progress
    ) -> str:
        baked = shape_keys.bake_shape_keys(scene, objects, self.mode, progress, self.frames)
        return f"Baked {', '.join(obj.name for obj in baked)} to shape keys"


class XPBD_OT_bake_mesh_cache(_Bake, bpy.types.Operator):
    """Turn the simulation into a PC2 file that Blender's Mesh Cache modifier plays, with or without
    the extension: for what modifiers make, and meshes with shape keys of their own
    """

    bl_idname = "xpbd.bake_mesh_cache"
    bl_label = "Bake to Mesh Cache"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        filepath: str
    else:
        filepath: bpy.props.StringProperty(
            name="File",
            description="The file, for several objects their folder. Empty: beside the .blend file",
            subtype="FILE_PATH",
            options=PATH_OPTIONS,
        )

    def bake(
        self, scene: bpy.types.Scene, objects: list[bpy.types.Object], progress: Progress
    ) -> str:
        baked = mesh_cache.bake_mesh_cache(scene, objects, self.filepath, progress, self.frames)
        return f"Baked {', '.join(f'{obj.name} to {path}' for obj, path in baked.items())}"


class XPBD_OT_unbake(bpy.types.Operator):
    """Remove what was baked and return to the live simulation; files of Mesh Caches stay"""

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

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        objects = unbaking.baked_objects(context.scene)
        if self.selected_only:
            objects = [obj for obj in objects if obj.select_get()]
        damaged = unbaking.unbake_all(objects)
        if damaged:
            self.report(
                {"WARNING"},
                f"What {', '.join(damaged)} remembered of the bake was damaged: remove the baked "
                "shape keys yourself, and switch modifiers on again",
            )
        return {"FINISHED"}


CLASSES = (XPBD_OT_bake_shape_keys, XPBD_OT_bake_mesh_cache, XPBD_OT_unbake)


register, unregister = bpy.utils.register_classes_factory(CLASSES)
