# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels of what acts from outside: the air, and the weights of force fields."""

from __future__ import annotations

import bpy

from ..scene import fields
from ..settings.surroundings import WEIGHTS
from .xpbd_panel import XPBDPanel, settings_column


class PHYSICS_PT_xpbd_air(XPBDPanel):
    """Drag by area, and how hard and fast wind blows."""

    bl_label = "Air"
    bl_parent_id = "PHYSICS_PT_xpbd"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(context.object.xpbd, "use_air", text="")

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        settings = context.object.xpbd
        column.prop(settings, "air_density")
        column.prop(settings, "air_drag")
        column.prop(settings, "air_friction")
        column.prop(settings, "field_pressure")
        for wind in winds(context):
            speed = fields.wind_speed(context.object, wind.field.strength)
            column.label(text=f"{wind.name}: {speed:.1f} m/s", icon="FORCE_WIND")


def winds(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Those of the scene."""
    return [obj for obj in fields.field_objects(context.scene) if obj.field.type == "WIND"]


class PHYSICS_PT_xpbd_field_weights(XPBDPanel):
    """How much of gravity and of each type of force field acts."""

    bl_label = "Field Weights"
    bl_parent_id = "PHYSICS_PT_xpbd"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        weights = context.object.xpbd.field_weights
        column.prop(weights, "collection", text="Collection")
        for name in ("gravity", "all", *WEIGHTS.values()):
            column.prop(weights, name, slider=True)


CLASSES = (PHYSICS_PT_xpbd_air, PHYSICS_PT_xpbd_field_weights)
