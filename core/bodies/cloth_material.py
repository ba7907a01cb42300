# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cloth is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..checks import duration
from ..errors import ModelError
from .painted import Painted, check_values
from .strain_limits import StrainLimits, check_limits
from .warp import check_warp

MOST_ANGLE = 10.0
"""Times the angles of the rest shape that may be those at rest."""

Membrane = Literal["automatic", "continuum", "springs"]


@dataclass(frozen=True, kw_only=True)
class ClothMaterial:
    """A fabric; what is :obj:`.Painted` may be an array of one number a vertex.

    Attributes:
        density: areal density [kg/m²].
        stretch_compliance: reciprocal of the membrane stiffness [m/N].
        compression: stiffness of the yarns against being pushed together, over that against being
            pulled longer; above 0, up to 1.
        shear_compliance: reciprocal of the shear stiffness [m/N].
        bend_compliance: reciprocal of the flexural rigidity [1/(N·m)]; None where nothing bends
            back.
        poisson_ratio: how much stretching one way narrows the other, of the continuum membrane.
        stretch_damping, shear_damping, bend_damping: Rayleigh's stiffness-proportional
            coefficients [s].
        warp: direction in space along which the warp yarns run in the rest shape, or one of each
            face, shape (f, 3); the weft yarns run across it.
        weft_stretch, weft_bend: stiffness of the membrane and flexural rigidity along the weft,
            over those along the warp. Poisson's ratio is then the geometric mean of both, and the
            rigidity of twisting that of the two rigidities.
        membrane: ``"continuum"``: St Venant–Kirchhoff strain of triangles; ``"springs"``:
            distances along the edges and across quads; ``"automatic"``: springs for quads that
            are nearly rectangles (also those cut into two triangles), where they are exact and
            converge fastest; else the continuum, which leaves what it can to springs along edges.
        strain_limits: least and most stretch (σmin, σmax), 1 being the length at rest, beyond
            which springs or triangles never get; None for none.
        shrinkage: the part of its lengths at rest that goes; negative where the fabric grows.
        rest_angle: how much of the angles of the rest shape is one at rest: 1 all of it, 0 flat.
        plasticity: rate [1/s] at which strain beyond a limit becomes the rest state, from frame to
            frame; 0 for none, infinite for at once.
        yield_bend: curvature [1/m] up to which the fabric springs back.
        yield_stretch: strain up to which it does.
        volume_compliance: of the gas in a closed surface [m³/Pa], 0 for a liquid; None where there
            is nothing inside.
        inflation: volume of the gas without pressure, over that of the rest shape.
        inflation_time: over which it is filled in from the simulation's start on [s].
    """

    density: Painted = 0.2
    stretch_compliance: Painted = 5e-4
    compression: Painted = 1.0
    shear_compliance: Painted = 2e-3
    bend_compliance: Painted | None = 1e5
    poisson_ratio: float = 0.2
    stretch_damping: Painted = 0.0
    shear_damping: Painted = 0.0
    bend_damping: Painted = 0.0
    warp: tuple[float, float, float] | NDArray[np.float64] = (1.0, 0.0, 0.0)
    weft_stretch: float = 1.0
    weft_bend: float = 1.0
    membrane: Membrane = "automatic"
    strain_limits: StrainLimits = None
    shrinkage: Painted = 0.0
    rest_angle: Painted = 1.0
    plasticity: float = 0.0
    yield_bend: float = 50.0
    yield_stretch: float = 0.1
    volume_compliance: float | None = None
    inflation: float = 1.0
    inflation_time: float = 0.0

    def __post_init__(self) -> None:
        check_values(vars(self))
        duration("The inflation time", self.inflation_time)
        if not -1.0 < self.poisson_ratio < 1.0:
            raise ModelError(
                f"Poisson's ratio must lie between -1 and 1, not {self.poisson_ratio}."
            )
        check_warp(self.warp)
        if not np.all((np.asarray(self.compression) > 0.0) & (np.asarray(self.compression) <= 1.0)):
            raise ModelError(
                "The compression must lie above 0, and be no more than 1, at which cloth is as "
                f"stiff pushed as pulled; not {self.compression}."
            )
        for name in ("weft_stretch", "weft_bend"):
            if not 0.0 < getattr(self, name) < np.inf:
                raise ModelError(
                    f"The {name.replace('_', ' ')} must be positive, not {getattr(self, name)}."
                )
        if not np.all(np.isfinite(self.shrinkage) & (np.asarray(self.shrinkage) < 1.0)):
            raise ModelError(
                f"The shrinkage must be less than 1, which leaves nothing, not {self.shrinkage}."
            )
        if not np.all(np.abs(self.rest_angle) <= MOST_ANGLE):
            raise ModelError(
                f"The rest angle must lie between -{MOST_ANGLE:g} and {MOST_ANGLE:g}, "
                f"not {self.rest_angle}."
            )
        self._check_plasticity()
        check_limits(self.strain_limits)
        if self.membrane not in get_args(Membrane):
            raise ModelError(f"'{self.membrane}' is no membrane; there are {get_args(Membrane)}.")

    def only(self, *names: str) -> ClothMaterial:
        """The fabric with these attributes, and all others as they are by default."""
        return ClothMaterial(**{name: getattr(self, name) for name in names})

    @property
    def is_bimodular(self) -> bool:
        """Whether it is softer when it is pushed together."""
        return bool(np.any(np.asarray(self.compression) != 1.0))

    @property
    def has_directions(self) -> bool:
        """Whether it matters to stretching which way the yarns run in each face."""
        return np.ndim(self.warp) == 2 or self.weft_stretch != 1.0

    def _check_plasticity(self) -> None:
        if not self.plasticity >= 0.0:
            raise ModelError(f"The plasticity can't be {self.plasticity}.")
        for name in ("yield_bend", "yield_stretch"):
            if not getattr(self, name) > 0.0:
                raise ModelError(
                    f"The {name.replace('_', ' ')} must be positive, not {getattr(self, name)}: at "
                    "zero whatever moves would stay bent."
                )
