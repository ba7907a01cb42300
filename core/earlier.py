# SPDX-License-Identifier: GPL-3.0-or-later
"""Which particles those of a state were in an earlier one of the same bodies, with other pins."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


class Earlier(NamedTuple):
    """What particles were.

    Attributes:
        particles: the earlier number of each, -1 for anchors that were not there, shape (n,).
        leaders: of each that is kinematic the earlier one that was led in its place, -1 where
            nothing was led there, shape (n,).
        places: where anchors that were not there set out from [m], shape (n, 3).
    """

    particles: Indices
    leaders: Indices
    places: NDArray[Any]

    def was_led(self, kinematic: Indices) -> NDArray[np.bool_]:
        """Which particles were among the earlier ones that are kinematic, shape (n,)."""
        return np.isin(self.particles, kinematic)

    def of_part(self, now: Indices, before: Indices) -> Earlier:
        """The same of a part, and of what it was a part of before.

        Args:
            now, before: the particles of both, ascending, shape (m,) and (l,).
        """
        particles, leaders = (
            np.where(each < 0, -1, np.searchsorted(before, each))
            for each in (self.particles[now], self.leaders[now])
        )
        return Earlier(particles, leaders, self.places[now])
