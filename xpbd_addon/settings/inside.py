# SPDX-License-Identifier: GPL-3.0-or-later
"""What leads the inside of a soft body, and which way its fibres run."""

from __future__ import annotations

from typing import Any

import bpy

from .changes import setting

AXIS, BONES, ATTRIBUTE = "AXIS", "BONES", "ATTRIBUTE"


def inside_properties() -> dict[str, Any]:
    """The properties by name."""
    return {
        "bones": setting(
            bpy.props.PointerProperty,
            type=bpy.types.Object,
            poll=_is_armature,
            name="Bones",
            description="Armature whose deforming bones take along what is around them inside the "
            "body, as flesh on a skeleton",
        ),
        "bone_reach": setting(
            bpy.props.FloatProperty,
            name="Around",
            description="How far around bones the inside goes with them",
            default=0.05,
            min=1e-6,
            max=1e4,
            soft_max=1.0,
            precision=3,
            subtype="DISTANCE",
        ),
        "fibre_source": setting(
            bpy.props.EnumProperty,
            name="Fibres",
            description="Which way the fibres run along which a soft body contracts",
            items=[
                (AXIS, "Direction", "The same way everywhere"),
                (BONES, "Along Bones", "Everywhere as the bone that is nearest at the start"),
                (
                    ATTRIBUTE,
                    "Attribute",
                    "Along a vector attribute of points, in the object's own space. Where it is "
                    "zero fibres run along the direction",
                ),
            ],
            default=AXIS,
        ),
        "fibre_direction": setting(
            bpy.props.FloatVectorProperty,
            name="Direction",
            description="Direction in which a soft body contracts, in the object's own space",
            default=(0.0, 0.0, 1.0),
            size=3,
            subtype="XYZ",
        ),
        "fibre_attribute": setting(
            bpy.props.StringProperty,
            name="Fibre Attribute",
            description="Vector attribute of points along which a soft body contracts",
        ),
    }


def _is_armature(_settings: Any, obj: bpy.types.Object) -> bool:
    return obj.type == "ARMATURE"


def fingerprint(settings: Any) -> tuple[Any, ...]:
    """What a simulation depends on for good, beside the bones and the attribute themselves."""
    led = () if settings.bones is None else (settings.bone_reach,)
    along: dict[str, Any] = {
        AXIS: tuple(settings.fibre_direction),
        ATTRIBUTE: (tuple(settings.fibre_direction), settings.fibre_attribute),
    }
    return led, settings.fibre_source, along.get(settings.fibre_source)
