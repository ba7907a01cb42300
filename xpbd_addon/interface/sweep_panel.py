# SPDX-License-Identifier: GPL-3.0-or-later
"""The Sweep panel: what is varied, how far that is, and the table of what came of it."""

from __future__ import annotations

import bpy

from ..errors import SceneError
from ..farm import background_sweep, figures, varying
from ..farm.record import Result
from ..farm.sweep import Sweep
from ..farm.varying import Variation
from .sentences import draw_sentence
from .xpbd_panel import XPBDPanel

_MOST_ROWS = 50


class PHYSICS_PT_xpbd_sweep(XPBDPanel):
    """Variations of the scene, side by side."""

    bl_label = "Sweep (All Objects)"
    bl_parent_id = "PHYSICS_PT_xpbd"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = self.layout, context.scene
        sweep = scene.xpbd.sweep
        layout.use_property_split, layout.use_property_decorate = True, False
        _draw_varied(layout, scene)
        column = layout.column()
        column.prop(sweep, "folder", text="Folder")
        column.prop(sweep, "processes")
        column.prop(sweep, "stills")
        running = background_sweep.current()
        if running is not None:
            _draw_progress(layout, running)
            return
        row = layout.row(align=True)
        row.operator("xpbd.sweep", text="Sweep")
        row.operator_menu_enum("xpbd.send_to_farm", "format", text="Send to Farm")
        _draw_table(layout, scene)


def _draw_varied(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """Each setting in the words of panels; to be typed where it is none of the scene."""
    column = layout.column(align=True)
    column.use_property_split = False
    for index, each in enumerate(scene.xpbd.sweep.varied):
        row = column.row(align=True)
        words = varying.in_words(scene, each.setting)
        if words == each.setting:
            row.prop(each, "setting", text="", icon="ERROR")
        else:
            row.label(text=words)
        row.operator("xpbd.sweep_remove", text="", icon="X").index = index
        column.prop(each, "values", text="")
        column.separator()
    column.operator("xpbd.sweep_add", icon="ADD")


def _draw_progress(layout: bpy.types.UILayout, running: Sweep) -> None:
    row = layout.row(align=True)
    done = sum(each == 1.0 for each in running.progress.values())
    text = f"{done} / {len(running.plan.variations)}"
    row.progress(factor=running.factor, type="BAR", text=text)
    row.operator("xpbd.sweep_cancel", text="", icon="X")


def _draw_table(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    try:
        table = background_sweep.table(background_sweep.folder(scene))
    except SceneError:
        return  # the buttons say so when they are pressed
    if table is None:
        return
    box = layout.box().column(align=True)
    varied = [varying.in_words(scene, each) for each in next(iter(table.variations), {})]
    draw_sentence(box, ", ".join(varied))
    shown = list(zip(table.variations, table.results, strict=True))[:_MOST_ROWS]
    for number, (variation, result) in enumerate(shown, 1):
        _draw_result(box, number, variation, result)
    if len(table.variations) > _MOST_ROWS:
        box.label(text=f"{len(table.variations) - _MOST_ROWS} more in sweep.csv")


def _draw_result(
    box: bpy.types.UILayout, number: int, variation: Variation, result: Result | None
) -> None:
    """The values with a button, and below what came of them: panels are narrow."""
    row = box.row(align=True)
    row.label(text=f"{number}: {', '.join(variation.values())}")
    row.operator("xpbd.sweep_apply", text="", icon="CHECKMARK").number = number
    if result is None:
        box.label(text="Not simulated")
        return
    if result.figures:
        draw_sentence(box, figures.text(result.figures))
    for sentence in filter(None, (result.error, *result.left_out)):
        draw_sentence(box, sentence, icon="ERROR")


CLASSES = (PHYSICS_PT_xpbd_sweep,)
