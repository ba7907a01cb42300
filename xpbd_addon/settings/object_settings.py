# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of simulated objects."""

from __future__ import annotations

import bpy

from . import kinds
from .changes import KEYABLE, OVERRIDE, changed, use_changed
from .constraints import CONSTRAINTS
from .density import density_properties
from .materials import CONSTANTS
from .painted import PAINTED
from .surroundings import surroundings_properties
from .table_properties import constant_property, entry_properties, painted_properties
from .volume import volume_properties


class ObjectSettings(bpy.types.PropertyGroup):
    """What the object is made of: ``Object.xpbd``."""


ObjectSettings.__annotations__.update(
    {
        "use": bpy.props.BoolProperty(
            name="XPBD",
            description="Simulate this object",
            default=False,
            options=set(),
            override=OVERRIDE,
            update=use_changed,
        ),
        "kind": bpy.props.EnumProperty(
            name="Type",
            description="What the object is made into",
            items=kinds.ITEMS,
            default="CLOTH",
            options=set(),
            override=OVERRIDE,
            update=changed,
        ),
        "pin_group": bpy.props.StringProperty(
            name="Pin Group",
            description="Vertices in this vertex group follow the object's animation (armatures, "
            "hooks, its own movement) instead of falling: weight 1 holds them exactly there, less "
            "pulls them there",
            options=set(),
            override=OVERRIDE,
            update=changed,
        ),
        "pin_stiffness": bpy.props.FloatProperty(
            name="Pin Stiffness",
            description="How strongly pins of a weight below 1 pull, times their weight: in N/m "
            "for each square metre of cloth, or metre of strands. At 1000, cloth of 0.2 kg/m² "
            "sags by 4 mm at weight 0.5, at any resolution of the mesh",
            default=1000.0,
            min=0.0,
            max=1e9,
            soft_max=1e5,
            precision=1,
            options=KEYABLE,
            override=OVERRIDE,
            update=changed,
        ),
        "pin_damping": bpy.props.FloatProperty(
            name="Pin Damping",
            description="How fast movement to and from the pins of a weight below 1 dies away, in "
            "seconds",
            default=0.01,
            min=0.0,
            max=10.0,
            soft_max=0.1,
            precision=4,
            step=0.1,
            subtype="TIME_ABSOLUTE",
            options=KEYABLE,
            override=OVERRIDE,
            update=changed,
        ),
        "use_strain_limits": bpy.props.BoolProperty(
            name="Stretch Limits",
            description="Never let the material be stretched or compressed beyond limits of its "
            "strain, however soft it is",
            default=False,
            options=set(),
            override=OVERRIDE,
            update=changed,
        ),
        "stretch_limit": bpy.props.FloatProperty(
            name="Most Stretch",
            description="How much longer than at rest the material may become, in percent",
            default=10.0,
            min=0.0,
            max=1000.0,
            soft_max=100.0,
            precision=1,
            subtype="PERCENTAGE",
            options=KEYABLE,
            override=OVERRIDE,
            update=changed,
        ),
        "compression_limit": bpy.props.FloatProperty(
            name="Most Compression",
            description="How much shorter than at rest the material may become, in percent; at 100 "
            "there is no limit. Small values make cloth buckle instead",
            default=100.0,
            min=0.0,
            max=100.0,
            precision=1,
            subtype="PERCENTAGE",
            options=KEYABLE,
            override=OVERRIDE,
            update=changed,
        ),
        "thickness": bpy.props.FloatProperty(
            name="Thickness",
            description="Distance that the object keeps from others, added to theirs: layers keep "
            "the sum of their thicknesses. Collision objects add their outer thickness unless it "
            "is Blender's default of 0.02. Set from the object's size when XPBD is added",
            default=0.002,
            min=0.0,
            max=10.0,
            soft_max=0.1,
            precision=4,
            subtype="DISTANCE",
            options=KEYABLE,
            override=OVERRIDE,
            update=changed,
        ),
        "use_self_collision": bpy.props.BoolProperty(
            name="Self Collision",
            description="Keep the object from going through itself. Where it is nearer to itself "
            "at rest than its thickness asks for, as in pleats and hems, it stays so",
            default=True,
            options=KEYABLE,
            override=OVERRIDE,
            update=changed,
        ),
        "use_body_collision": bpy.props.BoolProperty(
            name="Other XPBD Objects",
            description="Keep the object and other simulated objects from going through each "
            "other; of both, neither may have this switched off",
            default=True,
            options=KEYABLE,
            override=OVERRIDE,
            update=changed,
        ),
        "collision_collection": bpy.props.PointerProperty(
            type=bpy.types.Collection,
            name="Collision Collection",
            description="Collide with nothing but the objects in this collection and in those "
            "inside it. Of two simulated objects, each must be in the other's",
            options=set(),
            override=OVERRIDE,
            update=changed,
        ),
        "membrane": bpy.props.EnumProperty(
            name="Faces",
            description="The membrane: how faces resist being stretched and sheared",
            items=[
                (
                    "AUTOMATIC",
                    "Automatic",
                    "Springs for quads that are nearly rectangles, the continuum for other faces, "
                    "of which springs along edges carry what they can",
                ),
                (
                    "CONTINUUM",
                    "Continuous",
                    "A continuum, the strain of triangles: the same material on any mesh",
                ),
                (
                    "SPRINGS",
                    "Springs",
                    "Along edges and across quads: fast, but triangles can't shear freely",
                ),
            ],
            default="AUTOMATIC",
            options=set(),
            override=OVERRIDE,
            update=changed,
        ),
        "cache_id": bpy.props.StringProperty(options={"HIDDEN"}, override=OVERRIDE),
        "baked": bpy.props.BoolProperty(options={"HIDDEN"}, override=OVERRIDE, update=changed),
    }
)
ObjectSettings.__annotations__.update(density_properties(changed))
ObjectSettings.__annotations__.update(volume_properties(changed))
ObjectSettings.__annotations__.update(surroundings_properties())
for _constant in CONSTANTS:
    ObjectSettings.__annotations__[_constant.name] = constant_property(_constant, changed)
for _entry in CONSTRAINTS:
    ObjectSettings.__annotations__.update(entry_properties(_entry, changed))
for _quantity in PAINTED:
    ObjectSettings.__annotations__.update(painted_properties(_quantity, changed))
