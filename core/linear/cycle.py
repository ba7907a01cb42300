# SPDX-License-Identifier: GPL-3.0-or-later
"""One symmetric multigrid cycle for (M + τ K) d = f, for the threads of a step.

V(2,2), smoothed by Chebyshev's polynomials of D⁻¹ A of degree two: products only, each row by one
thread and always in the same order. All levels stand in the same arrays, the finest first; x, y and
z of a point are solved at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..native.by_address import by_address
from ..native.compiled import native_part
from ..native.lanes import add_scaled, load, no_lanes, store
from ..native.rows import Rows, aligned_rows
from ..native.team import meet, own_share
from .compressed import Compressed, Numbers, transposed
from .levels import Level, diagonal

FRACTION = 0.15
"""Of the largest eigenvalue: what a smoother reaches down to."""

WHOLE = 192
"""Unknowns of the last level up to which it is solved by its inverse."""

SOFT = 0.3
"""Of the mass: τ K of a level below which it needs no coarser one."""


@by_address
class Matrix(NamedTuple):
    """Entries of rows of all levels: those of row i are ``starts[i]`` to ``starts[i + 1]``."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[Any]


@by_address
class Grids(NamedTuple):
    """All levels for native code; N points in all.

    Attributes:
        firsts: the first point of each level, and the one after the last, shape (levels + 1,).
        depth: how many levels are used, shape (1,).
        steps: Chebyshev's numbers of each level: of the first step, and of the second one before
            and now, shape (levels, 3).
        entries: A beside its diagonal.
        sums: of each row of A, shape (N,).
        inverse: of its diagonal; 0 where a point is not free, shape (N,).
        up: to each point from those of the next level.
        down: to each point from those of the level before.
        last: A⁻¹ of the last level; none where it is not solved as a whole.
        right: what is left of f, shape (N, 4).
        solution: d, shape (N, 4).
        step, next_step: of the smoother, shape (N, 4).
    """

    firsts: NDArray[np.int64]
    depth: NDArray[np.int64]
    steps: NDArray[Any]
    entries: Matrix
    sums: NDArray[Any]
    inverse: NDArray[Any]
    up: Matrix
    down: Matrix
    last: NDArray[Any]
    right: Rows
    solution: Rows
    step: Rows
    next_step: Rows


class Multigrid:
    """The levels of a surface laid out for the cycle, with room for A of any τ.

    Attributes:
        grids: for native code.
    """

    def __init__(self, levels: Sequence[Level], dtype: DTypeLike) -> None:
        self._levels = levels
        self._dtype = np.dtype(dtype)
        sizes = [len(level.origin) for level in levels]
        firsts = np.concatenate([[0], np.cumsum(sizes)])
        count = int(firsts[-1])
        beside = [_beside_diagonal(level.stiffness) for level in levels]
        self._beside = beside
        ups = [level.up for level in levels if level.up is not None]
        whole = sizes[-1] <= WHOLE
        self.grids = Grids(
            firsts,
            np.ones(1, np.int64),
            np.zeros((len(levels), 3), dtype),
            _joined([level.stiffness.chosen(b) for level, b in zip(levels, beside, strict=True)],
                    firsts[:-1], firsts[:-1], count, dtype),
            np.zeros(count, dtype),
            np.zeros(count, dtype),
            _joined(ups, firsts[:-2], firsts[1:-1], count, dtype),
            _joined([transposed(up) for up in ups], firsts[1:-1], firsts[:-2], count, dtype),
            np.zeros((sizes[-1] if whole else 0,) * 2, dtype),
            *(aligned_rows(count, dtype) for _ in range(4)),
        )

    def assemble(self, tau: Numbers) -> None:
        """Let A be M + τ K.

        Args:
            tau: of each point of the finest level, the same for all that hang together, shape (n,).
        """
        grids, depth = self.grids, 1
        for number, level in enumerate(self._levels):
            own = slice(grids.firsts[number], grids.firsts[number + 1])
            factor = tau[level.origin]
            rows = level.stiffness.rows
            matrix = level.mass._replace(
                values=level.mass.values + factor[rows] * level.stiffness.values
            )
            start = grids.entries.starts[grids.firsts[number]]
            beside = matrix.values[self._beside[number]]
            grids.entries.values[start : start + len(beside)] = beside
            grids.sums[own] = np.bincount(rows, matrix.values, minlength=len(factor))
            entries = diagonal(matrix)
            grids.inverse[own] = np.where(entries > 0.0, 1.0 / np.where(entries > 0.0, entries, 1.0), 0.0)
            grids.steps[number] = _chebyshev(level.largest)
            depth = number + 1
            mass, stiffness = diagonal(level.mass), factor * diagonal(level.stiffness)
            if not (stiffness > SOFT * mass).any():
                break
        else:
            if len(grids.last):
                grids.last[:] = _inverse(matrix)
        grids.depth[0] = depth


def _beside_diagonal(matrix: Compressed) -> NDArray[np.bool_]:
    return matrix.rows != matrix.columns


def _joined(
    matrices: Sequence[Compressed], rows: Any, columns: Any, count: int, dtype: DTypeLike
) -> Matrix:
    """Matrices as one, each from its own row and column on."""
    sizes = np.zeros(count, np.int64)
    for matrix, row in zip(matrices, rows, strict=True):
        sizes[row : row + matrix.height] = np.diff(matrix.starts)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    none = np.empty(0, np.int64)
    joined = [matrix.columns + first for matrix, first in zip(matrices, columns, strict=True)]
    values = [matrix.values for matrix in matrices]
    return Matrix(
        starts,
        np.concatenate([none, *joined]).astype(np.int32),
        np.concatenate([np.empty(0), *values]).astype(dtype),
    )


