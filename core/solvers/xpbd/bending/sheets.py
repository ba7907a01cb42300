# SPDX-License-Identifier: GPL-3.0-or-later
"""The sheets of a model, laid out for the linear solve of :mod:`.sheet_step`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ....bodies.rest_shape import scale_of
from ....lasting import Lasting, fill, numbers_of
from ....linear.levels import diagonal, levels_of
from ....linear.multigrid import Multigrid
from ....linear.products import joined
from ..unchanged import described_by, is_same
from .plates import Plates, angles_of, plates_of
from .rest_vectors import rest_vectors_of, set_angles
from .sheet_step import SheetArrays

if TYPE_CHECKING:
    from ....layout.group import Group
    from ....model import Model

SOLVES = (200.0, 1, 0.6), (2e3, 2, 0.5), (np.inf, 3, 0.9)
"""Up to which ratio of h² K and M how many cycles are in a solve, and what it keeps of the last
solution. Above 200 there are slivers, modes of which a cycle takes over a tenth: folds would crawl.
Above 2,000 less than a tenth of a fold is in a cell."""

LARGEST_RATIO = 1e7
"""Of h (h + β) K and M that single precision can solve with; from some 3e8 on it gives no numbers.
What would be stiffer, as tiny cloth of large damping, is damped less."""


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
        masses = model.masses[:count]
        positions, shrunk = _before_shrinking(model, count)
        self._made_of = described_by(model, groups)
        plates = plates_of(groups, positions, masses, shrunk)
        bent = np.zeros(count, np.bool_)
        bent[plates.corners] = True
        free = bent & np.isfinite(masses)
        unit, part = plates.unit_stiffness, plates.part
        levels = levels_of(unit, masses, positions, free, part, plates.rigidity)
        self._multigrid = Multigrid(levels, model.dtype)
        self._damping = _mean_damping(plates, part)
        self._stiffest = _largest_ratios(plates, masses, part)
        self._duration = 0.0
        yields = any(group.plastic is not None for group in groups)
        self._bent = (plates.rest != 0.0) | yields
        self.arrays = _arrays_of(plates, self._bent, self._multigrid, count, model.dtype)

    def follow(self, model: Model, groups: Sequence[Group]) -> bool:
        """Be what these groups describe; returns whether that can be done: only angles at rest may
        be others, as :meth:`renew` has it.
        """
        groups = _hinges(groups)
        same = is_same(described_by(model, groups), self._made_of)
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

    def begin(self, h: float) -> None:
        """Get ready for substeps of h [s]."""
        if h == self._duration:
            return
        if self._duration > 0.0:
            self.arrays.grids.solution[:] *= (h / self._duration) ** 2
        self._assemble(h)

    def lasting(self) -> Lasting:
        """What the next frame goes on from."""
        return {
            "solution": self.arrays.grids.solution,
            "predicted": self.arrays.predicted,
            "duration": np.array([self._duration]),
        }

    def go_on_from(self, lasting: Lasting) -> None:
        """Go on from what the same sheets have left. Raises CheckpointError."""
        fill(self.arrays.grids.solution, lasting, "solution")
        fill(self.arrays.predicted, lasting, "predicted")
        (duration,) = numbers_of(lasting, "duration", 1)
        if duration not in (0.0, self._duration):
            self._assemble(duration)

    def _assemble(self, h: float) -> None:
        """The linear system of a substep [s]."""
        self._duration = h
        time = np.minimum(h + self._damping, LARGEST_RATIO / (h * self._stiffest))
        self.arrays.damping[:] = np.maximum(time - h, 0.0) / time
        ratio = self._multigrid.assemble(h * time)
        cycles, kept = next(solve for most, *solve in SOLVES if ratio <= most)
        self.arrays.cycles[0], self.arrays.kept[0] = cycles, kept


def _hinges(groups: Sequence[Group]) -> list[Group]:
    return [group for group in groups if group.constraint.kind == "bending"]


def _before_shrinking(model: Model, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Particles at rest as they were before they shrank [m], and what is left of lengths."""
    positions, shrunk = model.rest_positions[:count].copy(), np.ones(count)
    for cloth in model.cloths if count else ():
        positions[cloth.particles] = cloth.shape
        shrunk[cloth.particles] = scale_of(cloth.shrinkage)
    return positions, shrunk


def _arrays_of(
    plates: Plates, bent: NDArray[np.bool_], multigrid: Multigrid, count: int, dtype: Any
) -> SheetArrays:
    """For native code.

    Args:
        bent: which hinges may not be flat at rest.
    """
    moments = plates.moments
    moments = moments.chosen(bent[moments.columns])
    moments = moments._replace(columns=(np.cumsum(bent) - 1)[moments.columns])
    return SheetArrays(
        multigrid.grids,
        np.ones(1, np.int64),
        np.zeros(1, dtype),
        np.zeros(count, dtype),
        np.zeros((count, 4), dtype),
        joined([moments], [0], [0], count, dtype),
        rest_vectors_of(plates.corners[bent], plates.coefficients[bent], plates.rest[bent], dtype),
    )


def _mean_damping(plates: Plates, part: NDArray[np.int64]) -> NDArray[np.float64]:
    """Of all hinges that hang together the mean [s], for each particle.

    Args:
        part: of each particle the number of what it hangs together with, shape (n,).
    """
    owner, count = part[plates.corners[:, 0]], len(part)
    hinges = np.bincount(owner, minlength=count)
    sums = np.bincount(owner, plates.damping, minlength=count)
    return np.asarray((sums / np.maximum(hinges, 1))[part])


def _largest_ratios(
    plates: Plates, masses: NDArray[np.float64], part: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The largest K over M [1/s²] of all that hangs together, for each particle."""
    moved = np.isfinite(masses) & (masses > 0.0)
    found = np.ones(len(part))  # less matters to no substep
    stiffness = diagonal(plates.stiffness)
    np.maximum.at(found, part[moved], stiffness[moved] / masses[moved])
    return found[part]
