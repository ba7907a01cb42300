# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabrics and sheets with measured constants, in SI units.

The constants are those of a sheet, so no thickness is needed to use them:

- ``density``             mass of a unit of area [kg/m²]
- ``stretch_compliance``  reciprocal of the membrane stiffness along the yarns [m/N]
- ``shear_compliance``    reciprocal of the membrane shear stiffness [m/N]
- ``bend_compliance``     reciprocal of the flexural rigidity [1/(N m)]
- ``poisson_ratio``       sideways contraction over elongation [-]
- ``*_damping``           Rayleigh's stiffness-proportional coefficient [s]
- ``friction``            Coulomb coefficient against a surface of the same kind [-]

Conversions from the units of the textile literature: the Kawabata evaluation system (KES-F)
prints bending in gf cm²/cm (9.81e-5 N m) and shear in gf/(cm degree) (56.2 N/m).

None is tuned by how it looks: a strip that sticks out by 2 (bending / weight)^(1/3) droops 41.5°,
as in the cantilever test of textiles (Peirce 1930; ASTM D1388). That is 32 mm of silk, 33 of wool,
35 of cotton, 47 of jersey, 54 of denim, 69 of polyester, 74 of leather.

Bending damping is ``loss factor / (2 pi frequency)``, taken at 5 Hz, the pace of a garment's folds.
Stretch and shear are left undamped: the same loss at their far higher frequencies is less than a
solver takes away by itself, and at 5 Hz it would make the sheet creep like dough. Loss factors and
friction are chosen by feel; ``source`` speaks of stiffness, weight and Poisson ratio.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_FOLD_FREQUENCY = 5.0  # Hz

_WANG = (
    "Wang, O'Brien, Ramamoorthi 2011, 'Data-Driven Elastic Models for Cloth', "
    "ACM Transactions on Graphics 30(4), published material table, sample"
)
_PENAVA = "Penava, Simic Penava, Knezic 2014, Fibres & Textiles in Eastern Europe 22(2):57-63"
_KAWABATA = (
    "typical of what the Kawabata evaluation system (KES-F) finds, not read from one table, for"
)


@dataclass(frozen=True)
class Material:
    """Elastic constants of a sheet; units as in the module's description."""

    name: str
    density: float
    stretch_compliance: float
    shear_compliance: float
    bend_compliance: float
    poisson_ratio: float
    stretch_damping: float
    shear_damping: float
    bend_damping: float
    friction: float
    source: str


def _sheet(
    name: str,
    *,
    density: float,
    stretch: float,
    shear: float,
    bend: float,
    poisson_ratio: float,
    loss_factor: float,
    friction: float,
    source: str,
) -> Material:
    """Material from stiffnesses [N/m], [N/m], [N m] and a loss factor [-]."""
    return Material(
        name=name,
        density=density,
        stretch_compliance=_rounded(1.0 / stretch),
        shear_compliance=_rounded(1.0 / shear),
        bend_compliance=_rounded(1.0 / bend),
        poisson_ratio=poisson_ratio,
        stretch_damping=0.0,
        shear_damping=0.0,
        bend_damping=_rounded(loss_factor / (2.0 * math.pi * _FOLD_FREQUENCY)),
        friction=friction,
        source=source,
    )


def _isotropic_sheet(
    name: str,
    *,
    young_modulus: float,
    thickness: float,
    volume_density: float,
    poisson_ratio: float,
    loss_factor: float,
    friction: float,
    source: str,
) -> Material:
    """Material of a homogeneous plate: modulus [Pa], thickness [m], density [kg/m³]."""
    membrane = young_modulus * thickness
    return _sheet(
        name,
        density=_rounded(volume_density * thickness),
        stretch=membrane,
        shear=membrane / (2.0 * (1.0 + poisson_ratio)),
        bend=membrane * thickness**2 / (12.0 * (1.0 - poisson_ratio**2)),
        poisson_ratio=poisson_ratio,
        loss_factor=loss_factor,
        friction=friction,
        source=source,
    )


def _rounded(value: float) -> float:
    """Three significant digits: more than any of the measurements holds."""
    return float(f"{value:.3g}")


