# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that slide freely while they are sewn.

A thread that is drawn with any force is stronger than friction, but in a substep friction comes
last: what constraints have moved it takes back, up to what contact has pushed times its
coefficient. In cloth that is too tight for a body both are ways along a chain that is as stiff as
it is short, and the ratio says little of forces: panels stuck at a few per cent of friction, seams
stayed open by millimetres, and all that the cloth was too tight was left to the edges beside them.
So friction comes back as threads close. One with a greatest force may be weaker: it gets no help.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .stitches import Stitches
from .welds import body_numbers

if TYPE_CHECKING:
    from ...model import Model


@dataclass(frozen=True)
class Sliding:
    """What can slide.

    Attributes:
        friction: Coulomb coefficient of each particle, shape (n,).
        bodies: of each particle the number of its body from 1 on, 0 for none, shape (n,).
    """

    friction: NDArray[np.float64]
    bodies: NDArray[np.int64]

    def friction_while(self, stitches: Stitches) -> NDArray[np.float64]:
        """The coefficients while some of the stitches of a body are drawn, of each particle.

        Returns:
            Shape (n,): of each body the share that is not drawn.
        """
        drawn = (stitches.lengths > 0.0) & np.isinf(stitches.holding)
        ends = self.bodies[stitches.particles]
        count = int(self.bodies.max(initial=-1)) + 1
        every = np.bincount(ends.ravel(), minlength=count)
        open_ones = np.bincount(ends[drawn].ravel(), minlength=count)
        return self.friction * (1.0 - open_ones / np.maximum(every, 1))[self.bodies]


def sliding_of(model: Model) -> Sliding | None:
    """What can slide of a model; None where nothing is sewn."""
    if all(group.stitching is None for group in model.groups):
        return None
    # What is of no body is sewn like one more.
    return Sliding(model.friction, body_numbers(model) + 1)
