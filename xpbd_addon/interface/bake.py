# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that turn the simulation into what plays without the extension, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ..bake import mesh_cache, preparing, shape_keys, unbaking
from ..errors import SceneError, shown_to_user
from ..settings.scene_settings import BAKE_MODE_ITEMS, PATH_OPTIONS
from ..simulation import job
from .modal_job import RunsJob


class _Bake(RunsJob):
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
            description=(
                "The first frame to bake; that of the simulation where it isn't set, or is 0 and "
                "frame 0 isn't simulated"
            ),
            default=0,
        )
        frame_end: bpy.props.IntProperty(
            name="End",
            description=(
                "The last frame to bake; that of the simulation where it isn't set, or is 0 and "
                "frame 0 isn't simulated"
            ),
            default=0,
        )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Simulate what lacks beside the user's work, then bake."""
        scene = context.scene
        if bpy.app.background or preparing.is_kept_by_hand(scene):
            return self.execute(context)
        try:
            self.check(self._objects(scene))
            preparing.frames_to_bake(scene, *self._frames(scene))
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return self.start(context)

    def ended(self, running: job.Job) -> set[str]:
        if not running.is_cancelled:
            return self._bake(running.scene(), simulate=False)
        self.report({"WARNING"}, f"Not baked: {running.frames_done} frames are in the cache")
        return {"CANCELLED"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Block until all is simulated and baked."""
        return self._bake(context.scene, simulate=True)

    def _bake(self, scene: bpy.types.Scene, *, simulate: bool) -> set[str]:
        manager = bpy.context.window_manager
        manager.progress_begin(0.0, 1.0)
        try:
            done = self.bake(
                scene,
                self._objects(scene),
                progress=lambda done, total: manager.progress_update(done / total),
                frames=self._frames(scene),
                simulate=simulate,
            )
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        finally:
            manager.progress_end()
        self.tell(scene, done)
        return {"FINISHED"}

    def _objects(self, scene: bpy.types.Scene) -> list[bpy.types.Object]:
        objects = preparing.objects_to_bake(scene)
        return [obj for obj in objects if obj.select_get()] if self.selected_only else objects

    def _frames(self, scene: bpy.types.Scene) -> preparing.Ends:
        is_zero_simulated = scene.xpbd.frame_start <= 0 <= scene.xpbd.frame_end

        def chosen(name: str) -> int | None:
            frame: int = getattr(self, name)
            is_set = self.properties.is_property_set(name) and (frame or is_zero_simulated)
            return frame if is_set else None

        return chosen("frame_start"), chosen("frame_end")

    def check(self, objects: list[bpy.types.Object]) -> None:
        """Raise SceneError unless the objects can be baked."""
        raise NotImplementedError

    def bake(self, scene: bpy.types.Scene, objects: list[bpy.types.Object], **options: Any) -> str:
        """Bake with the options that all bakes take, and say what was done. Raises SceneError."""
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

    def check(self, objects: list[bpy.types.Object]) -> None:
        shape_keys.check(objects, self.mode)

    def bake(self, scene: bpy.types.Scene, objects: list[bpy.types.Object], **options: Any) -> str:
        baked = shape_keys.bake_shape_keys(scene, objects, self.mode, **options)
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

    def check(self, objects: list[bpy.types.Object]) -> None:
        mesh_cache.check(objects, self.filepath)

    def bake(self, scene: bpy.types.Scene, objects: list[bpy.types.Object], **options: Any) -> str:
        baked = mesh_cache.bake_mesh_cache(scene, objects, self.filepath, **options)
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
