# SPDX-License-Identifier: GPL-3.0-or-later
"""What a material resists, and how panels show it.

`CONSTRAINTS` is the one table. Each entry becomes a stored compliance in SI units, a stiffness
that is another view of the same value, and a damping (`table_properties`); panels, presets and the
way to `core` loop over it. Where a fabric's SI value would need more decimals than Blender shows,
panels use a further view of the same value in a handier unit. A build reads this without Blender.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

STIFFEST = 1.0e9
"""SI, of a stiffness; shown for a compliance of 0."""

SOFTEST = 1.0e9
"""SI, of a compliance; stands for a stiffness of 0."""

SHOWN = "_shown"
"""Ends the names of views in a handier unit."""


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
        modulus: the stiffness by its own name, where `core` takes that instead of a compliance.
        optional: whether the softest value means that there is no such constraint: `core` then gets
            None for it.
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
    modulus: str = ""
    optional: bool = False

    @property
    def compliance(self) -> str:
        """Name of the stored property."""
        return f"{self.name}_compliance"

    @property
    def stiffness(self) -> str:
        """Name of the view of the same value."""
        return self.modulus or f"{self.name}_stiffness"

    @property
    def damping(self) -> str:
        """Name of the damping property."""
        return f"{self.name}_damping"

    @property
    def argument(self) -> str:
        """The argument of `core` that the stored value becomes."""
        return self.modulus or f"{self.keyword}_compliance"

    @property
    def damping_argument(self) -> str:
        """The argument of `core` that the damping is."""
        return "damping" if self.modulus else f"{self.keyword}_damping"

    def of_core(self, settings: Any) -> float | None:
        """The value of that argument; ``Object.xpbd`` being given."""
        if self.modulus:
            return float(getattr(settings, self.modulus))
        compliance = float(getattr(settings, self.compliance))
        return None if self.optional and compliance >= SOFTEST else compliance

    def shown(self, *, compliance: bool) -> tuple[str, str]:
        """Name of the property that panels show, and its label with the unit."""
        name = self.compliance if compliance else self.stiffness
        quantity = self.compliance_quantity if compliance else self.stiffness_quantity
        if quantity.factor != 1.0:
            name += SHOWN
        return name, f"{self.label} {quantity.shown_unit}"


_N_PER_M = Quantity("N/m", "N/m", 1.0, (1.0, 1e5), 1)
_M_PER_N = Quantity("m/N", "m/kN", 1e3, (0.0, 1e3), 3)
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
        label="Bend",
        resists="folding. Silk has about 5 µN·m, denim 50 µN·m, leather 1000 µN·m",
        default=1e5,
        stiffness_quantity=Quantity("N·m", "µN·m", 1e6, (1.0, 1e4), 2),
        compliance_quantity=Quantity("1/(N·m)", "1/Nm", 1.0, (0.0, 1e6), 3),
        optional=True,
    ),
    ConstraintEntry(
        kind="SOFT_BODY",
        keyword="elastic",
        name="elastic",
        label="Elastic",
        resists="being deformed: Young's modulus. Gelatine has about 10 kPa, flesh 30, foam rubber "
        "100, silicone 500, rubber 3000",
        default=1.0 / 3e4,
        stiffness_quantity=Quantity("Pa", "kPa", 1e-3, (1.0, 1e4), 2),
        compliance_quantity=Quantity("1/Pa", "1/kPa", 1e3, (0.0, 1.0), 5),
        damping_warning=_CREEP,
        modulus="young_modulus",
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
        resists="being bent. One hair has about 5 nN·m², a lock of a hundred 500 nN·m², a steel "
        "wire of 1 mm 10 million nN·m²",
        default=2e6,
        stiffness_quantity=Quantity("N·m²", "nN·m²", 1e9, (1.0, 1e7), 2),
        compliance_quantity=Quantity("1/(N·m²)", "1/Nm²", 1.0, (0.0, 1e8), 1),
        damping_warning=_CREEP,
        optional=True,
    ),
    ConstraintEntry(
        kind="STRANDS",
        keyword="twist",
        name="strand_twist",
        label="Twist",
        resists="being twisted: what makes a coil a spring, and a curl keep its shape. Of a solid "
        "round wire three quarters of Bend. With the solver Standard; strands that branch or form "
        "rings don't twist",
        default=SOFTEST,
        stiffness_quantity=Quantity("N·m²", "nN·m²", 1e9, (1.0, 1e7), 2),
        compliance_quantity=Quantity("1/(N·m²)", "1/Nm²", 1.0, (0.0, 1e8), 1),
        damping_warning=_CREEP,
        optional=True,
    ),
)


def entries(kind: str) -> list[ConstraintEntry]:
    """What objects of a kind resist."""
    return [entry for entry in CONSTRAINTS if entry.kind == kind]
