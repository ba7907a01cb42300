# SPDX-License-Identifier: GPL-3.0-or-later
"""The bending of sheets by one linear solve after the prediction.

Gauss–Seidel does not carry moments: swept hinge by hinge, a sheet is the softer against bending the
finer it is. Instead the prediction x̃ = x + H v over H, a substep or a few, takes bending in, implicitly:

    (M + H (H + β) K) d = -H (H + β) K y + H² G b₀,   y = (H x̃ + β (x̃ - x)) / (H + β)

with the energy and the rest vectors b₀ of :mod:`.plates` and their damping β. What the sweeps do
afterwards hardly changes the curvature. The system need not be solved exactly: where it is at rest,
bending is right for every approximate inverse that is exact for smooth right-hand sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....layout.group import Group
from ....linear.cycle import Grids, Matrix, Multigrid, cycle, differences, share_of_level
from ....linear.levels import levels_of
from ....mesh.connected import connected
from ....native.by_address import by_address
from ....native.compiled import native_part
from ....native.lanes import add_scaled, load, no_lanes, store
from ....native.rows import Rows, aligned_rows
from ....native.team import meet
from .plates import Plates, plates_of

LONGEST = 1.0 / 240.0
"""Seconds over which a bending force is held at most."""


KEPT = 0.0


@by_address
class SheetArrays(NamedTuple):
    """What native code sees.

    Attributes:
        grids: of the system; its finest points are the particles.
        times: how many substeps a force is held, shape (1,).
        damping: β / (H + β) of each particle, shape (n,).
        push: velocity [m/s] that bending adds in each substep, shape (n, 4).
    """

    grids: Grids
    times: NDArray[np.int64]
    damping: NDArray[Any]
    push: Rows
    kept: NDArray[Any]


class Sheets:
    """The sheets of a model."""

    def __init__(
        self,
        groups: Sequence[Group],
        positions: NDArray[np.float64],
        masses: NDArray[np.float64],
        dtype: Any,
    ) -> None:
        count = len(masses)
        self.plates = plates = plates_of(groups, positions, masses)
        bent = np.zeros(count, np.bool_)
        bent[plates.corners] = True
        free = np.isfinite(masses) & bent
        self.multigrid = Multigrid(levels_of(plates.stiffness, masses, positions, free), dtype)
        self._damping = _mean_damping(plates, count)
        self._H = 0.0
        self.arrays = SheetArrays(
            self.multigrid.grids, np.ones(1, np.int64), np.zeros(count, dtype), aligned_rows(count, dtype), np.zeros(1, dtype)
        )

    def begin(self, h: float) -> None:
        """Get ready for substeps of h [s]."""
        times = max(1, int(LONGEST / h + 0.01))
        H = times * h
        self.arrays.kept[0] = KEPT
        if H == self._H:
            return
        if self._H:
            self.arrays.grids.solution[:] *= (H / self._H) ** 2
        self._H = H
        self.arrays.times[0] = times
        self.arrays.damping[:] = self._damping / (H + self._damping)
        self.multigrid.assemble(H * (H + self._damping))


def _mean_damping(plates: Plates, count: int) -> NDArray[np.float64]:
    """Of all hinges that hang together the mean, for each particle."""
    part = connected([plates.corners], np.ones(count, np.bool_))
    owner = part[plates.corners[:, 0]]
    hinges = np.bincount(owner, minlength=count)
    mean = np.bincount(owner, plates.damping, minlength=count) / np.maximum(hinges, 1)
    return mean[part]


@native_part
def bend(sheets, arrays, settings, substep, team):  # type: ignore[no-untyped-def]
    """Move predicted particles as bending does, in all substeps; all threads have met."""
    grids, times = sheets.grids, sheets.times[0]
    first, last = share_of_level(grids, 0, team)
    real = arrays.rows.dtype.type
    if substep % times == 0:
        _predict(sheets, arrays, settings, team)
        meet(team)
        cycle(grids, team)
        rate = real(1.0) / (settings.h * real(times * times))
        none = no_lanes(sheets.push)
        for i in range(first, last):
            store(sheets.push, i, add_scaled(none, rate, load(grids.solution, i)))
    for i in range(first, last):
        push = load(sheets.push, i)
        store(arrays.velocities, i, add_scaled(load(arrays.velocities, i), real(1.0), push))
        store(arrays.rows, i, add_scaled(load(arrays.rows, i), settings.h, push))
    meet(team)


@native_part
def _predict(sheets, arrays, settings, team):  # type: ignore[no-untyped-def]
    """The right-hand side."""
    grids, times = sheets.grids, sheets.times[0]
    first, last = share_of_level(grids, 0, team)
    real = arrays.rows.dtype.type
    fall = settings.h * real(times * (times - 1))
    for i in range(first, last):
        start = load(arrays.previous, i)
        way = add_scaled(load(arrays.rows, i), real(-1.0), start)
        total = add_scaled(no_lanes(grids.step), real(times), way)
        total = add_scaled(total, fall, load(arrays.gained, i))
        total = add_scaled(total, real(1.0) - sheets.damping[i], start)
        known = add_scaled(no_lanes(grids.step), sheets.kept[0], load(grids.solution, i))
        store(grids.solution, i, known)
        store(grids.step, i, add_scaled(total, real(1.0), known))
        grids.step[i, 3] = 0.0
    meet(team)
    for i in range(first, last):
        force = differences(grids.entries, grids.step, i)
        left = add_scaled(no_lanes(grids.right), real(-1.0), force)
        store(grids.right, i, add_scaled(left, -grids.sums[i], load(grids.solution, i)))
