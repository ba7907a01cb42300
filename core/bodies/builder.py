# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bodies put what they consist of."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..layout.group import Group, Order


class Builder(Protocol):
    """A :class:`core.Model` that is being filled, as far as bodies know it."""

    @property
    def masses(self) -> NDArray[np.float64]:
        """See :class:`core.Model`."""

    @property
    def groups(self) -> list[Group]:
        """See :class:`core.Model`."""

    @property
    def rest_positions(self) -> NDArray[np.float64]:
        """See :class:`core.Model`."""

    @property
    def positions(self) -> NDArray[np.float64]:
        """See :class:`core.Model`."""

    def add_particles(
        self,
        positions: ArrayLike,
        masses: ArrayLike,
        velocities: ArrayLike = ...,
        *,
        rest_positions: ArrayLike | None = ...,
        thickness: ArrayLike = ...,
        friction: ArrayLike = ...,
        restitution: ArrayLike = ...,
        drag: ArrayLike = ...,
    ) -> NDArray[np.int64]:
        """See :class:`core.Model`."""

    def add_carried(
        self,
        corners: NDArray[np.int64],
        weights: NDArray[np.float64],
        *,
        thickness: ArrayLike = ...,
        friction: ArrayLike = ...,
        restitution: ArrayLike = ...,
    ) -> NDArray[np.int64]:
        """See :class:`core.Model`."""

    def add_constraints(
        self,
        kind: str,
        indices: ArrayLike,
        *,
        rest: ArrayLike | None = ...,
        compliance: ArrayLike = ...,
        damping: ArrayLike = ...,
        order: Order = ...,
    ) -> Group:
        """See :class:`core.Model`."""
