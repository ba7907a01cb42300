# SPDX-License-Identifier: GPL-3.0-or-later
"""What a material is beside what it resists, and all of it as `core` wants it.

`CONSTANTS` is the one table of plain numbers: each becomes a property of ``Object.xpbd``
(`table_properties`), an argument of `core` and, if so marked, a line of presets. A build reads this
without Blender.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .constraints import entries


@dataclass(frozen=True)
class Constant:
    """A plain number of a material, in SI units.

    Attributes:
        name: of the property, and of the argument of `core`.
        limits: smallest and largest value. soft_range: what sliders cover.
        digits: decimals shown.
        kinds: which kinds of object have it.
        painted: whether a vertex group may spread it over the mesh.
        unit: that panels show beside its maximum.
        switch: the property that switches it on; empty where nothing does.
        in_presets: whether presets set it, from the field of that name in `core.materials`.
    """

    name: str
    label: str
    description: str
    default: float
    limits: tuple[float, float]
    soft_range: tuple[float, float]
    digits: int = 2
    kinds: tuple[str, ...] = ("CLOTH", "SOFT_BODY", "STRANDS")
    painted: bool = True
    unit: str = ""
    switch: str = ""
    in_presets: bool = False


CONSTANTS = (
    Constant(
        name="poisson_ratio",
        label="Narrowing",
        description="Poisson's ratio: how much it narrows when it is pulled longer, 0 not at all, "
        "like cork, 0.5 like rubber. Soft bodies, which keep their volume at 0.5, take up to 0.499",
        default=0.2,
        limits=(-0.95, 0.95),
        soft_range=(0.0, 0.5),
        digits=3,
        kinds=("CLOTH", "SOFT_BODY"),
        painted=False,
        in_presets=True,
    ),
    Constant(
        name="compression",
        label="Compression",
        description="How strongly the material resists being pushed together, as a part of how it "
        "resists being pulled longer: 1 as much, 0.1 a tenth, so that it crumples less and "
        "thickens more. Below 1 it takes longer on triangles",
        default=1.0,
        limits=(0.001, 1.0),
        soft_range=(0.01, 1.0),
        digits=3,
        kinds=("CLOTH",),
    ),
    Constant(
        name="weft_stretch",
        label="Weft Stretch",
        description="How strongly the weft resists being pulled longer, as a part of what the warp "
        "does: 0.5 is half as stiff across the warp as along it",
        default=1.0,
        limits=(0.001, 1000.0),
        soft_range=(0.1, 10.0),
        digits=3,
        kinds=("CLOTH",),
        painted=False,
    ),
    Constant(
        name="weft_bend",
        label="Weft Bend",
        description="How strongly the weft resists being folded, as a part of what the warp does: "
        "at 0.5 folds across the weft are half as stiff as those across the warp",
        default=1.0,
        limits=(0.001, 1000.0),
        soft_range=(0.1, 10.0),
        digits=3,
        kinds=("CLOTH",),
        painted=False,
    ),
    Constant(
        name="friction",
        label="Friction",
        description="How much the surface holds on to what it slides over: 0 ice, 1 rubber",
        default=0.5,
        limits=(0.0, 10.0),
        soft_range=(0.0, 1.0),
        in_presets=True,
    ),
    Constant(
        name="shrinkage",
        label="Shrink",
        description="Part of its lengths by which the cloth shrinks: at 0.1 it becomes a tenth "
        "smaller, below 0 it grows",
        default=0.0,
        limits=(-10.0, 0.99),
        soft_range=(-0.5, 0.5),
        digits=3,
        kinds=("CLOTH",),
    ),
    Constant(
        name="rest_angle",
        label="Rest Angle",
        description="How much of its bends the cloth keeps at rest: 1 it springs back to the shape "
        "that was modelled, 0 it would rather be flat",
        default=1.0,
        limits=(0.0, 1.0),
        soft_range=(0.0, 1.0),
        digits=3,
        kinds=("CLOTH",),
    ),
    Constant(
        name="contraction",
        label="Contraction",
        description="Part of its length by which the body is shorter along its fibres, while it "
        "keeps its volume: a muscle, where a vertex group paints it",
        default=0.0,
        limits=(-10.0, 0.95),
        soft_range=(0.0, 0.5),
        digits=3,
        kinds=("SOFT_BODY",),
    ),
    Constant(
        name="plasticity",
        label="Plasticity Rate",
        description="How fast what is beyond a yield limit becomes the shape at rest, per second: "
        "at 1000 at once, at 1 in a few seconds",
        default=1000.0,
        limits=(0.0, 1e6),
        soft_range=(0.0, 1000.0),
        kinds=("CLOTH", "SOFT_BODY"),
        painted=False,
    ),
    Constant(
        name="yield_bend",
        label="Yield Bend",
        description="Curvature up to which the cloth springs back, in 1/m: at 50 it can be rolled "
        "around 4 cm without a crease",
        default=50.0,
        limits=(0.001, 1e6),
        soft_range=(1.0, 1000.0),
        kinds=("CLOTH",),
        painted=False,
    ),
    Constant(
        name="yield_stretch",
        label="Yield Stretch",
        description="Strain up to which the material springs back: 0.1 is a tenth of its length",
        default=0.1,
        limits=(0.0001, 1e3),
        soft_range=(0.01, 1.0),
        digits=3,
        kinds=("CLOTH", "SOFT_BODY"),
        painted=False,
    ),
    Constant(
        name="strength",
        label="Strength",
        description="Tension at which pieces break from each other where they lie on each other, "
        "in pascals, the same at any resolution: about 10000 for jelly, 100000 for a biscuit, a "
        "million for plaster",
        default=2e4,
        limits=(1e-3, 1e12),
        soft_range=(100.0, 1e6),
        digits=0,
        kinds=("SOFT_BODY",),
        unit="Pa",
        switch="use_breaking",
    ),
    Constant(
        name="restitution",
        label="Bounciness",
        description="Part of its speed with which the surface bounces off what it hits: 0 not at "
        "all, 1 as fast as it came",
        default=0.0,
        limits=(0.0, 1.0),
        soft_range=(0.0, 1.0),
    ),
    Constant(
        name="drag",
        label="Air Drag",
        description="How fast still air slows the object down, per second: at 1, movement without "
        "any other force loses two thirds of its speed in a second",
        default=0.5,
        limits=(0.0, 1000.0),
        soft_range=(0.0, 10.0),
        unit="1/s",
    ),
    Constant(
        name="goal_stiffness",
        label="Goal Pull",
        description="How strongly the body is pulled to its animated shape, in N/m for each cubic "
        "metre, the same at any resolution. At 1e6, flesh sinks by 1 cm and jiggles 5 times a "
        "second",
        default=1e6,
        limits=(0.0, 1e12),
        soft_range=(0.0, 1e7),
        digits=0,
        kinds=("SOFT_BODY",),
        unit="N/m⁴",
        switch="use_goal",
    ),
)


def constants(kind: str) -> list[Constant]:
    """The plain numbers that objects of a kind have."""
    return [constant for constant in CONSTANTS if kind in constant.kinds]


def core_arguments(settings: Any) -> dict[str, Any]:
    """The keyword arguments of ``core.Model.add_cloth`` or so: material, and what is touched.

    Args:
        settings: ``Object.xpbd``.
    """
    values: dict[str, Any] = {
        "density": settings.density,
        "thickness": settings.thickness,
        "pin_damping": settings.pin_damping,
        "self_collision": settings.use_self_collision,
        "body_collision": settings.use_body_collision,
    }
    for constant in constants(settings.kind):
        if not constant.switch or getattr(settings, constant.switch):
            values[constant.name] = getattr(settings, constant.name)
    if settings.kind != "STRANDS" and not settings.use_plasticity:
        values["plasticity"] = 0.0
    for entry in entries(settings.kind):
        values[entry.argument] = entry.of_core(settings)
        values[entry.damping_argument] = getattr(settings, entry.damping)
    if settings.kind == "SOFT_BODY":
        values["energy"] = settings.soft_energy.lower().replace("_", "-")
        values["cell_size"] = settings.cell_size
        values["pin_depth"] = settings.pin_depth
        values["goal_damping"] = settings.pin_damping
        values |= _inflation(settings)
    elif settings.use_strain_limits:
        shortest = 1.0 - 0.01 * settings.compression_limit
        values["strain_limits"] = (shortest, 1.0 + 0.01 * settings.stretch_limit)
    if settings.kind == "CLOTH":
        values["membrane"] = settings.membrane.lower()
        if settings.use_volume:
            values["volume_compliance"] = settings.volume_compliance
            values |= _inflation(settings)
    return values


def _inflation(settings: Any) -> dict[str, Any]:
    """How much is filled in, or swells, and over which time."""
    return {"inflation": settings.inflation, "inflation_time": settings.inflation_time}
