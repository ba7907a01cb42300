# SPDX-License-Identifier: GPL-3.0-or-later
"""Material presets through Blender's own preset system, a folder for each kind of object.

The folders' names are ours alone: Blender's own cloth presets live in a folder called "cloth", and
each menu would list the other's.
"""

from __future__ import annotations

from pathlib import Path

import bpy
from bl_operators.presets import AddPresetBase
from bl_ui.utils import PresetPanel

SUBFOLDER, STRANDS_SUBFOLDER = "xpbd_cloth", "xpbd_strands"
_SHIPPED = Path(__file__).parents[1] / "fabrics"
FOLDER = _SHIPPED / "presets" / SUBFOLDER
STRANDS_FOLDER = _SHIPPED / "presets" / STRANDS_SUBFOLDER

PRESET_PROPERTIES = (
    "density",
    "stretch_compliance",
    "shear_compliance",
    "bend_compliance",
    "poisson_ratio",
    "stretch_damping",
    "shear_damping",
    "bend_damping",
    "friction",
)
STRANDS_PRESET_PROPERTIES = (
    "density",
    "strand_stretch_compliance",
    "strand_bend_compliance",
    "strand_stretch_damping",
    "strand_bend_damping",
    "friction",
)


class XPBD_PT_presets(PresetPanel, bpy.types.Panel):
    """Fabrics with measured stiffness, weight and friction"""

    bl_label = "Fabric Presets"
    preset_subdir = SUBFOLDER
    preset_operator = "script.execute_preset"
    preset_add_operator = "xpbd.preset_add"


class XPBD_PT_strand_presets(PresetPanel, bpy.types.Panel):
    """Hair, threads, ropes and wires with known stiffness, weight and friction"""

    bl_label = "Strand Presets"
    preset_subdir = STRANDS_SUBFOLDER
    preset_operator = "script.execute_preset"
    preset_add_operator = "xpbd.strand_preset_add"


class XPBD_OT_preset_add(AddPresetBase, bpy.types.Operator):
    """Add or remove a fabric preset"""

    bl_idname = "xpbd.preset_add"
    bl_label = "Add Fabric Preset"
    preset_menu = "XPBD_PT_presets"
    preset_subdir = SUBFOLDER
    preset_defines = ["fabric = bpy.context.object.xpbd"]
    preset_values = [f"fabric.{name}" for name in PRESET_PROPERTIES]


class XPBD_OT_strand_preset_add(AddPresetBase, bpy.types.Operator):
    """Add or remove a strand preset"""

    bl_idname = "xpbd.strand_preset_add"
    bl_label = "Add Strand Preset"
    preset_menu = "XPBD_PT_strand_presets"
    preset_subdir = STRANDS_SUBFOLDER
    preset_defines = ["strand = bpy.context.object.xpbd"]
    preset_values = [f"strand.{name}" for name in STRANDS_PRESET_PROPERTIES]


PANELS = {"CLOTH": XPBD_PT_presets, "STRANDS": XPBD_PT_strand_presets}
CLASSES = (
    XPBD_PT_presets,
    XPBD_PT_strand_presets,
    XPBD_OT_preset_add,
    XPBD_OT_strand_preset_add,
)


def register() -> None:
    """Add the preset menus and the folder of shipped presets."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.utils.register_preset_path(str(_SHIPPED))


def unregister() -> None:
    """Take the preset menus and folder away."""
    bpy.utils.unregister_preset_path(str(_SHIPPED))
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
