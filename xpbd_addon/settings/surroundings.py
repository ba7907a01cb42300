# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of gravity, of force fields and of the air an object feels.

Blender's own `EffectorWeights` can't be made by an extension: this group has the same names.
"""

from __future__ import annotations

from typing import Any

import bpy

from .changes import setting

WEIGHTS = {
    "FORCE": "force",
    "WIND": "wind",
    "VORTEX": "vortex",
    "MAGNET": "magnetic",
    "HARMONIC": "harmonic",
    "TURBULENCE": "turbulence",
    "DRAG": "drag",
}
"""The weight of each type of force field that has an effect."""


class FieldWeights(bpy.types.PropertyGroup):
    """What an object feels of force fields: ``Object.xpbd.field_weights``."""


def _weight(name: str, description: str) -> Any:
    return setting(
        bpy.props.FloatProperty,
        keyable=True,
        name=name,
        description=description,
        default=1.0,
        min=-200.0,
        max=200.0,
        soft_min=0.0,
        soft_max=1.0,
        subtype="FACTOR",
        precision=3,
    )


FieldWeights.__annotations__.update(
    {
        "collection": setting(
            bpy.props.PointerProperty,
            type=bpy.types.Collection,
            name="Effector Collection",
            description="Only force fields in this collection act on the object",
        ),
        "gravity": _weight("Gravity", "Part of gravity that acts; below 0 the object rises"),
        "all": _weight("All", "Part of every force field that acts; at 0 or below none does"),
    }
    | {
        weight: _weight(weight.title(), f"Part of {weight} fields that acts; none at 0 or below")
        for weight in WEIGHTS.values()
    }
)


def _number(name: str, description: str, default: float, most: float, soft: float) -> Any:
    return setting(
        bpy.props.FloatProperty,
        keyable=True,
        name=name,
        description=description,
        default=default,
        min=0.0,
        max=most,
        soft_max=soft,
        precision=4,
    )


def surroundings_properties() -> dict[str, Any]:
    """Those of objects, by name."""
    return {
        "field_weights": setting(
            bpy.props.PointerProperty,
            type=FieldWeights,
            description="How much of gravity and of each type of force field acts on the object",
        ),
        "use_air": setting(
            bpy.props.BoolProperty,
            keyable=True,
            name="Air",
            description="Air holds faces back and lifts them by their area and how fast they move "
            "through it, so that a falling sheet sails. Off: only where a Wind force field blows",
            default=False,
        ),
        "air_density": _number(
            "Air kg/m³", "Weight of a cubic metre of air; water has 1000", 1.2, 2000.0, 5.0
        ),
        "air_drag": _number(
            "Drag Across",
            "How strongly air holds back what faces it: 1.2 for a square sheet, 2 for a long strip",
            1.2,
            100.0,
            2.0,
        ),
        "air_friction": _number(
            "Drag Along",
            "How strongly air holds back what it flows along. At most as much as across",
            0.02,
            100.0,
            0.2,
        ),
        "field_pressure": _number(
            "Field Push",
            "Pressure of a force field on the object, in pascals for each unit of its strength, "
            "the same at any resolution and frame rate. 0.0012 is what Blender's cloth feels in "
            "cells of 5 cm at 24 frames a second",
            0.0012,
            1e6,
            0.1,
        ),
    }
