# SPDX-License-Identifier: GPL-3.0-or-later
"""What a material resists, and how panels show it.

`CONSTRAINTS` is the one table. Each entry becomes a stored compliance in SI units, a stiffness
that is another view of the same value, and a damping; panels, presets and the way to `core` loop
over it. Where a fabric's SI value would need more decimals than Blender shows, panels use a
further view of the same value in a handier unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy

from .changes import Update

STIFFEST = 1.0e9  # SI, of a stiffness; shown for a compliance of 0
_SHOWN = "_shown"
_NEARLY = 0.999999  # Blender keeps 32 bits of a limit such as 1e15, which may make it smaller


@dataclass(frozen=True)
class Quantity:
    """How a stiffness or a compliance is measured and shown.

    Attributes:
        unit: SI unit of the property with the plain name.
        shown_unit: what panels show it in.
        factor: of shown_unit in the SI unit; 1 where they are the same.
        soft_range: what sliders cover, in shown_unit.
        digits: decimals in shown_unit; Blender adds some for small values.
    """

    unit: str
    shown_unit: str
    factor: float
    soft_range: tuple[float, float]
    digits: int


@dataclass(frozen=True)
class ConstraintEntry:
    """One way in which a material resists.

    Attributes:
        kind: which kind of object resists so.
        keyword: stem of the names in `core`, as in ``stretch_compliance``.
        name: stem of the property names; differs where units do from those of another kind.
        default: compliance in its SI unit.
        damping_warning: what to know before turning up the damping.
    """

    kind: str
    keyword: str
    name: str
    label: str
    resists: str
    default: float
    stiffness_quantity: Quantity
    compliance_quantity: Quantity
    damping_warning: str = ""

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

    def shown(self, *, compliance: bool) -> tuple[str, str]:
        """Name of the property that panels show, and its label with the unit."""
        name = self.compliance if compliance else self.stiffness
        quantity = self.compliance_quantity if compliance else self.stiffness_quantity
        if quantity.factor != 1.0:
            name += _SHOWN
        return name, f"{self.label} {quantity.shown_unit}"


_N_PER_M = Quantity("N/m", "N/m", 1.0, (1.0, 1e5), 1)
_M_PER_N = Quantity("m/N", "mm/N", 1e3, (0.0, 1e3), 3)
_CREEP = (
    ". Above a few thousandths of a second the material creeps, as if it were softer, unless "
    "Iterations is raised"
)

CONSTRAINTS = (
    ConstraintEntry(
        kind="CLOTH",
        keyword="stretch",
        name="stretch",
        label="Stretch",
        resists="being pulled longer. Fabrics lie between 500 and 10000 N/m, rubber sheets lower",
        default=5e-4,
        stiffness_quantity=_N_PER_M,
        compliance_quantity=_M_PER_N,
        damping_warning=_CREEP,
    ),
    ConstraintEntry(
        kind="CLOTH",
        keyword="shear",
        name="shear",
        label="Shear",
        resists="its squares being pushed into diamonds. Woven fabrics shear easily: 20 to 500 N/m",
        default=2e-3,
        stiffness_quantity=_N_PER_M,
        compliance_quantity=_M_PER_N,
        damping_warning=_CREEP,
    ),
    ConstraintEntry(
        kind="CLOTH",
        keyword="bend",
        name="bend",
        label="Bending",
        resists="folding. Silk has about 5 µN·m, denim 50 µN·m, leather 1000 µN·m",
        default=1e5,
        stiffness_quantity=Quantity("N·m", "µN·m", 1e6, (1.0, 1e4), 2),
        compliance_quantity=Quantity("1/(N·m)", "1/Nm", 1.0, (0.0, 1e6), 3),
    ),
    ConstraintEntry(
        kind="STRANDS",
        keyword="stretch",
        name="strand_stretch",
        label="Stretch",
        resists="being pulled longer. Young's modulus times the cross-section: 15 N for one hair, "
        "1500 N for a lock of a hundred, 150000 N for a steel wire of 1 mm",
        default=6.5e-4,
        stiffness_quantity=Quantity("N", "N", 1.0, (1.0, 1e5), 1),
        compliance_quantity=Quantity("1/N", "1/kN", 1e3, (0.0, 1e2), 3),
        damping_warning=_CREEP,
    ),
    ConstraintEntry(
        kind="STRANDS",
        keyword="bend",
        name="strand_bend",
        label="Bend",
        resists="being bent. One hair has about 5 mN·mm², a lock of a hundred 500 mN·mm², a steel "
        "wire of 1 mm 10 million mN·mm²",
        default=2e6,
        stiffness_quantity=Quantity("N·m²", "mN·mm²", 1e9, (1.0, 1e7), 2),
        compliance_quantity=Quantity("1/(N·m²)", "1/Nm²", 1.0, (0.0, 1e8), 1),
        damping_warning=_CREEP,
    ),
)


def entries(kind: str) -> list[ConstraintEntry]:
    """What objects of a kind resist."""
    return [entry for entry in CONSTRAINTS if entry.kind == kind]


def entry_properties(entry: ConstraintEntry, update: Update) -> dict[str, Any]:
    """The properties of an entry by name; update is called whenever its values change."""
    stiffness, compliance = entry.stiffness_quantity, entry.compliance_quantity
    made = {
        entry.compliance: _stored_compliance(entry, update),
        entry.stiffness: _stiffness_view(entry, stiffness.unit, 1.0),
        entry.damping: _damping(entry, update),
    }
    if stiffness.factor != 1.0:
        made[entry.stiffness + _SHOWN] = _stiffness_view(
            entry, stiffness.shown_unit, stiffness.factor
        )
    if compliance.factor != 1.0:
        made[entry.compliance + _SHOWN] = _compliance_view(entry)
    return made


def _stored_compliance(entry: ConstraintEntry, update: Update) -> Any:
    quantity = entry.compliance_quantity
    low, high = quantity.soft_range
    return bpy.props.FloatProperty(
        name=f"{entry.label} Compliance",
        description=_compliance_description(entry, quantity.unit),
        default=entry.default,
        min=0.0,
        max=STIFFEST,
        soft_min=low / quantity.factor,
        soft_max=high / quantity.factor,
        precision=quantity.digits if quantity.factor == 1.0 else 6,
        options=set(),
        update=update,
    )


def _compliance_view(entry: ConstraintEntry) -> Any:
    """The stored compliance in the unit that panels show."""
    name, quantity = entry.compliance, entry.compliance_quantity

    def read(settings: Any) -> float:
        return float(getattr(settings, name)) * quantity.factor

    def write(settings: Any, value: float) -> None:
        setattr(settings, name, value / quantity.factor)

    return bpy.props.FloatProperty(
        name=f"{entry.label} Compliance",
        description=_compliance_description(entry, quantity.shown_unit),
        min=0.0,
        max=STIFFEST * quantity.factor,
        soft_min=quantity.soft_range[0],
        soft_max=quantity.soft_range[1],
        precision=quantity.digits,
        options=set(),
        get=read,
        set=write,
    )


def _stiffness_view(entry: ConstraintEntry, unit: str, factor: float) -> Any:
    """The reciprocal of the stored compliance in a unit of which `factor` make one SI unit."""
    name, quantity = entry.compliance, entry.stiffness_quantity
    stiffest = STIFFEST * factor
    to_unit = factor / quantity.factor

    def read(settings: Any) -> float:
        value = getattr(settings, name)
        return min(stiffest, factor / value) if value > 0.0 else stiffest

    def write(settings: Any, value: float) -> None:
        setattr(settings, name, 0.0 if value >= _NEARLY * stiffest else factor / value)

    return bpy.props.FloatProperty(
        name=f"{entry.label} Stiffness",
        description=f"How strongly the material resists {entry.resists}. "
        f"In {unit}, the same at any resolution of the mesh",
        min=factor / STIFFEST,
        max=stiffest,
        soft_min=quantity.soft_range[0] * to_unit,
        soft_max=quantity.soft_range[1] * to_unit,
        precision=quantity.digits if factor == quantity.factor else 6,
        options=set(),
        get=read,
        set=write,
    )


def _damping(entry: ConstraintEntry, update: Update) -> Any:
    return bpy.props.FloatProperty(
        name=f"{entry.label} Damping",
        description=f"How fast {entry.label.lower()} movement dies away, in seconds: movement "
        f"that is faster than this is swallowed, slower movement stays{entry.damping_warning}",
        default=0.0,
        min=0.0,
        max=10.0,
        soft_max=0.1,
        precision=4,
        step=0.1,
        subtype="TIME_ABSOLUTE",
        options=set(),
        update=update,
    )


def _compliance_description(entry: ConstraintEntry, unit: str) -> str:
    return (
        f"How little the material resists {entry.resists}. The reciprocal of the "
        f"{entry.label.lower()} stiffness, in {unit}; 0 does not give at all"
    )
