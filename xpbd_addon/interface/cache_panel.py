# SPDX-License-Identifier: GPL-3.0-or-later
"""The Cache panel: simulate, see how far it is, bake, delete."""

from __future__ import annotations

import textwrap
from typing import Literal

import bpy

from ..bake import bake_record
from ..simulation import job, session, warmup
from . import progress

Icon = Literal["NONE", "ERROR", "INFO", "BLANK1"]
_LETTER_WIDTH = 8.0  # pixels of an average letter, with some to spare for the icon and margins
_FEWEST_LETTERS = 16


class PHYSICS_PT_xpbd_cache(bpy.types.Panel):
    """Frame range, state of the cache, simulation and bake."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"
    bl_label = "Cache (Scene)"
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
            _draw_running_status(layout, scene, running)
            _draw_progress(layout, running)
        else:
            _draw_status(layout, scene, context.object)
            _draw_simulate(layout, scene)
        _draw_bake(layout, scene, baked=baked, enabled=running is None)
        _draw_errors(layout, scene)


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


def _draw_range(layout: bpy.types.UILayout, scene: bpy.types.Scene, enabled: bool) -> None:
    column = layout.column(align=True)
    column.enabled = enabled
    column.prop(scene.xpbd, "frame_start", text="Start")
    column.prop(scene.xpbd, "frame_end", text="End")
    folder = layout.column()
    folder.enabled = enabled
    folder.prop(scene.xpbd, "cache_directory", text="Folder")


def _draw_running_status(
    layout: bpy.types.UILayout, scene: bpy.types.Scene, running: job.Job
) -> None:
    """One line, as below, without looking at meshes while time is short."""
    if not _draw_compiling(layout, scene.xpbd.solver):
        first, last = session.of(scene).frames()
        held = cache_text(session.CacheStatus(first, last, outdated=False, reason=""))
        layout.label(text=running.message or held)


def _draw_status(layout: bpy.types.UILayout, scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
    """Always one line, so that nothing below moves when it changes."""
    status = session.status(scene)
    if _draw_compiling(layout, scene.xpbd.solver):
        return
    if bake_record.exists(obj):
        record = bake_record.read(obj)
        layout.label(text=f"Frames {record.frame_start}–{record.frame_end} baked")
    else:
        layout.label(text=cache_text(status), icon="ERROR" if status.outdated else "NONE")


def _draw_compiling(layout: bpy.types.UILayout, solver: str) -> bool:
    """Whether the solver is being compiled now; then a line says so."""
    state, seconds, _message = warmup.state(solver)
    compiling = state == "COMPILING" and seconds > 0.0
    if compiling:
        layout.label(text=f"Compiling the solver once ({seconds:.0f} s)", icon="SORTTIME")
    return compiling


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
    clearing.enabled = status.first is not None
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


def _draw_errors(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """What keeps the solver from working, below everything that must not move."""
    state, _seconds, message = warmup.state()
    if state == "FAILED":
        draw_sentence(layout, message, icon="ERROR")
    error = session.of(scene).error
    if error:
        draw_sentence(layout, error, icon="ERROR")
