# SPDX-License-Identifier: GPL-3.0-or-later
"""The Cache panel: simulate, see how far that is, bake, delete."""

from __future__ import annotations

import bpy

from ..bake import bake_record
from ..simulation import job, session
from . import progress


class PHYSICS_PT_xpbd_cache(bpy.types.Panel):
    """Frame range, simulation and bake."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"
    bl_label = "Cache (All Objects)"
    bl_parent_id = "PHYSICS_PT_xpbd"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obj = context.object
        return obj is not None and obj.type == "MESH" and obj.xpbd.use

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        scene, running = context.scene, job.current()
        baked = bake_record.exists(context.object)
        _draw_range(layout, scene, enabled=not baked and running is None)
        if running is not None:
            _draw_progress(layout, running)
        else:
            _draw_simulate(layout, scene)
        _draw_bake(layout, scene, baked=baked, enabled=running is None)


def _draw_range(layout: bpy.types.UILayout, scene: bpy.types.Scene, enabled: bool) -> None:
    column = layout.column(align=True)
    column.enabled = enabled
    column.prop(scene.xpbd, "frame_start", text="Start")
    row = column.row(align=True)
    row.prop(scene.xpbd, "frame_end", text="End")
    row.prop(
        scene.xpbd, "lock_cache", text="", icon="LOCKED" if scene.xpbd.lock_cache else "UNLOCKED"
    )
    folder = layout.column()
    folder.enabled = enabled
    folder.prop(scene.xpbd, "cache_directory", text="Folder")


def _draw_progress(layout: bpy.types.UILayout, running: job.Job) -> None:
    row = layout.row(align=True)
    row.progress(factor=running.factor, type="BAR", text=progress.text(running))
    row.operator("xpbd.cancel", text="", icon="X")


def _draw_simulate(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    status = session.status(scene)
    row = layout.row(align=True)
    simulating = row.row(align=True)
    simulating.enabled = not status.baked
    simulating.operator("xpbd.simulate", text="Simulate")
    clearing = row.row(align=True)
    clearing.enabled = status.first is not None or status.earlier
    clearing.operator("xpbd.clear_cache", text="Clear")


def _draw_bake(
    layout: bpy.types.UILayout, scene: bpy.types.Scene, *, baked: bool, enabled: bool
) -> None:
    row = layout.row(align=True)
    row.enabled = enabled
    if baked:
        row.operator("xpbd.unbake", text="Delete Bake")
        return
    row.use_property_split = False
    parts = row.split(factor=0.4, align=True)
    parts.prop(scene.xpbd, "bake_mode", text="")
    parts.operator("xpbd.bake_shape_keys", text="Bake to Shape Keys").mode = scene.xpbd.bake_mode
