# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of simulated objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from . import kinds
from .changes import changed, use_changed
from .constraints import CONSTRAINTS, entries, entry_properties
from .density import density_properties
from .volume import volume_properties


class ObjectSettings(bpy.types.PropertyGroup):
    """What the object is made of: ``Object.xpbd``."""

    if TYPE_CHECKING:
        use: bool
        kind: str
        density: float
        areal_density: float
        line_density: float
        poisson_ratio: float
        pin_group: str
        friction: float
        restitution: float
        thickness: float
        use_strain_limits: bool
        stretch_limit: float
        compression_limit: float
        use_volume: bool
        volume_compliance: float
        inflation: float
        drag: float
        membrane: str
        cache_id: str
        baked: bool
    else:
        use: bpy.props.BoolProperty(
            name="XPBD",
            description="Simulate this object",
            default=False,
            options=set(),
            update=use_changed,
        )
        kind: bpy.props.EnumProperty(
            name="Type",
            description="What the object is made into",
            items=kinds.ITEMS,
            default="CLOTH",
            options=set(),
            update=changed,
        )
        poisson_ratio: bpy.props.FloatProperty(
            name="Poisson Ratio",
            description="How much the sheet narrows when it is pulled longer: 0 not at all, "
            "0.5 like rubber",
            default=0.2,
            min=-0.95,
            max=0.95,
            soft_min=0.0,
            soft_max=0.5,
            precision=3,
            options=set(),
            update=changed,
        )
        pin_group: bpy.props.StringProperty(
            name="Pin Group",
            description="Vertices with a weight of at least 0.5 in this vertex group follow the "
            "object's animation (armatures, hooks, its own movement) instead of falling",
            options=set(),
            update=changed,
        )
        friction: bpy.props.FloatProperty(
            name="Friction",
            description="How much the surface holds on to what it slides over: 0 ice, 1 rubber",
            default=0.5,
            min=0.0,
            max=10.0,
            soft_max=1.0,
            options=set(),
            update=changed,
        )
        restitution: bpy.props.FloatProperty(
            name="Bounciness",
            description="Part of its speed with which the surface bounces off what it hits: 0 not "
            "at all, 1 as fast as it came",
            default=0.0,
            min=0.0,
            max=1.0,
            options=set(),
            update=changed,
        )
        use_strain_limits: bpy.props.BoolProperty(
            name="Strain Limits",
            description="Never let the material be stretched or compressed beyond limits, however "
            "soft it is",
            default=False,
            options=set(),
            update=changed,
        )
        stretch_limit: bpy.props.FloatProperty(
            name="Most Stretch",
            description="How much longer than at rest the material may become, in percent",
            default=10.0,
            min=0.0,
            max=1000.0,
            soft_max=100.0,
            precision=1,
            subtype="PERCENTAGE",
            options=set(),
            update=changed,
        )
        compression_limit: bpy.props.FloatProperty(
            name="Most Compression",
            description="How much shorter than at rest the material may become, in percent; at 100 "
            "there is no limit. Small values make cloth buckle instead",
            default=100.0,
            min=0.0,
            max=100.0,
            precision=1,
            subtype="PERCENTAGE",
            options=set(),
            update=changed,
        )
        thickness: bpy.props.FloatProperty(
            name="Thickness",
            description="Distance that the vertices keep from Collision objects, added to their "
            "own outer thickness",
            default=0.005,
            min=0.0,
            max=10.0,
            soft_max=0.1,
            precision=4,
            subtype="DISTANCE",
            options=set(),
            update=changed,
        )
        drag: bpy.props.FloatProperty(
            name="Air Drag",
            description="How fast still air slows the object down, per second: at 1, movement "
            "without any other force loses two thirds of its speed in a second",
            default=0.5,
            min=0.0,
            max=1000.0,
            soft_max=10.0,
            precision=2,
            options=set(),
            update=changed,
        )
        membrane: bpy.props.EnumProperty(
            name="Membrane",
            description="How faces resist being stretched and sheared",
            items=[
                (
                    "AUTOMATIC",
                    "Automatic",
                    "Springs for quads that are nearly rectangles, the continuum for other faces, "
                    "of which springs along edges carry what they can",
                ),
                (
                    "CONTINUUM",
                    "Continuum",
                    "The strain of triangles: the same material on any mesh",
                ),
                (
                    "SPRINGS",
                    "Springs",
                    "Along edges and across quads: fast, but triangles can't shear freely",
                ),
            ],
            default="AUTOMATIC",
            options=set(),
            update=changed,
        )
        cache_id: bpy.props.StringProperty(options={"HIDDEN"})
        baked: bpy.props.BoolProperty(options={"HIDDEN"}, update=changed)


ObjectSettings.__annotations__.update(density_properties(changed))
ObjectSettings.__annotations__.update(volume_properties(changed))
for _entry in CONSTRAINTS:
    ObjectSettings.__annotations__.update(entry_properties(_entry, changed))


def material(settings: ObjectSettings) -> dict[str, Any]:
    """The keyword arguments that describe the material to ``core.Model.add_cloth`` or so."""
    names = ("density", "drag", "friction", "restitution")
    values = {name: getattr(settings, name) for name in names}
    if settings.use_strain_limits:
        shortest = 1.0 - 0.01 * settings.compression_limit
        values["strain_limits"] = (shortest, 1.0 + 0.01 * settings.stretch_limit)
    for entry in entries(settings.kind):
        values[f"{entry.keyword}_compliance"] = getattr(settings, entry.compliance)
        values[f"{entry.keyword}_damping"] = getattr(settings, entry.damping)
    if settings.kind == "CLOTH":
        values["poisson_ratio"] = settings.poisson_ratio
        values["membrane"] = settings.membrane.lower()
        if settings.use_volume:
            values["volume_compliance"] = settings.volume_compliance
            values["inflation"] = settings.inflation
    return values
