# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of simulated objects."""

from __future__ import annotations

import bpy

from . import kinds
from .changes import OVERRIDE, changed, map_changed, setting, use_changed
from .constraints import CONSTRAINTS
from .conversion import Conversion
from .density import density_properties
from .inside import inside_properties
from .materials import CONSTANTS
from .painted import PAINTED
from .sewing import rest_shape_properties, sewing_properties
from .surroundings import surroundings_properties
from .table_properties import constant_property, entry_properties, painted_properties
from .volume import volume_properties
from .woven import woven_properties


class ObjectSettings(bpy.types.PropertyGroup):
    """What the object is made of: ``Object.xpbd``."""


ObjectSettings.__annotations__.update(
    {
        "use": setting(
            bpy.props.BoolProperty,
            name="XPBD",
            description="Simulate this object",
            default=False,
            update=use_changed,
        ),
        "kind": setting(
            bpy.props.EnumProperty,
            name="Type",
            description="What the object is made into",
            items=kinds.ITEMS,
            default="CLOTH",
        ),
        "pin_group": setting(
            bpy.props.StringProperty,
            name="Pin Group",
            description="Vertices in this vertex group follow the object's animation (armatures, "
            "hooks, its own movement) instead of falling: weight 1 holds them exactly there, less "
            "pulls them there. Modifiers above XPBD that change weights, as Vertex Weight Mix with "
            "a keyed influence, let them go and catch them",
        ),
        "pin_stiffness": setting(
            bpy.props.FloatProperty,
            name="Pin Stiffness",
            description="How strongly pins of a weight below 1 pull, times their weight: in N/m "
            "for each square metre of cloth or of a soft body's faces, or metre of strands. At "
            "1000, cloth of 0.2 kg/m² sags by 4 mm at weight 0.5, at any resolution of the mesh",
            default=1000.0,
            min=0.0,
            max=1e9,
            soft_max=1e5,
            precision=1,
            keyable=True,
        ),
        "pin_damping": setting(
            bpy.props.FloatProperty,
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
            keyable=True,
        ),
        "pin_depth": setting(
            bpy.props.FloatProperty,
            name="Inside",
            description="How deep below pinned faces the inside follows the animation, too, as "
            "flesh on bones does; 0 leaves all of it free",
            default=0.0,
            min=0.0,
            max=1e4,
            soft_max=1.0,
            precision=3,
            subtype="DISTANCE",
        ),
        "use_goal": setting(
            bpy.props.BoolProperty,
            name="Shape Goal",
            description="Pull all of the body to where its animated surface would take it, so that "
            "it follows and jiggles",
            default=False,
        ),
        "weld": setting(
            bpy.props.FloatProperty,
            name="Weld",
            description="Simulate vertices that lie no further apart than this as one, as where "
            "UV maps have seams or another program has split faces; the mesh stays as it is. At 0 "
            "none are",
            default=0.0,
            min=0.0,
            max=10.0,
            soft_max=0.01,
            precision=5,
            step=0.01,
            subtype="DISTANCE",
        ),
        "use_carried_buttons": setting(
            bpy.props.BoolProperty,
            name="Carry Buttons",
            description="Let loose parts that are small beside the rest, such as buttons, go along "
            "with the cloth they lie on instead of falling off. They are not simulated: they weigh "
            "nothing and touch nothing. Not those with vertices in the pin group, or that are sewn "
            "on",
            default=False,
        ),
        "use_strain_limits": setting(
            bpy.props.BoolProperty,
            name="Stretch Limits",
            description="Never let the material be stretched or compressed beyond limits of its "
            "strain, however soft it is",
            default=False,
        ),
        "stretch_limit": setting(
            bpy.props.FloatProperty,
            name="Most Stretch",
            description="How much longer than at rest the material may become, in percent",
            default=10.0,
            min=0.0,
            max=1000.0,
            soft_max=100.0,
            precision=1,
            subtype="PERCENTAGE",
            keyable=True,
        ),
        "compression_limit": setting(
            bpy.props.FloatProperty,
            name="Most Compression",
            description="How much shorter than at rest the material may become, in percent; at 100 "
            "there is no limit. Small values make cloth buckle instead",
            default=100.0,
            min=0.0,
            max=100.0,
            precision=1,
            subtype="PERCENTAGE",
            keyable=True,
        ),
        "thickness": setting(
            bpy.props.FloatProperty,
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
            keyable=True,
        ),
        "use_self_collision": setting(
            bpy.props.BoolProperty,
            name="Self Collision",
            description="Keep the object from going through itself. Where it is nearer to itself "
            "at rest than its thickness asks for, as in pleats and hems, it stays so",
            default=True,
            keyable=True,
        ),
        "use_body_collision": setting(
            bpy.props.BoolProperty,
            name="Other XPBD Objects",
            description="Keep the object and other simulated objects from going through each "
            "other; of both, neither may have this switched off",
            default=True,
            keyable=True,
        ),
        "collision_collection": setting(
            bpy.props.PointerProperty,
            type=bpy.types.Collection,
            name="Collision Collection",
            description="Collide with nothing but the objects in this collection and in those "
            "inside it. Of two simulated objects, each must be in the other's",
        ),
        "membrane": setting(
            bpy.props.EnumProperty,
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
        ),
        "cell_size": setting(
            bpy.props.FloatProperty,
            name="Cell Size",
            description="Edge of the cells of the cage that is simulated inside of the mesh. "
            "Smaller follows finer shapes and takes longer: eight times as many cells, each of "
            "them in twice as many substeps, at half the size. The material stays the same. Set "
            "from the object's size when XPBD is added",
            default=0.1,
            min=1e-5,
            max=1e4,
            soft_max=1.0,
            precision=4,
            subtype="DISTANCE",
        ),
        "soft_energy": setting(
            bpy.props.EnumProperty,
            name="Feel",
            description="How resistance grows where the body is deformed a lot",
            items=[
                ("NEO_HOOKEAN", "Rubber", "As in rubber and flesh: stable neo-Hookean energy"),
                ("COROTATIONAL", "Springy", "In proportion to the strain: co-rotational energy"),
            ],
            default="NEO_HOOKEAN",
        ),
        "show_cage": bpy.props.BoolProperty(
            name="Show Cage",
            description="Draw the cells as wire in 3D viewports, as they are before anything is "
            "simulated: around the shape that is animated on the frame shown, not around the "
            "simulated one",
            options=set(),
            override=OVERRIDE,
        ),
        "use_tension_map": bpy.props.BoolProperty(
            name="Tension Map",
            description="Measure how much the mesh is stretched, compressed and bent, as the "
            "attributes xp_stretch, xp_compression and xp_bending for materials and Geometry "
            "Nodes. Bakes keep them",
            default=False,
            options=set(),
            override=OVERRIDE,
            update=map_changed,
        ),
        "use_force_map": bpy.props.BoolProperty(
            name="Forces",
            description="Measure the tension in the cloth too, in newtons for each metre of a cut "
            "through it, as the attributes xp_force (where it is largest), xp_force_warp and "
            "xp_force_weft. Bakes don't keep them",
            default=False,
            options=set(),
            override=OVERRIDE,
            update=map_changed,
        ),
        "cache_id": bpy.props.StringProperty(options={"HIDDEN"}, override=OVERRIDE),
        "baked": bpy.props.BoolProperty(options={"HIDDEN"}, override=OVERRIDE, update=changed),
        "conversion": bpy.props.PointerProperty(
            type=Conversion,
            name="Conversion",
            description="What the Cloth or Soft Body was that the object was taken over from",
            override=OVERRIDE,
        ),
    }
)
ObjectSettings.__annotations__.update(density_properties())
ObjectSettings.__annotations__.update(volume_properties())
ObjectSettings.__annotations__.update(sewing_properties())
ObjectSettings.__annotations__.update(rest_shape_properties())
ObjectSettings.__annotations__.update(inside_properties())
ObjectSettings.__annotations__.update(woven_properties())
ObjectSettings.__annotations__.update(surroundings_properties())
for _constant in CONSTANTS:
    ObjectSettings.__annotations__[_constant.name] = constant_property(_constant)
for _entry in CONSTRAINTS:
    ObjectSettings.__annotations__.update(entry_properties(_entry))
for _quantity in PAINTED:
    ObjectSettings.__annotations__.update(painted_properties(_quantity))
