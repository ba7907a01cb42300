# SPDX-License-Identifier: GPL-3.0-or-later
"""Hair, yarns, ropes and wires with known constants, in SI units.

- ``density``             mass of a unit of length [kg/m]
- ``stretch_compliance``  reciprocal of the tensile stiffness EA [1/N]
- ``bend_compliance``     reciprocal of the flexural rigidity EI [1/(N·m²)]
- ``twist_compliance``    reciprocal of the torsional rigidity GJ [1/(N·m²)]
- ``*_damping``           Rayleigh's stiffness-proportional coefficient [s]
- ``friction``            Coulomb coefficient against a surface of the same kind [-]

Damping is left to the air: it takes more from thin strands than their own material does, which in
the few iterations of a substep would make them creep. Friction is chosen by feel. ``source`` speaks
of stiffness and weight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class StrandPreset:
    """Constants of a strand; units as in the module's description."""

    name: str
    density: float
    stretch_compliance: float
    bend_compliance: float
    twist_compliance: float
    stretch_damping: float
    bend_damping: float
    twist_damping: float
    friction: float
    source: str


def _strand(
    name: str,
    *,
    density: float,
    tensile: float,
    flexural: float,
    torsional: float,
    friction: float,
    source: str,
) -> StrandPreset:
    """From a line density [kg/m], EA [N], EI and GJ [N·m²]."""
    return StrandPreset(
        name=name,
        density=_rounded(density),
        stretch_compliance=_rounded(1.0 / tensile),
        bend_compliance=_rounded(1.0 / flexural),
        twist_compliance=_rounded(1.0 / torsional),
        stretch_damping=0.0,
        bend_damping=0.0,
        twist_damping=0.0,
        friction=friction,
        source=source,
    )


def _round_rod(
    name: str,
    *,
    young_modulus: float,
    shear_modulus: float,
    diameter: float,
    volume_density: float,
    count: int = 1,
    friction: float,
    source: str,
) -> StrandPreset:
    """``count`` round fibres that slide on each other: moduli [Pa], diameter [m], [kg/m³]."""
    area = 0.25 * math.pi * diameter**2
    return _strand(
        name,
        density=count * volume_density * area,
        tensile=count * young_modulus * area,
        flexural=count * young_modulus * area * diameter**2 / 16.0,
        torsional=count * shear_modulus * area * diameter**2 / 8.0,
        friction=friction,
        source=source,
    )


def _rounded(value: float) -> float:
    """Three significant digits: more than any of the measurements holds."""
    return float(f"{value:.3g}")


_HAIR = (
    "diameter, density (1320 kg/m³) and Young's modulus (about 4 GPa dry) as in Robbins, "
    "'Chemical and Physical Behavior of Human Hair'; shear modulus 1.2 GPa, the order of magnitude "
    "of torsion pendulums"
)

_ALL = (
    _round_rod(
        "Hair",
        young_modulus=4.0e9,
        shear_modulus=1.2e9,
        diameter=70e-6,
        volume_density=1320.0,
        count=100,
        friction=0.3,
        source=f"A lock of a hundred human hairs that slide on each other; {_HAIR}",
    ),
    _round_rod(
        "Single Hair",
        young_modulus=4.0e9,
        shear_modulus=1.2e9,
        diameter=70e-6,
        volume_density=1320.0,
        friction=0.3,
        source=f"One human hair; {_HAIR}",
    ),
    _strand(
        "Cotton Yarn",
        density=3.0e-5,
        tensile=100.0,
        flexural=5.0e-9,
        torsional=2.5e-9,
        friction=0.4,
        source="A ring-spun yarn of 30 tex; initial modulus of about 3 N/tex and a bending "
        "rigidity of about 0.005 gf cm² are orders of magnitude of the textile literature; torsion "
        "estimated as half of bending",
    ),
    _strand(
        "Hemp Rope",
        density=0.07,
        tensile=8.0e4,
        flexural=1.0e-2,
        torsional=5.0e-3,
        friction=0.6,
        source="A laid rope of 10 mm: weight and breaking load (7 to 8 kN near 10% elongation) as "
        "in rope makers' tables; bending estimated, between sliding fibres and a solid rod, "
        "torsion as half of it",
    ),
    _round_rod(
        "Rubber Cord",
        young_modulus=1.5e6,
        shear_modulus=0.5e6,
        diameter=3e-3,
        volume_density=950.0,
        friction=0.9,
        source="Vulcanised natural rubber as in core.materials.fabrics, a cord of 3 mm",
    ),
    _round_rod(
        "Steel Wire",
        young_modulus=2.0e11,
        shear_modulus=7.7e10,
        diameter=1e-3,
        volume_density=7850.0,
        friction=0.3,
        source="Carbon steel (200 GPa, in shear 77 GPa, 7850 kg/m³), a wire of 1 mm",
    ),
)

STRAND_MATERIALS: dict[str, StrandPreset] = {preset.name.lower(): preset for preset in _ALL}
