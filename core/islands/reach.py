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
from ..mesh.connected import root_of, unite
from ..native.compiled import native
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


def foreseen(state: State, units: Indices, gravity: Vector, dt: float) -> Reach:
    """Where units may be in a frame of dt seconds."""
    count = int(units.max(initial=-1)) + 1
    reach = Reach(np.full((count, 3), np.inf), np.full((count, 3), -np.inf))
    thickness = state.contact.colliders.contacts.thickness
    ways = np.zeros((count, 4))
    _note_present(state.arrays, thickness, units, dt, reach.low, reach.high, ways)
    ways[:, 3] = TREMBLE * (reach.high - reach.low).max(axis=1)
    fall = tuple(float(g) * dt**2 for g in gravity)
    _look_ahead(state.arrays, thickness, units, dt, reach.low, reach.high, ways, fall)
    return reach


@native
def _note_present(state, thickness, units, dt, low, high, ways):  # type: ignore[no-untyped-def]
    """Extend boxes to where particles are, and note the ways of units as a whole [m]."""
    rows, velocities = state.rows, state.velocities
    for i in range(len(units)):
        unit, away = units[i], thickness[i]
        ways[unit, 3] += 1.0
        for k in range(3):
            ways[unit, k] += dt * velocities[i, k]
            low[unit, k] = min(low[unit, k], rows[i, k] - away)
            high[unit, k] = max(high[unit, k], rows[i, k] + away)
    for unit in range(len(ways)):
        for k in range(3):
            ways[unit, k] /= ways[unit, 3]


@native
def _look_ahead(state, thickness, units, dt, low, high, ways, fall):  # type: ignore[no-untyped-def]
    """Extend boxes to where particles may go, and to where they are led.

    Args:
        ways: of units as a whole, and how far a particle may go beside that, shape (units, 4).
        fall: x, y, z of the way that gravity adds.
    """
    rows, velocities = state.rows, state.velocities
    for i in range(len(units)):
        unit, away = units[i], thickness[i]
        most = ways[unit, 3]
        for k in range(3):
            own = max(-most, min(most, dt * velocities[i, k] - ways[unit, k]))
            there = rows[i, k] + AHEAD * (ways[unit, k] + fall[k]) + own
            if rows[i, 3] != 0.0:
                low[unit, k] = min(low[unit, k], there - away)
                high[unit, k] = max(high[unit, k], there + away)
    for number in range(len(state.kinematic)):
        particle = state.kinematic[number]
        unit, away = units[particle], thickness[particle]
        for k in range(3):
            low[unit, k] = min(low[unit, k], state.targets[number, k] - away)
            high[unit, k] = max(high[unit, k], state.targets[number, k] + away)


def islands_of(reach: Reach, may_touch: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """The units of each island: those whose boxes overlap and that may touch are in the same.

    Boxes are looked at along the axis on which they are spread most, so that the time grows with
    those that overlap there.
    """
    if not len(may_touch):
        return []
    axis = int((reach.low.max(axis=0) - reach.low.min(axis=0)).argmax())
    parents = np.arange(len(may_touch))
    order = np.argsort(reach.low[:, axis], kind="stable")
    _unite_overlapping(reach.low, reach.high, order, axis, may_touch, parents)
    members = np.argsort(parents, kind="stable")
    firsts = np.flatnonzero(np.diff(parents[members], prepend=-1))
    return [tuple(units.tolist()) for units in np.split(members, firsts[1:])]


@native
def _unite_overlapping(low, high, order, axis, may_touch, parents):  # type: ignore[no-untyped-def]
    """Let ``parents`` tell of each box the first one that it hangs together with.

    Args:
        order: of boxes, by their lower corners along the axis.
    """
    for place in range(len(order)):
        one = order[place]
        for later in range(place + 1, len(order)):
            other = order[later]
            if low[other, axis] > high[one, axis]:
                break
            apart = False
            for k in range(3):
                apart |= low[one, k] > high[other, k] or low[other, k] > high[one, k]
            if may_touch[one, other] and not apart:
                unite(parents, one, other)
    for box in range(len(parents)):
        parents[box] = root_of(parents, box)
