# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of simulated objects and of the scene.

`CONSTRAINTS` is the one table of what a material resists. Each entry becomes a stored compliance
in SI units, a stiffness that is another view of the same value, and a damping; panels, presets
and the way to `core` loop over it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy

STIFFEST = 1.0e9
_PATH_OPTIONS = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5, 0) else set()


@dataclass(frozen=True)
class ConstraintEntry:
    """One way in which a material resists.

    Attributes:
        name: stem of the property names, as in ``stretch_compliance``.
        default: compliance in compliance_unit.
        stiffness_range, compliance_range: what sliders cover.
        digits: decimals that a stiffness is shown with.
    """

    name: str
    label: str
    resists: str
    default: float
    stiffness_unit: str
    compliance_unit: str
    stiffness_range: tuple[float, float]
    compliance_range: tuple[float, float]
    digits: int

    @property
    def compliance(self) -> str:
        """Name of the stored property."""
        return f"{self.name}_compliance"

    @property
    def stiffness(self) -> str:
        """Name of the view of the same value."""
        return f"{self.name}_stiffness"

    @property
    def damping(self) -> str:
        """Name of the damping property."""
        return f"{self.name}_damping"


CONSTRAINTS = (
    ConstraintEntry(
        name="stretch",
        label="Stretch",
        resists="being pulled longer. Fabrics lie between 500 and 10000 N/m, rubber sheets lower",
        default=5e-4,
        stiffness_unit="N/m",
        compliance_unit="m/N",
        stiffness_range=(1.0, 1e5),
        compliance_range=(0.0, 1.0),
        digits=1,
    ),
    ConstraintEntry(
        name="shear",
        label="Shear",
        resists="its squares being pushed into diamonds. Woven fabrics shear easily: 20 to 500 N/m",
        default=2e-3,
        stiffness_unit="N/m",
        compliance_unit="m/N",
        stiffness_range=(1.0, 1e5),
        compliance_range=(0.0, 1.0),
        digits=1,
    ),
    ConstraintEntry(
        name="bend",
        label="Bending",
        resists="folding. Silk has about 0.000005 N·m, denim 0.00005 N·m, leather 0.001 N·m",
        default=1e5,
        stiffness_unit="N·m",
        compliance_unit="1/(N·m)",
        stiffness_range=(1e-6, 1.0),
        compliance_range=(0.0, 1e6),
        digits=6,
    ),
)


def _stiffness_view(compliance: str) -> tuple[Callable[[Any], float], Callable[[Any, float], None]]:
    def read(settings: Any) -> float:
        value = getattr(settings, compliance)
        return min(STIFFEST, 1.0 / value) if value > 0.0 else STIFFEST

    def write(settings: Any, value: float) -> None:
        setattr(settings, compliance, 0.0 if value >= STIFFEST else 1.0 / value)

    return read, write


def _entry_properties(entry: ConstraintEntry) -> dict[str, Any]:
    """The three properties of an entry, by name."""
    read, write = _stiffness_view(entry.compliance)
    subject = entry.label.lower()
    return {
        entry.compliance: bpy.props.FloatProperty(
            name=f"{entry.label} Compliance",
            description=f"How little the material resists {entry.resists}. The reciprocal of the "
            f"{subject} stiffness, in {entry.compliance_unit}; 0 does not give at all",
            default=entry.default,
            min=0.0,
            max=STIFFEST,
            soft_min=entry.compliance_range[0],
            soft_max=entry.compliance_range[1],
            precision=6,
            options=set(),
            update=_changed,
        ),
        entry.stiffness: bpy.props.FloatProperty(
            name=f"{entry.label} Stiffness",
            description=f"How strongly the material resists {entry.resists}. "
            f"In {entry.stiffness_unit}, the same at any resolution of the mesh",
            min=1.0 / STIFFEST,
            max=STIFFEST,
            soft_min=entry.stiffness_range[0],
            soft_max=entry.stiffness_range[1],
            precision=entry.digits,
            options=set(),
            get=read,
            set=write,
        ),
        entry.damping: bpy.props.FloatProperty(
            name=f"{entry.label} Damping",
            description=f"How fast {subject} movement dies away, in seconds: movement that is "
            "faster than this is swallowed, slower movement stays",
            default=0.0,
            min=0.0,
            max=10.0,
            soft_max=0.1,
            precision=4,
            step=0.1,
            options=set(),
            update=_changed,
        ),
    }


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
            description="Weight of a square metre in kilograms. Silk has about 0.07, cotton 0.15, "
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
        cache_directory: str
        cache_id: str
    else:
        solver: bpy.props.EnumProperty(
            name="Solver",
            description="Method of simulation",
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
            description="Steps within a frame. More make fine meshes as stiff as they should be "
            "and fast movement more precise; simulation takes longer in proportion",
            default=160,
            min=1,
            max=10000,
            soft_max=500,
            options=set(),
            update=_changed,
        )
        iterations: bpy.props.IntProperty(
            name="Iterations",
            description="Repetitions of the solver within a substep. Spend on substeps first: "
            "they do more for the same time",
            default=1,
            min=1,
            max=10000,
            soft_max=100,
            options=set(),
            update=_changed,
        )
        frame_start: bpy.props.IntProperty(
            name="Simulation Start",
            description="Frame on which the simulation starts; objects begin in the shape they "
            "have there",
            default=1,
            min=-1048574,
            max=1048574,
            options=set(),
            update=_changed,
        )
        frame_end: bpy.props.IntProperty(
            name="End",
            description="Frame on which the simulation stops",
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
        cache_directory: bpy.props.StringProperty(
            name="Cache Folder",
            description="Where simulated frames are kept. Empty: in the extension's own folder",
            subtype="DIR_PATH",
            options=_PATH_OPTIONS,
            update=_changed,
        )
        cache_id: bpy.props.StringProperty(options={"HIDDEN"})


for _entry in CONSTRAINTS:
    ObjectSettings.__annotations__.update(_entry_properties(_entry))


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
