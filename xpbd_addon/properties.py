# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of simulated objects and of the scene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from .constraint_settings import CONSTRAINTS, entry_properties

_PATH_OPTIONS = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5, 0) else set()
BAKE_MODE_ITEMS = (
    (
        "RELATIVE",
        "Relative",
        (
            "One shape key for each frame, switched on for that frame. "
            "Understood by every exporter; slows down above about 200 frames"
        ),
    ),
    (
        "ABSOLUTE",
        "Absolute",
        (
            "One evaluation time runs through all shape keys. "
            "Plays fast however long, but exporters skip the animation"
        ),
    ),
)


def _changed(_settings: Any, _context: bpy.types.Context) -> None:
    from . import session

    session.touch()


def _use_changed(settings: Any, _context: bpy.types.Context) -> None:
    from . import display, session

    display.follow_use(settings.id_data)
    session.touch()


class ObjectSettings(bpy.types.PropertyGroup):
    """What the object is made of: ``Object.xpbd``."""

    if TYPE_CHECKING:
        use: bool
        kind: str
        density: float
        poisson_ratio: float
        pin_group: str
        friction: float
        thickness: float
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
            update=_use_changed,
        )
        kind: bpy.props.EnumProperty(
            name="Type",
            description="What the object is made into",
            items=[("CLOTH", "Cloth", "A sheet of fabric, leather, rubber or paper")],
            default="CLOTH",
            options=set(),
            update=_changed,
        )
        density: bpy.props.FloatProperty(
            name="Density",
            description="Weight of a square metre, in kg/m². Silk has about 0.07, cotton 0.15, "
            "denim 0.4, leather 1",
            default=0.2,
            min=1e-4,
            max=1e4,
            soft_min=0.01,
            soft_max=5.0,
            precision=3,
            options=set(),
            update=_changed,
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
            update=_changed,
        )
        pin_group: bpy.props.StringProperty(
            name="Pin Group",
            description="Vertices with a weight of at least 0.5 in this vertex group follow the "
            "object's animation (armatures, hooks, its own movement) instead of falling",
            options=set(),
            update=_changed,
        )
        friction: bpy.props.FloatProperty(
            name="Friction",
            description="How much the surface holds on to what it slides over: 0 ice, 1 rubber",
            default=0.5,
            min=0.0,
            max=10.0,
            soft_max=1.0,
            options=set(),
            update=_changed,
        )
        thickness: bpy.props.FloatProperty(
            name="Thickness",
            description="Distance that the sheet keeps from Collision objects, added to their own "
            "outer thickness",
            default=0.005,
            min=0.0,
            max=10.0,
            soft_max=0.1,
            precision=4,
            subtype="DISTANCE",
            options=set(),
            update=_changed,
        )
        drag: bpy.props.FloatProperty(
            name="Air Drag",
            description="How fast still air slows the sheet down, per second: at 1, movement "
            "without any other force loses two thirds of its speed in a second",
            default=0.5,
            min=0.0,
            max=1000.0,
            soft_max=10.0,
            precision=2,
            options=set(),
            update=_changed,
        )
        membrane: bpy.props.EnumProperty(
            name="Membrane",
            description="How faces resist being stretched and sheared",
            items=[
                (
                    "AUTOMATIC",
                    "Automatic",
                    "Springs for quads that are nearly rectangles, the continuum for other faces",
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
            update=_changed,
        )
        cache_id: bpy.props.StringProperty(options={"HIDDEN"})
        baked: bpy.props.BoolProperty(options={"HIDDEN"}, update=_changed)


class SceneSettings(bpy.types.PropertyGroup):
    """How the scene is simulated: ``Scene.xpbd``."""

    if TYPE_CHECKING:
        solver: str
        substeps: int
        iterations: int
        frame_start: int
        frame_end: int
        show_compliance: bool
        bake_mode: str
        cache_directory: str
        cache_id: str
    else:
        solver: bpy.props.EnumProperty(
            name="Solver",
            description="Method of simulation, for all XPBD objects of the scene",
            items=[
                (
                    "XPBD",
                    "XPBD",
                    "Extended position based dynamics: fast, stable, real stiffness",
                )
            ],
            default="XPBD",
            options=set(),
            update=_changed,
        )
        substeps: bpy.props.IntProperty(
            name="Substeps",
            description="Steps within a frame, for all XPBD objects of the scene. More make fine "
            "meshes as stiff as they should be and fast movement more precise; simulation takes "
            "longer in proportion",
            default=160,
            min=1,
            max=10000,
            soft_max=500,
            options=set(),
            update=_changed,
        )
        iterations: bpy.props.IntProperty(
            name="Iterations",
            description="Repetitions of the solver within a substep, for all XPBD objects of the "
            "scene. Spend on substeps first: they do more for the same time",
            default=1,
            min=1,
            max=10000,
            soft_max=100,
            options=set(),
            update=_changed,
        )
        frame_start: bpy.props.IntProperty(
            name="Simulation Start",
            description="Frame on which the scene's simulation starts; objects begin in the shape "
            "they have there",
            default=1,
            min=-1048574,
            max=1048574,
            options=set(),
            update=_changed,
        )
        frame_end: bpy.props.IntProperty(
            name="Simulation End",
            description="Frame on which the scene's simulation stops",
            default=250,
            min=-1048574,
            max=1048574,
            options=set(),
            update=_changed,
        )
        show_compliance: bpy.props.BoolProperty(
            name="Compliance",
            description="Show compliance, the reciprocal of stiffness, as papers do: two views of "
            "the same value",
            default=False,
            options=set(),
        )
        bake_mode: bpy.props.EnumProperty(
            name="Bake Mode",
            description="How the baked shape keys are animated",
            items=BAKE_MODE_ITEMS,
            default="RELATIVE",
            options=set(),
        )
        cache_directory: bpy.props.StringProperty(
            name="Cache Folder",
            description="Where the scene's simulated frames are kept. Empty: in the extension's "
            "own folder",
            subtype="DIR_PATH",
            options=_PATH_OPTIONS,
            update=_changed,
        )
        cache_id: bpy.props.StringProperty(options={"HIDDEN"})


for _entry in CONSTRAINTS:
    ObjectSettings.__annotations__.update(entry_properties(_entry, _changed))


def material(settings: ObjectSettings) -> dict[str, Any]:
    """The keyword arguments that describe the material to ``core.Model.add_cloth``."""
    names = ["density", "poisson_ratio", "drag", "friction"]
    for entry in CONSTRAINTS:
        names += [entry.compliance, entry.damping]
    values = {name: getattr(settings, name) for name in names}
    return values | {"membrane": settings.membrane.lower()}


def register() -> None:
    """Add the settings to objects and scenes."""
    bpy.utils.register_class(ObjectSettings)
    bpy.utils.register_class(SceneSettings)
    bpy.types.Object.xpbd = bpy.props.PointerProperty(type=ObjectSettings)
    bpy.types.Scene.xpbd = bpy.props.PointerProperty(type=SceneSettings)


def unregister() -> None:
    """Remove the settings from objects and scenes."""
    del bpy.types.Scene.xpbd
    del bpy.types.Object.xpbd
    bpy.utils.unregister_class(SceneSettings)
    bpy.utils.unregister_class(ObjectSettings)
