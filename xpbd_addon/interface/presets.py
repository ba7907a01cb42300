# SPDX-License-Identifier: GPL-3.0-or-later
"""Material presets through Blender's own preset system, a menu for each kind of object."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bl_operators.presets import AddPresetBase
from bl_ui.utils import PresetPanel

from ..settings import presets

SHIPPED = Path(__file__).parents[1] / presets.FOLDER


class XPBD_PT_presets(PresetPanel, bpy.types.Panel):
    """Fabrics with measured stiffness, weight and friction"""

    bl_label = "Fabric Presets"
    preset_subdir = presets.SUBFOLDERS["CLOTH"]
    preset_operator = "xpbd.preset_choose"
    preset_add_operator = "xpbd.preset_add"


class XPBD_PT_soft_presets(PresetPanel, bpy.types.Panel):
    """Jelly, rubber, flesh and foam with known stiffness, weight and friction"""

    bl_label = "Soft Body Presets"
    preset_subdir = presets.SUBFOLDERS["SOFT_BODY"]
    preset_operator = "xpbd.preset_choose"
    preset_add_operator = "xpbd.soft_preset_add"


class XPBD_PT_strand_presets(PresetPanel, bpy.types.Panel):
    """Hair, threads, ropes and wires with known stiffness, weight and friction"""

    bl_label = "Strand Presets"
    preset_subdir = presets.SUBFOLDERS["STRANDS"]
    preset_operator = "xpbd.preset_choose"
    preset_add_operator = "xpbd.strand_preset_add"


class XPBD_OT_preset_choose(bpy.types.Operator):
    """Take the values of this preset"""

    bl_idname = "xpbd.preset_choose"
    bl_label = "Choose Preset"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}  # Blender's own operator can't be undone

    if TYPE_CHECKING:
        filepath: str
        menu_idname: str
    else:
        filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
        menu_idname: bpy.props.StringProperty(options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        return set(
            bpy.ops.script.execute_preset(filepath=self.filepath, menu_idname=self.menu_idname)
        )


class XPBD_OT_preset_add(AddPresetBase, bpy.types.Operator):
    """Add or remove a fabric preset"""

    bl_idname = "xpbd.preset_add"
    bl_label = "Add Fabric Preset"
    preset_menu = "XPBD_PT_presets"
    preset_subdir = presets.SUBFOLDERS["CLOTH"]
    preset_values = [presets.line(name) for name in presets.properties("CLOTH")]


class XPBD_OT_soft_preset_add(AddPresetBase, bpy.types.Operator):
    """Add or remove a soft body preset"""

    bl_idname = "xpbd.soft_preset_add"
    bl_label = "Add Soft Body Preset"
    preset_menu = "XPBD_PT_soft_presets"
    preset_subdir = presets.SUBFOLDERS["SOFT_BODY"]
    preset_values = [presets.line(name) for name in presets.properties("SOFT_BODY")]


class XPBD_OT_strand_preset_add(AddPresetBase, bpy.types.Operator):
    """Add or remove a strand preset"""

    bl_idname = "xpbd.strand_preset_add"
    bl_label = "Add Strand Preset"
    preset_menu = "XPBD_PT_strand_presets"
    preset_subdir = presets.SUBFOLDERS["STRANDS"]
    preset_values = [presets.line(name) for name in presets.properties("STRANDS")]


PANELS = {
    "CLOTH": XPBD_PT_presets,
    "SOFT_BODY": XPBD_PT_soft_presets,
    "STRANDS": XPBD_PT_strand_presets,
}
CLASSES: tuple[type[Any], ...] = (
    *PANELS.values(),
    XPBD_OT_preset_choose,
    XPBD_OT_preset_add,
    XPBD_OT_soft_preset_add,
    XPBD_OT_strand_preset_add,
)


def register() -> None:
    """Add the preset menus and the folder of shipped presets."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.utils.register_preset_path(str(SHIPPED))


def unregister() -> None:
    """Take the preset menus and folder away."""
    bpy.utils.unregister_preset_path(str(SHIPPED))
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
