# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object can be made into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy


@dataclass(frozen=True)
class Kind:
    """A kind of simulated object.

    Attributes:
        identifier: value of ``Object.xpbd.kind``.
        elements: what of the mesh it is made of: ``"faces"`` or ``"edges"``.
        cure: what to do about a mesh that has none.
        density: property that panels show, and its label with the unit.
        pin_unit: unit of the stiffness of pins.
        adder: the method of ``core.Model`` that makes it.
        icon: of its button.
        starts_with: settings that it begins with, where they differ from those of other kinds.
    """

    identifier: str
    label: str
    description: str
    elements: str
    cure: str
    density: tuple[str, str]
    pin_unit: str
    adder: str
    icon: str
    starts_with: tuple[tuple[str, float | bool], ...] = ()

    @property
    def item(self) -> tuple[str, str, str]:
        """As Blender's enumerations want it."""
        return self.identifier, self.label, self.description


CLOTH = Kind(
    identifier="CLOTH",
    label="Cloth",
    description="A sheet of fabric, leather, rubber or paper",
    elements="faces",
    cure="give it some in Edit Mode, or choose Strands as Type if it is made of edges",
    density=("density", "Mass kg/m²"),
    pin_unit="N/m³",
    adder="add_cloth",
    icon="MOD_CLOTH",
    # Damping as fabrics have it: without any what lies still trembles by what single precision
    # rounds.
    starts_with=(("bend_damping", 0.003), ("use_carried_buttons", True)),
)
SOFT_BODY = Kind(
    identifier="SOFT_BODY",
    label="Soft Body",
    description="What the mesh encloses: jelly, rubber, flesh",
    elements="faces",
    cure="give it some in Edit Mode, or choose Strands as Type if it is made of edges",
    density=("volume_density", "Mass kg/m³"),
    pin_unit="N/m³",
    adder="add_soft_body",
    icon="MOD_SOFT",
    starts_with=(("poisson_ratio", 0.45),),
)
STRANDS = Kind(
    identifier="STRANDS",
    label="Strands",
    description="The edges of the mesh as hair, threads, ropes or wires; faces play no part",
    elements="edges",
    cure="give it some in Edit Mode",
    density=("line_density_shown", "Mass g/m"),
    pin_unit="N/m²",
    adder="add_strands",
    icon="STRANDS",
)
KINDS = {kind.identifier: kind for kind in (CLOTH, SOFT_BODY, STRANDS)}
ITEMS = tuple(kind.item for kind in KINDS.values())


def of(obj: bpy.types.Object) -> Kind:
    """What the object is made into."""
    return KINDS[obj.xpbd.kind]


def has_elements(obj: bpy.types.Object, kind: Kind) -> bool:
    """Whether a mesh object has what the kind is made of."""
    return len(getattr(obj.data, {"faces": "polygons", "edges": "edges"}[kind.elements])) > 0


def suited(obj: bpy.types.Object) -> tuple[Kind, ...]:
    """What a mesh object may be meant to become: strands where it has edges only."""
    mesh: Any = obj.data
    return (STRANDS,) if len(mesh.edges) and not len(mesh.polygons) else (CLOTH, SOFT_BODY)
