# SPDX-License-Identifier: GPL-3.0-or-later
"""The Cache panel: simulate, see how far it is, bake, delete."""

from __future__ import annotations

import textwrap
from typing import Literal

import bpy

from . import bake_record, job, session

Icon = Literal["NONE", "ERROR", "SORTTIME", "BLANK1"]
_LETTER_WIDTH = 8.0  # pixels of an average letter, with some to spare for the icon and margins
_FEWEST_LETTERS = 16


class PHYSICS_PT_xpbd_cache(bpy.types.Panel):
    """Frame range, state of the cache, simulation and bake."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"
    bl_label = "Cache"
    bl_parent_id = "PHYSICS_PT_xpbd"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obj = context.object
        return obj is not None and obj.type == "MESH" and obj.xpbd.use

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        running = job.current()
        if running is not None:
            _draw_running(layout, running)
            return
        baked = bake_record.exists(context.object)
        _draw_range(layout, context.scene, enabled=not baked)
        if baked:
            _draw_baked(layout, context.object)
        else:
            _draw_cached(layout, context.scene)


def duration(seconds: float) -> str:
    """A time to wait in the words of a person: '8 s', '2 min 05 s', '1 h 10 min'."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def cache_text(status: session.CacheStatus) -> str:
    """What the cache holds, in one line."""
    if status.first is None or status.last is None:
        return "No frames cached"
    if status.outdated:
        return f"Outdated: {status.reason}"
    if status.first == status.last:
        return f"Frame {status.first} cached"
    return f"Frames {status.first}–{status.last} cached"


def draw_sentence(layout: bpy.types.UILayout, text: str, icon: Icon = "NONE") -> None:
    """A label that goes on in further lines where the region is narrow."""
    region = bpy.context.region
    letters = 60
    if region is not None:
        letter_width = _LETTER_WIDTH * bpy.context.preferences.system.ui_scale
        letters = max(_FEWEST_LETTERS, int(region.width / letter_width))
    column = layout.column(align=True)
    for line, part in enumerate(textwrap.wrap(text, letters)):
        column.label(text=part, icon="BLANK1" if line and icon != "NONE" else icon)


def _draw_running(layout: bpy.types.UILayout, running: job.Job) -> None:
    text = f"{running.frames_done} of {running.frames_total} frames"
    if running.seconds_left is not None:
        text += f", {duration(running.seconds_left)} left"
    row = layout.row(align=True)
    row.progress(factor=running.factor, type="BAR", text=text)
    row.operator("xpbd.cancel", text="", icon="X")
    if running.message:
        layout.label(text=running.message)


def _draw_range(layout: bpy.types.UILayout, scene: bpy.types.Scene, enabled: bool) -> None:
    column = layout.column(align=True)
    column.enabled = enabled
    column.prop(scene.xpbd, "frame_start", text="Simulation Start")
    column.prop(scene.xpbd, "frame_end", text="End")
    layout.prop(scene.xpbd, "cache_directory", text="Folder")


def _draw_cached(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    status = session.status(scene)
    draw_sentence(layout, cache_text(status), icon="ERROR" if status.outdated else "NONE")
    if status.error:
        draw_sentence(layout, status.error, icon="ERROR")
    row = layout.row(align=True)
    row.operator("xpbd.simulate", text="Simulate")
    clearing = row.row(align=True)
    clearing.enabled = status.first is not None
    clearing.operator("xpbd.clear_cache", text="Clear")
    layout.operator_menu_enum("xpbd.bake_shape_keys", "mode", text="Bake to Shape Keys")


def _draw_baked(layout: bpy.types.UILayout, obj: bpy.types.Object) -> None:
    record = bake_record.read(obj)
    layout.label(text=f"Frames {record.frame_start}–{record.frame_end} baked")
    layout.operator("xpbd.unbake", text="Delete Bake")
