# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft solids with known constants, in SI units.

- ``density``        [kg/m³]
- ``young_modulus``  E in small strains [Pa]
- ``poisson_ratio``  ν [-]
- ``damping``        Rayleigh's stiffness-proportional coefficient [s]
- ``friction``       Coulomb coefficient against a surface of the same kind [-]

What holds much water hardly changes its volume: ν is chosen somewhat below one half, as simulating
pays for what is nearer to it with substeps, and nobody sees the difference. Damping takes the part
2 π² f × damping of the amplitude of a swing of the frequency f in each; it is chosen by eye, and so
small that it does not hold up what hangs (see ``SoftMaterial``). So is friction. ``source`` speaks
of the others. Soft tissue and food scatter by a factor of three.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SoftPreset:
    """Constants of a soft solid; units as in the module's description."""

    name: str
    density: float
    young_modulus: float
    poisson_ratio: float
    damping: float
    friction: float
    source: str


_ALL = (
    SoftPreset(
        "Gelatine",
        density=1020.0,
        young_modulus=1.0e4,
        poisson_ratio=0.45,
        damping=1e-3,
        friction=0.2,
        source="A dessert gel of about 5% gelatine; moduli of gelatine gels of 5 to 10% lie at 5 "
        "to 50 kPa (as of phantoms for ultrasound: Hall et al. 1997, 'Phantom materials for "
        "elastography')",
    ),
    SoftPreset(
        "Silicone",
        density=1070.0,
        young_modulus=5.0e5,
        poisson_ratio=0.48,
        damping=2e-4,
        friction=0.8,
        source="Platinum-cured silicone of Shore 00-50 to A-20: makers' tables (as Smooth-On's "
        "Dragon Skin) have 1070 kg/m³ and a modulus at 100% strain of 0.15 to 0.6 MPa",
    ),
    SoftPreset(
        "Rubber",
        density=950.0,
        young_modulus=1.5e6,
        poisson_ratio=0.49,
        damping=1e-4,
        friction=0.9,
        source="Vulcanised natural rubber as in core.materials.fabrics: 1 to 5 MPa and 950 kg/m³ "
        "(Ashby, 'Materials Selection in Mechanical Design')",
    ),
    SoftPreset(
        "Foam",
        density=30.0,
        young_modulus=6.0e4,
        poisson_ratio=0.3,
        damping=2e-4,
        friction=0.7,
        source="Flexible polyurethane of mattresses: 20 to 50 kg/m³, 20 to 150 kPa in small "
        "strains; ν of open cells about 0.3 (Gibson and Ashby, 'Cellular Solids')",
    ),
    SoftPreset(
        "Flesh",
        density=1060.0,
        young_modulus=3.0e4,
        poisson_ratio=0.45,
        damping=1e-3,
        friction=0.5,
        source="Muscle, somewhat tensed: 1060 kg/m³ (Mendez and Keys 1960); 10 to 40 kPa across "
        "the fibres, by elastography (Brandenburg et al. 2014, 'Ultrasound elastography')",
    ),
    SoftPreset(
        "Fat",
        density=920.0,
        young_modulus=5.0e3,
        poisson_ratio=0.45,
        damping=2e-3,
        friction=0.4,
        source="Fat of the breast and under the skin: 920 kg/m³; 2 to 6 kPa (Samani et al. 2007, "
        "'Elastic moduli of normal and pathological human breast tissues', has 3.2 kPa)",
    ),
    SoftPreset(
        "Sponge",
        density=50.0,
        young_modulus=2.0e4,
        poisson_ratio=0.1,
        damping=5e-4,
        friction=0.7,
        source="A dry bath sponge of soft cellulose or polyurethane: an open foam of 30 to 60 "
        "kg/m³ that hardly bulges; 10 to 50 kPa (Gibson and Ashby, 'Cellular Solids')",
    ),
    SoftPreset(
        "Dough",
        density=1100.0,
        young_modulus=8.0e3,
        poisson_ratio=0.45,
        damping=4e-3,
        friction=0.6,
        source="Wheat dough before it rises: about 1100 kg/m³; storage modulus of 2 to 10 kPa in "
        "small strains (Dobraszczyk and Morgenstern 2003, 'Rheology and the breadmaking process'). "
        "That it stays as it was pressed is not in these numbers",
    ),
)

SOFT_MATERIALS: dict[str, SoftPreset] = {preset.name.lower(): preset for preset in _ALL}
