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
    rigidity: float = 1.0,
) -> list[Level]:
    """The levels of a surface, the finest first.

    Args:
        stiffness: K over the rigidity, shape (n, n).
        masses: of the points, infinite where one is not free, shape (n,).
        positions: shape (n, 3).
        free: which points can move, shape (n,).
        rigidity: by which K is larger; with another one, or all masses so many times as large, it
            is fast.
    """
    mass, counts = in_units(masses)
    return [
        level._replace(mass=level.mass.times(mass), stiffness=level.stiffness.times(rigidity))
        for level in _levels_of(stiffness, counts, positions, free)
    ]


@remembered
def _levels_of(
    stiffness: Compressed, masses: Numbers, positions: Numbers, free: NDArray[np.bool_]
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
        beside = np.inf if found else _largest_beside(stiffness, mass, free)
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
    return max(1.0, 1.1 * _growth(matrix, reciprocal(diagonal(matrix)), free))


def _largest_beside(stiffness: Compressed, mass: Compressed, free: NDArray[np.bool_]) -> float:
    """The largest eigenvalue of M⁻¹ K of a diagonal M, a tenth added, over the largest ratio."""
    inverse = reciprocal(diagonal(mass))
    ratio = float((inverse * diagonal(stiffness))[free].max(initial=0.0))
    growth = _growth(stiffness, inverse, free)
    return max(1.0, 1.1 * growth / ratio) if ratio > 0.0 else 1.0


def _growth(matrix: Compressed, inverse: Numbers, free: NDArray[np.bool_]) -> float:
    """The largest eigenvalue of D⁻¹ A by the power method; A on free points only."""
    on_free = matrix.chosen(free[matrix.columns])
    vector = np.random.default_rng(0).standard_normal(len(free)) * free
    growth = 0.0
    for _ in range(15):
        length = np.linalg.norm(vector)
        if length == 0.0:
            break
        vector = inverse * (on_free @ (vector / length))
        growth = float(np.linalg.norm(vector))
    return growth