_ALL = (
    _sheet(
        "Silk",
        density=0.060,
        stretch=1000.0,
        shear=17.0,
        bend=2.5e-6,
        poisson_ratio=0.2,
        loss_factor=0.1,
        friction=0.25,
        source=f"{_KAWABATA} women's thin dress silk (B 0.025 gf cm²/cm, G 0.3 gf/(cm degree)); "
        "weight of a 14 momme habotai; stretch at small strain estimated",
    ),
    _sheet(
        "Cotton",
        density=0.150,
        stretch=2026.0,
        shear=28.0,
        bend=8.0e-6,
        poisson_ratio=0.243,
        loss_factor=0.15,
        friction=0.4,
        source=f"{_PENAVA} (weight, Poisson ratio of plain-woven cotton); stretch {_WANG} "
        f"royal-target (65% cotton); bending and shear {_KAWABATA} shirting "
        "(B 0.08 gf cm²/cm, G 0.5 gf/(cm degree))",
    ),
    _sheet(
        "Denim",
        density=0.324,
        stretch=1014.0,
        shear=53.4,
        bend=6.4e-5,
        poisson_ratio=0.05,
        loss_factor=0.2,
        friction=0.5,
        source=f"{_WANG} 11oz-black-denim (99% cotton, 1% spandex), stiffer direction",
    ),
    _sheet(
        "Wool",
        density=0.235,
        stretch=1500.0,
        shear=34.0,
        bend=1.0e-5,
        poisson_ratio=0.277,
        loss_factor=0.15,
        friction=0.4,
        source=f"{_PENAVA} (weight, Poisson ratio of plain-woven wool); bending and shear "
        f"{_KAWABATA} men's winter suiting (B 0.1 gf cm²/cm, G 0.6 gf/(cm degree)); "
        "stretch at small strain estimated",
    ),
    _sheet(
        "Polyester",
        density=0.128,
        stretch=2015.0,
        shear=19.2,
        bend=5.2e-5,
        poisson_ratio=0.38,
        loss_factor=0.1,
        friction=0.3,
        source=f"{_WANG} white-dots-on-blk (100% polyester table cloth); Poisson ratio {_PENAVA}",
    ),
    _sheet(
        "Jersey",
        density=0.187,
        stretch=34.5,
        shear=36.9,
        bend=2.3e-5,
        poisson_ratio=0.3,
        loss_factor=0.2,
        friction=0.4,
        source=f"{_WANG} gray-interlock (T-shirt knit, 60% cotton, 40% polyester), smallest "
        "strain; Poisson ratio estimated",
    ),
    _sheet(
        "Swimwear",
        density=0.204,
        stretch=104.6,
        shear=60.8,
        bend=6.0e-5,
        poisson_ratio=0.1,
        loss_factor=0.1,
        friction=0.3,
        source=f"{_WANG} white-swim-solid (87% nylon, 13% spandex), stiffer direction",
    ),
    _isotropic_sheet(
        "Leather",
        young_modulus=5.0e6,
        thickness=0.8e-3,
        volume_density=650.0,
        poisson_ratio=0.4,
        loss_factor=0.2,
        friction=0.5,
        source="Thickness: Memon, Chaklie, Yesuf, Zhu 2021, Materials 14(16):4553, sheep garment "
        "leather (0.64-0.96 mm); modulus at small strain, density and Poisson ratio: orders of "
        "magnitude of soft chrome-tanned leather; sheet constants of a homogeneous plate",
    ),
    _isotropic_sheet(
        "Rubber",
        young_modulus=1.5e6,
        thickness=1.0e-3,
        volume_density=950.0,
        poisson_ratio=0.49,
        loss_factor=0.05,
        friction=0.9,
        source="Vulcanised natural rubber, MatWeb data sheet (shear modulus 0.5 MPa, density "
        "950 kg/m³), Young's modulus three times the shear modulus as in Treloar, 'The Physics "
        "of Rubber Elasticity'; 1 mm sheet; Poisson ratio of a nearly incompressible solid",
    ),
)

MATERIALS: dict[str, Material] = {material.name.lower(): material for material in _ALL}