def _chebyshev(largest: float) -> tuple[float, float, float]:
    """1/θ, and the factors of the step before and of the residual in the second step."""
    centre, half = 0.5 * (1.0 + FRACTION) * largest, 0.5 * (1.0 - FRACTION) * largest
    before = half / centre
    now = 1.0 / (2.0 * centre / half - before)
    return 1.0 / centre, now * before, 2.0 * now / half


def _inverse(matrix: Compressed) -> Numbers:
    dense = np.zeros((matrix.height, matrix.width))
    dense[matrix.rows, matrix.columns] = matrix.values
    empty = np.flatnonzero(~dense.any(axis=1))
    dense[:, empty] = 0.0
    dense[empty, empty] = 1.0
    inverse = np.linalg.inv(dense)
    inverse[empty, empty] = 0.0
    return 0.5 * (inverse + inverse.T)


@native_part
def differences(matrix, rows, i):  # type: ignore[no-untyped-def]
    """Σ a (x_j - x_i) over row i of a matrix: what rounds least where x is smooth."""
    own, total = load(rows, i), no_lanes(rows)
    minus = matrix.values.dtype.type(-1.0)
    for place in range(matrix.starts[i], matrix.starts[i + 1]):
        other = add_scaled(load(rows, matrix.columns[place]), minus, own)
        total = add_scaled(total, matrix.values[place], other)
    return total


@native_part
def weighted(matrix, rows, i):  # type: ignore[no-untyped-def]
    """Σ a x_j over row i of a matrix."""
    total = no_lanes(rows)
    for place in range(matrix.starts[i], matrix.starts[i + 1]):
        total = add_scaled(total, matrix.values[place], load(rows, matrix.columns[place]))
    return total


@native_part
def left_by(grids, rows, i):  # type: ignore[no-untyped-def]
    """What a solution that grows by some rows leaves of the right-hand side at point i."""
    minus = grids.sums.dtype.type(-1.0)
    left = add_scaled(load(grids.right, i), minus, differences(grids.entries, rows, i))
    return add_scaled(left, -grids.sums[i], load(rows, i))


@native_part
def cycle(grids, team):  # type: ignore[no-untyped-def]
    """Add to the solution of the finest level what its right-hand side, that which a solution so far
    has left, asks for, approximately; all threads have met.
    """
    last = grids.depth[0] - 1
    for level in range(last):
        _relax(grids, level, team)
        _reduce(grids, level, grids.next_step, team)
        meet(team)
        _restrict(grids, level, team)
    if last == len(grids.firsts) - 2 and len(grids.last) > 0:
        _solve_last(grids, last, team)
    else:
        _relax(grids, last, team)
        _reduce(grids, last, grids.next_step, team)
        _relax(grids, last, team)
    for above in range(last):
        level = last - 1 - above
        meet(team)
        _prolong(grids, level, team)
        meet(team)
        _reduce(grids, level, grids.step, team)
        meet(team)
        _relax(grids, level, team)


@native_part
def share_of_level(grids, level, team):  # type: ignore[no-untyped-def]
    """First and last of a thread's points of a level."""
    start = grids.firsts[level]
    first, last = own_share(grids.firsts[level + 1] - start, team)
    return start + first, start + last


@native_part
def _relax(grids, level, team):  # type: ignore[no-untyped-def]
    """Two steps of Chebyshev's iteration; the second is left in ``next_step``, and in ``right`` what
    was left before it.
    """
    first, last = share_of_level(grids, level, team)
    whole, before, now = grids.steps[level, 0], grids.steps[level, 1], grids.steps[level, 2]
    none = no_lanes(grids.right)
    for i in range(first, last):
        step = add_scaled(none, whole * grids.inverse[i], load(grids.right, i))
        store(grids.step, i, step)
        store(grids.solution, i, add_scaled(load(grids.solution, i), grids.sums.dtype.type(1.0), step))
    meet(team)
    for i in range(first, last):
        left = left_by(grids, grids.step, i)
        step = add_scaled(none, before, load(grids.step, i))
        step = add_scaled(step, now * grids.inverse[i], left)
        store(grids.right, i, left)
        store(grids.next_step, i, step)
        store(grids.solution, i, add_scaled(load(grids.solution, i), grids.sums.dtype.type(1.0), step))
    meet(team)


@native_part
def _reduce(grids, level, rows, team):  # type: ignore[no-untyped-def]
    """Take from the right-hand side what the solution has grown by."""
    first, last = share_of_level(grids, level, team)
    for i in range(first, last):
        store(grids.right, i, left_by(grids, rows, i))


@native_part
def _restrict(grids, level, team):  # type: ignore[no-untyped-def]
    first, last = share_of_level(grids, level + 1, team)
    for i in range(first, last):
        store(grids.right, i, weighted(grids.down, grids.right, i))
        store(grids.solution, i, no_lanes(grids.solution))


@native_part
def _prolong(grids, level, team):  # type: ignore[no-untyped-def]
    first, last = share_of_level(grids, level, team)
    for i in range(first, last):
        step = weighted(grids.up, grids.solution, i)
        store(grids.step, i, step)
        store(grids.solution, i, add_scaled(load(grids.solution, i), grids.sums.dtype.type(1.0), step))


@native_part
def _solve_last(grids, level, team):  # type: ignore[no-untyped-def]
    start = grids.firsts[level]
    meet(team)
    first, last = share_of_level(grids, level, team)
    for i in range(first, last):
        total = no_lanes(grids.right)
        for j in range(len(grids.last)):
            total = add_scaled(total, grids.last[i - start, j], load(grids.right, start + j))
        store(grids.solution, i, add_scaled(load(grids.solution, i), grids.sums.dtype.type(1.0), total))
