# SPDX-License-Identifier: GPL-3.0-or-later
"""What is sewn, what may tear, and what stays bent."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import bpy

from .changes import setting, time_taken


def sewing_properties() -> dict[str, Any]:
    """The properties by name."""
    return {
        "use_sewing": _switch(
            "Sewing",
            "Let loose edges, those without faces, pull panels together and hold them as seams",
        ),
        "sewing_force_max": _number(
            "Max Sewing Force",
            "Greatest force with which each loose edge pulls, in newtons; 0 is without limit. What "
            "is closed holds whatever pulls at it",
            default=0.0,
            soft_max=10.0,
            keyable=True,
        ),
        "sewing_time": time_taken(
            "Sewing Time",
            "Seconds in which loose edges are drawn together, as far as their force is enough for "
            "that",
        ),
        "use_stitches": _switch(
            "Stitches",
            "Hold split edges together, whose vertices lie on each other, until something tears "
            "them apart. Split Seams in the Edge menu of Edit Mode makes them",
        ),
        "stitch_strength": _number(
            "Stitch Strength",
            "Force at which stitches tear, in newtons for each metre of the seam, the same at any "
            "resolution; 0 never tears",
            default=0.0,
            soft_max=10000.0,
            keyable=True,
        ),
        "use_breaking": _switch(
            "Breaking",
            "Let loose parts of the mesh, each of which is solid, hold together where they lie on "
            "each other until they are torn apart. Cut into Pieces makes such parts",
        ),
        "strength_shown": setting(
            bpy.props.FloatProperty,
            name="Strength",
            description="Tension at which pieces break from each other, in kPa, the same at any "
            "resolution: about 10 for jelly, 100 for a biscuit, 1000 for plaster",
            min=1e-6,
            max=1e9,
            soft_min=0.1,
            soft_max=1000.0,
            precision=2,
            keyable=True,
            get=lambda settings: 1e-3 * float(settings.strength),
            set=lambda settings, value: setattr(settings, "strength", 1e3 * value),
        ),
        "use_plasticity": _switch(
            "Plasticity",
            "Let what is bent or stretched too far stay so, as in paper, foil, dough and clay",
        ),
    }


def rest_shape_properties() -> dict[str, Any]:
    """Likewise of the rest shape and of how an object starts."""
    return {
        "rest_shape_key": setting(
            bpy.props.StringProperty,
            name="Rest Shape Key",
            description="Shape key that is the object's shape at rest, without strain; empty: the "
            "shape in which it starts",
        ),
        "use_dynamic_mesh": _switch(
            "Dynamic Mesh",
            "Let the animated shape of each frame, as modifiers before the cloth and shape keys "
            "make it, be the shape at rest on that frame",
        ),
        "use_initial_velocity": _switch(
            "Initial Velocity",
            "Start as fast as the animation moves the object from the first frame to the second",
        ),
    }


def _switch(name: str, description: str) -> Any:
    return setting(bpy.props.BoolProperty, name=name, description=description, default=False)


def _number(
    name: str, description: str, *, default: float, soft_max: float, keyable: bool = False
) -> Any:
    return setting(
        bpy.props.FloatProperty,
        keyable=keyable,
        name=name,
        description=description,
        default=default,
        min=0.0,
        max=1e9,
        soft_max=soft_max,
        precision=2,
    )


def forces(settings: Any) -> dict[str, float]:
    """What may change over time, by argument of :mod:`.keyed`."""
    return {
        "sewing_force": settings.sewing_force_max,
        "stitch_strength": settings.stitch_strength,
    }


def fingerprint(settings: Any, over_time: Collection[str]) -> tuple[Any, ...]:
    """What a simulation depends on for good, without what changes over time."""
    lasting = {name: None if name in over_time else now for name, now in forces(settings).items()}
    return (
        (settings.use_sewing, lasting["sewing_force"], settings.sewing_time),
        (settings.use_stitches, lasting["stitch_strength"]),
        (settings.rest_shape_key, settings.use_dynamic_mesh, settings.use_initial_velocity),
    )
