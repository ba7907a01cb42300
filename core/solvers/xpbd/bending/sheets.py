# SPDX-License-Identifier: GPL-3.0-or-later
"""The sheets of a model, laid out for the linear solve of :mod:`.sheet_step`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ....lasting import Lasting, fill, numbers_of
from ....linear.levels import levels_of
from ....linear.multigrid import Multigrid
from ....linear.products import joined
from ....mesh.connected import connected
from ....native.rows import aligned_rows
from .plates import Plates, angles_of, plates_of
from .rest_vectors import rest_vectors_of, set_angles
from .sheet_step import SheetArrays

if TYPE_CHECKING:
    from ....layout.group import Group
    from ....model import Model

TYPICAL = 1.0 / 240.0
"""About so many seconds a bending force is held, or for a substep that is longer."""

USUAL, STIFF = (1, 0.7), (3, 0.9)
"""Cycles in a solve, and what it keeps of the last solution."""

ALIKE = 1.3
"""Ratio of two durations that are much the same."""

LARGE = 2e3
"""The ratio of τ K and M from which on sheets are stiff: less than a tenth of a fold in a cell."""

MOST = 4
"""Substeps for which it is held at most. What a push stretches is pulled back a substep later: held
for 8, stiff sheets in very small substeps of second order shake."""


class Sheets:
    """The sheets that hinges describe.

    Args:
        groups: among them those of hinges, of the kind ``"bending"``.

    Attributes:
        arrays: for native code.
    """

    def __init__(self, model: Model, groups: Sequence[Group]) -> None:
        groups = _hinges(groups)
        count = model.particle_count if any(len(group.indices) for group in groups) else 0
        positions, masses = model.rest_positions[:count], model.masses[:count]
        self._made_of = _described_by(model, groups)
        plates = plates_of(groups, positions, masses)
        bent = np.zeros(count, np.bool_)
        bent[plates.corners] = True
        free = bent & np.isfinite(masses)
        levels = levels_of(plates.stiffness, masses, positions, free)
        self._multigrid = Multigrid(levels, model.dtype)
        self._damping = _mean_damping(plates, count)
        self._duration = 0.0
        yields = any(group.plastic is not None for group in groups)
        self._bent = (plates.rest != 0.0) | yields
        self.arrays = _arrays_of(plates, self._bent, self._multigrid, count, model.dtype)

    def follow(self, model: Model, groups: Sequence[Group]) -> bool:
        """Be what these groups describe; returns whether that can be done: only angles at rest may
        be others, as :meth:`renew` has it.
        """
        groups = _hinges(groups)
        other = _described_by(model, groups)
        same = len(other) == len(self._made_of) and all(map(np.array_equal, other, self._made_of))
        return same and self.renew([group.rest for group in groups])

    def renew(self, rests: Sequence[NDArray[np.float64]]) -> bool:
        """Take over other angles at rest, of each group of hinges of shape (count, 1).

        Returns:
            Whether that can be done: not, where one was flat that is not now.
        """
        angles = angles_of(rests)
        if angles[~self._bent].any():
            return False
        set_angles(self.arrays.rest, angles[self._bent])
        return True

    def begin(self, h: float, touched: bool) -> None:
        """Get ready for substeps of h [s].

        Args:
            touched: whether colliders push particles: as points, which a force that is held would
                smear over a longer way.
        """
        times = 1 if touched else self._usual_times(h)
        duration = times * h
        if duration == self._duration:
            return
        if self._duration > 0.0:
            self.arrays.grids.solution[:] *= (duration / self._duration) ** 2
        self.arrays.times[0] = times
        self._assemble(duration)

    def lasting(self) -> Lasting:
        """What the next frame goes on from."""
        return {
            "solution": self.arrays.grids.solution,
            "times": self.arrays.times,
            "duration": np.array([self._duration]),
        }

    def go_on_from(self, lasting: Lasting) -> None:
        """Go on from what the same sheets have left. Raises CheckpointError."""
        fill(self.arrays.grids.solution, lasting, "solution")
        fill(self.arrays.times, lasting, "times")
        (duration,) = numbers_of(lasting, "duration", 1)
        if duration not in (0.0, self._duration):
            self._assemble(duration)

    def _assemble(self, duration: float) -> None:
        """The linear system for a force that is held so long [s]."""
        self._duration = duration
        self.arrays.damping[:] = self._damping / (duration + self._damping)
        ratio = self._multigrid.assemble(duration * (duration + self._damping))
        self.arrays.cycles[0], self.arrays.kept[0] = STIFF if ratio > LARGE else USUAL

    def _usual_times(self, h: float) -> int:
        """For about the typical duration; as before where that will do.

        What hangs at rest depends on it a little, and would tremble as substeps come and go.
        """
        before = int(self.arrays.times[0])
        if 1.0 / ALIKE < before * h / TYPICAL < ALIKE:
            return before
        return min(max(1, round(TYPICAL / h)), MOST)


def _hinges(groups: Sequence[Group]) -> list[Group]:
    return [group for group in groups if group.constraint.kind == "bending"]


def _described_by(model: Model, groups: Sequence[Group]) -> list[NDArray[Any]]:
    """All that sheets depend on, but for the angles at rest now."""
    of_groups = [(g.indices, g.first_rest, g.compliance, g.damping) for g in groups]
    return [model.rest_positions, model.masses, *(array for own in of_groups for array in own)]


def _arrays_of(
    plates: Plates, bent: NDArray[np.bool_], multigrid: Multigrid, count: int, dtype: Any
) -> SheetArrays:
    """For native code.

    Args:
        bent: which hinges may not be flat at rest.
    """
    moments = plates.moments.chosen(bent[plates.moments.columns])
    moments = moments._replace(columns=(np.cumsum(bent) - 1)[moments.columns])
    return SheetArrays(
        multigrid.grids,
        np.ones(1, np.int64),
        np.ones(1, np.int64),
        np.zeros(1, dtype),
        np.zeros(count, dtype),
        aligned_rows(count, dtype),
        joined([moments], [0], [0], count, dtype),
        rest_vectors_of(plates.corners[bent], plates.coefficients[bent], plates.rest[bent], dtype),
    )


def _mean_damping(plates: Plates, count: int) -> NDArray[np.float64]:
    """Of all hinges that hang together the mean, for each particle."""
    part = connected([plates.corners], np.ones(count, np.bool_))
    owner = part[plates.corners[:, 0]]
    hinges = np.bincount(owner, minlength=count)
    sums = np.bincount(owner, plates.damping, minlength=count)
    return np.asarray((sums / np.maximum(hinges, 1))[part])
