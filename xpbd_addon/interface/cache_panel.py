# SPDX-License-Identifier: GPL-3.0-or-later
"""The Cache panel: simulate, see how far it is, bake, delete."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Literal

import bpy

from ..bake import bake_record
from ..errors import SceneError
from ..simulation import job, session, warmup
from ..simulation.status import CacheStatus
from . import progress

Icon = Literal["NONE", "ERROR", "INFO", "BLANK1"]
_LETTER_WIDTH = 8.0  # pixels of an average letter, with some to spare for the icon and margins
_FEWEST_LETTERS = 16
_MOST_NAMED = 4


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
        if running is None:
            _draw_others(layout, scene, context.object)
        _draw_errors(layout, scene)


def cache_text(status: CacheStatus, obj: bpy.types.Object | None = None) -> str:
    """What the cache holds of an object, or of all that is simulated, in one line."""
    last, reason = status.last, status.reason
    if obj is not None and (found := status.objects.get(obj.session_uid)):
        last, reason = found.last, found.reason
    if status.first is None:
        return (
            "Made by an earlier version: simulate again" if status.earlier else "No frames cached"
        )
    if last is None:
        return "Not simulated yet"
    if reason:
        return f"Outdated: {reason}"
    if status.first == last:
        return f"Frame {last} cached"
    return f"Frames {status.first}–{last} cached"


def others_text(status: CacheStatus, objects: Iterable[bpy.types.Object]) -> str:
    """Which of these objects have to be simulated, and why; empty where none has."""
    found = [
        f"'{obj.name}' ({known.reason})"
        for obj in objects
        if (known := status.objects.get(obj.session_uid)) is not None and known.reason
    ]
    if status.first is None or not found:
        return ""
    further = [f"{len(found) - _MOST_NAMED} more"] if len(found) > _MOST_NAMED else []
    return f"To be simulated: {', '.join(found[:_MOST_NAMED] + further)}"


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
        held = cache_text(CacheStatus(first, last, outdated=False, reason=""))
        layout.label(text=running.message or held)


def _draw_status(layout: bpy.types.UILayout, scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
    """Always one line, so that nothing below moves when it changes."""
    status = session.status(scene)
    if _draw_compiling(layout, scene.xpbd.solver):
        return
    if bake_record.exists(obj):
        layout.label(text=_baked_text(obj))
    else:
        known = status.objects.get(obj.session_uid)
        warn = status.first is not None and known is not None and bool(known.reason)
        layout.label(text=cache_text(status, obj), icon="ERROR" if warn else "NONE")


def _baked_text(obj: bpy.types.Object) -> str:
    try:
        record = bake_record.read(obj)
    except SceneError as error:
        return str(error)
    return f"Frames {record.frame_start}–{record.frame_end} baked"


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


def _draw_others(layout: bpy.types.UILayout, scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
    """Which other objects have to be simulated, below everything that must not move."""
    others = [each for each in session.simulated_objects(scene) if each != obj]
    if text := others_text(session.status(scene), others):
        draw_sentence(layout, text, icon="INFO")


def _draw_errors(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """What keeps the solver from working, below everything that must not move."""
    state, _seconds, message = warmup.state()
    if state == "FAILED":
        draw_sentence(layout, message, icon="ERROR")
    if trouble := session.of(scene).trouble:
        draw_sentence(layout, trouble, icon="ERROR")
