# SPDX-License-Identifier: GPL-3.0-or-later
"""The Physics tab: panels in the grammar of Blender's cloth panels. Panels only draw."""

from __future__ import annotations

import bpy

from ..bake import bake_record
from ..scene import sizes
from ..settings import kinds, solvers
from ..settings.constraints import entries
from ..settings.painted import quantities
from ..simulation import job, session
from ..simulation.faults import FAULTS
from ..simulation.measures import Measures
from . import (
    by_hand_panel,
    convert_cloth,
    messages,
    outside_panels,
    presets,
    shape_panels,
    strand_tubes,
    sweep_panel,
)
from .cache_panel import PHYSICS_PT_xpbd_cache
from .sentences import Icon, draw_sentence
from .shape_panels import draw_inflation
from .xpbd_panel import XPBDPanel, settings_column

ICONS: dict[messages.Level, Icon] = {
    "STATE": "NONE",
    "WAIT": "SORTTIME",
    "INFO": "INFO",
    "WARNING": "ERROR",
}

Found = list[tuple[bpy.types.Object, Measures]]
"""Objects and what is known of them."""


class PHYSICS_PT_xpbd(XPBDPanel):
    """The top of the simulated object: how it stands, what it is made into, and presets."""

    bl_label = "XPBD"

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        presets.PANELS[context.object.xpbd.kind].draw_panel_header(self.layout)

    def draw(self, context: bpy.types.Context) -> None:
        _draw_messages(self.layout.column(align=True), context)
        convert_cloth.draw_converted(self.layout, context.object)
        column = settings_column(self.layout, context)
        column.prop(context.object.xpbd, "kind", text="Type")


