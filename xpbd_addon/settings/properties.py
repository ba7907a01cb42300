# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings where Blender keeps them: ``Object.xpbd`` and ``Scene.xpbd``."""

from __future__ import annotations

import bpy

from .changes import OVERRIDE
from .conversion import Conversion
from .object_settings import ObjectSettings
from .scene_settings import SceneSettings
from .surroundings import FieldWeights
from .sweep_settings import CLASSES as SWEEP_CLASSES


def register() -> None:
    """Add the settings to objects and scenes."""
    bpy.utils.register_class(FieldWeights)
    bpy.utils.register_class(Conversion)
    bpy.utils.register_class(ObjectSettings)
    for cls in SWEEP_CLASSES:
        bpy.utils.register_class(cls)
    bpy.utils.register_class(SceneSettings)
    bpy.types.Object.xpbd = bpy.props.PointerProperty(type=ObjectSettings, override=OVERRIDE)
    bpy.types.Scene.xpbd = bpy.props.PointerProperty(type=SceneSettings)


def unregister() -> None:
    """Remove the settings from objects and scenes."""
    del bpy.types.Scene.xpbd
    del bpy.types.Object.xpbd
    bpy.utils.unregister_class(SceneSettings)
    for cls in reversed(SWEEP_CLASSES):
        bpy.utils.unregister_class(cls)
    bpy.utils.unregister_class(ObjectSettings)
    bpy.utils.unregister_class(Conversion)
    bpy.utils.unregister_class(FieldWeights)
