# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarser and coarser forms of M + τ K on a surface, for a multigrid cycle.

Each level has an interpolation to the finer one, and M and K are those of Galerkin: Iᵀ M I, Iᵀ K I.
They are kept apart, as τ follows the time step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..interruption import may_go_on
from ..remembered import in_units, remembered
from .compressed import (
    Compressed,
    Indices,
    Numbers,
    from_entries,
    product,
    reciprocal,
    transposed,
)
from .interpolation import interpolation, spread_points

SMALLEST = 96
"""Unknowns of a level below which none is coarser."""

WORTH = 0.6
"""Of the unknowns: a level with more is not worth it."""


class Level(NamedTuple):
    """One level of m points.

    Attributes:
        mass, stiffness: M and K, shape (m, m), with entries at the same places: without those of
            points that are not free but for the columns of K on the finest level.
        largest_of_mass, largest_of_stiffness: bounds of the eigenvalues of D⁻¹ M and D⁻¹ K, D being
            the diagonal of each.
        largest_beside: of the eigenvalues of M⁻¹ K, over the largest ratio of both diagonals; of
            the finest level, where M is diagonal. Of others it is not known.
        origin: which points of the finest level they are, shape (m,).
        up: from the next level to this one, shape (m, next); None at the last one.
    """

    mass: Compressed
    stiffness: Compressed
    largest_of_mass: float
    largest_of_stiffness: float
    largest_beside: float
    origin: Indices
    up: Compressed | None


def levels_of(
    stiffness: Compressed,
    masses: Numbers,
    positions: Numbers,
    free: NDArray[np.bool_],
    part: Indices | None = None,
    rigidity: Numbers | None = None,
) -> list[Level]:
    """The levels of a surface, the finest first.

    It is fast where nothing has changed but how rigid parts are, and how heavy.

    Args:
        stiffness: K, shape (n, n).
        masses: of the points, infinite where one is not free, shape (n,).
        positions: shape (n, 3).
        free: which points can move, shape (n,).
        part: of each point a number below n of what it hangs together with, shape (n,).
        rigidity: by which K of each point is larger than what is given, the same in all of a part,
            shape (n,).
    """
    count = len(masses)
    part = np.zeros(count, np.int64) if part is None else part
    rigidity = np.ones(count) if rigidity is None else rigidity
    units, counts = in_units(masses, part, count)
    heavy = units[part]
    return [
        level._replace(
            mass=level.mass.times(heavy[level.origin]),
            stiffness=level.stiffness.times(rigidity[level.origin]),
        )
        for level in _levels_of(stiffness, counts, positions, free, part)
    ]


@remembered
def _levels_of(
    stiffness: Compressed,
    masses: Numbers,
    positions: Numbers,
    free: NDArray[np.bool_],
    part: Indices,
) -> list[Level]:
    own = np.arange(len(masses))
    stiffness = stiffness.chosen(free[stiffness.rows])
    mass = from_entries(own[free], own[free], masses[free], (len(masses), len(masses)))
    found: list[Level] = []
    while True:
        may_go_on()
        mass, stiffness = _alike(mass, stiffness)
        chosen = spread_points(stiffness, positions, free)
        last = free.sum() <= SMALLEST or len(chosen) > WORTH * free.sum()
        up = None if last else interpolation(stiffness, positions, free, chosen)
        bounds = _largest(mass, free) if found else 1.0, _largest(stiffness, free)
        beside = np.inf if found else _largest_beside(stiffness, mass, free, part)
        found.append(Level(mass, stiffness, *bounds, beside, own, up))
        if up is None:
            return found
        down = transposed(up)
        mass, stiffness = (product(down, product(each, up)) for each in (mass, stiffness))
        positions, own, free = positions[chosen], own[chosen], np.ones(len(chosen), np.bool_)


def _alike(a: Compressed, b: Compressed) -> tuple[Compressed, Compressed]:
    """Both with entries at the same places: those of either, zero where it has none."""
    rows, columns = np.concatenate([a.rows, b.rows]), np.concatenate([a.columns, b.columns])
    number = np.arange(a.width)
    identity = from_entries(number, number, np.ones(a.width), (a.width, a.width))
    only_a = np.concatenate([a.values, np.zeros(len(b.values))])
    only_b = np.concatenate([np.zeros(len(a.values)), b.values])
    both = (from_entries(rows, columns, each, (a.height, a.width)) for each in (only_a, only_b))
    alike = [product(each, identity) for each in both]
    return alike[0], alike[1]


def diagonal(matrix: Compressed) -> Numbers:
    """Diagonal of a matrix."""
    own = matrix.rows == matrix.columns
    found = np.bincount(matrix.columns[own], matrix.values[own], minlength=matrix.height)
    return found.astype(np.float64)


def _largest(matrix: Compressed, free: NDArray[np.bool_]) -> float:
    """The largest eigenvalue of D⁻¹ A, a tenth added; A on free points only."""
    growth = _growth(matrix, reciprocal(diagonal(matrix)), free, np.zeros(len(free), np.int64))
    return max(1.0, 1.1 * float(growth.max(initial=0.0)))


def _largest_beside(
    stiffness: Compressed, mass: Compressed, free: NDArray[np.bool_], part: Indices
) -> float:
    """The largest eigenvalue of M⁻¹ K of a diagonal M, a tenth added, over the largest ratio.

    Of the part of which it is largest: each may become more rigid, or heavier, than others.
    """
    inverse = reciprocal(diagonal(mass))
    ratios = np.zeros(len(free))
    np.maximum.at(ratios, part[free], (inverse * diagonal(stiffness))[free])
    growth = _growth(stiffness, inverse, free, part)
    return max(1.0, 1.1 * float((growth * reciprocal(ratios)).max(initial=0.0)))


def _growth(
    matrix: Compressed, inverse: Numbers, free: NDArray[np.bool_], part: Indices
) -> Numbers:
    """The largest eigenvalue of D⁻¹ A of each part by the power method; A on free points only.

    Args:
        part: of each point a number below n, shape (n,); A joins none of different ones.
    """
    count = len(free)
    on_free = matrix.chosen(free[matrix.columns])
    vector = np.random.default_rng(0).standard_normal(count) * free
    lengths = np.sqrt(np.bincount(part, vector**2, minlength=count))
    for _ in range(15):
        vector = inverse * (on_free @ (vector * reciprocal(lengths)[part]))
        lengths = np.sqrt(np.bincount(part, vector**2, minlength=count))
    return np.asarray(lengths)
