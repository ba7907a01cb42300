# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be painted: quantities of a material that a vertex group may spread over the mesh.

`PAINTED` is the one table, made of those of `constraints` and `materials`. Each entry becomes a
group, a minimum and a maximum (`table_properties`), as Blender's Property Weights: weight 0 has
the plain value, weight 1 the maximum, and edges and faces take means. A build reads this without
Blender.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .constraints import CONSTRAINTS, SHOWN, SOFTEST, STIFFEST, ConstraintEntry
from .materials import CONSTANTS

Weights = NDArray[np.float32]


@dataclass(frozen=True)
class PaintedQuantity:
    """A quantity that can be painted.

    Attributes:
        name: stem of ``<name>_group``, ``<name>_min`` and ``<name>_max``.
        unit: what panels show it in. factor: of that unit in the SI unit.
        kinds: which kinds of object have it.
        argument: of `core`, that takes one number of each vertex.
        value: the property that holds it where the weight is 0, in its SI unit.
        most: default of the maximum. limit: what it never exceeds. soft_most: what sliders reach.
        least: what it never falls below, as the value of the whole object.
        digits: decimals shown.
        is_stiffness: whether `core` wants its reciprocal.
        switch: the property that switches it on; empty where nothing does.
        is_length: whether it is in Blender units.
    """

    name: str
    label: str
    unit: str
    kinds: tuple[str, ...]
    argument: str
    value: str
    most: float
    limit: float
    soft_most: float
    least: float = 0.0
    factor: float = 1.0
    digits: int = 2
    is_stiffness: bool = False
    is_length: bool = False
    switch: str = ""

    @property
    def group(self) -> str:
        """Name of the property that names the vertex group."""
        return f"{self.name}_group"

    @property
    def least_name(self) -> str:
        """Name of the view of the plain value."""
        return f"{self.name}_min"

    @property
    def most_name(self) -> str:
        """Name of the stored maximum."""
        return f"{self.name}_max"

    @property
    def shown(self) -> str:
        """Name of the maximum as panels show it."""
        return self.most_name + (SHOWN if self.factor != 1.0 else "")

    def of_vertices(self, settings: Any, weights: Weights) -> NDArray[np.float64]:
        """What `core` gets, shape (n,).

        Args:
            settings: ``Object.xpbd``. weights: of each vertex, shape (n,).
        """
        least, most = getattr(settings, self.value), getattr(settings, self.most_name)
        values: NDArray[np.float64] = least + weights.astype(np.float64) * (most - least)
        if not self.is_stiffness:
            return values
        rigid = values >= STIFFEST
        return np.where(rigid, 0.0, 1.0 / np.maximum(values, 1.0 / SOFTEST))


def _stiffness(entry: ConstraintEntry) -> PaintedQuantity:
    quantity = entry.stiffness_quantity
    return PaintedQuantity(
        name=entry.name,
        label=entry.label,
        unit=quantity.shown_unit,
        kinds=(entry.kind,),
        argument=entry.argument,
        value=entry.stiffness,
        most=10.0 / entry.default,
        limit=STIFFEST,
        soft_most=quantity.soft_range[1] / quantity.factor,
        factor=quantity.factor,
        digits=quantity.digits,
        is_stiffness=not entry.modulus,
    )


def _damping(entry: ConstraintEntry) -> PaintedQuantity:
    return PaintedQuantity(
        name=entry.damping,
        label=f"{entry.label} Damping",
        unit="s",
        kinds=(entry.kind,),
        argument=entry.damping_argument,
        value=entry.damping,
        most=0.01,
        limit=10.0,
        soft_most=0.1,
        digits=4,
    )


def _is_damped_as_a_whole(entry: ConstraintEntry) -> bool:
    """Whether each sheet has one bending damping, as the solver takes the mean."""
    return (entry.kind, entry.keyword) == ("CLOTH", "bend")


_ALL = ("CLOTH", "SOFT_BODY", "STRANDS")

PAINTED = (
    *(_stiffness(entry) for entry in CONSTRAINTS),
    PaintedQuantity(
        "density", "Mass", "kg/m²", ("CLOTH",), "density", "areal_density", 2.0, 1e4, 5.0,
        least=1e-4,
    ),
    PaintedQuantity(
        "volume_density", "Mass", "kg/m³", ("SOFT_BODY",), "density", "volume_density", 2000.0,
        1e5, 2000.0, least=1e-2,
    ),
    PaintedQuantity(
        "line_density", "Mass", "g/m", ("STRANDS",), "density", "line_density", 5e-3, 1e4, 0.1,
        least=1e-7, factor=1e3,
    ),
    PaintedQuantity(
        "thickness", "Thickness", "", _ALL, "thickness", "thickness", 0.01, 10.0, 0.1,
        digits=4, is_length=True,
    ),
    PaintedQuantity(
        "inflation", "Inflation", "", ("SOFT_BODY",), "inflation", "inflation", 2.0, 100.0, 3.0,
        least=0.01, digits=3,
    ),
    *(
        PaintedQuantity(
            each.name, each.label, each.unit, each.kinds, each.name, each.name,
            each.soft_range[1], each.limits[1], each.soft_range[1], least=each.limits[0],
            switch=each.switch,
        )
        for each in CONSTANTS
        if each.painted
    ),
    *(_damping(entry) for entry in CONSTRAINTS if not _is_damped_as_a_whole(entry)),
)  # fmt: skip


def painted(settings: Any) -> list[PaintedQuantity]:
    """What is painted of an object: ``Object.xpbd``."""
    return [
        each
        for each in quantities(settings.kind)
        if getattr(settings, each.group) and (not each.switch or getattr(settings, each.switch))
    ]


def groups(settings: Any) -> tuple[str, ...]:
    """Names of the vertex groups that tell something of an object: its pins, and what is painted.

    Args:
        settings: ``Object.xpbd``.
    """
    found = {settings.pin_group, *(getattr(settings, each.group) for each in painted(settings))}
    return tuple(sorted(found - {""}))


def quantities(kind: str) -> list[PaintedQuantity]:
    """What can be painted of objects of a kind."""
    return [each for each in PAINTED if kind in each.kinds]
