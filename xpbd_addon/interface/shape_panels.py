# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed panels of weave, goal and shape at rest, of what is sewn, tears and stays bent."""

from __future__ import annotations

from typing import ClassVar

import bpy

from ..scene import keyed
from ..settings import inside, woven
from .xpbd_panel import XPBDPanel, draw_note, settings_column


class _ShapePanel(XPBDPanel):
    bl_parent_id = "PHYSICS_PT_xpbd"
    bl_options = {"DEFAULT_CLOSED"}
    kinds: ClassVar[tuple[str, ...]] = ("CLOTH", "SOFT_BODY")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and context.object.xpbd.kind in cls.kinds


class PHYSICS_PT_xpbd_weave(_ShapePanel):
    """Which way the yarns run, and what differs along the warp and across it."""

    bl_label = "Weave"
    bl_parent_id = "PHYSICS_PT_xpbd_physical"
    kinds = ("CLOTH",)

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        obj, settings = context.object, context.object.xpbd
        column.prop(settings, "warp_source")
        if settings.warp_source == woven.UV:
            column.prop_search(settings, "warp_uv_map", obj.data, "uv_layers", text="UV Map")
        elif settings.warp_source == woven.ATTRIBUTE:
            search = "warp_attribute", obj.data, "attributes"
            column.prop_search(settings, *search, text="Attribute")
        column.prop(settings, "weft_stretch")
        column.prop(settings, "weft_bend")


class PHYSICS_PT_xpbd_rest_shape(_ShapePanel):
    """The shape without strain, and how it starts."""

    bl_label = "Rest Shape"

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        obj = context.object
        if (keys := obj.data.shape_keys) is not None:
            column.prop_search(obj.xpbd, "rest_shape_key", keys, "key_blocks", text="Shape Key")
        else:
            column.prop(obj.xpbd, "rest_shape_key", text="Shape Key")
        if obj.xpbd.kind == "SOFT_BODY":
            draw_inflation(column, obj)
            column.prop(obj.xpbd, "contraction")
            _draw_fibres(column, obj)
            return
        column.prop(obj.xpbd, "shrinkage")
        column.prop(obj.xpbd, "rest_angle")
        column.prop(obj.xpbd, "use_dynamic_mesh")
        column.prop(obj.xpbd, "use_initial_velocity")


def draw_inflation(column: bpy.types.UILayout, obj: bpy.types.Object) -> None:
    """Inflation, and in which time it comes about, greyed where there is none."""
    settings, pair = obj.xpbd, column.column(align=True)
    pair.prop(settings, "inflation")
    painted = settings.kind == "SOFT_BODY" and settings.inflation_group
    time = pair.column(align=True)
    time.active = settings.inflation != 1.0 or bool(painted) or keyed.is_led(obj, "inflation")
    time.prop(settings, "inflation_time", text="Time")


def _draw_fibres(column: bpy.types.UILayout, obj: bpy.types.Object) -> None:
    settings = obj.xpbd
    column.prop(settings, "fibre_source")
    if settings.fibre_source == inside.ATTRIBUTE:
        column.prop_search(settings, "fibre_attribute", obj.data, "attributes", text="Attribute")
    if settings.fibre_source != inside.BONES:
        column.prop(settings, "fibre_direction")


class PHYSICS_PT_xpbd_sewing(_ShapePanel):
    """Loose edges that pull, and split edges that hold."""

    bl_label = "Sewing & Tearing"
    kinds = ("CLOTH",)

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        settings = context.object.xpbd
        column.prop(settings, "use_sewing")
        pulling = column.column()
        pulling.active = settings.use_sewing
        pulling.prop(settings, "sewing_force_max", text="Max Force N")
        draw_note(pulling, "0: no limit")
        pulling.prop(settings, "sewing_time", text="Time")
        column.prop(settings, "use_stitches")
        holding = column.column()
        holding.active = settings.use_stitches
        holding.prop(settings, "stitch_strength", text="Strength N/m")
        draw_note(holding, "0: never tears")


class PHYSICS_PT_xpbd_breaking(_ShapePanel):
    """What breaks into its loose parts."""

    bl_label = "Breaking"
    kinds = ("SOFT_BODY",)

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(context.object.xpbd, "use_breaking", text="")

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        settings = context.object.xpbd
        strength = column.column()
        strength.active = settings.use_breaking
        strength.prop(settings, "strength_shown", text="Strength kPa")
        column.operator("xpbd.cut_into_pieces")


class PHYSICS_PT_xpbd_plasticity(_ShapePanel):
    """What stays bent or stretched."""

    bl_label = "Plasticity"

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(context.object.xpbd, "use_plasticity", text="")

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        settings = context.object.xpbd
        column.enabled = settings.use_plasticity
        column.prop(settings, "plasticity", text="Rate 1/s")
        if settings.kind == "CLOTH":
            column.prop(settings, "yield_bend", text="Bend 1/m")
        column.prop(settings, "yield_stretch", text="Stretch")


class PHYSICS_PT_xpbd_goal(_ShapePanel):
    """What pulls a soft body to its animated shape."""

    bl_label = "Shape Goal"
    kinds = ("SOFT_BODY",)

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(context.object.xpbd, "use_goal", text="")

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        settings = context.object.xpbd
        column.enabled = settings.use_goal
        column.prop(settings, "goal_stiffness", text="Pull N/m⁴")
        column.prop(settings, "pin_damping", text="Damping")


CLASSES = (
    PHYSICS_PT_xpbd_goal,
    PHYSICS_PT_xpbd_rest_shape,
    PHYSICS_PT_xpbd_sewing,
    PHYSICS_PT_xpbd_breaking,
    PHYSICS_PT_xpbd_plasticity,
)
