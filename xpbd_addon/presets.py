# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabric presets through Blender's own preset system.

The presets' folder is not called "cloth": Blender's own cloth presets live in a folder of that
name, and each menu would list the other's.
"""

from __future__ import annotations

from pathlib import Path

import bpy
from bl_operators.presets import AddPresetBase
from bl_ui.utils import PresetPanel

SUBFOLDER = "xpbd_cloth"
_SHIPPED = Path(__file__).parent / "fabrics"
FOLDER = _SHIPPED / "presets" / SUBFOLDER

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


class XPBD_PT_presets(PresetPanel, bpy.types.Panel):
    """Fabrics with measured stiffness, weight and friction"""

    bl_label = "Fabric Presets"
    preset_subdir = SUBFOLDER
    preset_operator = "script.execute_preset"
    preset_add_operator = "xpbd.preset_add"


class XPBD_OT_preset_add(AddPresetBase, bpy.types.Operator):
    """Add or remove a fabric preset"""

    bl_idname = "xpbd.preset_add"
    bl_label = "Add Fabric Preset"
    preset_menu = "XPBD_PT_presets"
    preset_subdir = SUBFOLDER
    preset_defines = ["fabric = bpy.context.object.xpbd"]
    preset_values = [f"fabric.{name}" for name in PRESET_PROPERTIES]


CLASSES = (XPBD_PT_presets, XPBD_OT_preset_add)


def register() -> None:
    """Add the preset menu and the folder of shipped presets."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.utils.register_preset_path(str(_SHIPPED))


def unregister() -> None:
    """Take the preset menu and folder away."""
    bpy.utils.unregister_preset_path(str(_SHIPPED))
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
