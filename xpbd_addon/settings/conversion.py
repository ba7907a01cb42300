# SPDX-License-Identifier: GPL-3.0-or-later
"""What is remembered of an object that was taken over from Blender's own simulation.

With it *Convert Back* puts everything as it was. Removing XPBD forgets it.
"""

from __future__ import annotations

import bpy

from .changes import OVERRIDE


class Conversion(bpy.types.PropertyGroup):
    """Of an object: ``Object.xpbd.conversion``."""


def _hidden(made: object, **options: object) -> object:
    return made(options={"HIDDEN"}, override=OVERRIDE, **options)  # type: ignore[operator]


Conversion.__annotations__.update(
    {
        "source": _hidden(
            bpy.props.StringProperty,
            description="Type of the modifier that simulated it; empty where none did",
        ),
        "show_viewport": _hidden(bpy.props.BoolProperty, description="As it was of the modifier"),
        "show_render": _hidden(bpy.props.BoolProperty, description="As it was of the modifier"),
        "pin_group": _hidden(
            bpy.props.StringProperty, description="Vertex group that was made for the pins"
        ),
        "lost": _hidden(
            bpy.props.StringProperty,
            description="What could not be carried over, a sentence in each line, until dismissed",
        ),
    }
)


def scene_properties() -> dict[str, object]:
    """Of scenes: the frames before objects were taken over, and those that were set then."""
    words = {
        "frames_before": "First and last frame before objects were taken over",
        "frames_converted": "First and last frame that were set when objects were taken over",
    }
    return {
        name: bpy.props.IntVectorProperty(size=2, description=text, options={"HIDDEN"})
        for name, text in words.items()
    }
