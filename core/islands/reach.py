# SPDX-License-Identifier: GPL-3.0-or-later
"""How far units may get in a frame.

Boxes that do not overlap keep what is in them apart. They are foreseen from positions and
velocities; once the frame has been made they are extended to where everything has come, and to
where it seems to have come from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..forces.uniform import Vector
from ..mesh.connected import connected
from ..state import State

Indices = NDArray[np.int64]
Points = NDArray[np.floating]

AHEAD = 2.0
"""Times the way that a particle makes by its velocity and gravity: how far it is looked for."""


@dataclass(frozen=True)
class Reach:
    """Boxes around units.

    Attributes:
        low, high: corners [m], shape (units, 3).
    """

    low: Points
    high: Points

    @classmethod
    def around(cls, points: Points, thickness: NDArray[np.float64], units: Indices) -> Reach:
        """Boxes around particles, each of which keeps others at some distance.

        Args:
            points, thickness: of particles [m], shapes (n, 3) and (n,).
            units: of each particle, shape (n,).
        """
        order = np.argsort(units, kind="stable")
        starts = np.searchsorted(units[order], np.arange(int(units.max(initial=-1)) + 1))
        low = np.minimum.reduceat((points - thickness[:, None])[order], starts)
        high = np.maximum.reduceat((points + thickness[:, None])[order], starts)
        return cls(low, high)

    def and_around(self, other: Reach) -> Reach:
        """Boxes around both."""
        return Reach(np.minimum(self.low, other.low), np.maximum(self.high, other.high))

    def overlapping(self) -> NDArray[np.bool_]:
        """Which boxes overlap, shape (units, units)."""
        apart = (self.low[:, None] > self.high[None]).any(axis=2)
        return np.logical_not(apart | apart.T)


def foreseen(state: State, units: Indices, gravity: Vector, dt: float) -> Reach:
    """Where units may be in a frame of dt seconds that begins."""
    way = AHEAD * dt * (state.velocities + dt * np.asarray(gravity))
    way[state.kinematic] = state.targets - state.positions[state.kinematic]
    return _along(state, state.positions, way, units)


def looked_back(state: State, ends: Points, velocities: Points, units: Indices, dt: float) -> Reach:
    """Where units have been at the end of a frame of dt seconds, and before.

    Args:
        state: at its start.
        ends, velocities: of particles at its end [m], [m/s], shape (n, 3).
    """
    return _along(state, ends, -dt * velocities, units)


def _along(state: State, points: Points, way: Points, units: Indices) -> Reach:
    thickness = state.contact.colliders.contacts.thickness
    here, there = (Reach.around(each, thickness, units) for each in (points, points + way))
    return here.and_around(there)


def islands_of(reach: Reach, may_touch: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """The units of each island: those whose boxes overlap and that may touch are in the same."""
    pairs = np.stack(np.nonzero(reach.overlapping() & may_touch), axis=1)
    labels = connected([pairs], np.ones(len(may_touch), np.bool_))
    return [tuple(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)]
