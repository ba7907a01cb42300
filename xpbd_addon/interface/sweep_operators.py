# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators of the Sweep panel; the work is in `farm`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import bpy

from ..errors import shown_to_user
from ..farm import background_sweep, record, schedulers, varying
from ..farm.job_file import Job
from ..farm.sweep import Plan, planned
from ..simulation import job, redraw

_TICK = 0.1  # seconds between two looks, where nobody works meanwhile
_items: list[tuple[str, str, str]] = []  # Blender needs them to stay


def _settings(_self: Any, context: bpy.types.Context) -> list[tuple[str, str, str]]:
    _items[:] = [(name, words, "") for name, words in varying.names(context.scene).items()]
    return _items


class XPBD_OT_sweep_add(bpy.types.Operator):
    """Vary another setting"""

    bl_idname = "xpbd.sweep_add"
    bl_label = "Add Setting"
    bl_options = {"REGISTER", "UNDO"}
    bl_property = "setting"

    if TYPE_CHECKING:
        setting: str
    else:
        setting: bpy.props.EnumProperty(
            name="Setting", description="What is varied", items=_settings
        )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        context.window_manager.invoke_search_popup(self)
        return {"FINISHED"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        added = context.scene.xpbd.sweep.varied.add()
        added.setting = self.setting
        added.values = varying.current(context.scene, self.setting)
        redraw.physics()
        return {"FINISHED"}


class XPBD_OT_sweep_remove(bpy.types.Operator):
    """Don't vary this setting"""

    bl_idname = "xpbd.sweep_remove"
    bl_label = "Remove Setting"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        index: int
    else:
        index: bpy.props.IntProperty(name="Index", description="Which one, from 0 on", min=0)

    def execute(self, context: bpy.types.Context) -> set[str]:
        context.scene.xpbd.sweep.varied.remove(self.index)
        return {"FINISHED"}


class XPBD_OT_sweep(bpy.types.Operator):
    """Simulates every variation."""

    bl_idname = "xpbd.sweep"
    bl_label = "Sweep"
    bl_description = (
        "Simulate every combination of values beside your work, in Blenders of their own, and "
        "measure each. What was simulated before is found again"
    )
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if background_sweep.current() is not None:
            cls.poll_message_set("A sweep is running: wait for it or cancel it")
            return False
        return job.poll_idle(cls)

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        on_end = self._tell if bpy.app.background else _report
        background_sweep.start(_plan(context.scene), context.scene.xpbd.sweep.processes, on_end)
        while bpy.app.background and background_sweep.look() is not None:
            time.sleep(_TICK)
        return {"FINISHED"}

    def _tell(self, text: str, is_well: bool) -> None:
        self.report({"INFO" if is_well else "WARNING"}, text)


class XPBD_OT_sweep_cancel(bpy.types.Operator):
    """Stop the sweep and keep what is simulated"""

    bl_idname = "xpbd.sweep_cancel"
    bl_label = "Cancel Sweep"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return background_sweep.current() is not None

    def execute(self, _context: bpy.types.Context) -> set[str]:
        background_sweep.stop()
        redraw.physics()
        return {"FINISHED"}


class XPBD_OT_sweep_apply(bpy.types.Operator):
    """Set the scene's settings to this variation"""

    bl_idname = "xpbd.sweep_apply"
    bl_label = "Apply Variation"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        number: int
    else:
        number: bpy.props.IntProperty(
            name="Number", description="That of the variation, from 1 on", default=1, min=1
        )

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return job.poll_idle(cls)

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        table = record.read_table(background_sweep.folder(context.scene))
        variation = record.chosen(table, self.number)
        varying.apply(context.scene, variation)
        self.report({"INFO"}, varying.described(context.scene, variation))
        return {"FINISHED"}


class XPBD_OT_send_to_farm(bpy.types.Operator):
    """Write the sweep, or the shot where nothing is varied, as a job for a farm's scheduler"""

    bl_idname = "xpbd.send_to_farm"
    bl_label = "Send to Farm"
    bl_options = {"REGISTER"}

    if TYPE_CHECKING:
        format: str
    else:
        format: bpy.props.EnumProperty(
            name="Format",
            description="Which scheduler the job is for",
            items=[
                ("openjd", "Open Job Description", "AWS Deadline Cloud and others"),
                ("flamenco", "Flamenco", "A job type for the scripts of Flamenco's manager"),
            ],
        )

    @shown_to_user
    def execute(self, context: bpy.types.Context) -> set[str]:
        path = schedulers.FORMATS[self.format](Job(_plan(context.scene)))
        self.report({"INFO"}, f"Wrote {path}")
        return {"FINISHED"}


def _plan(scene: bpy.types.Scene) -> Plan:
    """The sweep that the panel describes, of a copy of what is open. Raises SceneError."""
    sweep = scene.xpbd.sweep
    varied = [varying.of_values(each.setting, each.values) for each in sweep.varied]
    output = background_sweep.folder(scene)
    plan = planned(scene, output / record.SHOT, output, varied, stills=sweep.stills)
    background_sweep.save_copy(plan)
    return plan


def _report(text: str, is_well: bool) -> None:
    for window in bpy.context.window_manager.windows[:1]:
        with bpy.context.temp_override(window=window):
            bpy.ops.xpbd.report("INVOKE_DEFAULT", text=text, is_news=is_well)


CLASSES = (
    XPBD_OT_sweep_add,
    XPBD_OT_sweep_remove,
    XPBD_OT_sweep,
    XPBD_OT_sweep_cancel,
    XPBD_OT_sweep_apply,
    XPBD_OT_send_to_farm,
)


register, unregister = bpy.utils.register_classes_factory(CLASSES)
