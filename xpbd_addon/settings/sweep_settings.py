# SPDX-License-Identifier: GPL-3.0-or-later
"""What a sweep varies, and where it goes: ``Scene.xpbd.sweep``."""

from __future__ import annotations

from typing import Any

import bpy

PATH_OPTIONS: set[Any] = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5, 0) else set()


class SweepSetting(bpy.types.PropertyGroup):
    """A setting that is varied, as text."""


SweepSetting.__annotations__.update(
    {
        "setting": bpy.props.StringProperty(
            name="Setting",
            description="What is varied: an object, a point, and a setting, as Cape.density; "
            "scene stands for the scene",
            options=set(),
        ),
        "values": bpy.props.StringProperty(
            name="Values",
            description="The values it takes, parted by commas: numbers, percentages, true and "
            "false, or names",
            options=set(),
        ),
    }
)


class SweepSettings(bpy.types.PropertyGroup):
    """Of a scene: ``Scene.xpbd.sweep``."""


SweepSettings.__annotations__.update(
    {
        "varied": bpy.props.CollectionProperty(
            type=SweepSetting, description="The settings that are varied", options=set()
        ),
        "folder": bpy.props.StringProperty(
            name="Sweep Folder",
            description="Where caches, results, stills and jobs of sweeps go",
            default="//sweep",
            subtype="DIR_PATH",
            options=PATH_OPTIONS,
        ),
        "processes": bpy.props.IntProperty(
            name="At Once",
            description="How many Blenders simulate side by side; each needs its own memory",
            default=2,
            min=1,
            max=64,
            options=set(),
        ),
        "stills": bpy.props.BoolProperty(
            name="Stills",
            description="Render the last frame of each variation with Cycles, and put all into "
            "one picture: sweep.png",
            default=True,
            options=set(),
        ),
    }
)

CLASSES = (SweepSetting, SweepSettings)