def _draw_messages(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Always a line, so that little moves when it changes."""
    scene, obj = context.scene, context.object
    for message in messages.in_panel(scene, obj):
        draw_sentence(layout, message.text, ICONS[message.level])


class PHYSICS_PT_xpbd_physical(XPBDPanel):
    """Weight, and the sideways contraction of a sheet."""

    bl_label = "Physical Properties"
    bl_parent_id = "PHYSICS_PT_xpbd"

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        name, label = kinds.of(context.object).density
        column.prop(context.object.xpbd, name, text=label)
        if context.object.xpbd.kind != "STRANDS":
            column.prop(context.object.xpbd, "poisson_ratio")


class PHYSICS_PT_xpbd_stiffness(XPBDPanel):
    """One line for each kind of constraint, as stiffness or as compliance."""

    bl_label = "Stiffness"
    bl_parent_id = "PHYSICS_PT_xpbd_physical"

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        scene = context.scene.xpbd
        for entry in entries(context.object.xpbd.kind):
            name, label = entry.shown(compliance=scene.show_compliance)
            column.prop(context.object.xpbd, name, text=label)
            if (entry.kind, entry.keyword) == ("CLOTH", "stretch"):
                column.prop(context.object.xpbd, "compression")
        if context.object.xpbd.kind == "CLOTH":
            column.prop(context.object.xpbd, "membrane")
        elif context.object.xpbd.kind == "SOFT_BODY":
            column.prop(context.object.xpbd, "soft_energy")
        column.prop(scene, "show_compliance")


class PHYSICS_PT_xpbd_limits(XPBDPanel):
    """How far the material can be stretched at all."""

    bl_label = "Stretch Limits"
    bl_parent_id = "PHYSICS_PT_xpbd_physical"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and context.object.xpbd.kind != "SOFT_BODY"

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.active = not bake_record.exists(context.object)
        self.layout.prop(context.object.xpbd, "use_strain_limits", text="")

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        column.enabled = context.object.xpbd.use_strain_limits
        column.prop(context.object.xpbd, "stretch_limit", text="Stretch")
        column.prop(context.object.xpbd, "compression_limit", text="Compression")


class PHYSICS_PT_xpbd_volume(XPBDPanel):
    """What a closed surface is filled with."""

    bl_label = "Volume"
    bl_parent_id = "PHYSICS_PT_xpbd_physical"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and context.object.xpbd.kind == "CLOTH"

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.active = not bake_record.exists(context.object)
        self.layout.prop(context.object.xpbd, "use_volume", text="")

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        column.enabled = context.object.xpbd.use_volume
        draw_inflation(column, context.object)
        column.prop(context.object.xpbd, "volume_compliance_shown", text="Softness")


class PHYSICS_PT_xpbd_cage(XPBDPanel):
    """The tetrahedra that a soft body is simulated as."""

    bl_label = "Cage"
    bl_parent_id = "PHYSICS_PT_xpbd"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and context.object.xpbd.kind == "SOFT_BODY"

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        column.prop(context.object.xpbd, "cell_size")
        column.label(text=_cells(context.object))
        column.prop(context.object.xpbd, "show_cage")
        if context.object.xpbd.show_cage:
            note = column.column()
            note.active = False
            note.label(text="Drawn as before simulating")


def _cells(obj: bpy.types.Object) -> str:
    """How fine the cage is, in words."""
    across = max(*sizes.size(obj)) / obj.xpbd.cell_size
    return f"{across:.0f} cells along the longest side"


class PHYSICS_PT_xpbd_damping(XPBDPanel):
    """One line for each kind of constraint."""

    bl_label = "Damping"
    bl_parent_id = "PHYSICS_PT_xpbd_physical"

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        for entry in entries(context.object.xpbd.kind):
            column.prop(context.object.xpbd, entry.damping, text=entry.label)
        column.prop(context.object.xpbd, "drag", text="Air Drag 1/s")


class PHYSICS_PT_xpbd_painted(XPBDPanel):
    """What vertex groups spread over the mesh: one line each, two where there is one."""

    bl_label = "Property Weights"
    bl_parent_id = "PHYSICS_PT_xpbd_physical"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        obj = context.object
        damping = False
        for quantity in quantities(obj.xpbd.kind):
            label = quantity.label.removesuffix(" Damping")
            if label != quantity.label and not damping:
                column.label(text="Damping")
                damping = True
            column.prop_search(obj.xpbd, quantity.group, obj, "vertex_groups", text=label)
            if getattr(obj.xpbd, quantity.group):
                column.prop(obj.xpbd, quantity.shown, text=f"Max {quantity.unit}".strip())


class PHYSICS_PT_xpbd_pinning(XPBDPanel):
    """Which vertices follow the animation instead of the simulation."""

    bl_label = "Shape"
    bl_parent_id = "PHYSICS_PT_xpbd"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        obj = context.object
        column.prop_search(obj.xpbd, "pin_group", obj, "vertex_groups", text="Pin Group")
        pull = column.column()
        pull.active = bool(obj.xpbd.pin_group)
        pull.prop(obj.xpbd, "pin_stiffness", text=f"Pull {kinds.of(obj).pin_unit}")
        pull.prop(obj.xpbd, "pin_damping", text="Damping")
        if obj.xpbd.kind == "SOFT_BODY":
            pull.prop(obj.xpbd, "pin_depth")
            column.prop(obj.xpbd, "bones")
            around = column.column()
            around.active = obj.xpbd.bones is not None
            around.prop(obj.xpbd, "bone_reach")
        column.prop(obj.xpbd, "weld")
        if obj.xpbd.kind == "CLOTH":
            column.prop(obj.xpbd, "use_carried_buttons")


class PHYSICS_PT_xpbd_collisions(XPBDPanel):
    """Contact with Collision objects, other simulated objects and itself."""

    bl_label = "Collisions"
    bl_parent_id = "PHYSICS_PT_xpbd"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        column.prop(context.object.xpbd, "use_self_collision")
        column.prop(context.object.xpbd, "use_body_collision", text="Other Objects")
        column.prop(context.object.xpbd, "collision_collection", text="Collection")
        column.prop(context.object.xpbd, "thickness")
        if strand_tubes.lacks_tubes(context.object):
            column.operator("xpbd.add_tubes")
        column.prop(context.object.xpbd, "friction")
        column.prop(context.object.xpbd, "restitution")


class PHYSICS_PT_xpbd_tension(XPBDPanel):
    """What is measured of the mesh, and how viewports show it."""

    bl_label = "Tension Map"
    bl_parent_id = "PHYSICS_PT_xpbd"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(context.object.xpbd, "use_tension_map", text="")

    def draw(self, context: bpy.types.Context) -> None:
        layout, settings = self.layout, context.scene.xpbd
        layout.use_property_split = True
        layout.active = context.object.xpbd.use_tension_map
        layout.prop(settings, "tension_shown", text="Show")
        reds = {"BENDING": "tension_bending", "FORCE": "tension_force"}
        layout.prop(settings, reds.get(settings.tension_shown, "tension_strain"))
        own, is_force = context.object.xpbd, settings.tension_shown == "FORCE"
        if own.kind != "CLOTH" and is_force:
            draw_sentence(layout, "Forces are told of cloth only", icon="INFO")
        if own.kind == "CLOTH":
            layout.prop(own, "use_force_map")
            if is_force and not own.use_force_map:
                draw_sentence(layout, "Switch Forces on and simulate to see them", icon="INFO")
            if own.use_force_map and 0.0 in (own.stretch_compliance, own.shear_compliance):
                draw_sentence(layout, "What does not give at all tells no forces", icon="INFO")


class PHYSICS_PT_xpbd_solver(XPBDPanel):
    """The scene's solver and what it spends, shared by all its objects."""

    bl_label = "Quality (All Objects)"
    bl_parent_id = "PHYSICS_PT_xpbd"

    def draw(self, context: bpy.types.Context) -> None:
        column = settings_column(self.layout, context)
        scene = context.scene.xpbd
        entry = solvers.entry_of(scene.solver)
        automatic = solvers.is_automatic(scene)
        column.prop(scene, "solver")
        if entry.most is not None:
            column.prop(scene, "automatic", text="Automatic")
            allowed = column.column()
            allowed.active = automatic
            allowed.prop(scene, "largest_stretch", text="Max Stretch")
        for name, label in zip(solvers.COUNTS, ("Substeps", "Iterations"), strict=True):
            column.prop(scene, name, text=f"{label} ≤" if automatic else label)
        for name in entry.options:
            column.prop(scene, name)
        column.prop(scene, "time_scale")
        _draw_measures(self.layout, context)


def _draw_measures(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """How well the frame shown was solved, or the last one done while simulating.

    Always as many lines, so that nothing moves; what may come and go stands at the end.
    """
    scene = context.scene
    frame = job.shown_frame(scene)
    found = session.cached_measures(scene, context.object, frame)
    column = layout.column(align=True)
    column.label(text=str(found) if found else "No stretch known on this frame")
    column.label(text=found.residual_text if found else "")
    if solvers.is_automatic(scene.xpbd):
        column.label(text=found.effort_text if found else "")
    if measured := _measured(scene, frame):
        if solvers.is_automatic(scene.xpbd):
            _draw_shortfall(layout, scene, measured)
        _draw_too_soft(layout, measured)
        _draw_faults(layout, measured)


def _measured(scene: bpy.types.Scene, frame: float) -> Found:
    """What is known of a frame of all objects."""
    objects = session.simulated_objects(scene)
    known = session.measures_of(scene, objects, frame)
    return [(obj, known[obj.xpbd.cache_id]) for obj in objects if obj.xpbd.cache_id in known]


def _draw_shortfall(layout: bpy.types.UILayout, scene: bpy.types.Scene, found: Found) -> None:
    """What kept the solver from what was asked for, the worst object, and the cure."""
    settings = scene.xpbd
    allowed = settings.largest_stretch
    limits = 0.01 * allowed, settings.substeps, settings.iterations
    if missed := [each for each in found if each[1].missed(*limits)]:
        obj, left = max(missed, key=lambda each: each[1].overstretch)
        draw_sentence(
            layout,
            f"'{obj.name}' is overstretched by {100.0 * left.overstretch:.1f} %, {allowed:.1f} % "
            "allowed: raise Substeps, or accept it",
            icon="ERROR",
        )


def _draw_too_soft(layout: bpy.types.UILayout, found: Found) -> None:
    """Soft bodies for which there were too few substeps."""
    soft = [each for each in found if each[0].xpbd.kind == "SOFT_BODY"]
    if missed := [each for each in soft if each[1].needed > each[1].substeps > 0]:
        obj, left = max(missed, key=lambda each: each[1].needed)
        draw_sentence(
            layout,
            f"'{obj.name}' needs {left.needed} substeps to be as stiff and as damped as its "
            "material says: raise Substeps, make its cells larger, or accept that it is less",
            icon="ERROR",
        )


def _draw_faults(layout: bpy.types.UILayout, found: Found) -> None:
    """What is wrong with vertices, of the object that has most of these, and a way to see them."""
    for fault in FAULTS.values():
        obj, left = max(found, key=lambda each: getattr(each[1], fault.measure))
        if count := getattr(left, fault.measure):
            sentence = fault.sentence.format(count=count, name=obj.name)
            draw_sentence(layout, sentence, icon="ERROR")
            operator = layout.operator("xpbd.select_faults", text=f"Select {fault.label}")
            operator.fault, operator.object_name = fault.identifier, obj.name


CLASSES = (
    PHYSICS_PT_xpbd,
    PHYSICS_PT_xpbd_physical,
    PHYSICS_PT_xpbd_stiffness,
    shape_panels.PHYSICS_PT_xpbd_weave,
    PHYSICS_PT_xpbd_limits,
    PHYSICS_PT_xpbd_cage,
    PHYSICS_PT_xpbd_volume,
    PHYSICS_PT_xpbd_damping,
    PHYSICS_PT_xpbd_painted,
    PHYSICS_PT_xpbd_cache,
    by_hand_panel.PHYSICS_PT_xpbd_by_hand,
    PHYSICS_PT_xpbd_pinning,
    *shape_panels.CLASSES,
    PHYSICS_PT_xpbd_collisions,
    *outside_panels.CLASSES,
    PHYSICS_PT_xpbd_tension,
    PHYSICS_PT_xpbd_solver,
    *sweep_panel.CLASSES,
)


register, unregister = bpy.utils.register_classes_factory(CLASSES)
