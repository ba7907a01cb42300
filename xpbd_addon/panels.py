# SPDX-License-Identifier: GPL-3.0-or-later
"""The Physics tab: panels in the grammar of Blender's cloth panels. Panels only draw."""

from __future__ import annotations

import bpy

from . import bake_record
from .constraint_settings import CONSTRAINTS
from .panels_cache import PHYSICS_PT_xpbd_cache
from .presets import XPBD_PT_presets


class XPBDPanel(bpy.types.Panel):
    """What all the panels share: their place, and the objects they appear for."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        obj = context.object
        return obj is not None and obj.type == "MESH" and obj.xpbd.use


class PHYSICS_PT_xpbd(XPBDPanel):
    """The top of the simulated object: what it is made into, and presets."""

    bl_label = "XPBD"

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        XPBD_PT_presets.draw_panel_header(self.layout)

    def draw(self, context: bpy.types.Context) -> None:
        column = _settings_column(self.layout, context)
        column.prop(context.object.xpbd, "kind", text="Type")


class PHYSICS_PT_xpbd_physical(XPBDPanel):
    """Weight and the sideways contraction of the sheet."""

    bl_label = "Physical Properties"
    bl_parent_id = "PHYSICS_PT_xpbd"

    def draw(self, context: bpy.types.Context) -> None:
        column = _settings_column(self.layout, context)
        column.prop(context.object.xpbd, "density", text="Density kg/m²")
        column.prop(context.object.xpbd, "poisson_ratio")


class PHYSICS_PT_xpbd_stiffness(XPBDPanel):
    """One line for each kind of constraint, as stiffness or as compliance."""

    bl_label = "Stiffness"
    bl_parent_id = "PHYSICS_PT_xpbd_physical"

    def draw(self, context: bpy.types.Context) -> None:
        column = _settings_column(self.layout, context)
        scene = context.scene.xpbd
        column.prop(scene, "show_compliance")
        for entry in CONSTRAINTS:
            name, label = entry.shown(compliance=scene.show_compliance)
            column.prop(context.object.xpbd, name, text=label)
        column.prop(context.object.xpbd, "membrane")


class PHYSICS_PT_xpbd_damping(XPBDPanel):
    """One line for each kind of constraint."""

    bl_label = "Damping"
    bl_parent_id = "PHYSICS_PT_xpbd_physical"

    def draw(self, context: bpy.types.Context) -> None:
        column = _settings_column(self.layout, context)
        for entry in CONSTRAINTS:
            column.prop(context.object.xpbd, entry.damping, text=entry.label)
        column.prop(context.object.xpbd, "drag", text="Air Drag 1/s")


class PHYSICS_PT_xpbd_pinning(XPBDPanel):
    """Which vertices follow the animation instead of the simulation."""

    bl_label = "Shape"
    bl_parent_id = "PHYSICS_PT_xpbd"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        column = _settings_column(self.layout, context)
        obj = context.object
        column.prop_search(obj.xpbd, "pin_group", obj, "vertex_groups", text="Pin Group")


class PHYSICS_PT_xpbd_collisions(XPBDPanel):
    """Contact with the Collision objects of the scene."""

    bl_label = "Collisions"
    bl_parent_id = "PHYSICS_PT_xpbd"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        column = _settings_column(self.layout, context)
        column.prop(context.object.xpbd, "thickness")
        column.prop(context.object.xpbd, "friction")


class PHYSICS_PT_xpbd_solver(XPBDPanel):
    """The scene's solver, shared by all its objects."""

    bl_label = "Solver (Scene)"
    bl_parent_id = "PHYSICS_PT_xpbd"

    def draw(self, context: bpy.types.Context) -> None:
        column = _settings_column(self.layout, context)
        scene = context.scene.xpbd
        column.prop(scene, "solver")
        column.prop(scene, "substeps")
        column.prop(scene, "iterations")


def draw_physics_button(self: bpy.types.Panel, context: bpy.types.Context) -> None:
    """The "XPBD" entry among Blender's own physics buttons."""
    obj = context.object
    if obj is None or obj.type != "MESH":
        return
    if obj.xpbd.use:
        self.layout.operator("xpbd.remove", text="XPBD", icon="X")
    else:
        self.layout.operator("xpbd.add", text="XPBD", icon="MOD_CLOTH")


def _settings_column(layout: bpy.types.UILayout, context: bpy.types.Context) -> bpy.types.UILayout:
    """A column for properties, greyed out where a bake has taken over."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    layout.active = not bake_record.exists(context.object)
    return layout.column()


CLASSES = (
    PHYSICS_PT_xpbd,
    PHYSICS_PT_xpbd_physical,
    PHYSICS_PT_xpbd_stiffness,
    PHYSICS_PT_xpbd_damping,
    PHYSICS_PT_xpbd_cache,
    PHYSICS_PT_xpbd_pinning,
    PHYSICS_PT_xpbd_collisions,
    PHYSICS_PT_xpbd_solver,
)


def register() -> None:
    """Show the panels and the physics button."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.PHYSICS_PT_add.append(draw_physics_button)  # type: ignore[arg-type]


def unregister() -> None:
    """Hide the panels and the physics button."""
    bpy.types.PHYSICS_PT_add.remove(draw_physics_button)  # type: ignore[arg-type]
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
