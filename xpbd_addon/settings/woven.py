# SPDX-License-Identifier: GPL-3.0-or-later
"""Which way the yarns of a cloth run."""

from __future__ import annotations

from typing import Any

import bpy

from .changes import setting

AXIS, UV, ATTRIBUTE = "AXIS", "UV", "ATTRIBUTE"


def woven_properties() -> dict[str, Any]:
    """The properties by name."""
    return {
        "warp_source": setting(
            bpy.props.EnumProperty,
            name="Warp",
            description="Which way the warp yarns run in each face; the weft runs across them",
            items=[
                (AXIS, "Object's X Axis", "The same way everywhere"),
                (
                    UV,
                    "UV Map",
                    "Along U on each face, as on the pattern that a garment is cut from. Faces "
                    "without an area in the UV map take the object's X axis",
                ),
                (
                    ATTRIBUTE,
                    "Attribute",
                    "Along a vector attribute of faces, face corners or points, in the object's "
                    "own space. Where it is zero faces take the object's X axis",
                ),
            ],
            default=AXIS,
        ),
        "warp_uv_map": setting(
            bpy.props.StringProperty,
            name="UV Map",
            description="UV map along whose U the warp yarns run; empty: the active one",
        ),
        "warp_attribute": setting(
            bpy.props.StringProperty,
            name="Warp Attribute",
            description="Vector attribute along which the warp yarns run",
        ),
    }


def fingerprint(settings: Any) -> tuple[Any, ...]:
    """What a simulation depends on for good, beside the map or attribute itself."""
    name = {UV: settings.warp_uv_map, ATTRIBUTE: settings.warp_attribute}
    return settings.warp_source, name.get(settings.warp_source)
