# SPDX-License-Identifier: GPL-3.0-or-later
"""How far units may get in a frame, foreseen from positions and velocities.

What is foreseen need not hold: where units have been is known once the frame has been made. It is
better to miss a little than to look far. What is stiff trembles, at a speed that leads nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..forces.uniform import Vector
from ..mesh.connected import connected
from ..state import State

Indices = NDArray[np.int64]
Points = NDArray[np.floating]

AHEAD = 2.0
"""Times the way that a unit makes as a whole in a frame: how far it is looked for."""

TREMBLE = 0.1
"""Of the size of a unit: how far a particle is looked for beside that, at most."""


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
        if (units[1:] < units[:-1]).any():
            order = np.argsort(units, kind="stable")
            points, thickness, units = points[order], thickness[order], units[order]
        starts = np.searchsorted(units, np.arange(int(units.max(initial=-1)) + 1))
        low = np.minimum.reduceat(points - thickness[:, None], starts)
        high = np.maximum.reduceat(points + thickness[:, None], starts)
        return cls(low, high)

    def copy(self) -> Reach:
        """Boxes of its own."""
        return Reach(self.low.copy(), self.high.copy())

    def put(self, units: Sequence[int], low: Points, high: Points) -> None:
        """Give these units one box."""
        self.low[list(units)], self.high[list(units)] = low, high

    def extend(self, units: Sequence[int], low: Points, high: Points) -> None:
        """Make the boxes of these units hold another one, too."""
        for unit in units:
            self.low[unit] = np.minimum(self.low[unit], low)
            self.high[unit] = np.maximum(self.high[unit], high)

    def overlapping(self) -> NDArray[np.bool_]:
        """Which boxes overlap, shape (units, units)."""
        apart = (self.low[:, None] > self.high[None]).any(axis=2)
        return np.logical_not(apart | apart.T)


def foreseen(state: State, units: Indices, gravity: Vector, dt: float) -> Reach:
    """Where units may be in a frame of dt seconds."""
    thickness = state.contact.colliders.contacts.thickness
    here = Reach.around(state.positions, thickness, units)
    way = dt * state.velocities
    shared = _means(way, units)
    most = TREMBLE * (here.high - here.low).max(axis=1)[units, None]
    way = AHEAD * (shared + dt**2 * np.asarray(gravity)) + np.clip(way - shared, -most, most)
    way[state.kinematic] = state.targets - state.positions[state.kinematic]
    there = Reach.around(state.positions + way, thickness, units)
    return Reach(np.minimum(here.low, there.low), np.maximum(here.high, there.high))


def _means(values: Points, units: Indices) -> Points:
    """Of each particle's unit, shape (n, 3)."""
    sums = np.stack([np.bincount(units, column) for column in values.T], axis=1)
    return (sums / np.bincount(units)[:, None])[units]


def islands_of(reach: Reach, may_touch: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """The units of each island: those whose boxes overlap and that may touch are in the same."""
    pairs = np.stack(np.nonzero(reach.overlapping() & may_touch), axis=1)
    labels = connected([pairs], np.ones(len(may_touch), np.bool_))
    return [tuple(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)]
