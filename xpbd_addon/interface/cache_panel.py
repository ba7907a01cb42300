# SPDX-License-Identifier: GPL-3.0-or-later
"""The Cache panel: simulate, see how far that is, bake, delete."""

from __future__ import annotations

import bpy

from ..bake import bake_record, shape_keys
from ..simulation import by_hand, job, session
from . import messages, progress
from .sentences import draw_sentence
from .xpbd_panel import XPBDPanel


class PHYSICS_PT_xpbd_cache(XPBDPanel):
    """Frame range, simulation and bake."""

    bl_label = "Cache (All Objects)"
    bl_parent_id = "PHYSICS_PT_xpbd"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        scene, running = context.scene, job.current()
        baked = bake_record.exists(context.object)
        _draw_range(layout, scene, enabled=not baked and running is None)
        _draw_simulate(layout, scene, running)
        if running is None:
            _draw_touched(layout, scene)
        _draw_bake(layout, context, baked=baked, enabled=running is None)
        if running is None:
            _draw_what_comes(layout, context)


def _draw_range(layout: bpy.types.UILayout, scene: bpy.types.Scene, enabled: bool) -> None:
    column = layout.column(align=True)
    column.enabled = enabled
    column.prop(scene.xpbd, "frame_start", text="Start")
    row = column.row(align=True)
    row.prop(scene.xpbd, "frame_end", text="End")
    row.prop(
        scene.xpbd, "lock_cache", text="", icon="LOCKED" if scene.xpbd.lock_cache else "UNLOCKED"
    )
    kept = layout.column()
    kept.enabled = enabled
    kept.prop(scene.xpbd, "checkpoint_interval")
    folder = layout.column()
    folder.enabled = enabled
    folder.prop(scene.xpbd, "cache_directory", text="Folder")
    folder.prop(scene.xpbd, "cache_encoding")


def _draw_simulate(
    layout: bpy.types.UILayout, scene: bpy.types.Scene, running: job.Job | None
) -> None:
    """As many lines while it runs: what is below must not move under the mouse."""
    column = layout.column(align=True)
    row, going_on = column.row(align=True), column.row(align=True)
    if running is not None:
        row.progress(factor=running.factor, type="BAR", text=progress.text(running))
        row.operator("xpbd.cancel", text="", icon="X")
        going_on.enabled = False
    else:
        status = session.status(scene)
        simulating, clearing = row.row(align=True), row.row(align=True)
        simulating.enabled = going_on.enabled = not status.baked
        clearing.enabled = status.first is not None or status.earlier
        simulating.operator("xpbd.simulate", text="Simulate")
        clearing.operator("xpbd.clear_cache", text="Clear")
    going_on.operator("xpbd.simulate_from", text="Simulate from Here")


def _draw_touched(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    if (touched := by_hand.touched_from(scene)) is not None:
        draw_sentence(layout, f"Changed by hand from frame {touched} on", icon="VIEW_PAN")
        layout.operator("xpbd.take_back", text="Take Back")


def _draw_what_comes(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """What Simulate would do: it comes and goes with edits, and so stands below all buttons."""
    column = layout.column(align=True)
    for message in messages.to_be_simulated(context.scene, context.object):
        draw_sentence(column, message.text, icon="INFO")
    goes_on_from = session.status(context.scene).goes_on_from
    if goes_on_from is not None:
        column.label(text=f"Goes on from frame {goes_on_from}")


def _draw_bake(
    layout: bpy.types.UILayout, context: bpy.types.Context, *, baked: bool, enabled: bool
) -> None:
    scene = context.scene
    column = layout.column(align=True)
    column.enabled = enabled
    column.use_property_split = False
    if baked:
        column.operator("xpbd.unbake", text="Delete Bake")
        return
    column.prop(scene.xpbd, "bake_mode", text="")
    if scene.xpbd.bake_mode == bake_record.MESH_CACHE:
        column.operator("xpbd.bake_mesh_cache", text="Bake to Mesh Cache")
        return
    column.operator("xpbd.bake_shape_keys", text="Bake to Shape Keys").mode = scene.xpbd.bake_mode
    if shape_keys.refusal(context.object):
        column.operator("xpbd.bake_mesh_cache", text="Bake to Mesh Cache")
