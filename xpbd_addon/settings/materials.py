# SPDX-License-Identifier: GPL-3.0-or-later
"""What a material is beside what it resists, and all of it as `core` wants it.

`CONSTANTS` is the one table of plain numbers: each becomes a property of ``Object.xpbd``
(`table_properties`), an argument of `core` and, if so marked, a line of presets. A build reads this
without Blender.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .constraints import SOFTEST, entries


@dataclass(frozen=True)
class Constant:
    """A plain number of a material, in SI units.

    Attributes:
        name: of the property, and of the argument of `core`.
        limits: smallest and largest value. soft_range: what sliders cover.
        digits: decimals shown.
        kinds: which kinds of object have it.
        painted: whether a vertex group may spread it over the mesh.
        in_presets: whether presets set it, from the field of that name in `core.materials`.
    """

    name: str
    label: str
    description: str
    default: float
    limits: tuple[float, float]
    soft_range: tuple[float, float]
    digits: int = 2
    kinds: tuple[str, ...] = ("CLOTH", "STRANDS")
    painted: bool = True
    in_presets: bool = False


CONSTANTS = (
    Constant(
        name="poisson_ratio",
        label="Narrowing",
        description="Poisson's ratio: how much the sheet narrows when it is pulled longer, 0 not "
        "at all, 0.5 like rubber",
        default=0.2,
        limits=(-0.95, 0.95),
        soft_range=(0.0, 0.5),
        digits=3,
        kinds=("CLOTH",),
        painted=False,
        in_presets=True,
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
        values[constant.name] = getattr(settings, constant.name)
    for entry in entries(settings.kind):
        compliance = getattr(settings, entry.compliance)
        absent = entry.optional and compliance >= SOFTEST
        values[f"{entry.keyword}_compliance"] = None if absent else compliance
        values[f"{entry.keyword}_damping"] = getattr(settings, entry.damping)
    if settings.use_strain_limits:
        shortest = 1.0 - 0.01 * settings.compression_limit
        values["strain_limits"] = (shortest, 1.0 + 0.01 * settings.stretch_limit)
    if settings.kind == "CLOTH":
        values["membrane"] = settings.membrane.lower()
        if settings.use_volume:
            values["volume_compliance"] = settings.volume_compliance
            values["inflation"] = settings.inflation
    return values
