# SPDX-License-Identifier: GPL-3.0-or-later
"""What a soft body is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ..checks import duration
from ..errors import ModelError
from .painted import Painted, check_values

Energy = Literal["neo-hookean", "corotational"]

MOST_POISSON = 0.499
"""Poisson's ratio beyond which single precision can't tell a body from an incompressible one."""


@dataclass(frozen=True, kw_only=True)
class SoftMaterial:
    """An isotropic solid; by default flesh.

    What is :obj:`.Painted` may be an array of one number a vertex.

    Attributes:
        density: [kg/m³].
        young_modulus: E [Pa], the stress that stretching by all of its length would take.
        poisson_ratio: ν, how much stretching one way narrows the others; 0.5 would keep the
            volume.
        damping: Rayleigh's stiffness-proportional coefficient [s]. Much more than a pressure wave
            takes through a cell holds up what hangs: by 1% for that time, by 2.5% for five of it.
        goal_stiffness: of springs to where :meth:`.SoftBody.wanted` says, for each m³ [N/m⁴]; None
            for none. Gravity g pulls density · g / goal_stiffness [m] away from there.
        goal_damping: of these springs, Rayleigh's coefficient [s].
        inflation: factor of the volume at rest.
        inflation_time: over which it grows to that from the simulation's start on [s].
        contraction: part of its length by which it is shorter along its fibres, below 1; what it
            loses so it is wider across.
        fibres: their direction, in the rest shape, shape (3,), or of each vertex, (n, 3).
        plasticity: rate [1/s] at which strain beyond a limit becomes the rest state, from frame to
            frame, at constant volume; infinite for at once, 0 for never.
        yield_stretch: that limit: of the equivalent strain, how much longer than at rest a bar
            that keeps its volume can be pulled and still springs back.
        energy: ``"neo-hookean"``: the stable one of Smith et al. 2018 as Macklin and Müller 2021
            have it; ``"corotational"``: grows with the square of the strain only. In small strains
            both are Hooke's law.
    """

    density: Painted = 1060.0
    young_modulus: Painted = 3e4
    poisson_ratio: float = 0.45
    damping: Painted = 0.0
    goal_stiffness: Painted | None = None
    goal_damping: float = 0.0
    inflation: Painted = 1.0
    inflation_time: float = 0.0
    contraction: Painted = 0.0
    fibres: ArrayLike = (0.0, 0.0, 1.0)
    plasticity: float = 0.0
    yield_stretch: Painted = 0.1
    energy: Energy = "neo-hookean"

    def __post_init__(self) -> None:
        check_values(vars(self))
        if not 0.0 <= self.poisson_ratio <= MOST_POISSON:
            raise ModelError(
                f"Poisson's ratio of a soft body lies between 0 and {MOST_POISSON}, unlike "
                f"{self.poisson_ratio}."
            )
        self._check_rest()
        if self.energy not in get_args(Energy):
            raise ModelError(f"'{self.energy}' is no energy; there are {get_args(Energy)}.")

    def _check_rest(self) -> None:
        """Raise ModelError where there would be no rest shape."""
        if not np.all(np.asarray(self.inflation) > 0.0):
            raise ModelError("The inflation of a soft body must be above 0.")
        duration("The inflation time", self.inflation_time)
        if not np.all(np.asarray(self.contraction) < 1.0):
            raise ModelError("The contraction of a soft body must be below 1, which is all of it.")
        if not np.all(np.any(np.asarray(self.fibres) != 0.0, axis=-1)):
            raise ModelError("The fibres of a soft body need a direction: (0, 0, 0) has none.")
        if not self.plasticity >= 0.0:
            raise ModelError(f"The plasticity can't be {self.plasticity}.")
        if not np.all(np.asarray(self.yield_stretch) >= 0.0):
            raise ModelError("The yield stretch can't be negative.")

    @property
    def shear_share(self) -> float:
        """Lamé's μ over Young's modulus."""
        return 0.5 / (1.0 + self.poisson_ratio)

    @property
    def volume_share(self) -> float:
        """Lamé's λ over μ."""
        return 2.0 * self.poisson_ratio / (1.0 - 2.0 * self.poisson_ratio)

    @property
    def wave_share(self) -> float:
        """The modulus of pressure waves, λ + 2 μ, over Young's."""
        return (self.volume_share + 2.0) * self.shear_share
