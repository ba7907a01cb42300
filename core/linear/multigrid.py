# SPDX-License-Identifier: GPL-3.0-or-later
"""M + τ K of a surface at all levels, for any τ, as the multigrid cycle wants it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike

from ..native.compiled import native
from ..native.rows import aligned_rows
from .compressed import Compressed, Numbers, reciprocal, transposed
from .cycle import Grids
from .errors import NotPositiveDefinite
from .levels import Level, diagonal
from .products import joined

FRACTION = 0.15
"""Of the largest eigenvalue: what a smoother reaches down to."""

WHOLE = 192
"""Unknowns of the last level up to which it is solved by its inverse."""

SOFTEST = 0.1
"""The largest eigenvalue of τ M⁻¹ K up to which one step of M⁻¹ is a solution: the shortest waves
get so much more than they should."""

SOFT = 0.7
"""Of the mass: τ K around a point of a level below which it needs no coarser one."""

ROUNDING = 1e-12
"""An entry of a matrix, beside 1 in its diagonal, that is none."""


class Multigrid:
    """The levels of a surface laid out for the cycle, with room for A of any τ.

    Attributes:
        grids: for native code.
    """

    def __init__(self, levels: Sequence[Level], dtype: DTypeLike) -> None:
        self._levels = levels
        sizes = [len(level.origin) for level in levels]
        firsts = np.concatenate([[0], np.cumsum(sizes)])
        count = int(firsts[-1])
        own, ups = firsts[:-1].tolist(), [level.up for level in levels if level.up is not None]
        beside = [_beside_diagonal(level) for level in levels]
        masses = joined([mass for mass, _ in beside], own, own, count, dtype)
        stiffness = joined([each for _, each in beside], own, own, count, dtype)
        self._mass, self._stiffness = masses.values, stiffness.values
        diagonals = (
            [diagonal(level.mass) for level in levels],
            [diagonal(level.stiffness) for level in levels],
        )
        self._diagonals = _all(diagonals[0]), _all(diagonals[1])
        self._around = _all([_around(*each) for each in zip(levels, *diagonals, strict=True)])
        self._sums = (
            _all([level.mass @ np.ones(level.mass.width) for level in levels]),
            _all([level.stiffness @ np.ones(level.stiffness.width) for level in levels]),
        )
        self._origin = np.concatenate([level.origin for level in levels])
        whole = sizes[-1] if sizes[-1] <= WHOLE else 0
        self.grids = Grids(
            firsts,
            np.ones(1, np.int64),
            np.zeros((len(levels), 3), dtype),
            stiffness._replace(values=np.zeros_like(stiffness.values)),
            np.zeros(count, dtype),
            np.zeros(count, dtype),
            joined(ups, own[:-1], own[1:], count, dtype),
            joined([transposed(up) for up in ups], own[1:], own[:-1], count, dtype),
            np.zeros((whole, whole), dtype),
            *(aligned_rows(count, dtype) for _ in range(4)),
        )

    def assemble(self, tau: Numbers) -> float:
        """Let A be M + τ K.

        Args:
            tau: of each point of the finest level, the same for all that hang together, shape (n,).

        Returns:
            The largest ratio of the diagonals of τ K and M.

        Raises:
            NotPositiveDefinite: M is lost in the rounding of τ K.
        """
        grids = self.grids
        tau = tau[self._origin]
        mass, stiffness = self._diagonals[0], tau * self._diagonals[1]
        entries = mass + stiffness
        grids.sums[:] = self._sums[0] + tau * self._sums[1]
        grids.inverse[:] = reciprocal(entries)
        stiffest = _largest_ratio(stiffness[: grids.firsts[1]], mass[: grids.firsts[1]])
        for number, level in enumerate(self._levels):
            first, last = grids.firsts[number], grids.firsts[number + 1]
            ratio = _largest_ratio(stiffness[first:last], mass[first:last])
            grids.depth[0] = number + 1
            if number == 0 and ratio * level.largest_beside < SOFTEST:
                grids.steps[0] = 1.0, 0.0, 0.0
                grids.inverse[:last] *= entries[:last] * reciprocal(mass[:last])
            else:
                grids.steps[number] = _chebyshev(level, ratio)
            _put(grids.entries, self._mass, self._stiffness, tau, first, last)
            if (tau * self._around)[first:last].max(initial=0.0) < SOFT:
                break
        if len(grids.last) and grids.depth[0] == len(self._levels):
            grids.last[:] = _inverse(self._levels[-1], tau[first:last])
        return stiffest


@native
def _put(entries, mass, stiffness, tau, first, last):  # type: ignore[no-untyped-def]
    """The entries of A of points [first, last)."""
    for i in range(first, last):
        factor = mass.dtype.type(tau[i])
        for place in range(entries.starts[i], entries.starts[i + 1]):
            entries.values[place] = mass[place] + factor * stiffness[place]


def _all(arrays: Sequence[Numbers]) -> Numbers:
    return np.concatenate([np.empty(0), *arrays])


def _beside_diagonal(level: Level) -> tuple[Compressed, Compressed]:
    """M and K without their diagonals, and without what is zero but for rounding in both.

    So is much in grids of squares.
    """
    rows, columns = level.stiffness.rows, level.stiffness.columns
    own = diagonal(level.stiffness)
    counts = np.abs(level.stiffness.values) > ROUNDING * np.sqrt(own[rows] * own[columns])
    kept = (rows != columns) & (counts | (level.mass.values != 0.0))
    return level.mass.chosen(kept), level.stiffness.chosen(kept)


def _around(level: Level, mass: Numbers, stiffness: Numbers) -> Numbers:
    """The ratio of K and M around each point: of the sums of diagonals over what K joins with it.

    Smooth waves feel that, and not what a single sliver has.

    Args:
        mass, stiffness: the diagonals.
    """
    joined_with = level.stiffness._replace(values=np.ones(len(level.stiffness.values)))
    return np.asarray((joined_with @ stiffness) * reciprocal(joined_with @ mass))


def _largest_ratio(a: Numbers, b: Numbers) -> float:
    """The largest a / b where b is positive."""
    return float((a[b > 0.0] / b[b > 0.0]).max(initial=0.0))


def _chebyshev(level: Level, ratio: float) -> tuple[float, float, float]:
    """1/θ, and the factors of the step before and of the residual in the second step.

    For the eigenvalues of D⁻¹ A from a fraction of the largest on, or from the least where M is
    diagonal, as on the finest level.

    Args:
        ratio: of the diagonals of τ K and M, the largest.
    """
    largest = (level.largest_of_mass + ratio * level.largest_of_stiffness) / (1.0 + ratio)
    least = FRACTION * largest
    if level.largest_of_mass == 1.0:
        least = max(least, 1.0 / (1.0 + ratio))
    centre, half = 0.5 * (largest + least), 0.5 * max(largest - least, FRACTION * largest)
    before = half / centre
    now = 1.0 / (2.0 * centre / half - before)
    return 1.0 / centre, now * before, 2.0 * now / half


def _inverse(level: Level, tau: Numbers) -> Numbers:
    """A⁻¹ of a level, zero for points that are not free."""
    dense = np.zeros((len(tau), len(tau)))
    matrix = level.stiffness
    values = level.mass.values + tau[matrix.rows] * matrix.values
    dense[matrix.rows, matrix.columns] = values
    free = np.flatnonzero(dense.diagonal() > 0.0)
    inverse, places = np.zeros_like(dense), (free[:, None], free)
    try:
        inverse[places] = np.linalg.inv(dense[places])
    except np.linalg.LinAlgError as error:
        raise NotPositiveDefinite("The stiffness of bending leaves nothing of masses.") from error
    return inverse
